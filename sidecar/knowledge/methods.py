"""`knowledge/plan|sync|status|conflicts|resolve|shouldSync|doctor|explain|rollback`."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import (
    Busy,
    Cancelled,
    InvalidParams,
    NotFound,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    SyncFailed,
    WorkspaceUnavailable,
)
from sidecar.knowledge import store
from sidecar.knowledge.auto_sync import how_due, running
from sidecar.knowledge.git_source import source_of
from sidecar.knowledge.item import place_of
from sidecar.knowledge.manifest import counts
from sidecar.knowledge.model import (
    KnowledgeCheck,
    KnowledgeCheckpoint,
    KnowledgeConflict,
    KnowledgeConflictsResult,
    KnowledgeCounts,
    KnowledgeDelta,
    KnowledgeDoctorResult,
    KnowledgeExplainParams,
    KnowledgeExplainResult,
    KnowledgeFailure,
    KnowledgeOperation,
    KnowledgeParams,
    KnowledgePlanParams,
    KnowledgePlanResult,
    KnowledgePointer,
    KnowledgeResolveParams,
    KnowledgeRollbackParams,
    KnowledgeRollbackResult,
    KnowledgeShouldSyncResult,
    KnowledgeStatusResult,
    KnowledgeSyncNotice,
    KnowledgeSyncParams,
    KnowledgeSyncResult,
    ResolutionChoice,
)
from sidecar.knowledge.sync import Planned, Wanted, item_named, planned, roll_back, sync
from sidecar.knowledge.sync_checks import checks
from sidecar.knowledge.sync_inputs import Look, look
from sidecar.knowledge.sync_plan import Asked, Conflict, Plan, Resolution, fits
from sidecar.method import Lane, Notification, docstring, method
from sidecar.workspace import Workspace

MAX_WARNINGS = 20
"""Files that cannot be read are named up to so many."""


def plan(call: Call, params: KnowledgePlanParams) -> KnowledgePlanResult:
    """Shows what a sync would do, step by step with reasons; nothing is written."""
    found = planned(call, _workspace(call, params), _wanted(params))
    return KnowledgePlanResult(**_told(found))


def run_sync(call: Call, params: KnowledgeSyncParams) -> KnowledgeSyncResult:
    """Brings the pointers in memory to the knowledge repository's head, with progress; may be cancelled.

    `incremental` looks at what commits since the last sync changed, and falls back to `full` with a warning where
    that cannot be told. A cancelled or failed sync leaves memory as it was; items that fail alone are named by the
    error PARTIAL_FAILURE when all others are done.
    """
    workspace, wanted = _workspace(call, params), _wanted(params, force=params.force)
    if params.dry_run:
        found = planned(call, workspace, wanted)
        return _synced(call, found, None, {}, is_complete=found.plan.is_empty)
    done = sync(call, workspace, wanted)
    complete = not done.state.pending and done.planned.mode in ("full", "incremental")
    return _synced(call, done.planned, done.checkpoint_id, done.done.counts, is_complete=complete)


def status(call: Call, params: KnowledgeParams) -> KnowledgeStatusResult:
    """Shows how memory stands to the knowledge repository, what failed, and the checkpoints one can go back to."""
    workspace = _workspace(call, params)
    seen = _looked(call, workspace)
    found = seen.plan(Asked())
    with call.database.read() as tx:
        kept = store.checkpoints(tx, workspace.project_key)
    wanted, others = _scopes(seen.source.scopes(), seen.scopes)
    return KnowledgeStatusResult(
        repository=str(call.process.settings(workspace.project_key)["knowledge.repository"]),
        commit=seen.source.commit,
        scopes=wanted,
        other_scopes=others,
        last_sync_at=_moment(seen.state.last_sync_at_ms),
        last_knowledge_commit=seen.state.last_knowledge_commit or None,
        items=len(seen.manifest.items),
        pointers=len(seen.pointers),
        in_sync=found.is_empty and not seen.manifest.failures and not seen.state.pending,
        rollback_holds_at=_holding(seen),
        running=running(call.process, workspace),
        pending=list(seen.state.pending),
        failed=[KnowledgeFailure(item=key, problem=one.problem, times=one.times)
                for key, one in sorted(seen.state.failed.items())],
        conflicts=dict(sorted(Counter(one.type for one in found.conflicts).items())),
        checkpoints=[
            KnowledgeCheckpoint(id=one.id, at=rfc3339(one.at_ms), mode=one.kind, status=one.status, writes=one.writes,
                                reason=one.reason)
            for one in kept
        ],
    )  # fmt: skip


def conflicts(call: Call, params: KnowledgeParams) -> KnowledgeConflictsResult:
    """Lists where memory and the knowledge repository disagree, also pointers that no sync made."""
    found = _looked(call, _workspace(call, params)).plan(Asked())
    return KnowledgeConflictsResult(commit=found.commit, conflicts=_conflicts(found.conflicts))


def resolve(call: Call, params: KnowledgeResolveParams) -> KnowledgeSyncResult:
    """Resolves conflicts, as suggested or otherwise, and does nothing about items that have none."""
    if params.resolution is not None and params.type is None:
        raise InvalidParams("`resolution`: needs `type`, because each type has its own.")
    choices = {}
    if params.type is not None and params.resolution is not None:
        choices = chosen([ResolutionChoice(type=params.type, item=None, resolution=params.resolution)])
    wanted = Wanted("resolve", params.item, params.type, None, choices, params.force)
    done = sync(call, _workspace(call, params), wanted)
    return _synced(call, done.planned, done.checkpoint_id, done.done.counts, is_complete=False)


def should_sync(call: Call, params: KnowledgeParams) -> KnowledgeShouldSyncResult:
    """Says whether a sync is due by the settings: time, sessions, a moved head; nothing is run."""
    found, sessions = how_due(call, _workspace(call, params))
    return KnowledgeShouldSyncResult(
        should_sync=found.is_due, reason=found.reason, detail=found.told, sessions_since_sync=sessions
    )


def doctor(call: Call, params: KnowledgeParams) -> KnowledgeDoctorResult:
    """Looks over settings, repository, state and pointers, and says what to do where something is not well."""
    found = list(checks(call, _workspace(call, params)))
    told = [KnowledgeCheck(name=one.name, level=one.level, told=one.told, hint=one.hint) for one in found]
    return KnowledgeDoctorResult(healthy=all(one.level != "error" for one in found), checks=told)


def explain(call: Call, params: KnowledgeExplainParams) -> KnowledgeExplainResult:
    """Tells of one item where it stands, what memory has of it, and what a full sync would do and why."""
    seen = _looked(call, _workspace(call, params))
    ref = item_named(seen, params.item)
    found = seen.plan(Asked(frozenset((ref,))))
    entry, known, failed = seen.manifest.items.get(ref), seen.state.items.get(ref), seen.state.failed.get(ref)
    return KnowledgeExplainResult(
        item=ref,
        file=entry.path if entry else None,
        status=entry.status if entry else None,
        content_hash=entry.content_hash if entry else None,
        synced_content_hash=known.content_hash if known else None,
        pointers=[
            KnowledgePointer(path=one.path, memory_id=one.memory_id, status=one.status, content_hash=one.content_hash,
                             updated_at=one.updated_at)
            for one in seen.pointers if one.identity.ref == ref
        ],
        conflicts=_conflicts(found.conflicts),
        operations=_operations(found),
        failure=KnowledgeFailure(item=ref, problem=failed.problem, times=failed.times) if failed else None,
    )  # fmt: skip


def rollback(call: Call, params: KnowledgeRollbackParams) -> KnowledgeRollbackResult:
    """Puts sync state, pointers and files back to how they were before a sync and all that followed it."""
    restored, left = roll_back(call, _workspace(call, params), params.checkpoint_id)
    return KnowledgeRollbackResult(checkpoint_id=params.checkpoint_id, restored=restored, left=left)


def _looked(call: Call, workspace: Workspace) -> Look:
    return look(call, workspace, source_of(call, call.process.settings(workspace.project_key)))


def _workspace(call: Call, params: KnowledgeParams) -> Workspace:
    return call.process.workspaces.get(params.cwd, params.project_path)


def _wanted(params: KnowledgePlanParams, *, force: bool = False) -> Wanted:
    return Wanted(params.mode, params.item, None, params.max_items, chosen(params.resolutions), force)


def chosen(choices: Sequence[ResolutionChoice]) -> dict[tuple[str, str], Resolution]:
    """Reads resolutions; raises InvalidParams for one that its conflict does not have."""
    for one in choices:
        if not fits(one.type, one.resolution):
            raise InvalidParams(f"`resolutions`: {one.type} cannot be resolved by {one.resolution}.")
    return {(one.type, one.item or ""): one.resolution for one in choices}


def _synced(
    call: Call, found: Planned, checkpoint_id: str | None, done: dict[str, int], *, is_complete: bool
) -> KnowledgeSyncResult:
    return KnowledgeSyncResult(
        **_told(found),
        checkpoint_id=checkpoint_id,
        counts=KnowledgeCounts(
            added=done.get("create", 0),
            updated=done.get("update", 0),
            deleted=done.get("delete", 0),
            orphaned=done.get("mark_orphaned", 0),
            unchanged=len(found.plan.delta.unchanged),
        ),
        complete=is_complete,
        elapsed_ms=call.elapsed_ms(),
    )


def _told(found: Planned) -> dict[str, Any]:
    made: Plan = found.plan
    return {
        "mode": found.mode,
        "commit": made.commit,
        "delta": KnowledgeDelta(**{name: list(refs) for name, refs in made.delta._asdict().items()}),
        "operations": _operations(made),
        "conflicts": _conflicts(made.conflicts),
        "pending": list(made.pending),
        "parked": list(made.parked),
        "stops": made.stops,
        "warnings": [*found.warnings, *_unreadable(found.look)],
    }


def _unreadable(seen: Look) -> list[str]:
    """Names the files that a sync leaves alone because they hold no item that can be read."""
    told = [f"{one.path}: {one.problem}" for one in seen.manifest.failures[:MAX_WARNINGS]]
    more = len(seen.manifest.failures) - len(told)
    return [*told, *([f"{more} more files cannot be read."] if more else [])]


def _operations(made: Plan) -> list[KnowledgeOperation]:
    return [
        KnowledgeOperation(kind=one.kind, item=one.ref, pointer=one.pointer, reason=one.reason)
        for one in made.operations
    ]


def _conflicts(found: Sequence[Conflict]) -> list[KnowledgeConflict]:
    return [
        KnowledgeConflict(
            type=one.type, item=one.ref, pointer=one.pointer, memory_id=one.memory_id,
            suggested_resolution=one.suggested, resolution=one.resolution, reason=one.reason,
        )
        for one in found
    ]  # fmt: skip


def _scopes(there: Sequence[str], globs: Sequence[str]) -> tuple[list[str], list[str]]:
    places = {scope: place_of(f"{scope}/adrs/x.md") for scope in there}
    wanted = [scope for scope, place in places.items() if place is not None and counts(place, globs)]
    return wanted, [scope for scope in there if scope not in wanted]


def _holding(seen: Look) -> str | None:
    """Gives the commit at which a rollback holds, as long as the head is no other."""
    return seen.state.held_at if seen.state.held_at == seen.source.commit else None


def _moment(at_ms: int | None) -> str | None:
    return None if at_ms is None else rfc3339(at_ms)


_READING: tuple[type[SidecarError], ...] = (SyncFailed, WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy)

METHODS = (
    method("knowledge/plan", plan, lane=Lane.SHARED, errors=(*_READING, NotFound, InvalidParams, Cancelled)),
    method("knowledge/sync", run_sync, lane=Lane.JOB, errors=(*_READING, NotFound, InvalidParams, Cancelled)),
    method("knowledge/status", status, lane=Lane.SHARED, errors=_READING),
    method("knowledge/conflicts", conflicts, lane=Lane.SHARED, errors=_READING),
    method("knowledge/resolve", resolve, lane=Lane.JOB, errors=(*_READING, NotFound, InvalidParams, Cancelled)),
    method(
        "knowledge/shouldSync", should_sync, lane=Lane.SHARED, errors=(SyncFailed, WorkspaceUnavailable, StateDegraded)
    ),
    method("knowledge/doctor", doctor, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("knowledge/explain", explain, lane=Lane.SHARED, errors=(*_READING, NotFound, InvalidParams)),
    method("knowledge/rollback", rollback, lane=Lane.WORKSPACE, errors=(*_READING, NotFound)),
)

NOTIFICATIONS = (Notification("knowledge/syncsItself", KnowledgeSyncNotice, "server", docstring(KnowledgeSyncNotice)),)
