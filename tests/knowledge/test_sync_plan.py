"""What a sync would do, case by case: an item, what was synced last, and the pointers that are there."""

from typing import Any

import pytest

from sidecar.knowledge.item import Identity
from sidecar.knowledge.item_pointer import Pointer, pointer_id, pointer_path
from sidecar.knowledge.manifest import Entry, Failure, Manifest
from sidecar.knowledge.state import QUARANTINE_AFTER, FailedItem, SyncedItem, SyncState
from sidecar.knowledge.sync_plan import DELETION_GUARD_POINTERS, Plan, PlanRequest, fingerprint, plan

ONE = Identity("company", "", "adr-1")
ENTRY = Entry("company/adrs/adr-1.md", "blob", ONE.ref, "adr", "accepted", "content", "render", "")
KNOWN = SyncedItem("content", "render", ENTRY.path, pointer_id(ONE), pointer_path(ONE))
POINTER = Pointer(
    pointer_path(ONE), pointer_id(ONE), ONE, "company", "accepted", "content", "render", "2026-03-01T09:30:00Z"
)
OTHER = POINTER._replace(path="shared/durable/pointers/other.md", memory_id="other", updated_at="2026-02-01T09:30:00Z")
OLD_CONTENT, OLD_RENDER = KNOWN._replace(content_hash="before"), KNOWN._replace(render_hash="before")
GONE = POINTER._replace(status="orphaned")


def planned(entry: Entry | None, known: SyncedItem | None, *pointers: Pointer, **asked: Any) -> Plan:
    failed = asked.pop("failed", {})
    manifest = Manifest("commit", {ONE.ref: entry} if entry else {}, asked.pop("failures", ()))
    return plan(
        manifest, SyncState(items={ONE.ref: known} if known else {}, failed=failed), pointers, PlanRequest(**asked)
    )


def choosing(kind: str, resolution: str, ref: str = ONE.ref) -> Any:
    return {(kind, ref): resolution}


def steps(found: Plan) -> list[tuple[str, str]]:
    return [(one.kind, one.pointer) for one in found.operations]


@pytest.mark.parametrize(
    ("entry", "known", "pointers", "conflicts", "wanted"),
    [
        (ENTRY, KNOWN, [POINTER], [], []),
        (ENTRY, None, [], [], [("create", POINTER.path)]),
        (ENTRY, None, [POINTER], [], [("adopt", POINTER.path)]),
        (ENTRY, KNOWN, [], ["missing_pointer"], [("create", POINTER.path)]),
        (ENTRY, OLD_CONTENT, [POINTER._replace(content_hash="before")], ["hash_mismatch"], [("update", POINTER.path)]),
        (ENTRY, OLD_CONTENT, [POINTER], [], [("adopt", POINTER.path)]),
        (ENTRY, OLD_RENDER, [POINTER], [], [("adopt", POINTER.path)]),
        (ENTRY, OLD_RENDER, [POINTER._replace(render_hash="before")], ["hash_mismatch"], [("update", POINTER.path)]),
        (ENTRY, KNOWN, [POINTER._replace(render_hash="mine")], ["hash_mismatch"], [("update", POINTER.path)]),
        (ENTRY, KNOWN, [POINTER._replace(content_hash="mine")], [], []),
        (ENTRY, KNOWN, [POINTER._replace(layer="team")], ["layer_mismatch"], [("update", POINTER.path)]),
        (ENTRY, KNOWN, [GONE], ["hash_mismatch"], [("update", POINTER.path)]),
        (ENTRY, KNOWN, [POINTER, OTHER], ["duplicate_pointer"], [("delete", OTHER.path)]),
        (ENTRY, KNOWN, [OTHER._replace(updated_at="2026-04-01"), POINTER], ["duplicate_pointer"],
         [("delete", POINTER.path), ("adopt", OTHER.path)]),
        (ENTRY, KNOWN, [OTHER._replace(updated_at=POINTER.updated_at), POINTER], ["duplicate_pointer"],
         [("delete", OTHER.path)]),
        (None, KNOWN, [POINTER], ["orphaned_pointer"], [("delete", POINTER.path)]),
        (None, KNOWN, [GONE], ["orphaned_pointer"], [("delete", POINTER.path), ("forget", POINTER.path)]),
        (None, KNOWN, [], [], [("forget", POINTER.path)]),
        (None, None, [POINTER], ["orphaned_pointer"], [("delete", POINTER.path)]),
        (None, None, [GONE], ["orphaned_pointer"], [("delete", POINTER.path)]),
    ],
)  # fmt: skip
def test_conflicts_and_operations_by_case(
    entry: Entry | None, known: SyncedItem | None, pointers: list[Pointer], conflicts: list[str], wanted: Any
) -> None:
    found = planned(entry, known, *pointers)
    assert [one.type for one in found.conflicts] == conflicts
    assert steps(found) == wanted
    assert [one.is_orphan for one in found.operations] == [entry is None and kind == "delete" for kind, _ in wanted]


