"""`knowledge/plan|sync|status|conflicts|resolve|shouldSync|doctor|explain|rollback`."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sidecar.call import Call
from sidecar.core.clean_text import count_noun
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
from sidecar.knowledge.apply_and_rollback import roll_back
from sidecar.knowledge.automatic_sync import due_decision, running_sync_id
from sidecar.knowledge.git_source import open_configured_source
from sidecar.knowledge.item import in_scope, item_location
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
from sidecar.knowledge.sync import PlannedSync, SyncRequest, plan_sync, resolve_ref, sync
from sidecar.knowledge.sync_doctor import checks
from sidecar.knowledge.sync_inputs import SyncInputs, load_inputs
from sidecar.knowledge.sync_plan import Plan, PlanRequest, Resolution, SyncConflict, allows_resolution
from sidecar.method import Lane, Notification, docstring, method
from sidecar.workspace import Workspace

MAX_WARNINGS = 20
"""Maximum number of unreadable files that are named."""


def plan(call: Call, params: KnowledgePlanParams) -> KnowledgePlanResult:
    """Return what a sync would do, operation by operation with reasons. Nothing is written."""
    planned = plan_sync(call, _workspace(call, params), _sync_request(params))
    return KnowledgePlanResult(**_plan_fields(planned))


def run_sync(call: Call, params: KnowledgeSyncParams) -> KnowledgeSyncResult:
    """Sync the pointers in memory with the knowledge repository's head. Reports progress and can be cancelled.

    `incremental` compares what commits changed since the last sync, and falls back to `full` with a warning when that
    is unknown. A cancelled or failed sync leaves memory unchanged. When only single items fail, all others are synced
    and the error PARTIAL_FAILURE names the failed ones.
    """
    workspace, request = _workspace(call, params), _sync_request(params, force=params.force)
    if params.dry_run:
        planned = plan_sync(call, workspace, request)
        return _sync_result(call, planned, None, {}, is_complete=_is_in_sync(planned.inputs))
    outcome = sync(call, workspace, request)
    complete = outcome.planned.mode in ("full", "incremental") and _is_in_sync(_load_inputs(call, workspace))
    return _sync_result(call, outcome.planned, outcome.checkpoint_id, outcome.applied.counts, is_complete=complete)


def status(call: Call, params: KnowledgeParams) -> KnowledgeStatusResult:
    """Return how memory compares with the knowledge repository, what failed, and the checkpoints for a rollback."""
    workspace = _workspace(call, params)
    inputs = _load_inputs(call, workspace)
    plan = inputs.plan(PlanRequest())
    with call.database.read() as tx:
        checkpoints = store.checkpoints(tx, workspace.project_key)
    included, others = _split_scopes(inputs.source.scopes(), inputs.scopes)
    return KnowledgeStatusResult(
        repository=str(call.process.settings(workspace.project_key)["knowledge.repository"]),
        commit=inputs.source.commit,
        scopes=included,
        other_scopes=others,
        last_sync_at=None if (at_ms := inputs.state.last_sync_at_ms) is None else rfc3339(at_ms),
        last_knowledge_commit=inputs.state.last_knowledge_commit or None,
        items=len(inputs.manifest.items),
        pointers=len(inputs.pointers),
        in_sync=_is_in_sync(inputs),
        rollback_commit=_rollback_commit(inputs),
        auto_sync_id=running_sync_id(call.process, workspace),
        pending=list(inputs.state.pending),
        failed=[
            KnowledgeFailure(item=key, problem=item.problem, attempts=item.attempts)
            for key, item in sorted(inputs.state.failed.items())
        ],
        conflicts=dict(sorted(Counter(conflict.type for conflict in plan.conflicts).items())),
        checkpoints=[
            KnowledgeCheckpoint(
                id=checkpoint.id,
                at=rfc3339(checkpoint.at_ms),
                mode=checkpoint.kind,
                status=checkpoint.status,
                writes=checkpoint.writes,
                reason=checkpoint.reason,
            )
            for checkpoint in checkpoints
        ],
    )


def conflicts(call: Call, params: KnowledgeParams) -> KnowledgeConflictsResult:
    """List where memory and the knowledge repository disagree, including pointers that no sync wrote."""
    plan = _load_inputs(call, _workspace(call, params)).plan(PlanRequest())
    return KnowledgeConflictsResult(commit=plan.commit, conflicts=_conflicts(plan.conflicts))


def resolve(call: Call, params: KnowledgeResolveParams) -> KnowledgeSyncResult:
    """Resolve conflicts, as suggested or as requested. Items without conflicts are not touched.

    Without `type`, failed items are tried again as well: the named one, or all that are quarantined.
    """
    if params.resolution is not None and params.type is None:
        raise InvalidParams("`resolution` requires `type`, because resolutions depend on it.")
    choices = {}
    if params.type is not None and params.resolution is not None:
        choices = parse_resolutions([ResolutionChoice(type=params.type, item=None, resolution=params.resolution)])
    request = SyncRequest(
        mode="resolve", item=params.item, type=params.type, max_items=None, resolutions=choices, force=params.force
    )
    outcome = sync(call, _workspace(call, params), request)
    return _sync_result(call, outcome.planned, outcome.checkpoint_id, outcome.applied.counts, is_complete=False)


def should_sync(call: Call, params: KnowledgeParams) -> KnowledgeShouldSyncResult:
    """Return whether a sync is due by the settings (time, sessions, a moved head). Nothing is run."""
    decision, sessions = due_decision(call, _workspace(call, params))
    return KnowledgeShouldSyncResult(
        should_sync=decision.is_due, reason=decision.reason, detail=decision.detail, sessions_since_sync=sessions
    )


def doctor(call: Call, params: KnowledgeParams) -> KnowledgeDoctorResult:
    """Check settings, repository, state and pointers. Each problem has a hint."""
    results = list(checks(call, _workspace(call, params)))
    wire_checks = [
        KnowledgeCheck(name=check.name, level=check.level, message=check.message, hint=check.hint) for check in results
    ]
    return KnowledgeDoctorResult(healthy=all(check.level != "error" for check in results), checks=wire_checks)


def explain(call: Call, params: KnowledgeExplainParams) -> KnowledgeExplainResult:
    """Return an item's file, its pointers in memory, and what a full sync would do with it and why."""
    inputs = _load_inputs(call, _workspace(call, params))
    ref = resolve_ref(inputs, params.item)
    plan = inputs.plan(PlanRequest(frozenset((ref,))))
    entry, known, failed = inputs.manifest.items.get(ref), inputs.state.items.get(ref), inputs.state.failed.get(ref)
    return KnowledgeExplainResult(
        item=ref,
        file=entry.path if entry else None,
        status=entry.status if entry else None,
        content_hash=entry.content_hash if entry else None,
        synced_content_hash=known.content_hash if known else None,
        pointers=[
            KnowledgePointer(path=pointer.path, memory_id=pointer.memory_id, status=pointer.status,
                             content_hash=pointer.content_hash, updated_at=pointer.updated_at)
            for pointer in inputs.pointers if pointer.identity.ref == ref
        ],
        conflicts=_conflicts(plan.conflicts),
        operations=_operations(plan),
        failure=KnowledgeFailure(item=ref, problem=failed.problem, attempts=failed.attempts) if failed else None,
    )  # fmt: skip


