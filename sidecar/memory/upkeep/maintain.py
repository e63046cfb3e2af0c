"""`memory/maintain`: tiers follow the score, what is over goes to the archive; nothing else is written anew.

Tiers and expiry follow from the files and the moment alone, so it makes no odds how often this runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import groupby
from typing import Any

from sidecar.call import Call, Process
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.memory import index
from sidecar.memory.access import SHARED_ONLY, THE_USERS
from sidecar.memory.capture.capture_session import Asking, capture_waiting
from sidecar.memory.context import Asked, asked
from sidecar.memory.entry import Memory
from sidecar.memory.files.front_matter import Value
from sidecar.memory.model import MAX_LISTED, FileMove, LastUpkeep, MemoryMaintainParams, MemoryMaintainResult, TierMove
from sidecar.memory.serialize import project_path
from sidecar.memory.store import entries, local_state
from sidecar.memory.upkeep.decay import DAY_MS, Archiving, Due, TierChange, due
from sidecar.memory.writer import Writer
from sidecar.method import Lane, method
from sidecar.workspace import Workspace

CHUNK = 100
"""So many memories are changed before others get the folder's lock."""


def what_is_due(process: Process, workspace: Workspace) -> Due:
    """Looks at every memory of a project, whoever's it is, and at every file, whatever a watch tells of it."""
    writer = Writer(process, workspace, THE_USERS)
    writer.index.look_over()
    with process.database.read() as tx:
        rows = local_state.rows(tx, writer.project)
    return due(rows, process.clock.now_ms())


def maintain(process: Process, workspace: Workspace) -> tuple[Due, tuple[str, ...]]:
    """Does what is due; gives it, and the paths that were left alone because they cannot be changed.

    Raises Busy while another process writes, PolicyDenied or StateDegraded where the folder cannot be used.
    """
    found = what_is_due(process, workspace)
    writer = Writer(process, workspace, THE_USERS)
    left: list[str] = []
    for start in range(0, len(found.tiers), CHUNK):
        with writer.index.locked():
            left += writer.amend(list(_with_memories(writer, found.tiers[start : start + CHUNK])))
    if found.archive or found.cleaned:
        with writer.index.locked():
            left += writer.archive([one.path for one in found.archive])
            for one in found.cleaned:
                writer.folder.remove(one.path)
            writer.index.refresh([one.path for one in found.cleaned], buries=False)
    if any(found):
        index.write(writer.index)
    writer.folder.sweep(process.clock.now_ms())
    _note(process, writer.project, found)
    return found, tuple(left)


def maintain_if_due(process: Process, workspace: Workspace) -> None:
    """Does what is due by itself, at most once a day, and only in active mode: else no file is written unasked."""
    project = workspace.project_key
    if process.settings(project).mode != "active" or not Writer(process, workspace, THE_USERS).folder.exists():
        return
    with process.database.read() as tx:
        done = local_state.done_at_ms(tx, project)
    if done is None or process.clock.now_ms() // DAY_MS > done // DAY_MS:
        maintain(process, workspace)


def clean_session(process: Process, workspace: Workspace) -> int:
    """Removes what was kept for the session before, as the next one starts; gives how many files."""
    writer = Writer(process, workspace, THE_USERS)
    if not writer.folder.exists():
        return 0
    writer.index.check()
    with process.database.read() as tx:
        paths = sorted({row.path for row in local_state.rows(tx, writer.project) if row.keeping == "session"})
    if paths:
        with writer.index.locked():
            for path in paths:
                writer.folder.remove(path)
            writer.index.refresh(paths, buries=False)
        index.write(writer.index)
    return len(paths)


def _with_memories(writer: Writer, changes: Sequence[TierChange]) -> Iterator[tuple[Memory, Mapping[str, Value]]]:
    """Gives each memory whose tier changes, as the index has it now, with its new one."""
    with writer.process.database.read() as tx:
        for path, group in groupby(changes, lambda change: change.row.path):
            known = {one.memory.id: one.memory for one in entries.at_path(tx, writer.project, path)}
            yield from ((known[one.row.id], {"tier": one.to}) for one in group if one.row.id in known)


