"""Every scenario of the knowledge sync, through the RPC methods."""

import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.knowledge import Entry, GitSource, Manifest, PlanRequest, RateLimiter, SyncState, plan
from sidecar.memory import PointerFiles
from tests.support.clock import FixedClock
from tests.support.growth import takes_linear_time
from tests.support.knowledge_project import POINTERS, Knowledge, item
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

Make = Callable[..., Knowledge]

ADR = "company/adrs/adr-1.md"
POLICY = "company/policies/pol-1.md"
BLOCKING = "".join(f"- {{severity: block, message: Rule {number}}}\n" for number in range(1, 6))
TWO_ITEMS = {ADR: item("Use PostgreSQL", status="accepted"), POLICY: item("Logs hold no secret")}


def synced(make: Make, files: dict[str, str], **settings: Any) -> Knowledge:
    knowledge = make(files, **settings)
    knowledge.request("sync", mode="full")
    return knowledge


def kinds(answer: Any) -> list[tuple[str, str]]:
    return [(operation["kind"], operation["item"]) for operation in answer["operations"]]


def types(knowledge: Knowledge) -> list[tuple[str, str]]:
    return [
        (conflict["type"], conflict["suggestedResolution"]) for conflict in knowledge.request("conflicts")["conflicts"]
    ]