def rollback(call: Call, params: KnowledgeRollbackParams) -> KnowledgeRollbackResult:
    """Restore sync state and pointer files to a checkpoint, undoing that sync and all later ones."""
    restored, skipped = roll_back(call, _workspace(call, params), params.checkpoint_id)
    return KnowledgeRollbackResult(checkpoint_id=params.checkpoint_id, restored=restored, skipped=skipped)


def _load_inputs(call: Call, workspace: Workspace) -> SyncInputs:
    return load_inputs(call, workspace, open_configured_source(call, call.process.settings(workspace.project_key)))


def _is_in_sync(inputs: SyncInputs) -> bool:
    """Whether a full plan would be empty, and nothing is pending, failed or quarantined."""
    waiting = inputs.state.pending or inputs.state.failed or inputs.manifest.failures
    return not waiting and inputs.plan(PlanRequest()).is_empty


def _workspace(call: Call, params: KnowledgeParams) -> Workspace:
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require_project()
    return workspace


def _sync_request(params: KnowledgePlanParams, *, force: bool = False) -> SyncRequest:
    return SyncRequest(
        mode=params.mode,
        item=params.item,
        type=None,
        max_items=params.max_items,
        resolutions=parse_resolutions(params.resolutions),
        force=force,
    )


def parse_resolutions(choices: Sequence[ResolutionChoice]) -> dict[tuple[str, str], Resolution]:
    """Return resolutions by type and item. Raise InvalidParams for one that its conflict type does not allow."""
    for choice in choices:
        if not allows_resolution(choice.type, choice.resolution):
            raise InvalidParams(f"A conflict of type `{choice.type}` cannot be resolved by `{choice.resolution}`.")
    return {(choice.type, choice.item or ""): choice.resolution for choice in choices}