def _note(process: Process, project: str, found: Due) -> None:
    now_ms = process.clock.now_ms()
    told: Mapping[str, Any] = {
        "at_ms": now_ms,
        "tiers": len(found.tiers),
        "archived": len(found.archive),
        "cleaned": len(found.cleaned),
    }
    with process.database.write(durable=False) as tx:
        local_state.done(tx, project, now_ms, dict(told))
        local_state.forget_openings(tx, project, now_ms)


def within(found: Due, owners: Sequence[str]) -> Due:
    """Gives of what is due what may be told to somebody."""

    def files(those: Sequence[Archiving]) -> Iterator[Archiving]:
        return (one for one in those if one.rows[0].owner in owners)

    return Due(
        tuple(one for one in found.tiers if one.row.owner in owners),
        tuple(files(found.archive)),
        tuple(files(found.cleaned)),
    )


# What is done for a project's memories behind its runs: waiting material is captured, upkeep is done once a day.


def tend_later(process: Process, workspace: Workspace) -> None:
    """Has it done in the background; what cannot be done now is done after a later run."""
    try:
        begun = process.indexing.submit(tend, process, workspace)
    except RuntimeError:
        process.log.warning("memory.tending.put_off")  # the process is ending; the material waits for the next one
    else:
        begun.add_done_callback(lambda done: _tell_if_broken(process, done))


def tend(process: Process, workspace: Workspace) -> None:
    """Captures what waits and does what upkeep is due."""
    try:
        capture_waiting(Asking(process, workspace, SHARED_ONLY, "run", automatic=True))
        maintain_if_due(process, workspace)
    except SidecarError as error:
        process.log.warning("memory.tending.put_off", reason=error.message)


def _tell_if_broken(process: Process, done: Future[None]) -> None:
    error = None if done.cancelled() else done.exception()
    if error is not None:
        process.log.error("memory.tending.broke", kind=type(error).__name__)


# `memory/maintain`.


def run(call: Call, params: MemoryMaintainParams) -> MemoryMaintainResult:
    """Moves memories between tiers by their score and moves what is over to the archive; the rest stays as it is.

    It runs by itself at most once a day, in active mode. How often it runs makes no difference to what comes of it.
    """
    found = asked(call, params)
    left: tuple[str, ...] = ()
    if params.dry_run or not found.index.folder.exists():
        due = what_is_due(call.process, found.workspace)
    else:
        due, left = maintain(call.process, found.workspace)
    return _told(found, within(due, found.reach.owners), left, dry_run=params.dry_run)


def last_upkeep(call: Call, project: str) -> LastUpkeep | None:
    """Gives what upkeep did last."""
    with call.database.read() as tx:
        told = local_state.last(tx, project)
    if told is None:
        return None
    counts = {name: told[name] for name in ("tiers", "archived", "cleaned")}
    return LastUpkeep(at=rfc3339(told["at_ms"]), **counts)


def _told(found: Asked, due: Due, left: tuple[str, ...], *, dry_run: bool) -> MemoryMaintainResult:
    files = [
        [FileMove(path=project_path(one.path), reason=one.reason) for one in those[:MAX_LISTED]]
        for those in (due.archive, due.cleaned)
    ]
    return MemoryMaintainResult(
        dry_run=dry_run,
        tiers=[TierMove(id=one.row.id, before=one.row.tier, after=one.to) for one in due.tiers[:MAX_LISTED]],
        archived=files[0],
        cleaned=files[1],
        totals={"tiers": len(due.tiers), "archived": len(due.archive), "cleaned": len(due.cleaned)},
        left_alone=[project_path(path) for path in left if path.partition("/")[0] in found.reach.owners],
    )


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy)

METHODS = (method("memory/maintain", run, lane=Lane.WORKSPACE, errors=_ERRORS),)