@pytest.mark.parametrize("status", ["deprecated", "superseded"])
def test_a_deprecated_or_superseded_item_updates_its_pointer(status: str) -> None:
    found = planned(ENTRY._replace(status=status), KNOWN, POINTER)
    assert [one.type for one in found.conflicts] == ["status_change"]
    assert steps(found) == [("update", POINTER.path)]
    assert planned(ENTRY._replace(status=status), KNOWN, POINTER._replace(status=status)).is_empty


@pytest.mark.parametrize(
    ("known", "pointer", "reason"),
    [
        (KNOWN, GONE, "The item exists again."),
        (OLD_CONTENT, POINTER._replace(content_hash="before"), "The item's content, constraints or status changed."),
        (OLD_RENDER, POINTER._replace(render_hash="before"), "The item's title, summary or tags changed."),
        (KNOWN, POINTER._replace(render_hash="mine"), "The pointer was edited in memory."),
    ],
)
def test_a_hash_mismatch_has_a_reason(known: SyncedItem, pointer: Pointer, reason: str) -> None:
    found = planned(ENTRY, known, pointer)
    assert [conflict.reason for conflict in found.conflicts] == [reason]
    assert [step.reason for step in found.operations] == [reason]


@pytest.mark.parametrize(
    ("entry", "pointers", "choice", "wanted"),
    [
        (ENTRY, [POINTER._replace(render_hash="mine")], ("hash_mismatch", "keep_memory"), []),
        (ENTRY, [POINTER._replace(render_hash="mine")], ("hash_mismatch", "manual"), []),
        (ENTRY, [], ("missing_pointer", "keep_memory"), [("adopt", "")]),
        (ENTRY, [], ("missing_pointer", "manual"), []),
        (ENTRY, [POINTER, OTHER], ("duplicate_pointer", "keep_memory"), []),
        (ENTRY, [POINTER, OTHER], ("duplicate_pointer", "manual"), []),
        (None, [POINTER], ("orphaned_pointer", "keep_memory"), [("mark_orphaned", POINTER.path)]),
        (None, [GONE], ("orphaned_pointer", "keep_memory"), [("forget", POINTER.path)]),
    ],
)
def test_a_chosen_resolution_is_applied(
    entry: Entry | None, pointers: list[Pointer], choice: tuple[str, str], wanted: Any
) -> None:
    for ref in (ONE.ref, ""):
        assert steps(planned(entry, KNOWN, *pointers, resolutions=choosing(*choice, ref))) == wanted
    default = steps(planned(entry, KNOWN, *pointers))
    assert steps(planned(entry, KNOWN, *pointers, resolutions=choosing(*choice, "company:adr-2"))) == default != wanted


def test_a_chosen_resolution_does_not_affect_other_conflicts() -> None:
    pointer = POINTER._replace(layer="team", render_hash="mine")
    kept = planned(ENTRY, KNOWN, pointer, resolutions=choosing("hash_mismatch", "keep_memory"))
    assert steps(kept) == [("update", POINTER.path)]
    by_hand = {**choosing("hash_mismatch", "keep_memory"), **choosing("layer_mismatch", "manual")}
    assert steps(planned(ENTRY, OLD_RENDER, pointer, resolutions=by_hand)) == []
    both = {**choosing("hash_mismatch", "keep_memory"), **choosing("layer_mismatch", "keep_memory")}
    assert steps(planned(ENTRY, OLD_RENDER, pointer, resolutions=both)) == [("adopt", POINTER.path)]


def test_a_single_items_sync_only_marks_an_orphan() -> None:
    assert steps(planned(None, KNOWN, POINTER, mark_orphans=True)) == [("mark_orphaned", POINTER.path)]
    assert steps(planned(None, KNOWN, GONE, mark_orphans=True)) == [("forget", POINTER.path)]


