"""Facts that a prompt states about its provider session: forks, rollbacks, compactions, a session without an id."""

from typing import Any

import pytest

from tests.support.conversation import Conversation, kinds, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.shop import PROMPT, StartChat, send_session_event

MAIL = "Where does mail.py send mail to customers?"
CLOCK = "2026-03-01T09:30:00.000Z"
"""The fixed time at which the runs were sent."""


def session(session_id: str | None = "session", **facts: Any) -> dict[str, Any]:
    return {"id": session_id, "willResume": True, "isFork": False, **facts}


def message(number: int) -> dict[str, Any]:
    return {"messageId": f"message-{number}", "text": "Done."}


def has_cart(answer: Any) -> bool:
    return "def total" in sent(answer)


def has_mail(answer: Any) -> bool:
    return "def send" in sent(answer)


@pytest.fixture
def two_turns(start_chat: StartChat) -> Conversation:
    """A conversation that received the cart with its first run and the mail with its second."""
    chat = start_chat("codex")
    first = chat.pre_run(PROMPT)
    chat.post_run(first, PROMPT, assistant=message(1))
    second = chat.pre_run(MAIL)
    chat.post_run(second, MAIL, assistant=message(2))
    assert has_cart(first)
    assert not has_cart(second)
    assert has_mail(second)
    return chat


def test_a_fork_that_shares_the_session_id_has_what_its_origin_had_and_then_its_own(
    start_chat: StartChat,
) -> None:
    origin, fork = start_chat("codex"), start_chat("codex", sub_chat_id="fork")
    origin.turn(PROMPT)
    fork.session_id = "session"
    first = fork.pre_run(PROMPT)
    assert not has_cart(first)
    assert "anchor" not in kinds(first)
    assert has_mail(origin.turn(MAIL))
    fork.post_run(first, PROMPT)
    assert has_mail(fork.turn(MAIL))
    assert not has_mail(fork.pre_run(MAIL))


def test_a_fork_under_a_new_id_starts_with_a_copy_of_its_origin(start_chat: StartChat, two_turns: Conversation) -> None:
    fork = start_chat("codex", sub_chat_id="fork")
    origin = {"subChatId": two_turns.sub_chat_id, "sessionId": "session"}
    facts = session(isFork=True, forkedFrom=origin)
    first = fork.pre_run(PROMPT, session=facts)
    assert not has_cart(first)
    fork.post_run(first, PROMPT, session="forked")
    assert kinds(fork.pre_run(MAIL, session=session("forked", forkedFrom=origin))) == []
    assert not has_mail(two_turns.pre_run(MAIL))


def test_a_fork_at_an_earlier_message_lacks_what_came_later(start_chat: StartChat, two_turns: Conversation) -> None:
    fork = start_chat("codex", sub_chat_id="fork")
    origin = {"subChatId": two_turns.sub_chat_id, "sessionId": "session"}
    facts = session(isFork=True, forkedFrom=origin, truncatedToMessageId="message-1")
    answer = fork.pre_run(MAIL, session=facts)
    assert has_mail(answer)
    assert "anchor" not in kinds(answer)
    assert not has_mail(two_turns.pre_run(MAIL))


def test_a_fork_of_the_whole_session_has_what_was_sent_before_it_was_copied(
    active: MemorySidecar, start_chat: StartChat
) -> None:
    origin = start_chat("codex")
    origin.turn(PROMPT)
    active.clock.advance(60_000)
    copied = {"subChatId": origin.sub_chat_id, "sessionId": "session", "copiedAt": "2026-03-01T09:30:30.000Z"}
    assert has_mail(origin.turn(MAIL))
    fork = start_chat("codex", sub_chat_id="fork")
    assert not has_cart(fork.pre_run(PROMPT, session=session(forkedFrom=copied)))
    assert has_mail(fork.pre_run(MAIL, session=session(forkedFrom=copied)))
    later = copied | {"copiedAt": "2026-03-01T09:31:30.000Z"}
    assert not has_mail(start_chat("codex", sub_chat_id="later").pre_run(MAIL, session=session(forkedFrom=later)))


