"""Run a sync: load the inputs, plan, checkpoint, apply, and roll back on failure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from sidecar.call import Call
from sidecar.connection_messages import Progress, ProgressParams
from sidecar.core.clock import rfc3339_seconds
from sidecar.core.errors import InvalidParams, NotFound, SidecarError
from sidecar.daily_metrics import count, labelled
from sidecar.knowledge import store
from sidecar.knowledge.apply_and_rollback import (
    ApplyResult,
    Journal,
    RateLimiter,
    apply_plan,
    next_state,
    recover_interrupted,
    roll_back_to,
)
from sidecar.knowledge.errors import deletion_stopped, partial_failure, shutting_down
from sidecar.knowledge.git_source import open_configured_source
from sidecar.knowledge.item import Identity, item_location
from sidecar.knowledge.model import RunMode
from sidecar.knowledge.store import SyncState, save_state, sync_lock
from sidecar.knowledge.sync_inputs import SyncInputs, affected_refs, load_inputs, load_item_inputs
from sidecar.knowledge.sync_plan import ConflictType, Plan, PlanRequest, Resolution, SyncConflict
from sidecar.workspace import Workspace

METRIC_TYPES = ("full", "incremental", "single")
"""Values of the label `type`."""


def sync_metrics(
    kind: str, elapsed_ms: float, counts: Mapping[str, int], conflicts: Iterable[SyncConflict]
) -> dict[str, float]:
    """Return the metrics of a finished sync; durations in milliseconds.

    A resolution is neither a full, an incremental nor a single sync, so only its item counts are recorded.
    """
    conflict_counts = Counter(conflict.type for conflict in conflicts)
    operation = {
        labelled("sync.operations.total", type=kind): 1.0,
        labelled("sync.operations.duration", type=kind): elapsed_ms,
    }
    return {
        **(operation if kind in METRIC_TYPES else {}),
        "sync.items.added": float(counts.get("create", 0)),
        "sync.items.updated": float(counts.get("update", 0)),
        "sync.items.deleted": float(counts.get("delete", 0)),
        **{
            labelled("sync.conflicts.total", type=name): float(number)
            for name, number in sorted(conflict_counts.items())
        },
    }


COUNT_NAMES = {"create": "added", "update": "updated", "delete": "deleted", "mark_orphaned": "orphaned"}
"""Wire names of the operations that write."""


@dataclass(frozen=True)
class SyncRequest:
    """A request for a plan or a sync."""

    mode: RunMode
    item: str | None = None
    type: ConflictType | None = None
    """With mode `resolve`: the type of conflicts; None for all."""
    max_items: int | None = None
    resolutions: Mapping[tuple[str, str], Resolution] | None = None
    force: bool = False


@dataclass(frozen=True)
class PlannedSync:
    """A plan with its inputs."""

    inputs: SyncInputs
    plan: Plan
    mode: RunMode
    warnings: tuple[str, ...]
    requested: frozenset[str] | None = None
    """The requested refs; None when everything that may have changed is covered."""
    retries: bool = False
    """Whether quarantined items are tried again."""


@dataclass(frozen=True)
class SyncOutcome:
    """The outcome of a sync."""

    planned: PlannedSync
    checkpoint_id: str
    applied: ApplyResult
    state: SyncState


def plan_sync(call: Call, workspace: Workspace, request: SyncRequest) -> PlannedSync:
    """Load the inputs and plan; nothing is written.

    Raise SyncFailed, and InvalidParams for a single sync without an item.
    """
    source = open_configured_source(call, call.process.settings(workspace.project_key), fetch_first=True)
    item_inputs = (
        load_item_inputs(call, workspace, source, request.item) if request.mode == "single" and request.item else None
    )
    inputs = item_inputs or load_inputs(call, workspace, source)
    mode, warnings, only = request.mode, [], None
    if mode == "resolve":
        return PlannedSync(inputs, *_plan_resolution(inputs, request))
    if mode == "single":
        if request.item is None:
            raise InvalidParams("A single sync requires `item`.")
        only = frozenset((resolve_ref(inputs, request.item),))
    elif mode == "incremental":
        only, warning = affected_refs(inputs)
        mode = "full" if only is None else mode
        warnings += [warning] if warning else []
    is_single, retries = mode == "single", request.force or request.mode in {"single", "full"}
    plan_request = PlanRequest(
        only, request.resolutions or {}, request.max_items, mark_orphans=is_single, retry_quarantined=retries
    )
    requested = only if is_single else None
    return PlannedSync(
        inputs=inputs,
        plan=inputs.plan(plan_request),
        mode=mode,
        warnings=tuple(warnings),
        requested=requested,
        retries=retries,
    )


def sync(call: Call, workspace: Workspace, request: SyncRequest) -> SyncOutcome:
    """Sync memory with the repository. Raise SyncFailed, and Busy while another sync of the project runs.

    When single items fail, PARTIAL_FAILURE is raised after all others are done. Any other error leaves state, pointers
    and files unchanged.
    """
    try:
        with sync_lock(call.database, workspace.project_key):
            synced, blocking = _run_sync(call, workspace, request)
        if blocking:
            failed = [{"item": key, "problem": text} for key, text in sorted(blocking.items())]
            counts = {
                COUNT_NAMES[kind]: number for kind, number in synced.applied.counts.items() if kind in COUNT_NAMES
            }
            raise partial_failure(failed, {"checkpointId": synced.checkpoint_id, "counts": counts})
    except SidecarError as error:
        code = str(error.data.get("code", error.kind))
        _record_metrics(call, workspace, {labelled("sync.failures.total", code=code): 1.0})
        call.log.warning("knowledge.syncFailed", code=code, elapsedMs=round(call.elapsed_ms()))
        raise
    return synced


def _run_sync(call: Call, workspace: Workspace, request: SyncRequest) -> tuple[SyncOutcome, Mapping[str, str]]:
    recover_interrupted(call, workspace)
    planned = plan_sync(call, workspace, request)
    if planned.plan.needs_force and not request.force:
        raise deletion_stopped(planned.plan.deletions, planned.plan.pointers)
    checkpoint_id = call.process.new_id()
    with call.database.write() as tx:
        store.create_checkpoint(tx, workspace.project_key, checkpoint_id, planned.mode, call.now_ms())
    try:
        synced, blocking = _apply_planned(call, workspace, planned, checkpoint_id)
    except BaseException as error:
        reason = error.message if isinstance(error, SidecarError) else type(error).__name__
        roll_back_to(call, workspace, checkpoint_id, reason)
        raise
    counts = synced.applied.counts
    _record_metrics(call, workspace, sync_metrics(planned.mode, call.elapsed_ms(), counts, planned.plan.conflicts))
    call.log.info("knowledge.synced", mode=planned.mode, elapsedMs=round(call.elapsed_ms()), **counts)
    return synced, blocking


def _record_metrics(call: Call, workspace: Workspace, measures: Mapping[str, float]) -> None:
    """Record metrics. An error is logged; the sync remains valid."""
    try:
        with call.database.write(durable=False) as tx:
            count(tx, workspace.project_key, call.now_ms(), measures)
    except SidecarError as error:
        call.log.warning("knowledge.metricsFailed", error=error.kind)


def _plan_resolution(inputs: SyncInputs, request: SyncRequest) -> tuple[Plan, RunMode, tuple[str, ...], frozenset[str]]:
    """Plan the resolution of the requested conflicts, and nothing else about their items.

    Without a type, failed items are tried again: the requested one, or all that are quarantined.
    """
    item = None if request.item is None else resolve_ref(inputs, request.item)
    selected = [
        conflict
        for conflict in inputs.plan(PlanRequest()).conflicts
        if request.type in (None, conflict.type) and item in (None, conflict.ref)
    ]
    kinds: tuple[ConflictType, ...] = get_args(ConflictType)
    chosen = {(conflict.type, conflict.ref) for conflict in selected}
    others: dict[tuple[str, str], Resolution] = {
        (kind, conflict.ref): "manual" for conflict in selected for kind in kinds if (kind, conflict.ref) not in chosen
    }
    refs = frozenset(conflict.ref for conflict in selected)
    if request.type is None:
        refs |= _refs_to_retry(inputs, item)
    plan_request = PlanRequest(refs, {**(request.resolutions or {}), **others}, retry_quarantined=True)
    return inputs.plan(plan_request), request.mode, (), refs


def _apply_planned(
    call: Call, workspace: Workspace, planned: PlannedSync, checkpoint_id: str
) -> tuple[SyncOutcome, Mapping[str, str]]:
    settings = call.process.settings(workspace.project_key)
    rate_limiter = RateLimiter(
        settings["knowledge.writesPerSecond"], call.process.clock.monotonic_ms, call.process.closing.wait
    )
    journal = Journal(call.database, workspace.project_key, checkpoint_id)
    applied = apply_plan(
        planned.plan, planned.inputs, journal, rate_limiter, rfc3339_seconds(call.now_ms()), _progress_callback(call)
    )
    state, blocking = next_state(
        planned.inputs, planned.plan, applied, call.now_ms(), planned.requested, retries=planned.retries
    )
    with call.database.write() as tx:
        if state != planned.inputs.state:
            save_state(call, tx, workspace.project_key, state)
        store.finish_checkpoint(tx, workspace.project_key, checkpoint_id)
    return SyncOutcome(planned, checkpoint_id, applied, state), blocking


def _progress_callback(call: Call) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        call.cancellation.check()
        if call.process.closing.is_set():
            raise shutting_down()
        progress = Progress(phase="sync", done=done, total=total)
        call.notify("$/progress", ProgressParams(token=call.request_id, value=progress))

    return report


def resolve_ref(inputs: SyncInputs, name: str) -> str:
    """Return the ref for a ref, a bare id or a file's path; the path for a file that cannot be read and had no item.

    Raise NotFound, and InvalidParams when several items have the id.
    """
    known = {*inputs.manifest.items, *inputs.state.items, *(pointer.identity.ref for pointer in inputs.pointers)}
    keys = {ref: ref for ref in known} | {entry.path: ref for ref, entry in inputs.manifest.items.items()}
    for failure in inputs.manifest.failures:
        keys[failure.path] = failure.ref or failure.path
        location = item_location(failure.path)
        if location is not None:
            usual = Identity(location.layer, location.scope, location.stem)
            keys.setdefault(usual.ref, keys[failure.path])
    if name in keys:
        return keys[name]
    named = sorted({key for ref, key in keys.items() if ref.partition(":")[2] == name})
    if len(named) > 1:
        raise InvalidParams(f"Several items have the id in `item`: {', '.join(named)[:300]}.")
    if not named:
        raise NotFound(
            "There is no knowledge item with this name.",
            hint="Use its layer and id, such as `company:adr-001`, or its file's path in the repository.",
        )
    return named[0]


def _refs_to_retry(inputs: SyncInputs, item: str | None) -> frozenset[str]:
    """Return the quarantined items, or the named one if it failed; an unreadable file without an item by its path."""
    refs_by_path = {entry.path: ref for ref, entry in inputs.manifest.items.items()}
    failed = inputs.state.failed.items()
    if item is None:
        return frozenset(refs_by_path.get(key, key) for key, failure in failed if failure.is_quarantined)
    unreadable = {failure.ref or failure.path for failure in inputs.manifest.failures}
    return frozenset((item,)) & (unreadable | {refs_by_path.get(key, key) for key, _ in failed})