def test_a_sync_stores_the_time_the_commit_and_every_items_hash_and_pointer(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    status = knowledge.request("status")
    assert status["lastSyncAt"] == "2026-03-01T09:30:00.000Z"
    assert status["lastKnowledgeCommit"] == knowledge.repository.head()
    explained = knowledge.request("explain", item="adr-1")
    assert explained["syncedContentHash"] == explained["contentHash"] == explained["pointers"][0]["contentHash"]


def test_the_state_survives_a_restart_and_starts_empty(
    make_knowledge: Make, open_sidecar: Callable[..., MemorySidecar], tmp_path: Path
) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.sidecar.close()
    again = open_sidecar()
    again.client.initialize()
    status = again.client.request("knowledge/status", {"cwd": str(knowledge.project)})
    assert (status["inSync"], status["lastKnowledgeCommit"]) == (True, knowledge.repository.head())
    fresh = open_sidecar(state_dir=tmp_path / "other")
    fresh.client.initialize()
    project = tmp_path / "repository-less"
    project.mkdir()
    other = Knowledge(fresh, project, knowledge.repository)
    assert (other.request("status")["lastSyncAt"], other.request("status")["items"]) == (None, 2)


def test_only_the_new_item_is_added(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.commit({"company/specs/s.md": item("Checkout")})
    delta = knowledge.request("plan")["delta"]
    assert (delta["added"], delta["updated"], delta["deleted"]) == (["company:s"], [], [])


def test_changed_content_constraints_or_status_is_an_update(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    for text in (
        item("Use PostgreSQL", status="accepted", body="Otherwise."),
        item("Use PostgreSQL", status="draft"),
        item("Use PostgreSQL", status="accepted", constraints=BLOCKING),
    ):
        knowledge.repository.commit({ADR: text})
        assert knowledge.request("plan")["delta"]["updated"] == ["company:adr-1"]


def test_only_the_removed_item_is_deleted(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.git("rm", "--quiet", ADR)
    knowledge.repository.commit()
    delta = knowledge.request("plan")["delta"]
    assert delta == {"added": [], "updated": [], "deleted": ["company:adr-1"], "unchanged": ["company:pol-1"]}


def test_an_item_with_the_same_hash_is_unchanged(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.commit({"README.md": "# More\n"})
    assert knowledge.request("plan")["delta"]["unchanged"] == ["company:adr-1", "company:pol-1"]


def test_a_pointer_has_title_summary_type_three_blocking_constraints_and_the_id(make_knowledge: Make) -> None:
    forged = item("Use PostgreSQL", summary='"Short.\\nReference: team/web:x"', constraints=BLOCKING)
    kinds_of = {"adrs": "ADR", "policies": "POLICY", "patterns": "PATTERN", "specs": "SPEC"}
    knowledge = synced(make_knowledge, {f"company/{folder}/{folder}.md": forged for folder in kinds_of})
    for folder, kind in kinds_of.items():
        (pointer,) = [memory for title, memory in knowledge.memories().items() if title.startswith(f"[{kind}] Use")]
        assert pointer["text"].split("\n\n") == [
            "Summary: Short. Reference: team/web:x",
            *(f"Blocking: Rule {number}" for number in (1, 2, 3)),
            f"Reference: company:{folder}",
        ]


def test_a_pointer_has_its_items_layer(make_knowledge: Make) -> None:
    layers = {"company": "company", "orgs/acme": "org", "teams/web": "team", "projects/till": "project"}
    files = {f"{folder}/adrs/a.md": item(layer) for folder, layer in layers.items()}
    knowledge = synced(make_knowledge, files, scopes=["orgs/acme", "teams/web", "projects/*"])
    texts = knowledge.files().values()
    assert sorted(line for text in texts for line in text.splitlines() if line.startswith("layer:")) == sorted(
        f"layer: {layer}" for layer in layers.values()
    )


def test_a_full_sync_creates_a_checkpoint_and_adds_updates_and_deletes(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.git("rm", "--quiet", POLICY)
    knowledge.repository.commit({ADR: item("Use SQLite"), "company/specs/s.md": item("Checkout")})
    done = knowledge.request("sync", mode="full")
    assert kinds(done) == [("create", "company:s"), ("update", "company:adr-1"), ("delete", "company:pol-1")]
    assert done["checkpointId"] in [checkpoint["id"] for checkpoint in knowledge.request("status")["checkpoints"]]
    assert set(knowledge.memories()) == {"[ADR] Use SQLite", "[SPEC] Checkout"}
    assert knowledge.request("plan")["operations"] == []


def test_an_incremental_sync_covers_changed_items_up_to_the_limit(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.pointer("pol-1").unlink()  # changed by no commit, but noticed
    first = knowledge.repository.head()
    knowledge.repository.commit({f"company/specs/s{number}.md": item(f"Spec {number}") for number in range(3)})
    done = knowledge.request("sync", maxItems=2)
    assert (done["mode"], done["counts"]["added"], done["pending"]) == ("incremental", 2, ["company:s1", "company:s2"])
    assert (done["complete"], knowledge.request("status")["lastKnowledgeCommit"]) == (False, first)
    rest = knowledge.request("sync")
    assert (kinds(rest), rest["complete"]) == ([("create", "company:s1"), ("create", "company:s2")], True)
    assert knowledge.request("status")["lastKnowledgeCommit"] == knowledge.repository.head()


def test_a_single_item_is_updated_created_or_marked_as_orphaned(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.git("rm", "--quiet", POLICY)
    knowledge.repository.commit({ADR: item("Use SQLite"), "company/specs/s.md": item("Checkout")})
    for name, kind in (("adr-1", "update"), ("company:s", "create"), ("pol-1", "mark_orphaned")):
        (operation,) = knowledge.request("sync", mode="single", item=name)["operations"]
        assert operation["kind"] == kind
        assert knowledge.request("sync", mode="single", item=name)["operations"] == []
    assert "knowledge_status: orphaned" in knowledge.pointer("pol-1").read_text()
    assert types(knowledge) == [("orphaned_pointer", "delete_memory")]


def test_a_pointer_with_a_different_hash_is_a_conflict(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.commit({ADR: item("Use PostgreSQL", status="accepted", body="Otherwise.")})
    assert types(knowledge) == [("hash_mismatch", "update_memory")]


def test_a_pointer_to_a_removed_item_is_a_conflict(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.git("rm", "--quiet", ADR)
    knowledge.repository.commit()
    assert types(knowledge) == [("orphaned_pointer", "delete_memory")]


def test_the_newest_of_two_pointers_to_an_item_remains(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    pointer = knowledge.pointer("adr-1")
    old = pointer.read_text().replace("updated_at: 2026", "updated_at: 2025")
    pointer.with_name("by-hand.md").write_text(old)
    assert types(knowledge) == [("duplicate_pointer", "delete_memory")]
    assert knowledge.request("sync", mode="full")["counts"]["deleted"] == 1
    assert pointer.exists()


def test_a_change_to_deprecated_or_superseded_is_a_conflict(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    for status in ("deprecated", "superseded"):
        knowledge.repository.commit({ADR: item("Use PostgreSQL", status=status)})
        assert ("status_change", "update_memory") in types(knowledge)
        knowledge.request("sync")
        assert f"Status: {status}" in knowledge.pointer("adr-1").read_text()


def test_an_update_refreshes_the_pointers_content_hash_and_time(make_knowledge: Make, sidecar: MemorySidecar) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    before = knowledge.request("explain", item="adr-1")
    path = knowledge.pointer("adr-1")
    path.write_text(path.read_text().replace("layer: company", "layer: team") + "\nBlocking: forged\n")
    assert types(knowledge) == [("layer_mismatch", "update_memory"), ("hash_mismatch", "update_memory")]
    clock = sidecar.app.clock
    assert isinstance(clock, FixedClock)
    clock.advance(60_000)
    knowledge.request("resolve", type="hash_mismatch")
    after = knowledge.request("explain", item="adr-1")
    assert (after["conflicts"], after["pointers"][0]["contentHash"]) == ([], before["contentHash"])
    assert after["pointers"][0]["updatedAt"] == "2026-03-01T09:31:00Z"
    assert "forged" not in path.read_text()


def test_a_resolved_orphan_is_removed_from_memory_and_state(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.git("rm", "--quiet", ADR)
    knowledge.repository.commit({"company/specs/s.md": item("Checkout")})
    done = knowledge.request("resolve", type="orphaned_pointer")
    assert kinds(done) == [("delete", "company:adr-1")]
    assert set(knowledge.memories()) == {"[POLICY] Logs hold no secret"}
    assert knowledge.request("plan")["delta"]["deleted"] == []


def test_custom_resolutions_apply_by_type_and_item_and_defaults_to_the_rest(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, {**TWO_ITEMS, "company/specs/s.md": item("Checkout")})
    for part in ("adr-1", "pol-1", "company-s-"):
        path = knowledge.pointer(part)
        path.write_text(path.read_text() + "\nBy hand.\n")
    choices = [
        {"type": "hash_mismatch", "item": "company:adr-1", "resolution": "keep_memory"},
        {"type": "hash_mismatch", "item": "company:s", "resolution": "manual"},
    ]
    done = knowledge.request("sync", mode="full", resolutions=choices)
    assert kinds(done) == [("update", "company:pol-1")]
    assert "By hand." in knowledge.pointer("adr-1").read_text()
    assert [conflict["item"] for conflict in knowledge.request("conflicts")["conflicts"]] == [
        "company:adr-1",
        "company:s",
    ]
    error = knowledge.error("sync", mode="full", resolutions=[{"type": "hash_mismatch", "resolution": "delete_memory"}])
    assert error.data["kind"] == "invalidParams"


def test_a_sync_is_due_when_the_last_one_is_older_than_the_threshold(
    make_knowledge: Make, sidecar: MemorySidecar
) -> None:
    knowledge = make_knowledge(TWO_ITEMS, stalenessThreshold="6h")
    assert knowledge.request("shouldSync")["shouldSync"] is True
    knowledge.request("sync")
    clock = sidecar.app.clock
    assert isinstance(clock, FixedClock)
    clock.advance(6 * 3_600_000)
    assert knowledge.request("shouldSync")["shouldSync"] is False
    clock.advance(1)
    due = knowledge.request("shouldSync")
    assert (due["shouldSync"], due["reason"]) == (True, "threshold")


def test_a_sync_is_due_after_the_configured_number_of_sessions(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS, sessionThreshold=10)
    process = knowledge.sidecar.app.process
    assert process is not None
    project = process.workspaces.get(str(knowledge.project), None).project_key
    for number in range(10):
        with process.database.write() as tx:
            tx.execute(
                "INSERT INTO continuity_runs (run_id, sub_chat_id, project, workspace, provider, mode, outcome,"
                " session_after, touched, result, started_at_ms, finished_at_ms, recorded_at_ms)"
                " VALUES (?, 's', ?, 'w', 'claude', 'agent', 'completed', ?, x'5b5d', x'7b7d', 1, ?, 1)",
                (f"r{number}", project, f"session-{number}", process.clock.now_ms() + 1),
            )
        due = knowledge.request("shouldSync")
        assert (due["shouldSync"], due["sessionsSinceSync"]) == (number == 9, number + 1)
    assert due["reason"] == "threshold"


def test_without_configuration_no_sync_is_due(make_knowledge: Make) -> None:
    knowledge = make_knowledge(TWO_ITEMS)
    due = knowledge.request("shouldSync")
    assert (due["shouldSync"], due["reason"]) == (False, "manual")
    assert knowledge.files() == {}
    knowledge.set(onHeadMoved=True)
    assert knowledge.request("shouldSync")["reason"] == "head_moved"


def test_every_sync_has_a_checkpoint_and_the_last_five_are_stored(make_knowledge: Make) -> None:
    knowledge = make_knowledge(TWO_ITEMS)
    ids = []
    for number in range(7):
        knowledge.repository.commit({ADR: item(f"Title {number}")})
        ids.append(knowledge.request("sync")["checkpointId"])
    assert [checkpoint["id"] for checkpoint in knowledge.request("status")["checkpoints"]] == ids[:1:-1]
    assert knowledge.error("rollback", checkpointId=ids[0]).data["kind"] == "notFound"
    knowledge.request("rollback", checkpointId=ids[3])
    assert set(knowledge.memories()) == {"[ADR] Title 2", "[POLICY] Logs hold no secret"}


def test_a_failed_sync_changes_nothing(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    before = knowledge.files(), knowledge.request("status")["lastKnowledgeCommit"]
    knowledge.repository.commit({f"company/specs/s{number:03}.md": item(f"Spec {number}") for number in range(150)})
    knowledge.request("plan")
    blob = knowledge.repository.git("rev-parse", "HEAD:company/specs/s149.md")
    (knowledge.repository.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert knowledge.error("sync", mode="full").data["code"] == "KNOWLEDGE_UNAVAILABLE"
    assert (knowledge.files(), knowledge.request("status")["lastKnowledgeCommit"]) == before
    last = knowledge.request("status")["checkpoints"][0]
    assert (last["status"], last["reason"]) == ("rolledBack", "An object of the knowledge repository cannot be read.")


def measures(knowledge: Knowledge) -> dict[str, float]:
    summary = knowledge.sidecar.client.request("metrics/summary", {"projectPath": str(knowledge.project)})
    return {name: value for name, value in summary["measures"].items() if name.startswith("sync.")}


def test_every_sync_is_counted_with_its_type_and_duration(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.commit({ADR: item("Use SQLite")})
    knowledge.request("sync")
    knowledge.request("sync", mode="single", item="adr-1")
    counts = measures(knowledge)
    for kind in ("full", "incremental", "single"):
        assert counts[f"sync.operations.total{{type={kind}}}"] == 1
        assert counts[f"sync.operations.duration{{type={kind}}}"] > 0
    knowledge.pointer("adr-1").unlink()
    knowledge.request("resolve")
    types = {name for name in measures(knowledge) if name.startswith("sync.operations.total")}
    assert types == {f"sync.operations.total{{type={kind}}}" for kind in ("full", "incremental", "single")}
    assert knowledge.sidecar.client.request("metrics/series", {})["points"] == []


def test_items_are_counted_by_outcome(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.repository.git("rm", "--quiet", POLICY)
    knowledge.repository.commit({ADR: item("Use SQLite")})
    knowledge.request("sync")
    counts = measures(knowledge)
    assert [counts[f"sync.items.{name}"] for name in ("added", "updated", "deleted")] == [2, 1, 1]


def test_conflicts_are_counted_by_type(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    knowledge.pointer("adr-1").unlink()
    knowledge.request("sync", mode="full")
    assert measures(knowledge)["sync.conflicts.total{type=missing_pointer}"] == 1


def test_failures_are_counted_by_code(make_knowledge: Make) -> None:
    knowledge = make_knowledge({ADR: item("Fine"), POLICY: "---\nno: [end\n---\n"})
    knowledge.error("sync")
    assert measures(knowledge)["sync.failures.total{code=PARTIAL_FAILURE}"] == 1


def test_an_unreachable_repository_is_tried_three_times(make_knowledge: Make, tmp_path: Path) -> None:
    knowledge = make_knowledge(TWO_ITEMS)
    knowledge.set(repository=str(tmp_path / "nowhere"))
    error = knowledge.error("sync")
    assert (error.data["code"], error.data["retryable"]) == ("KNOWLEDGE_UNAVAILABLE", True)
    knowledge.set(repository=None)
    assert knowledge.error("sync").data["retryable"] is False


def test_a_damaged_state_is_reported_set_aside_and_rebuilt_from_the_pointers(
    make_knowledge: Make, state_dir: Path
) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    before = knowledge.files()
    with sqlite3.connect(state_dir / "continuity.db") as database:
        database.execute("UPDATE continuity_knowledge_state SET value = substr(value, 1, 40)")
    error = knowledge.error("sync")
    assert (error.data["code"], error.data["retryable"]) == ("STATE_CORRUPTED", True)
    done = knowledge.request("sync")
    assert kinds(done) == [("adopt", "company:adr-1"), ("adopt", "company:pol-1")]
    assert (knowledge.files(), done["complete"]) == (before, True)


def test_a_partly_failed_sync_names_the_failed_items_and_is_not_complete(make_knowledge: Make) -> None:
    knowledge = synced(make_knowledge, TWO_ITEMS)
    first = knowledge.repository.head()
    knowledge.repository.commit({POLICY: "---\nno: [end\n---\n", ADR: item("Use SQLite")})
    for _ in range(5):
        error = knowledge.error("sync")
        assert (error.data["code"], error.data["retryable"]) == ("PARTIAL_FAILURE", True)
        assert [failed["item"] for failed in error.data["failedItems"]] == ["company:pol-1"]
        assert knowledge.request("status")["lastKnowledgeCommit"] == first
    assert set(knowledge.memories()) == {"[ADR] Use SQLite", "[POLICY] Logs hold no secret"}
    assert knowledge.request("sync")["complete"] is False  # after five failures it is skipped until it changes
    assert knowledge.request("status")["inSync"] is False
    assert knowledge.error("sync", mode="full").data["code"] == "PARTIAL_FAILURE"  # tried again
    knowledge.repository.commit({POLICY: item("Logs hold nothing")})
    assert kinds(knowledge.request("sync")) == [("update", "company:pol-1")]


def test_the_time_of_a_delta_grows_linearly_with_its_items() -> None:
    def work_of(count: int) -> Callable[[], None]:
        refs = {f"company:a{number}": f"company/adrs/a{number}.md" for number in range(count)}
        entries = {ref: Entry(path, "b", ref, "adr", "active", "c", "r", "") for ref, path in refs.items()}

        def compare() -> None:
            assert len(plan(Manifest("c", entries, ()), SyncState(), (), PlanRequest()).delta.added) == count

        return compare

    assert takes_linear_time(work_of, 1_000)


def test_a_single_sync_reads_and_writes_only_its_item(make_knowledge: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    others = {f"company/specs/s{number}.md": item(f"Spec {number}") for number in range(20)}
    knowledge = synced(make_knowledge, {**TWO_ITEMS, **others})
    own_pointer = f"{POINTERS}/{knowledge.pointer('adr-1').name}"
    for title, ref in (("Use SQLite", "company:adr-1"), ("Use MariaDB", "adr-1")):
        knowledge.repository.commit({ADR: item(title, status="accepted")})
        blob = knowledge.repository.git("rev-parse", f"HEAD:{ADR}").strip()
        with monkeypatch.context() as patch:
            uses = recorded_uses(patch)
            assert kinds(knowledge.request("sync", mode="single", item=ref)) == [("update", "company:adr-1")]
        assert set(uses["content of an item"]) == {blob}
        assert set(uses["content of a pointer"]) == {own_pointer}
        assert uses["write of a pointer"] == [own_pointer]
        if ref != "adr-1":  # a bare id is looked up among all
            assert uses["list of items"] == uses["list of pointers"] == []


def recorded_uses(patch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """Record what a sync reads from the repository and from memory, and what it writes, by kind."""
    uses: dict[str, list[Any]] = {}

    def record(kind: str, owner: type, name: str) -> None:
        function, uses[kind] = getattr(owner, name), []

        def recording(self: Any, *arguments: Any) -> Any:
            uses[kind] += [getattr(argument, "path", argument) for argument in arguments] or [name]
            return function(self, *arguments)

        patch.setattr(owner, name, recording)

    record("content of an item", GitSource, "content")
    record("list of items", GitSource, "files")
    record("content of a pointer", PointerFiles, "content")
    record("list of pointers", PointerFiles, "versions")
    record("write of a pointer", PointerFiles, "_write")
    return uses


def test_the_time_of_a_full_sync_grows_linearly_with_its_items(
    sidecar: MemorySidecar, make_repository: Callable[..., Repository], tmp_path: Path
) -> None:
    def work_of(count: int) -> Callable[[], None]:
        files = {f"company/adrs/a{number}.md": item(f"Item {number}") for number in range(count)}
        repository = make_repository(files, name=f"knowledge-{count}")

        def sync_anew() -> None:
            project = Path(tempfile.mkdtemp(dir=tmp_path))
            knowledge = Knowledge(sidecar, project, repository)
            assert knowledge.request("sync", mode="full")["complete"] is True
            assert len(list((knowledge.folder / POINTERS).iterdir())) == count

        return sync_anew

    assert takes_linear_time(work_of, 100, clock=time.process_time)


def test_a_thousand_writes_wait_eleven_seconds_for_the_rate_limit() -> None:
    now = [0.0]
    written_at: list[float] = []
    limiter = RateLimiter(90, lambda: now[0], lambda seconds: now.__setitem__(0, now[0] + seconds * 1_000 + 0.001))
    while len(written_at) < 1_000:
        limiter.acquire(limiter.batch_size)
        written_at += [now[0]] * limiter.batch_size
    assert max(sum(start <= at < start + 1_000 for at in written_at) for start in set(written_at)) < 100
    assert 10_000 < written_at[999] < 12_000