def test_resetting_a_fork_leaves_its_origin_alone(start_chat: StartChat, two_turns: Conversation) -> None:
    fork = start_chat("codex", sub_chat_id="fork")
    fork.session_id = "session"
    fork.post_run(fork.pre_run(PROMPT), PROMPT)
    send_session_event(fork, "compacted", "session")
    assert has_cart(fork.pre_run(PROMPT))
    assert not has_cart(two_turns.pre_run(PROMPT))


@pytest.mark.parametrize("times", [1, 2])
def test_a_rollback_stated_late_takes_back_exactly_the_later_turns(two_turns: Conversation, times: int) -> None:
    facts = session(truncatedToMessageId="message-1")
    assert not has_cart(two_turns.pre_run(PROMPT, session=facts))
    answers = [two_turns.pre_run(MAIL, session=facts) for _ in range(times)]
    assert all(has_mail(answer) for answer in answers)
    two_turns.post_run(answers[-1], MAIL, assistant=message(3))
    assert not has_mail(two_turns.pre_run(MAIL))


@pytest.mark.parametrize("last", [None, "unknown"])
def test_a_rollback_to_the_start_or_to_an_unknown_message_leaves_nothing(
    two_turns: Conversation, last: str | None
) -> None:
    facts = session(truncatedToMessageId=last)
    assert has_mail(two_turns.pre_run(MAIL, session=facts))
    answer = two_turns.pre_run(PROMPT, session=facts)
    assert has_cart(answer)
    assert kinds(answer)[0] == "anchor"


def test_the_system_text_of_claude_survives_a_rollback(start_chat: StartChat) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    answer = chat.pre_run(PROMPT, session=session(truncatedToMessageId=None))
    assert answer["system"] == first["system"]
    assert has_cart(answer)


def test_a_compaction_stated_once_or_twice_takes_back_what_was_sent_before_it(two_turns: Conversation) -> None:
    earlier = session(compactedAt="2026-03-01T09:00:00.000Z")
    assert not has_cart(two_turns.pre_run(PROMPT, session=earlier))
    later = session(compactedAt="2026-03-01T09:45:00.000Z")
    answer = two_turns.pre_run(PROMPT, session=later)
    assert has_cart(answer)
    two_turns.post_run(answer, PROMPT, assistant=message(3))
    assert not has_cart(two_turns.pre_run(PROMPT, session=later))


def test_a_session_goes_on_after_a_first_run_that_failed_without_an_id(start_chat: StartChat) -> None:
    chat = start_chat("codex")
    failed = chat.pre_run(PROMPT)
    chat.post_run(failed, PROMPT, session=None, outcome="error")
    facts = session(None, continues=failed["runId"])
    second = chat.pre_run(PROMPT, session=facts)
    assert second["action"] == "inject" or second["reason"] == "nothingToSend"
    assert not has_cart(second)
    assert "anchor" not in kinds(second)
    chat.post_run(second, PROMPT, session=None, outcome="error")
    third = chat.pre_run(MAIL, session=session(None, continues=second["runId"]))
    assert has_mail(third)
    assert not has_cart(third)
    chat.post_run(third, MAIL, session="found")
    assert not has_mail(chat.pre_run(MAIL))
    assert not has_cart(chat.pre_run(PROMPT))


@pytest.mark.parametrize("run_id", ["never-seen", "run-of-another-chat"])
def test_an_unknown_run_continues_nothing(start_chat: StartChat, run_id: str) -> None:
    other = start_chat("codex", sub_chat_id="other")
    answer = other.pre_run(PROMPT)
    chat = start_chat("codex")
    named = answer["runId"] if run_id == "run-of-another-chat" else run_id
    assert has_cart(chat.pre_run(PROMPT, session=session(None, continues=named)))


@pytest.mark.parametrize(("outcome", "is_known"), [("error", True), ("aborted", True), ("completed", False)])
def test_a_prompt_after_a_failed_first_run_goes_on_in_its_session(
    start_chat: StartChat, outcome: str, is_known: bool
) -> None:
    chat = start_chat("codex")
    first = chat.pre_run(PROMPT)
    chat.post_run(first, PROMPT, outcome=outcome, session="unstored")
    assert has_cart(first)
    assert has_cart(chat.pre_run(PROMPT, session=session(None))) is not is_known
    assert has_cart(chat.pre_run(PROMPT, session=session(None, willResume=False)))
