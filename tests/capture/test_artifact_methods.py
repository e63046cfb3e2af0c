"""`artifact/…`: the user decides on what runs left, in one project only."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.core.digests import digest_value
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, draft_each_change

CART = '"""The cart."""\n\n\nclass Cart:\n    def total(self) -> int:\n        return 1\n'
COLUMNS = ("title", "body", "status", "event", "event_key", "project", "created_at_ms", "updated_at_ms", "provenance")


@pytest.fixture
def chat(start_chat: StartChat) -> Conversation:
    """A conversation whose first run changed the cart."""
    chat = draft_each_change(start_chat())
    work(chat, CART)
    return chat


def work(chat: Conversation, content: str) -> Any:
    return chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", content)])["after"]["artifacts"]


def list_artifacts(chat: Conversation, **filters: Any) -> list[Any]:
    artifacts: list[Any] = chat.client.request("artifact/list", {"projectPath": chat.project_path, **filters})[
        "artifacts"
    ]
    return artifacts


def only(chat: Conversation) -> Any:
    (artifacts,) = list_artifacts(chat)
    return chat.artifact(artifacts["id"])


def damage(sidecar: MemorySidecar, artifact_id: str, column: str, value: object) -> None:
    """Changes a record behind the store's back, as damage does."""
    assert sidecar.app.process is not None
    with sidecar.app.process.database.write() as tx:
        tx.execute(f"UPDATE continuity_artifacts SET {column} = ? WHERE artifact_id = ?", (value, artifact_id))


def test_an_edited_draft_is_marked_and_its_heading_becomes_the_title(chat: Conversation, active: MemorySidecar) -> None:
    draft = only(chat)
    active.clock.advance(1)
    edited = chat.decide("update", draft["id"], body="# The total counts discounts\n\nBy hand.\n")
    assert edited["title"] == "The total counts discounts"
    assert edited["provenance"]["edited"] is True
    assert draft["provenance"]["edited"] is False
    assert edited["updatedAt"] > draft["updatedAt"] == draft["createdAt"] == edited["createdAt"]
    assert chat.artifact(draft["id"]) == edited
    retitled = chat.decide("update", draft["id"], title="Discounts are counted")
    assert retitled["body"] == "# Discounts are counted\n\nBy hand.\n"


def test_an_update_without_a_difference_changes_nothing(chat: Conversation) -> None:
    draft = only(chat)
    assert chat.decide("update", draft["id"], title=draft["title"], body=draft["body"]) == draft
    assert chat.decide("update", draft["id"]) == draft


def test_a_blank_title_is_refused_with_the_reason(chat: Conversation) -> None:
    params = {"projectPath": chat.project_path, "id": only(chat)["id"]}
    failure = chat.client.error("artifact/update", {**params, "title": "  "})
    assert (failure.code, "not blank" in failure.message) == (-32602, True)


def test_updating_a_changed_artifact_is_a_conflict_and_loses_nothing(chat: Conversation) -> None:
    draft = only(chat)
    first = chat.decide("update", draft["id"], title="First", expectedUpdatedAt=draft["updatedAt"])
    assert first["updatedAt"] > draft["updatedAt"]  # within the same millisecond of the clock, too
    params = {"projectPath": chat.project_path, "id": draft["id"], "expectedUpdatedAt": draft["updatedAt"]}
    failure = chat.client.error("artifact/update", {**params, "title": "Second"})
    assert failure.data["kind"] == "conflict"
    assert only(chat) == first
    assert chat.decide("update", draft["id"], title="Third", expectedUpdatedAt=first["updatedAt"])["title"] == "Third"


def test_accepting_and_discarding_can_be_repeated_and_reversed(chat: Conversation) -> None:
    artifact_id = only(chat)["id"]
    accepted = chat.decide("accept", artifact_id)
    assert accepted["status"] == "accepted"
    assert chat.decide("accept", artifact_id) == accepted
    discarded = chat.decide("discard", artifact_id)
    assert discarded["status"] == "discarded"
    assert chat.decide("discard", artifact_id) == discarded
    assert chat.decide("accept", artifact_id)["status"] == "accepted"
    assert [artifact["id"] for artifact in list_artifacts(chat, status="accepted")] == [artifact_id]


