"""`continuity/explain`: also of prompts that passed through, and of the call that would come next."""

from typing import Any

import pytest

from tests.capture.test_post_run import rows
from tests.support.conversation import Conversation, kinds, sent
from tests.support.memory import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, Talk, explain, set_settings


def asked(chat: Conversation, prompt: str, **changes: Any) -> dict[str, Any]:
    session = {"id": chat.session_id, "willResume": chat.session_id is not None, "isFork": False}
    return {
        "runId": "would-be", "subChatId": chat.sub_chat_id, "provider": chat.provider, "mode": "agent",
        "cwd": str(chat.cwd), "prompt": prompt, "session": session, "deadlineMs": 20_000, **changes,
    }  # fmt: skip


def would_be(chat: Conversation, prompt: str, **changes: Any) -> Any:
    return chat.client.request("continuity/explain", {"preRun": asked(chat, prompt, **changes)})


@pytest.mark.parametrize(
    ("prompt", "changes", "reason"),
    [
        ("/review", {}, "slashCommand"),
        (PROMPT, {"isLocalModel": True}, "localModel"),
        (PROMPT, {"deadlineMs": 1}, "deadline"),
    ],
)
def test_why_a_prompt_passed_through_is_explained(
    talk: Talk, prompt: str, changes: dict[str, Any], reason: str
) -> None:
    chat = talk()
    told = explain(chat, chat.pre_run(prompt, **changes))
    assert (told["action"], told["reason"], told["status"]) == ("passthrough", reason, "dropped")
    assert (told["items"], told["blocks"], told["system"]) == ([], [], None)


def test_a_slash_command_is_explained_with_the_pinned_anchor(talk: Talk) -> None:
    chat = talk()
    first = chat.turn(PROMPT)
    told = explain(chat, chat.pre_run("/review"))
    assert [(item["item"], item["disposition"]) for item in told["items"]] == [("anchor", "alreadyDelivered")]
    assert told["system"] == first["system"]
    assert "Never use floats for money. (AGENTS.md:3)" in [one["text"] for one in told["statements"]]


def test_with_mode_off_nothing_is_recorded(talk: Talk, active: MemorySidecar) -> None:
    chat = talk()
    set_settings(chat, mode="off")
    answer = chat.pre_run(PROMPT)
    assert rows(active)["calls"] == []
    error = chat.client.error("continuity/explain", {"runId": answer["runId"]})
    assert error.code == -32016


def test_the_run_of_a_passthrough_prompt_is_recorded(talk: Talk, shop: Repository) -> None:
    """Its record explains it; as the state before the run it would make every dirty file the run's own."""
    shop.write({"src/mail.py": "dirty = 1\n"})
    chat = talk()
    chat.turn(PROMPT)
    before = chat.pre_run("/simplify")
    answer = chat.post_run(before, "/simplify", assistant={"parts": [chat.edit("src/cart.py", "class Cart: ...\n")]})
    body = chat.artifact(answer["artifacts"][0]["id"])["body"]
    assert "src/cart.py" in body
    assert "src/mail.py" not in body
    assert kinds(chat.pre_run("go on")) == ["delta"]


def test_explaining_the_next_pre_run_matches_it_and_records_nothing(
    talk: Talk, active: MemorySidecar, shop: Repository
) -> None:
    chat = talk()
    for prompt in (PROMPT, "and now fix it", "Explain how mail is sent to customers by src/mail.py"):
        shop.write({"src/invoice.py": f"# {prompt}\n"})
        kept = rows(active)
        told = would_be(chat, prompt)
        assert rows(active) == kept
        answer = chat.pre_run(prompt)
        assert (told["blocks"], told["system"]) == (answer["blocks"], answer["system"])
        assert (told["status"], told["action"], told["runId"]) == ("notRun", "inject", "would-be")
        assert told["metadata"]["stateIds"] == answer["metadata"]["stateIds"]
        assert told["items"] == explain(chat, answer)["items"]
        assert told["statements"] == explain(chat, answer)["statements"]
        chat.post_run(answer, prompt)


@pytest.mark.parametrize(("prompt", "changes"), [("/compact", {}), (PROMPT, {"isLocalModel": True})])
def test_a_prompt_that_would_pass_through_has_a_reason(talk: Talk, prompt: str, changes: dict[str, Any]) -> None:
    told = would_be(talk(), prompt, **changes)
    assert (told["action"], told["items"], told["blocks"]) == ("passthrough", [], [])
    assert told["reason"] in ("slashCommand", "localModel")


def test_passive_mode_shows_what_it_would_send(talk: Talk) -> None:
    chat = talk()
    set_settings(chat, mode="passive")
    told = would_be(chat, PROMPT)
    assert (told["action"], told["reason"]) == ("passthrough", "passive")
    assert "context:src/cart.py" in [item["item"] for item in told["items"]]


def test_a_follow_up_of_codex_is_explained_with_the_statements_its_session_has(talk: Talk) -> None:
    chat = talk("codex")
    chat.turn(PROMPT)
    answer = chat.pre_run("go on")
    assert "Never use floats" not in sent(answer)
    assert "Never use floats for money. (AGENTS.md:3)" in [one["text"] for one in explain(chat, answer)["statements"]]
