"""`memory/maintain` and background upkeep: update tiers, archive what expired, capture pending material.

Tiers and expiry follow from the files and the moment alone, so the result does not depend on how often this runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import groupby
from typing import Any

from sidecar.call import Call, Process
from sidecar.core.clock import DAY_MS, rfc3339
from sidecar.core.errors import Busy, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.core.yaml_documents import Value
from sidecar.memory.access_control import SHARED_ONLY, USER_REACH, MemoryContext, memory_context
from sidecar.memory.capture.capture_session import CaptureContext, capture_pending
from sidecar.memory.decay import DueUpkeep, FileRemoval, TierChange, due_upkeep
from sidecar.memory.entry import Memory
from sidecar.memory.files.layout import project_path
from sidecar.memory.index import write_index_file
from sidecar.memory.model import MAX_LISTED, FileMove, LastUpkeep, MemoryMaintainParams, MemoryMaintainResult, TierMove
from sidecar.memory.store import entries, local_state
from sidecar.memory.writer import Writer
from sidecar.method import Lane, method
from sidecar.workspace import Workspace

BATCH_MEMORIES = 100
"""Memories changed before others get the folder's lock."""


def find_due_upkeep(process: Process, workspace: Workspace) -> DueUpkeep:
    """Examine every memory and every file of a project, regardless of owner and watch."""
    writer = Writer(process, workspace, USER_REACH)
    writer.index.rescan()
    with process.database.read() as tx:
        rows = local_state.upkeep_rows(tx, writer.project)
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
    if done is None or process.clock.now_ms() // DAY_MS > done // DAY_MS:
        maintain(process, workspace)


def clean_session(process: Process, workspace: Workspace) -> int:
    """Remove the previous session's memories when the next one starts; return the number of files."""
    writer = Writer(process, workspace, USER_REACH)
    if not writer.folder.exists():
        return 0
    writer.index.refresh()
    with process.database.read() as tx:
        paths = sorted({row.path for row in local_state.upkeep_rows(tx, writer.project) if row.retention == "session"})
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
            memories = {change.memory.id: change.memory for change in entries.entries_at_path(tx, writer.project, path)}
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
        future = process.indexing.submit(run_upkeep, process, workspace)
    except RuntimeError:
        process.log.warning("memory.upkeep.postponed")  # the process is ending; the next one captures the material
    else:
        future.add_done_callback(lambda done: _log_failure(process, done))


def run_upkeep(process: Process, workspace: Workspace) -> None:
    """Capture pending material and do the upkeep that is due."""
    try:
        capture_pending(CaptureContext(process, workspace, SHARED_ONLY, "run", automatic=True))
        maintain_if_due(process, workspace)
    except SidecarError as error:
        process.log.warning("memory.upkeep.postponed", reason=error.message)


def _log_failure(process: Process, done: Future[None]) -> None:
    error = None if done.cancelled() else done.exception()
    if error is not None:
        process.log.error("memory.upkeep.failed", kind=type(error).__name__)


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


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy)

METHODS = (method("memory/maintain", maintain_memories, lane=Lane.WORKSPACE, errors=_ERRORS),)
