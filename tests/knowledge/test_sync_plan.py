"""The plan of a sync, case by case: an item, its last synced state, and the existing pointers."""

from typing import Any

import pytest

from sidecar.knowledge import (
    DELETION_GUARD_POINTERS,
    QUARANTINE_AFTER,
    Entry,
    FailedItem,
    Failure,
    Identity,
    Manifest,
    Plan,
    PlanRequest,
    StoredPointer,
    SyncedItem,
    SyncState,
    fingerprint,
    plan,
    pointer_id,
    pointer_path,
)
from tests.support.cases import together

ONE = Identity("company", "", "adr-1")
ENTRY = Entry("company/adrs/adr-1.md", "blob", ONE.ref, "adr", "accepted", "content", "render", "")
KNOWN = SyncedItem("content", "render", ENTRY.path, pointer_id(ONE), pointer_path(ONE))
POINTER = StoredPointer(
    pointer_path(ONE), pointer_id(ONE), ONE, "company", "accepted", "content", "render", "2026-03-01T09:30:00Z"
)
OTHER = POINTER._replace(path="shared/durable/pointers/other.md", memory_id="other", updated_at="2026-02-01T09:30:00Z")
OLD_CONTENT, OLD_RENDER = KNOWN._replace(content_hash="before"), KNOWN._replace(render_hash="before")
ORPHANED = POINTER._replace(status="orphaned")


def make_plan(entry: Entry | None, known: SyncedItem | None, *pointers: StoredPointer, **request_fields: Any) -> Plan:
    failed = request_fields.pop("failed", {})
    manifest = Manifest("commit", {ONE.ref: entry} if entry else {}, request_fields.pop("failures", ()))
    return plan(
        manifest,
        SyncState(items={ONE.ref: known} if known else {}, failed=failed),
        pointers,
        PlanRequest(**request_fields),
    )


def resolution_of(kind: str, resolution: str, ref: str = ONE.ref) -> Any:
    return {(kind, ref): resolution}


def steps(result: Plan) -> list[tuple[str, str]]:
    return [(operation.kind, operation.pointer) for operation in result.operations]


@together(
    ("entry", "known", "pointers", "conflicts", "expected"),
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
        (ENTRY, KNOWN, [ORPHANED], ["hash_mismatch"], [("update", POINTER.path)]),
        (ENTRY, KNOWN, [POINTER, OTHER], ["duplicate_pointer"], [("delete", OTHER.path)]),
        (ENTRY, KNOWN, [OTHER._replace(updated_at="2026-04-01"), POINTER], ["duplicate_pointer"],
         [("delete", POINTER.path), ("adopt", OTHER.path)]),
        (ENTRY, KNOWN, [OTHER._replace(updated_at=POINTER.updated_at), POINTER], ["duplicate_pointer"],
         [("delete", OTHER.path)]),
        (None, KNOWN, [POINTER], ["orphaned_pointer"], [("delete", POINTER.path)]),
        (None, KNOWN, [ORPHANED], ["orphaned_pointer"], [("delete", POINTER.path), ("forget", POINTER.path)]),
        (None, KNOWN, [], [], [("forget", POINTER.path)]),
        (None, None, [POINTER], ["orphaned_pointer"], [("delete", POINTER.path)]),
        (None, None, [ORPHANED], ["orphaned_pointer"], [("delete", POINTER.path)]),
    ],
)  # fmt: skip
def test_conflicts_and_operations_by_case(
    entry: Entry | None, known: SyncedItem | None, pointers: list[StoredPointer], conflicts: list[str], expected: Any
) -> None:
    result = make_plan(entry, known, *pointers)
    assert [step.type for step in result.conflicts] == conflicts
    assert steps(result) == expected
    assert [step.is_orphan for step in result.operations] == [
        entry is None and kind == "delete" for kind, _ in expected
    ]


@pytest.mark.parametrize("status", ["deprecated", "superseded"])
def test_a_deprecated_or_superseded_item_updates_its_pointer(status: str) -> None:
    result = make_plan(ENTRY._replace(status=status), KNOWN, POINTER)
    assert [conflict.type for conflict in result.conflicts] == ["status_change"]
    assert steps(result) == [("update", POINTER.path)]
    assert make_plan(ENTRY._replace(status=status), KNOWN, POINTER._replace(status=status)).is_empty