def test_a_conflict_names_its_pointer_and_its_resolution() -> None:
    (missing,) = planned(ENTRY, KNOWN).conflicts
    assert (missing.pointer, missing.memory_id) == (POINTER.path, pointer_id(ONE))
    (orphan,) = planned(None, None, OTHER, resolutions=choosing("orphaned_pointer", "manual")).conflicts
    assert (orphan.pointer, orphan.memory_id) == (OTHER.path, "other")
    assert (orphan.suggested, orphan.resolution) == ("delete_memory", "manual")


def test_a_repeatedly_failing_item_is_quarantined_until_it_changes_or_is_requested() -> None:
    failed = {ONE.ref: FailedItem(QUARANTINE_AFTER, fingerprint(ENTRY), "x")}
    assert planned(ENTRY, None, failed=failed).quarantined == (ONE.ref,)
    assert planned(ENTRY, None, failed=failed).is_empty
    for again in (
        planned(ENTRY, None, failed=failed, retry_quarantined=True),
        planned(ENTRY._replace(content_hash="new"), None, failed=failed),
        planned(ENTRY._replace(render_hash="new"), None, failed=failed),
        planned(ENTRY, None, failed={ONE.ref: FailedItem(QUARANTINE_AFTER - 1, fingerprint(ENTRY), "x")}),
    ):
        assert (again.quarantined, steps(again)) == ((), [("create", POINTER.path)])


def test_an_unreadable_file_leaves_its_item_unchanged() -> None:
    failure = Failure(ENTRY.path, ONE.ref, "unreadable", "blob")
    assert planned(None, KNOWN, POINTER, failures=(failure,)).is_empty
    assert not planned(None, KNOWN, POINTER, failures=(failure._replace(ref=""),)).is_empty


def many(count: int) -> tuple[list[Entry], list[Pointer]]:
    identities = [Identity("company", "", f"adr-{number:03}") for number in range(count)]
    entries = [ENTRY._replace(ref=one.ref, path=f"company/adrs/{one.id}.md") for one in identities]
    return entries, [
        POINTER._replace(path=pointer_path(one), memory_id=pointer_id(one), identity=one) for one in identities
    ]


@pytest.mark.parametrize(
    ("pointers", "left", "needs_force"),
    [
        (DELETION_GUARD_POINTERS, 10, False),
        (DELETION_GUARD_POINTERS, 9, True),
        (DELETION_GUARD_POINTERS - 1, 0, False),
        (21, 10, True),
    ],
)
def test_deleting_more_than_half_of_twenty_pointers_needs_force(pointers: int, left: int, needs_force: bool) -> None:
    entries, there = many(pointers)
    found = plan(Manifest("c", {one.ref: one for one in entries[:left]}, ()), SyncState(), there, PlanRequest())
    assert (found.deletions, found.pointers, found.needs_force) == (pointers - left, pointers, needs_force)


def test_max_items_limits_the_written_items_and_leaves_the_rest_pending() -> None:
    entries, there = many(4)
    manifest = Manifest("c", {one.ref: one for one in entries}, ())
    found = plan(manifest, SyncState(), there[:1], PlanRequest(max_items=2))
    assert [(one.kind, one.ref) for one in found.operations] == [
        ("create", entries[1].ref), ("create", entries[2].ref), ("adopt", entries[0].ref),
    ]  # fmt: skip
    assert found.pending == (entries[3].ref,)
    assert plan(manifest, SyncState(), there[:1], PlanRequest()).pending == ()
    assert [
        one.ref for one in plan(manifest, SyncState(), (), PlanRequest(only=frozenset((entries[2].ref,)))).operations
    ] == [entries[2].ref]


def test_a_new_pointer_avoids_a_path_taken_by_another_item() -> None:
    other = Identity("company", "", "adr-2")
    found = planned(ENTRY, None, POINTER._replace(identity=other))
    assert ("create", POINTER.path.replace(".md", "-2.md")) in steps(found)
    taken = POINTER._replace(identity=other, path=POINTER.path.replace(".md", "-2.md"))
    found = planned(ENTRY, None, POINTER._replace(identity=other), taken)
    assert ("create", POINTER.path.replace(".md", "-3.md")) in steps(found)


def test_the_delta_compares_the_repository_with_the_last_sync() -> None:
    for entry, known, kind in (
        (ENTRY, None, "added"), (ENTRY, KNOWN, "unchanged"), (ENTRY, OLD_CONTENT, "updated"),
        (ENTRY, OLD_RENDER, "updated"), (None, KNOWN, "deleted"),
    ):  # fmt: skip
        delta = planned(entry, known, POINTER).delta._asdict()
        assert {name: refs for name, refs in delta.items() if refs} == {kind: (ONE.ref,)}
    assert not any(planned(None, None, POINTER).delta)