def _sync_result(
    call: Call, planned: PlannedSync, checkpoint_id: str | None, counts: dict[str, int], *, is_complete: bool
) -> KnowledgeSyncResult:
    return KnowledgeSyncResult(
        **_plan_fields(planned),
        checkpoint_id=checkpoint_id,
        counts=KnowledgeCounts(
            added=counts.get("create", 0),
            updated=counts.get("update", 0),
            deleted=counts.get("delete", 0),
            orphaned=counts.get("mark_orphaned", 0),
            unchanged=planned.plan.unchanged_count,
        ),
        complete=is_complete,
        elapsed_ms=call.elapsed_ms(),
    )


def _plan_fields(planned: PlannedSync) -> dict[str, Any]:
    plan: Plan = planned.plan
    return {
        "mode": planned.mode,
        "commit": plan.commit,
        "delta": KnowledgeDelta(**{name: list(refs) for name, refs in plan.delta._asdict().items()}),
        "operations": _operations(plan),
        "conflicts": _conflicts(plan.conflicts),
        "pending": list(plan.pending),
        "quarantined": list(plan.quarantined),
        "needs_force": plan.needs_force,
        "warnings": [*planned.warnings, *_unreadable_files(planned.inputs)],
    }


def _unreadable_files(inputs: SyncInputs) -> list[str]:
    """Name the files that a sync skips because they cannot be parsed."""
    lines = [f"{failure.path}: {failure.problem}" for failure in inputs.manifest.failures[:MAX_WARNINGS]]
    more = len(inputs.manifest.failures) - len(lines)
    return [*lines, *([f"{count_noun(more, 'more file')} cannot be read."] if more else [])]


def _operations(plan: Plan) -> list[KnowledgeOperation]:
    return [
        KnowledgeOperation(kind=operation.kind, item=operation.ref, pointer=operation.pointer, reason=operation.reason)
        for operation in plan.operations
    ]


def _conflicts(conflicts: Sequence[SyncConflict]) -> list[KnowledgeConflict]:
    return [
        KnowledgeConflict(
            type=conflict.type, item=conflict.ref, pointer=conflict.pointer, memory_id=conflict.memory_id,
            suggested_resolution=conflict.suggested, resolution=conflict.resolution, reason=conflict.reason,
        )
        for conflict in conflicts
    ]  # fmt: skip


def _split_scopes(existing: Sequence[str], globs: Sequence[str]) -> tuple[list[str], list[str]]:
    places = {scope: item_location(f"{scope}/adrs/x.md") for scope in existing}
    included = [scope for scope, location in places.items() if location is not None and in_scope(location, globs)]
    return included, [scope for scope in existing if scope not in included]


def _rollback_commit(inputs: SyncInputs) -> str | None:
    """Return the commit of the last rollback while it is still the head."""
    return inputs.state.rollback_commit if inputs.state.rollback_commit == inputs.source.commit else None


_READ_ERRORS: tuple[type[SidecarError], ...] = (SyncFailed, WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy)

METHODS = (
    method("knowledge/plan", plan, lane=Lane.SHARED, errors=(*_READ_ERRORS, NotFound, InvalidParams, Cancelled)),
    method("knowledge/sync", run_sync, lane=Lane.JOB, errors=(*_READ_ERRORS, NotFound, InvalidParams, Cancelled)),
    method("knowledge/status", status, lane=Lane.SHARED, errors=_READ_ERRORS),
    method("knowledge/conflicts", conflicts, lane=Lane.SHARED, errors=_READ_ERRORS),
    method("knowledge/resolve", resolve, lane=Lane.JOB, errors=(*_READ_ERRORS, NotFound, InvalidParams, Cancelled)),
    method(
        "knowledge/shouldSync", should_sync, lane=Lane.SHARED, errors=(SyncFailed, WorkspaceUnavailable, StateDegraded)
    ),
    method("knowledge/doctor", doctor, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("knowledge/explain", explain, lane=Lane.SHARED, errors=(*_READ_ERRORS, NotFound, InvalidParams)),
    method("knowledge/rollback", rollback, lane=Lane.WORKSPACE, errors=(*_READ_ERRORS, NotFound)),
)

NOTIFICATIONS = (Notification("knowledge/autoSync", KnowledgeSyncNotice, "server", docstring(KnowledgeSyncNotice)),)