@pytest.mark.parametrize(
    ("known", "pointer", "reason"),
    [
        (KNOWN, ORPHANED, "The item exists again."),
        (OLD_CONTENT, POINTER._replace(content_hash="before"), "The item's content, constraints or status changed."),
        (OLD_RENDER, POINTER._replace(render_hash="before"), "The item's title, summary or tags changed."),
        (KNOWN, POINTER._replace(render_hash="mine"), "The pointer was edited in memory."),
    ],
)
def test_a_hash_mismatch_has_a_reason(known: SyncedItem, pointer: StoredPointer, reason: str) -> None:
    result = make_plan(ENTRY, known, pointer)
    assert [conflict.reason for conflict in result.conflicts] == [reason]
    assert [step.reason for step in result.operations] == [reason]


@together(
    ("entry", "pointers", "choice", "expected"),
    [
        (ENTRY, [POINTER._replace(render_hash="mine")], ("hash_mismatch", "keep_memory"), []),
        (ENTRY, [POINTER._replace(render_hash="mine")], ("hash_mismatch", "manual"), []),
        (ENTRY, [], ("missing_pointer", "keep_memory"), [("adopt", "")]),
        (ENTRY, [], ("missing_pointer", "manual"), []),
        (ENTRY, [POINTER, OTHER], ("duplicate_pointer", "keep_memory"), []),
        (ENTRY, [POINTER, OTHER], ("duplicate_pointer", "manual"), []),
        (None, [POINTER], ("orphaned_pointer", "keep_memory"), [("mark_orphaned", POINTER.path)]),
        (None, [ORPHANED], ("orphaned_pointer", "keep_memory"), [("forget", POINTER.path)]),
    ],
)
def test_a_chosen_resolution_is_applied(
    entry: Entry | None, pointers: list[StoredPointer], choice: tuple[str, str], expected: Any
) -> None:
    for ref in (ONE.ref, ""):
        assert steps(make_plan(entry, KNOWN, *pointers, resolutions=resolution_of(*choice, ref))) == expected
    default = steps(make_plan(entry, KNOWN, *pointers))
    assert (
        steps(make_plan(entry, KNOWN, *pointers, resolutions=resolution_of(*choice, "company:adr-2")))
        == default
        != expected
    )


def test_a_chosen_resolution_does_not_affect_other_conflicts() -> None:
    pointer = POINTER._replace(layer="team", render_hash="mine")
    by_item = make_plan(ENTRY, KNOWN, pointer, resolutions=resolution_of("hash_mismatch", "keep_memory"))
    assert steps(by_item) == [("update", POINTER.path)]
    by_hand = {**resolution_of("hash_mismatch", "keep_memory"), **resolution_of("layer_mismatch", "manual")}
    assert steps(make_plan(ENTRY, OLD_RENDER, pointer, resolutions=by_hand)) == []
    both = {**resolution_of("hash_mismatch", "keep_memory"), **resolution_of("layer_mismatch", "keep_memory")}
    assert steps(make_plan(ENTRY, OLD_RENDER, pointer, resolutions=both)) == [("adopt", POINTER.path)]


def test_a_pointer_has_the_path_and_id_that_every_version_gave_it() -> None:
    identity = Identity("team", "web", "ADR 1")
    assert pointer_path(identity) == "shared/durable/pointers/team-web-adr-1-abb7a653.md"
    assert pointer_id(identity) == "pointer-abb7a653fc7a1189"


def test_a_single_items_sync_only_marks_an_orphan() -> None:
    assert steps(make_plan(None, KNOWN, POINTER, mark_orphans=True)) == [("mark_orphaned", POINTER.path)]
    assert steps(make_plan(None, KNOWN, ORPHANED, mark_orphans=True)) == [("forget", POINTER.path)]


def test_a_conflict_names_its_pointer_and_its_resolution() -> None:
    (missing,) = make_plan(ENTRY, KNOWN).conflicts
    assert (missing.pointer, missing.memory_id) == (POINTER.path, pointer_id(ONE))
    (orphan,) = make_plan(None, None, OTHER, resolutions=resolution_of("orphaned_pointer", "manual")).conflicts
    assert (orphan.pointer, orphan.memory_id) == (OTHER.path, "other")
    assert (orphan.suggested, orphan.resolution) == ("delete_memory", "manual")