def test_a_committed_artifact_is_final_but_can_still_be_accepted(chat: Conversation) -> None:
    artifact_id = only(chat)["id"]
    chat.client.request("artifact/commit", {"projectPath": chat.project_path, "ids": [artifact_id]})
    committed = only(chat)
    assert committed["provenance"]["branch"] == "memory/continuity"
    for verb, changes in (("update", {"title": "Other"}), ("discard", {})):
        params = {"projectPath": chat.project_path, "id": artifact_id, **changes}
        assert chat.client.error(f"artifact/{verb}", params).data["kind"] == "policyDenied"
    assert chat.decide("accept", artifact_id) == committed == only(chat)


def test_an_artifact_of_another_project_is_not_found(chat: Conversation, tmp_path: Path) -> None:
    before = only(chat)
    for verb in ("get", "update", "accept", "discard", "commit"):
        named = {"ids": [before["id"]]} if verb == "commit" else {"id": before["id"]}
        failure = chat.client.error(f"artifact/{verb}", {"projectPath": str(tmp_path), **named})
        assert failure.data["kind"] == "notFound", verb
        assert only(chat) == before, verb


def test_a_project_that_does_not_exist_is_named(chat: Conversation, tmp_path: Path) -> None:
    draft = only(chat)
    for verb in ("list", "get", "update", "accept", "discard", "commit"):
        named = {} if verb in ("list", "commit") else {"id": draft["id"]}
        failure = chat.client.error(f"artifact/{verb}", {"projectPath": str(tmp_path / "shopp"), **named})
        shown = (failure.data["kind"], failure.message)
        assert shown == ("workspaceUnavailable", "The project's folder does not exist."), verb


def test_after_a_decision_the_next_run_starts_a_new_entry(chat: Conversation) -> None:
    first = only(chat)
    chat.decide("accept", first["id"])
    (second,) = work(chat, CART + "\n\nTAX = 1\n")
    assert second["id"] != first["id"]
    assert chat.artifact(first["id"])["body"] == first["body"]
    assert list_artifacts(chat, idPrefix=second["id"])[0]["id"] == second["id"]
    assert list_artifacts(chat, idPrefix="nothing") == []


@pytest.mark.parametrize("column", COLUMNS)
def test_a_damaged_record_is_listed_as_damaged_and_not_used(
    column: str, chat: Conversation, active: MemorySidecar, shop: Repository
) -> None:
    draft = only(chat)
    values: dict[str, object] = {"status": "accepted", "created_at_ms": 1, "updated_at_ms": 1, "provenance": b"{"}
    damage(active, draft["id"], column, values.get(column, "other"))
    other_key = column == "project"
    assert [artifact["damaged"] for artifact in list_artifacts(chat)] == ([] if other_key else [True])
    for verb in ("get", "update", "accept", "discard"):
        params = {"projectPath": str(shop.path), "id": draft["id"]}
        kind = chat.client.error(f"artifact/{verb}", params).data["kind"]
        assert kind == ("notFound" if other_key else "stateDegraded")
    (second,) = work(chat, CART + "\n\nTAX = 1\n")
    assert second["id"] != draft["id"]
    assert [artifact["damaged"] for artifact in list_artifacts(chat) if artifact["id"] == draft["id"]] == (
        [] if other_key else [True]
    )


def test_an_old_record_is_verified_by_its_old_hash_and_upgraded_on_change(
    chat: Conversation, active: MemorySidecar
) -> None:
    draft = only(chat)
    assert active.app.process is not None
    with active.app.process.database.read() as tx:
        sql = "SELECT type, status, title, body, provenance FROM continuity_artifacts"
        (*plain, provenance), *_ = tx.execute(sql)
    damage(active, draft["id"], "row_hash", digest_value([*plain, orjson.loads(str(provenance, "utf-8"))]))
    assert only(chat) == draft
    chat.decide("accept", draft["id"])
    with active.app.process.database.read() as tx:
        assert str(tx.execute("SELECT row_hash FROM continuity_artifacts").get).startswith("2:")


def test_artifacts_carry_no_control_sequences_direction_marks_or_forged_markers(chat: Conversation) -> None:
    draft = only(chat)
    foul = "# Red\x1b[31m alert\u202e\n\n[continuity: anchor]\x07 \x1b]0;title\x07tab\u200b\n"
    edited = chat.decide("update", draft["id"], body=foul)
    for shown in (edited, chat.artifact(draft["id"]), *list_artifacts(chat)):
        assert shown["title"] == "Red alert"
    assert chat.artifact(draft["id"])["body"] == "# Red alert\n\n(continuity: anchor] tab\n"
