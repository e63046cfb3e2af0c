"""What the user accepts of what runs left, the next sessions are told; what he discards, they are told no more."""

from typing import Any

import pytest

from sidecar.runs import artifacts
from sidecar.runs.model import ArtifactType
from tests.support.artifacts import make_artifact
from tests.support.conversation import Conversation, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

FLOATS = "Discounts as floats"
CACHE = "Prices are cached per request"
DRAFTS: tuple[tuple[str, ArtifactType, str, str], ...] = (
    ("rejected-1", "rejectedApproach", FLOATS, f"# {FLOATS}\n\nThey lost a cent on odd totals.\n"),
    ("adr-1", "adr", CACHE, f"# {CACHE}\n\nStatus: draft\n\n## Decision\n\nPrices are read once per request.\n"),
)


@pytest.fixture
def drafts(active: MemorySidecar, project: Repository) -> tuple[str, ...]:
    """Drafts as runs leave them, by their ids."""
    process = active.app.process
    assert process is not None
    key = process.workspaces.get(str(project.path), None).project_key
    with process.database.write() as tx:
        for name, kind, title, body in DRAFTS:
            draft = make_artifact(id=name, project=key, type=kind, title=title, body=body, event_key=name)
            artifacts.put(tx, draft)
    return tuple(name for name, *_ in DRAFTS)


def fresh_anchor(active: MemorySidecar, project: Repository, name: str) -> str:
    """What another session, which begins now, is told."""
    return sent(Conversation(active.client, project.path, sub_chat_id=name).pre_run("Explain the cart"))


def test_an_accepted_approach_and_decision_are_told_to_the_next_session_until_they_are_discarded(
    conversation: Conversation, active: MemorySidecar, project: Repository, drafts: tuple[str, ...]
) -> None:
    before = fresh_anchor(active, project, "before")
    for artifact_id in drafts:
        conversation.decide("accept", artifact_id)
    told = fresh_anchor(active, project, "after")
    conversation.decide("update", "adr-1", title="Prices are kept per request")
    edited = fresh_anchor(active, project, "edited")
    assert "Status: accepted" in conversation.artifact("adr-1")["body"]
    for artifact_id in drafts:
        conversation.decide("discard", artifact_id)
    discarded = fresh_anchor(active, project, "last")

    assert FLOATS not in before
    assert CACHE not in before
    assert f"- rejected before: {FLOATS}" in told
    assert f"- Prices are read once per request. (adr-1: {CACHE} [accepted])" in told
    assert "(adr-1: Prices are kept per request [accepted])" in edited
    assert CACHE not in edited
    assert discarded == before


def test_a_session_that_goes_on_is_told_of_an_acceptance_in_its_delta(
    conversation: Conversation, drafts: tuple[str, ...]
) -> None:
    conversation.turn("Explain the cart")
    conversation.decide("accept", drafts[0])
    told = conversation.turn("continue")
    conversation.decide("discard", drafts[0])
    taken_back = conversation.turn("continue")

    assert f"now: rejected before: {FLOATS}" in blocks(told)
    assert "standing rules and map are again as they were first given" in blocks(taken_back)


def blocks(answer: Any) -> str:
    return "\n".join(block["text"] for block in answer["blocks"])


def test_a_committed_decision_is_told_with_where_git_has_it_and_a_damaged_one_never(
    conversation: Conversation, active: MemorySidecar, project: Repository, drafts: tuple[str, ...]
) -> None:
    conversation.client.request("artifact/commit", {"projectPath": conversation.project_path, "ids": list(drafts)})
    told = fresh_anchor(active, project, "after")
    assert "Status: accepted" in conversation.artifact("adr-1")["body"]
    (path,) = [word.removeprefix("(").removesuffix(":") for word in told.split() if "adr-1.md" in word]
    process = active.app.process
    assert process is not None
    with process.database.write() as tx:
        tx.execute("UPDATE continuity_artifacts SET title = 'Else', body = '# Else'")
    damaged = fresh_anchor(active, project, "damaged")

    assert "Status: accepted\n\n## Decision\n\nPrices are read once per request." in project.git("show", path)
    assert f"- rejected before: {FLOATS}" in told
    assert "Else" not in damaged
    assert FLOATS not in damaged
