"""`memory/maintain` and background upkeep: update tiers, archive what expired, capture pending material.

Tiers and expiry follow from the files and the moment alone, so the result does not depend on how often this runs.
The doctor's checks of index and files are here too, and what a purge removes.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import apsw

from sidecar.call import Call, Process
from sidecar.core.clean_text import count_noun
from sidecar.core.clock import DAY_MS, rfc3339
from sidecar.core.errors import Busy, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.core.yaml_text import Value
from sidecar.memory.access_control import SHARED_ONLY, USER_REACH, MemoryContext, memory_context
from sidecar.memory.capture.capture_session import CaptureContext, capture_pending
from sidecar.memory.entry import Memory
from sidecar.memory.file_index import memory_index_of, write_index_file
from sidecar.memory.files.layout import project_path
from sidecar.memory.memory_tiers import DueUpkeep, FileRemoval, TierChange, due_upkeep
from sidecar.memory.model import MAX_LISTED, FileMove, LastUpkeep, MemoryMaintainParams, MemoryMaintainResult, TierMove
from sidecar.memory.standing_instruction_register import ROW_GROUPS as STANDING_INSTRUCTION_ROWS
from sidecar.memory.store import entry_queries, index_tables, local_state
from sidecar.memory.store.index_tables import ENTRY_COUNT
from sidecar.memory.writer import Writer
from sidecar.method import Lane, method
from sidecar.storage.doctor_checks import Finding
from sidecar.storage.purgeable_rows import RowGroup
from sidecar.storage.repair import projects_missing_entries
from sidecar.workspace import Workspace

BATCH_MEMORIES = 100
"""Memories changed before others get the folder's lock."""


def find_due_upkeep(process: Process, workspace: Workspace) -> DueUpkeep:
    """Examine every memory and every file of a project, regardless of owner and watch."""
    writer = Writer(process, workspace, USER_REACH)
    writer.index.rescan()
    with process.database.read() as tx:
        rows = entry_queries.upkeep_rows(tx, writer.project)
    return due_upkeep(rows, process.clock.now_ms())


def maintain(process: Process, workspace: Workspace) -> tuple[DueUpkeep, tuple[str, ...]]:
    """Do what is due; return it, and the paths that were skipped because they cannot be changed.

    Raise Busy while another process writes, PolicyDenied or StateDegraded if the folder cannot be used.
    """
    due = find_due_upkeep(process, workspace)
    writer = Writer(process, workspace, USER_REACH)
    skipped: list[str] = []
    for start in range(0, len(due.tiers), BATCH_MEMORIES):
        with writer.index.locked():
            skipped += writer.amend(list(_with_memories(writer, due.tiers[start : start + BATCH_MEMORIES])))
    if due.archive or due.cleaned:
        with writer.index.locked():
            skipped += writer.archive([item.path for item in due.archive])
            for item in due.cleaned:
                writer.folder.remove(item.path)
            writer.index.update_paths([item.path for item in due.cleaned], tombstone=False)
    if any(due):
        write_index_file(writer.index)
    writer.folder.sweep()
    _note(process, writer.project, due)
    return due, tuple(skipped)


def maintain_if_due(process: Process, workspace: Workspace) -> None:
    """Run automatic upkeep, at most once a day and only in active mode; other modes write no file unasked."""
    project = workspace.project_key
    if process.settings(project).mode != "active" or not Writer(process, workspace, USER_REACH).folder.exists():
        return
    with process.database.read() as tx:
        done = local_state.last_upkeep_ms(tx, project)
    if done is None or process.clock.now_ms() // DAY_MS != done // DAY_MS:  # later only if the clock was ahead
        maintain(process, workspace)


def clean_session(process: Process, workspace: Workspace) -> int:
    """Remove the previous session's memories when the next one starts; return the number of files."""
    writer = Writer(process, workspace, USER_REACH)
    if not writer.folder.exists():
        return 0
    writer.index.refresh()
    with process.database.read() as tx:
        paths = sorted(
            {row.path for row in entry_queries.upkeep_rows(tx, writer.project) if row.retention == "session"}
        )
    if paths:
        with writer.index.locked():
            for path in paths:
                writer.folder.remove(path)
            writer.index.update_paths(paths, tombstone=False)
        write_index_file(writer.index)
    return len(paths)


def _with_memories(writer: Writer, changes: Sequence[TierChange]) -> Iterator[tuple[Memory, Mapping[str, Value]]]:
    """Yield each memory whose tier changes, as indexed now, with its new tier."""
    with writer.process.database.read() as tx:
        for path, group in groupby(changes, lambda change: change.row.path):
            memories = {
                change.memory.id: change.memory for change in index_tables.entries_at_path(tx, writer.project, path)
            }
            yield from ((memories[change.row.id], {"tier": change.to}) for change in group if change.row.id in memories)


