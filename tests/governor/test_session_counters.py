"""Compactions, scores and CRITICAL windows are counted once per session, whichever call reports them."""

from typing import Any

from tests.support.conversation import Conversation
from tests.support.shop import PROMPT, StartChat, set_settings

FULL = {"usedTokens": 190, "maxTokens": 200}


def ask(chat: Conversation, method: str, session: str = "session", **params: Any) -> Any:
    return chat.client.request(f"context/{method}", {"cwd": str(chat.cwd), "sessionId": session, **params})


def restart(chat: Conversation, session: str = "session", **params: Any) -> Any:
    return ask(chat, "continuation", session, ide="claude-code", **params)


def governed(chat: Conversation, session: str = "session", **post: Any) -> Any:
    return chat.post_run(chat.pre_run(PROMPT, **post.pop("pre", {})), session=session, **post)["governor"]


def send_event(chat: Conversation, event: str, session: str) -> None:
    params = {"event": event, "cwd": str(chat.cwd), "subChatId": chat.sub_chat_id, "provider": chat.provider}
    chat.client.notify("continuity/sessionEvent", {**params, "sessionId": session})


def test_compactions_reported_by_different_calls_add_up(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, rehydrate=True)
    governed(chat)
    assert ask(chat, "preCompact", compactionId="first")["compactions"] == 1
    send_event(chat, "compacted", "session")
    assert restart(chat)["counters"]["compactions"] == 1, "the event of the compaction that was announced"
    assert chat.post_run(chat.pre_run("/compact"), "/compact")["governor"]["action"] == "ok"
    assert restart(chat)["counters"]["compactions"] == 2, "counted by the run"
    ask(chat, "preCompact", compactionId="third")
    ask(chat, "preCompact", compactionId="fourth")
    decision = governed(chat)
    assert decision["action"] == "rehydrate"
    assert decision["reasons"] == ["3 compactions in this session (limit: 3)"]
    assert restart(chat)["reasons"] == decision["reasons"]


def test_critical_windows_of_runs_and_of_interactions_are_one_row(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, rehydrate=True)
    governed(chat, pre={"usage": FULL})
    assert restart(chat, bracket="CRITICAL", interactionId="outside")["counters"]["criticalInARow"] == 2
    assert governed(chat, pre={"usage": FULL})["action"] == "rehydrate"
    assert restart(chat, bracket="CRITICAL", interactionId="outside too")["counters"]["criticalInARow"] == 4
    assert restart(chat, "another", bracket="CRITICAL")["counters"]["criticalInARow"] == 1


def test_a_run_that_is_also_reported_as_an_interaction_counts_once(start_chat: StartChat) -> None:
    chat = start_chat()
    governed(chat)
    before = chat.pre_run(PROMPT, usage=FULL)
    assert restart(chat, bracket="CRITICAL", interactionId=before["runId"])["counters"]["criticalInARow"] == 1
    chat.post_run(before)
    assert restart(chat, interactionId=before["runId"])["counters"]["criticalInARow"] == 1


def test_scores_reported_by_different_calls_are_compared(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, rehydrate=True)
    governed(chat, pipeline={"score": 90})
    ask(chat, "preCompact", compactionId="one")
    assert restart(chat, score=70)["counters"] == {
        "compactions": 1, "criticalInARow": 0, "scoreBefore": 90, "score": 70, "nextAgent": None,
    }  # fmt: skip
    assert governed(chat)["reasons"] == ["the agent's score fell by 22.2 % (limit: 15 %)"]


def test_a_session_keeps_its_counters_while_another_one_is_used(start_chat: StartChat) -> None:
    chat = start_chat()
    governed(chat)
    ask(chat, "preCompact", compactionId="one")
    chat.session_id = None
    ask(chat, "preCompact", "other", compactionId="two")
    ask(chat, "preCompact", "other", compactionId="three")
    governed(chat, "other")
    assert restart(chat, "other")["counters"]["compactions"] == 2, "reported before its first run ended"
    assert restart(chat)["counters"]["compactions"] == 1
    chat.session_id = "session"
    governed(chat)
    assert restart(chat)["counters"]["compactions"] == 1
    send_event(chat, "deleted", "other")
    assert restart(chat, "other")["counters"]["compactions"] == 0
