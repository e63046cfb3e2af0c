"""`state/purge`: removes what is kept, by project, age or kind; what is the user's own goes only when it is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple, get_args

import apsw

from sidecar.call import Call
from sidecar.codebase import store as codebase
from sidecar.context import store as context
from sidecar.core.errors import InvalidParams
from sidecar.knowledge import store as knowledge
from sidecar.memory import doctor_and_purge as memory
from sidecar.metrics import store as metrics
from sidecar.operations.model import PurgedKind, PurgeKind, StatePurgeParams, StatePurgeResult
from sidecar.operations.state_files import StateFile, files_of
from sidecar.packs import store as packs
from sidecar.registry import store as registry
from sidecar.runs import Artifact, artifacts
from sidecar.runs import maintenance as runs
from sidecar.settings import stored_settings as settings
from sidecar.storage.health_checks import give_back
from sidecar.storage.retention import Holding, Scope, count, remove
from sidecar.workspace import Workspace

DAY_MS = 86_400_000
BY_ITSELF: tuple[PurgeKind, ...] = ("runs", "caches", "indexes", "metrics")
"""Kinds that are meant where none is named: they are made anew, or only told what was."""

HOLDINGS: tuple[Holding, ...] = (
    *codebase.HOLDINGS, *memory.HOLDINGS, *registry.HOLDINGS, *knowledge.HOLDINGS, *metrics.HOLDINGS,
    *settings.HOLDINGS, *packs.HOLDINGS, *context.HOLDINGS, *runs.HOLDINGS,
)  # fmt: skip
"""Every slice's; runs last, because packs are found by their conversations."""

KINDS_OF_FILES = ("backups", "damaged", "logs")


class _Wanted(NamedTuple):
    kinds: frozenset[str]
    scope: Scope
    workspace: Workspace | None


def purge(call: Call, params: StatePurgeParams) -> StatePurgeResult:
    """Removes what is kept of a project, what is older, or kinds of it; says what went and what stays.

    Artifacts, memories, settings, the registry's and the knowledge sync's state, and files that were set aside go only
    when they are named. With `dryRun` nothing is removed.
    """
    wanted = _wanted(call, params)
    before = _bytes(call)
    files = [one for one in files_of(call.process.state_dir) if _is_meant(one, wanted)]
    memories = _memory_files(call, wanted)
    call.database.behind.flush()
    with call.database.read() if params.dry_run else call.database.write() as tx:
        totals = {kind: _counted(tx, kind, Scope(wanted.scope.project, None)) for kind in get_args(PurgeKind)}
        damaged = [one.id for one in _damaged(tx, wanted)]
        removed = _removed(tx, wanted, damaged) if not params.dry_run else _removable(tx, wanted, damaged)
    if not params.dry_run:
        if wanted.workspace is not None and memories:
            memory.remove_files(call.process, wanted.workspace, memories)
        for one in files:
            with suppress(OSError):
                one.path.unlink()
        call.process.hot.clear()
        give_back(call.database)
    removed["memories"] = removed.get("memories", 0) + len(memories)
    for kind in KINDS_OF_FILES:
        totals[kind] = sum(one.kind == kind for one in files_of(call.process.state_dir))
        removed[kind] = sum(one.kind == kind for one in files)
        totals[kind] += 0 if params.dry_run else removed[kind]
    return StatePurgeResult(
        dry_run=params.dry_run,
        kinds=[_told(kind, totals[kind], removed.get(kind, 0), wanted) for kind in get_args(PurgeKind)],
        freed_bytes=max(0, before - _bytes(call)) if not params.dry_run else 0,
    )


def _wanted(call: Call, params: StatePurgeParams) -> _Wanted:
    workspace = None if params.project_path is None else call.process.workspaces.get(params.project_path, None)
    project = workspace.project_key if workspace is not None else params.project
    kinds = frozenset(params.kinds or BY_ITSELF)
    if "memories" in kinds and workspace is None:
        raise InvalidParams("Memories are files of a project.", hint="Name its path as well.")
    days = params.older_than_days
    return _Wanted(kinds, Scope(project, None if days is None else call.now_ms() - days * DAY_MS), workspace)


def _removed(tx: apsw.Connection, wanted: _Wanted, damaged: list[str]) -> dict[str, int]:
    with _overwriting(tx):
        removed = {kind: remove(tx, _of(kind), wanted.scope) for kind in _in_order(wanted.kinds)}
        artifacts.remove(tx, damaged)
    if memory.INDEX in wanted.kinds:
        memory.note_index_gone(tx)
    return {**removed, "damagedArtifacts": len(damaged)}


@contextmanager
def _overwriting(tx: apsw.Connection) -> Iterator[None]:
    """What is removed meanwhile leaves no words in the file."""
    list(tx.execute("PRAGMA secure_delete = ON"))
    try:
        yield
    finally:
        list(tx.execute("PRAGMA secure_delete = OFF"))


def _removable(tx: apsw.Connection, wanted: _Wanted, damaged: list[str]) -> dict[str, int]:
    return {**{kind: _counted(tx, kind, wanted.scope) for kind in wanted.kinds}, "damagedArtifacts": len(damaged)}


def _counted(tx: apsw.Connection, kind: str, scope: Scope) -> int:
    return sum(count(tx, one, scope) for one in _of(kind) if one.is_counted)


def _of(kind: str) -> list[Holding]:
    return [one for one in HOLDINGS if one.kind == kind]


def _in_order(kinds: Iterable[str]) -> list[str]:
    """Runs come last: by their conversations it is known whose the others are."""
    return sorted(kinds, key=lambda kind: kind == "runs")


def _damaged(tx: apsw.Connection, wanted: _Wanted) -> list[Artifact]:
    if "damagedArtifacts" not in wanted.kinds:
        return []
    return [one for one, is_whole in artifacts.every(tx)
            if not is_whole and wanted.scope.project in (None, one.project)]  # fmt: skip


def _memory_files(call: Call, wanted: _Wanted) -> list[str]:
    if "memories" not in wanted.kinds or wanted.workspace is None:
        return []
    return memory.old_files(call.process, wanted.workspace, wanted.scope.before_ms)


def _is_meant(one: StateFile, wanted: _Wanted) -> bool:
    """Files of the state folder are of no one project."""
    before_ms = wanted.scope.before_ms
    is_named = one.kind in wanted.kinds and wanted.scope.project is None
    return is_named and (before_ms is None or one.modified_ms < before_ms)


def _told(kind: PurgeKind, total: int, removed: int, wanted: _Wanted) -> PurgedKind:
    kept = max(0, total - removed)
    why = None
    if kept:
        why = "newer, or without an age" if kind in wanted.kinds else "not asked for"
        why = "goes only when it is named" if kind not in (*wanted.kinds, *BY_ITSELF) else why
    return PurgedKind(kind=kind, removed=removed, kept=kept, why=why)


def _bytes(call: Call) -> int:
    return sum(one.bytes for one in files_of(call.process.state_dir))