def _note(process: Process, project: str, due: DueUpkeep) -> None:
    now_ms = process.clock.now_ms()
    record: Mapping[str, Any] = {
        "at_ms": now_ms,
        "tiers": len(due.tiers),
        "archived": len(due.archive),
        "cleaned": len(due.cleaned),
    }
    with process.database.write(durable=False) as tx:
        local_state.put_upkeep(tx, project, now_ms, dict(record))
        local_state.delete_old_openings(tx, project, now_ms)


def count_memories(process: Process, tx: apsw.Connection, project: str) -> int:
    """Return the number of a project's memories: none if a workspace in use shows that their folder is gone."""
    for workspace in process.workspaces.of_project(project)[:1]:
        if not os.path.isdir(memory_index_of(process, workspace).folder.root):
            return 0
    return sum(entry_queries.count_by_tier(tx, project).values())


def within_reach(due: DueUpkeep, owners: Sequence[str]) -> DueUpkeep:
    """Return the part of what is due that a caller may see."""

    def files(removals: Sequence[FileRemoval]) -> Iterator[FileRemoval]:
        return (item for item in removals if item.rows[0].owner in owners)

    return DueUpkeep(
        tuple(item for item in due.tiers if item.row.owner in owners),
        tuple(files(due.archive)),
        tuple(files(due.cleaned)),
    )


def run_upkeep_later(process: Process, workspace: Workspace) -> None:
    """Run upkeep in the background; what fails now is done after a later run."""
    try:
        process.indexing.start(run_upkeep, process, workspace)
    except RuntimeError:
        process.log.warning("memory.upkeep.postponed")  # the process is ending; the next one captures the material


def run_upkeep(process: Process, workspace: Workspace) -> None:
    """Capture pending material, do the upkeep that is due, and notice a folder that is gone or came back."""
    try:
        capture_pending(CaptureContext(process, workspace, SHARED_ONLY, "run", automatic=True))
        maintain_if_due(process, workspace)
        index = memory_index_of(process, workspace)
        if index.folder.exists():
            index.refresh_if_quick()
        else:
            index.refresh()
    except SidecarError as error:
        process.log.warning("memory.upkeep.postponed", reason=error.message)


def maintain_memories(call: Call, params: MemoryMaintainParams) -> MemoryMaintainResult:
    """Move memories between tiers by their score and archive what expired; everything else stays unchanged.

    Upkeep runs automatically at most once a day, in active mode. Its result does not depend on how often it runs.
    """
    ctx = memory_context(call, params)
    skipped: tuple[str, ...] = ()
    if params.dry_run or not ctx.index.folder.exists():
        due_upkeep = find_due_upkeep(call.process, ctx.workspace)
    else:
        due_upkeep, skipped = maintain(call.process, ctx.workspace)
    return _result(ctx, within_reach(due_upkeep, ctx.reach.owners), skipped, dry_run=params.dry_run)


def last_upkeep(call: Call, project: str) -> LastUpkeep | None:
    """Return the record of the last upkeep."""
    with call.database.read() as tx:
        record = local_state.last_upkeep(tx, project)
    if record is None:
        return None
    counts = {name: record[name] for name in ("tiers", "archived", "cleaned")}
    return LastUpkeep(at=rfc3339(record["at_ms"]), **counts)


def _result(
    ctx: MemoryContext, due_upkeep: DueUpkeep, skipped: tuple[str, ...], *, dry_run: bool
) -> MemoryMaintainResult:
    files = [
        [FileMove(path=project_path(item.path), reason=item.reason) for item in removals[:MAX_LISTED]]
        for removals in (due_upkeep.archive, due_upkeep.cleaned)
    ]
    return MemoryMaintainResult(
        dry_run=dry_run,
        tiers=[TierMove(id=item.row.id, before=item.row.tier, after=item.to) for item in due_upkeep.tiers[:MAX_LISTED]],
        archived=files[0],
        cleaned=files[1],
        totals={
            "tiers": len(due_upkeep.tiers),
            "archived": len(due_upkeep.archive),
            "cleaned": len(due_upkeep.cleaned),
        },
        skipped=[project_path(path) for path in skipped if path.partition("/")[0] in ctx.reach.owners],
    )


MAX_FINDINGS = 20


