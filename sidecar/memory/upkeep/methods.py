"""`memory/maintain`."""

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.memory.asking import Asked, asked
from sidecar.memory.store import upkeep
from sidecar.memory.telling import project_path
from sidecar.memory.upkeep.due import Due
from sidecar.memory.upkeep.maintaining import maintain, what_is_due, within
from sidecar.memory.upkeep.model import (
    MAX_LISTED,
    FileMove,
    LastUpkeep,
    MemoryMaintainParams,
    MemoryMaintainResult,
    TierMove,
)
from sidecar.method import Lane, method


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
        told = upkeep.last(tx, project)
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
