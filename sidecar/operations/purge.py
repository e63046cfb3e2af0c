"""`state/purge`: removes stored data by project, age or kind. The user's own data is removed only when named."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from typing import NamedTuple, get_args

import apsw

from sidecar import daily_metrics
from sidecar.call import Call
from sidecar.codebase import store as codebase
from sidecar.context import store as context
from sidecar.core.clock import DAY_MS
from sidecar.core.errors import InvalidParams, NotFound, SidecarError, StateDegraded
from sidecar.experiment import store as experiment
from sidecar.knowledge import store as knowledge
from sidecar.memory import upkeep as memory
from sidecar.operations.model import PurgedKind, PurgeKind, StatePurgeParams, StatePurgeResult
from sidecar.operations.status import StateFile, list_state_files
from sidecar.packs import overrides as packs
from sidecar.registry import store as registry
from sidecar.runs import Artifact, artifact_store
from sidecar.runs import maintenance as runs
from sidecar.settings import methods as settings
from sidecar.storage.doctor_checks import make_room_in_log, reclaim_space
from sidecar.storage.purgeable_rows import PurgeScope, RowGroup, count_rows, remove_rows, remove_unused_folders
from sidecar.storage.sqlite_connection import is_disk_full
from sidecar.workspace import IF_MOVED, Workspace

DEFAULT_KINDS: tuple[PurgeKind, ...] = ("runs", "caches", "indexes", "metrics")
"""Kinds removed when none is named: they can be rebuilt, or only record the past."""

ROW_GROUPS: tuple[RowGroup, ...] = (
    *codebase.ROW_GROUPS, *memory.ROW_GROUPS, *registry.ROW_GROUPS, *knowledge.ROW_GROUPS, *daily_metrics.ROW_GROUPS,
    *settings.ROW_GROUPS, *packs.ROW_GROUPS, *experiment.ROW_GROUPS, *context.ROW_GROUPS, *runs.ROW_GROUPS,
)  # fmt: skip
"""The stored data of every slice. Runs come last, because packs are found by their conversations."""

FILE_KINDS = ("backups", "damaged", "logs")


class _PurgeScope(NamedTuple):
    kinds: frozenset[str]
    scope: PurgeScope
    workspace: Workspace | None


def purge(call: Call, params: StatePurgeParams) -> StatePurgeResult:
    """Remove the data of a project, data of some age, or kinds of data; report what was removed and what remains.

    Needs a project, an age, or kinds. With `dryRun` nothing is removed. It works on a full disk: files go first and
    make room.
    """
    call.database.require_in_place()
    selection = _purge_scope(call, params)
    before = _state_bytes(call)
    files = [file for file in list_state_files(call.process.state_dir) if _is_selected(file, selection)]
    memories = _memory_files(call, selection)
    call.database.write_behind.flush()
    if not params.dry_run:
        files = list(filter(_delete, files))
        with suppress(SidecarError, OSError):
            make_room_in_log(call.database)
    totals, removed = _purge_rows(call, selection, dry_run=params.dry_run)
    if not params.dry_run:
        if selection.workspace is not None and memories:
            memory.remove_files(call.process, selection.workspace, memories)
        call.process.hot_cache.clear()
        with suppress(SidecarError, OSError):  # what was to be removed is gone; a later purge returns the space
            reclaim_space(call.database)
    removed["memories"] = removed.get("memories", 0) + len(memories)
    for kind in FILE_KINDS:
        totals[kind] = sum(file.kind == kind for file in list_state_files(call.process.state_dir))
        removed[kind] = sum(file.kind == kind for file in files)
        totals[kind] += 0 if params.dry_run else removed[kind]
    return StatePurgeResult(
        dry_run=params.dry_run,
        kinds=[_purged_kind(kind, totals[kind], removed.get(kind, 0), selection) for kind in get_args(PurgeKind)],
        freed_bytes=max(0, before - _state_bytes(call)) if not params.dry_run else 0,
    )


def _purge_scope(call: Call, params: StatePurgeParams) -> _PurgeScope:
    workspace = None if params.project_path is None else call.process.workspaces.get(params.project_path, None)
    if workspace is not None:
        workspace.require_project(f"{IF_MOVED} If it was deleted, name its key, which `state/status` lists.")
    project = workspace.project_key if workspace is not None else params.project
    kinds = frozenset(params.kinds or DEFAULT_KINDS)
    if "memories" in kinds and workspace is None:
        raise InvalidParams("Memories can only be purged for one project.", hint="Name the project with `projectPath`.")
    days = params.older_than_days
    return _PurgeScope(kinds, PurgeScope(project, None if days is None else call.now_ms() - days * DAY_MS), workspace)


def _require_known_project(tx: apsw.Connection, selection: _PurgeScope) -> None:
    """Raise NotFound for a project key under which nothing is stored."""
    key = selection.scope.project
    if key is None or selection.workspace is not None:
        return
    if not any(count_rows(tx, group, PurgeScope(key, None)) for group in ROW_GROUPS):
        raise NotFound("No project has this key.", hint="`state/status` lists the keys.")


class _RowCounts(NamedTuple):
    """Number of rows by kind, before the purge and removed."""

    totals: dict[str, int]
    removed: dict[str, int]


def _purge_rows(call: Call, selection: _PurgeScope, *, dry_run: bool) -> _RowCounts:
    """Remove the selected rows, or count them.

    Overwriting needs as much room in the log as it frees in the file. On a disk without that room the rows are removed
    all the same; their text goes when the space is returned to the disk.
    """
    if dry_run:
        with call.database.read() as tx:
            return _counted(tx, selection, _count_removable)
    try:
        with call.database.write() as tx, _secure_delete(tx):
            return _counted(tx, selection, _remove)
    except StateDegraded as error:
        if not is_disk_full(error):
            raise
    with suppress(SidecarError, OSError):
        make_room_in_log(call.database)
    with call.database.write() as tx:
        return _counted(tx, selection, _remove)


def _counted(
    tx: apsw.Connection,
    selection: _PurgeScope,
    handle: Callable[[apsw.Connection, _PurgeScope, list[str]], dict[str, int]],
) -> _RowCounts:
    _require_known_project(tx, selection)
    totals = {kind: _count(tx, kind, PurgeScope(selection.scope.project, None)) for kind in get_args(PurgeKind)}
    damaged = [file.id for file in _damaged_artifacts(tx, selection)]
    return _RowCounts(totals, handle(tx, selection, damaged))


def _remove(tx: apsw.Connection, selection: _PurgeScope, damaged: list[str]) -> dict[str, int]:
    removed = {kind: remove_rows(tx, _groups_of(kind), selection.scope) for kind in _in_order(selection.kinds)}
    artifact_store.remove(tx, damaged)
    remove_unused_folders(tx)
    if memory.INDEX in selection.kinds:
        memory.advance_index_revisions(tx)
    return {**removed, "damagedArtifacts": len(damaged)}


@contextmanager
def _secure_delete(tx: apsw.Connection) -> Generator[None]:
    """Overwrite what is removed inside the context, so that its text does not remain in the file."""
    list(tx.execute("PRAGMA secure_delete = ON"))
    try:
        yield
    finally:
        list(tx.execute("PRAGMA secure_delete = FAST"))


def _count_removable(tx: apsw.Connection, selection: _PurgeScope, damaged: list[str]) -> dict[str, int]:
    return {**{kind: _count(tx, kind, selection.scope) for kind in selection.kinds}, "damagedArtifacts": len(damaged)}


def _count(tx: apsw.Connection, kind: str, scope: PurgeScope) -> int:
    return sum(count_rows(tx, group, scope) for group in _groups_of(kind) if group.is_counted)


def _groups_of(kind: str) -> list[RowGroup]:
    return [group for group in ROW_GROUPS if group.kind == kind]


def _in_order(kinds: Iterable[str]) -> list[str]:
    """Return the kinds with runs last: the others are found by their conversations."""
    return sorted(kinds, key=lambda kind: kind == "runs")


def _damaged_artifacts(tx: apsw.Connection, selection: _PurgeScope) -> list[Artifact]:
    if "damagedArtifacts" not in selection.kinds:
        return []
    return [artifact for artifact, is_whole in artifact_store.all_artifacts(tx)
            if not is_whole and selection.scope.project in (None, artifact.project)]  # fmt: skip


def _memory_files(call: Call, selection: _PurgeScope) -> list[str]:
    if "memories" not in selection.kinds or selection.workspace is None:
        return []
    return memory.old_files(call.process, selection.workspace, selection.scope.before_ms)


def _is_selected(file: StateFile, selection: _PurgeScope) -> bool:
    """Whether a file is to be removed. Files of the state folder belong to no project."""
    before_ms = selection.scope.before_ms
    is_named = file.kind in selection.kinds and selection.scope.project is None
    return is_named and (before_ms is None or file.modified_ms < before_ms)


def _purged_kind(kind: PurgeKind, total: int, removed: int, selection: _PurgeScope) -> PurgedKind:
    remaining = max(0, total - removed)
    reason = None
    if remaining:
        reason = _reason_for_rest(kind, selection)
    return PurgedKind(kind=kind, removed=removed, remaining=remaining, reason=reason)


def _reason_for_rest(kind: PurgeKind, selection: _PurgeScope) -> str:
    if kind not in selection.kinds:
        return "not selected" if kind in DEFAULT_KINDS else "removed only when named"
    if kind in FILE_KINDS and selection.scope.project is not None:
        return "of no project"
    return "could not be deleted" if selection.scope.before_ms is None else "newer, or without a date"


def _delete(file: StateFile) -> bool:
    """Delete a file; return whether that succeeded."""
    try:
        file.path.unlink()
    except OSError:
        return False
    return True


def _state_bytes(call: Call) -> int:
    return sum(file.bytes for file in list_state_files(call.process.state_dir))