def index_findings(process: Process) -> Iterator[Finding]:
    """Compare each project's entries with their full-text rows and with the entry counts."""
    with process.database.read() as tx:
        incomplete = projects_missing_entries(tx)
        miscounted = _miscounted_projects(tx)
    for project in sorted(incomplete | miscounted):
        message = f"The memory index of project {project} is inconsistent; a search may miss memories."
        remedy = "`--fix` clears it; the next refresh rebuilds it from the files."
        yield Finding("error", message, remedy, partial(_clear_index, process, project))


def file_findings(process: Process, workspace: Workspace) -> Iterator[Finding]:
    """Check each memory file of a project."""
    index = memory_index_of(process, workspace)
    try:
        if not index.folder.exists():
            return
        refreshed = index.rescan()
        with process.database.read() as tx:
            warnings = entry_queries.warnings(tx, index.project)
            repeated_ids = entry_queries.duplicate_ids(tx, index.project, USER_REACH.owners)
    except SidecarError as error:
        yield Finding("error", error.message, error.hint or "Check `.chati/memories`.")
        return
    for path, sentence in (*refreshed.warnings, *warnings)[:MAX_FINDINGS]:
        yield Finding(
            "warning", f"{path}: {sentence}", "Repair or remove the file; the other memories are not affected."
        )
    for path, memory_id in repeated_ids[:MAX_FINDINGS]:
        message = f"{path}: another memory also has the id {memory_id}."
        yield Finding("warning", message, "Change the id of one of them, or remove it.")
    unfinished = index.folder.unfinished_files()
    if unfinished:
        message = f"Killed processes left {count_noun(unfinished, 'unfinished file')}."
        yield Finding("warning", message, "`--fix` removes them.", index.folder.sweep)


def _miscounted_projects(tx: apsw.Connection) -> set[str]:
    """Return projects whose stored entry count differs from the actual count."""
    stored: Any = tx.execute("SELECT project, owner, count(*) FROM continuity_memories GROUP BY 1, 2")
    counted: Any = tx.execute(
        "SELECT project, owner, entries FROM continuity_memory_term_counts WHERE term = ?", (ENTRY_COUNT,)
    )
    return {project for project, _, _ in set(stored) ^ set(counted)}


def _clear_index(process: Process, project: str) -> None:
    process.database.repair_full_text()
    with process.database.write() as tx:
        index_tables.clear(tx, project)
        index_tables.advance_revision(tx, project)


_INDEX_ROWS = "rowid IN (SELECT row_id FROM continuity_memories WHERE project = ?1)"

INDEX = "indexes"

ROW_GROUPS = (
    RowGroup(INDEX, "continuity_memory_text", _INDEX_ROWS, is_counted=False),
    RowGroup(INDEX, "continuity_memory_term_counts", is_counted=False),
    RowGroup(INDEX, "continuity_memories"),
    RowGroup(INDEX, "continuity_memory_files", is_counted=False),
    RowGroup("memories", "continuity_memory_tombstones", before="deleted_at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_openings", before="opened_at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_pending", before="at_ms < ?2"),
    RowGroup("memories", "continuity_memory_sightings", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_captures", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_capture_totals", is_counted=False),
    RowGroup("memories", "continuity_memory_upkeep", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_resolutions", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_near_misses", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_plans", is_counted=False),
    *STANDING_INSTRUCTION_ROWS,
)
"""Pending captures wait to become memories; tombstones prevent deleted memories from being captured again."""


def advance_index_revisions(tx: apsw.Connection) -> None:
    """Invalidate what every process knows of the indexes."""
    rows: Any = tx.execute("SELECT project FROM continuity_memory_revisions")
    for (project,) in list(rows):
        index_tables.advance_revision(tx, project)


def old_files(process: Process, workspace: Workspace, before_ms: int | None) -> list[str]:
    """Return a project's memory files without entries newer than a moment, archived files included."""
    writer = Writer(process, workspace, USER_REACH)
    if not writer.folder.exists():
        return []
    writer.index.rescan()
    with process.database.read() as tx:
        rows: Any = list(
            tx.execute(
                "SELECT path, max(at_ms) FROM continuity_memories WHERE project = ? GROUP BY path ORDER BY path",
                (writer.project,),
            )
        )
    return [path for path, at_ms in rows if before_ms is None or at_ms < before_ms]


def remove_files(process: Process, workspace: Workspace, paths: list[str]) -> None:
    """Delete memory files; their content may be captured again."""
    writer = Writer(process, workspace, USER_REACH)
    with writer.index.locked():
        for path in paths:
            writer.folder.remove(path)
        writer.index.update_paths(paths, tombstone=False)
    write_index_file(writer.index)


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy)

METHODS = (method("memory/maintain", maintain_memories, lane=Lane.WORKSPACE, errors=_ERRORS),)