def test_a_repeatedly_failing_item_is_quarantined_until_it_changes_or_is_requested() -> None:
    failed = {ONE.ref: FailedItem(QUARANTINE_AFTER, fingerprint(ENTRY), "x")}
    assert make_plan(ENTRY, None, failed=failed).quarantined == (ONE.ref,)
    assert make_plan(ENTRY, None, failed=failed).is_empty
    for again in (
        make_plan(ENTRY, None, failed=failed, retry_quarantined=True),
        make_plan(ENTRY._replace(content_hash="new"), None, failed=failed),
        make_plan(ENTRY._replace(render_hash="new"), None, failed=failed),
        make_plan(ENTRY, None, failed={ONE.ref: FailedItem(QUARANTINE_AFTER - 1, fingerprint(ENTRY), "x")}),
    ):
        assert (again.quarantined, steps(again)) == ((), [("create", POINTER.path)])


def test_an_unreadable_file_leaves_its_item_unchanged() -> None:
    failure = Failure(ENTRY.path, ONE.ref, "unreadable", "blob")
    assert make_plan(None, KNOWN, POINTER, failures=(failure,)).is_empty
    assert not make_plan(None, KNOWN, POINTER, failures=(failure._replace(ref=""),)).is_empty


def entries_and_pointers(count: int) -> tuple[list[Entry], list[StoredPointer]]:
    identities = [Identity("company", "", f"adr-{number:03}") for number in range(count)]
    entries = [ENTRY._replace(ref=identity.ref, path=f"company/adrs/{identity.id}.md") for identity in identities]
    return entries, [
        POINTER._replace(path=pointer_path(identity), memory_id=pointer_id(identity), identity=identity)
        for identity in identities
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
    entries, pointers_present = entries_and_pointers(pointers)
    result = plan(
        Manifest("c", {entry.ref: entry for entry in entries[:left]}, ()), SyncState(), pointers_present, PlanRequest()
    )
    assert (result.deletions, result.pointers, result.needs_force) == (pointers - left, pointers, needs_force)


def test_max_items_limits_the_written_items_and_leaves_the_rest_pending() -> None:
    entries, pointers_present = entries_and_pointers(4)
    manifest = Manifest("c", {step.ref: step for step in entries}, ())
    result = plan(manifest, SyncState(), pointers_present[:1], PlanRequest(max_items=2))
    assert [(step.kind, step.ref) for step in result.operations] == [
        ("create", entries[1].ref), ("create", entries[2].ref), ("adopt", entries[0].ref),
    ]  # fmt: skip
    assert result.pending == (entries[3].ref,)
    assert plan(manifest, SyncState(), pointers_present[:1], PlanRequest()).pending == ()
    assert [
        step.ref for step in plan(manifest, SyncState(), (), PlanRequest(only=frozenset((entries[2].ref,)))).operations
    ] == [entries[2].ref]


def test_a_new_pointer_avoids_a_path_taken_by_another_item() -> None:
    other = Identity("company", "", "adr-2")
    result = make_plan(ENTRY, None, POINTER._replace(identity=other))
    assert ("create", POINTER.path.replace(".md", "-2.md")) in steps(result)
    taken = POINTER._replace(identity=other, path=POINTER.path.replace(".md", "-2.md"))
    result = make_plan(ENTRY, None, POINTER._replace(identity=other), taken)
    assert ("create", POINTER.path.replace(".md", "-3.md")) in steps(result)


def test_the_delta_compares_the_repository_with_the_last_sync() -> None:
    for entry, known, kind in (
        (ENTRY, None, "added"), (ENTRY, KNOWN, "unchanged"), (ENTRY, OLD_CONTENT, "updated"),
        (ENTRY, OLD_RENDER, "updated"), (None, KNOWN, "deleted"),
    ):  # fmt: skip
        delta = make_plan(entry, known, POINTER).delta._asdict()
        assert {name: refs for name, refs in delta.items() if refs} == {kind: (ONE.ref,)}
    assert not any(make_plan(None, None, POINTER).delta)
