"""Accepted artifacts reach the next sessions; discarded ones no longer do."""

from typing import Any

import pytest

from tests.support.artifacts import store_artifact
from tests.support.conversation import Conversation, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

FLOATS = "Discounts as floats"
CACHE = "Prices are cached per request"
DRAFTS = (
    ("rejected-1", "rejectedApproach", FLOATS, f"# {FLOATS}\n\nThey lost a cent on odd totals.\n"),
    ("adr-1", "adr", CACHE, f"# {CACHE}\n\nStatus: draft\n\n## Decision\n\nPrices are read once per request.\n"),
)


@pytest.fixture
def drafts(active: MemorySidecar, project: Repository) -> tuple[str, ...]:
    """Drafts as runs create them, by id."""
    for name, kind, title, body in DRAFTS:
        store_artifact(active.app.process, project.path, id=name, type=kind, title=title, body=body, event_key=name)
    return tuple(name for name, *_ in DRAFTS)


def fresh_anchor(active: MemorySidecar, project: Repository, name: str) -> str:
    """The anchor of another session that starts now."""
    return sent(Conversation(active.client, project.path, sub_chat_id=name).pre_run("Explain the cart"))


def test_accepted_artifacts_reach_the_next_session_until_discarded(
    conversation: Conversation, active: MemorySidecar, project: Repository, drafts: tuple[str, ...]
) -> None:
    before = fresh_anchor(active, project, "before")
    for artifact_id in drafts:
        conversation.decide("accept", artifact_id)
    shown = fresh_anchor(active, project, "after")
    conversation.decide("update", "adr-1", title="Prices are kept per request")
    edited = fresh_anchor(active, project, "edited")
    assert "Status: accepted" in conversation.artifact("adr-1")["body"]
    for artifact_id in drafts:
        conversation.decide("discard", artifact_id)
    discarded = fresh_anchor(active, project, "last")

    assert FLOATS not in before
    assert CACHE not in before
    assert f"- rejected before: {FLOATS}" in shown
    assert f"- Prices are read once per request. (adr-1: {CACHE} [accepted])" in shown
    assert "(adr-1: Prices are kept per request [accepted])" in edited
    assert CACHE not in edited
    assert discarded == before


def test_an_accepted_decision_is_one_sentence_and_is_delivered_once(
    conversation: Conversation, active: MemorySidecar, project: Repository
) -> None:
    body = "# A\n\nStatus: draft\n\n## Context\n\nRequest: x\n\n## Decision\n\nI cached carts because reads are slow.\n"
    store_artifact(active.app.process, project.path, id="adr-2", type="adr", title="Cached carts", body=body)
    conversation.decide("accept", "adr-2")
    active.app.process.wait_idle(20)  # pyrefly: ignore[missing-attribute]
    (memory,) = active.client.request("memory/list", {"cwd": str(project.path)})["memories"]
    stored = active.client.request("memory/get", {"cwd": str(project.path), "id": memory["id"]})
    assert stored["text"] == "Cached carts because reads are slow."
    chat = Conversation(active.client, project.path, sub_chat_id="later")
    first = chat.turn("Why are the carts cached, which reads are slow?")
    assert sent(first).count("Cached carts because reads are slow.") == 1
    assert "Remembered" not in sent(first) + sent(chat.turn("and the cached carts?"))
    assert "Remembered" not in sent(chat.turn("ok then leave it. good night"))


@pytest.mark.parametrize(
    ("decision", "stored"),
    [
        ("\n\n \n\nUse pnpm in web.\n", "Use pnpm in web."),
        ("\r\n\r\nUse pnpm in web.\r\n", "Use pnpm in web."),
        ("\n\n-\n", "Package manager."),
    ],
)
def test_a_decision_record_that_was_edited_by_hand_is_accepted(
    conversation: Conversation, active: MemorySidecar, project: Repository, decision: str, stored: str
) -> None:
    body = f"# Package manager\n\nStatus: draft\n\n## Decision{decision}"
    store_artifact(active.app.process, project.path, id="adr-3", type="adr", title="Package manager", body=body)
    conversation.decide("accept", "adr-3")
    active.app.process.wait_idle(20)  # pyrefly: ignore[missing-attribute]
    (memory,) = active.client.request("memory/list", {"cwd": str(project.path)})["memories"]
    assert active.client.request("memory/get", {"cwd": str(project.path), "id": memory["id"]})["text"] == stored


def test_a_continued_session_receives_an_acceptance_in_its_delta(
    conversation: Conversation, drafts: tuple[str, ...]
) -> None:
    conversation.turn("Explain the cart")
    conversation.decide("accept", drafts[0])
    shown = conversation.turn("continue")
    conversation.decide("discard", drafts[0])
    taken_back = conversation.turn("continue")

    assert f"now: rejected before: {FLOATS}" in blocks(shown)
    assert "rules and map match the original again" in blocks(taken_back)


def blocks(answer: Any) -> str:
    return "\n".join(block["text"] for block in answer["blocks"])


def test_a_committed_decision_names_its_git_location_and_a_damaged_one_is_omitted(
    conversation: Conversation, active: MemorySidecar, project: Repository, drafts: tuple[str, ...]
) -> None:
    conversation.client.request("artifact/commit", {"projectPath": conversation.project_path, "ids": list(drafts)})
    shown = fresh_anchor(active, project, "after")
    assert "Status: accepted" in conversation.artifact("adr-1")["body"]
    (path,) = [word.removeprefix("(").removesuffix(":") for word in shown.split() if "adr-1.md" in word]
    process = active.app.process
    assert process is not None
    with process.database.write() as tx:
        tx.execute("UPDATE continuity_artifacts SET title = 'Else', body = '# Else'")
    damaged = fresh_anchor(active, project, "damaged")

    assert "Status: accepted\n\n## Decision\n\nPrices are read once per request." in project.git("show", path)
    assert f"- rejected before: {FLOATS}" in shown
    assert "Else" not in damaged
    assert FLOATS not in damaged
