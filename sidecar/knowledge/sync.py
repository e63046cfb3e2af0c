"""Run a sync: load the inputs, plan, checkpoint, apply, and roll back on failure; by request, or when one is due.

An automatic sync is due by time, sessions or a moved head, and runs after a project's runs. Without configured triggers
no sync runs automatically.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from sidecar.call import Call, Process
from sidecar.connection_methods import Progress, ProgressParams
from sidecar.core.clock import DAY_MS, HOUR_MS
from sidecar.core.errors import Busy, InvalidParams, NotFound, SidecarError
from sidecar.core.text import count_noun
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
from sidecar.knowledge.model import DueReason, KnowledgeSyncNotice, RunMode, Stage
from sidecar.knowledge.store import SyncState, load_state, save_state, sync_lock
from sidecar.knowledge.sync_inputs import SyncCache, SyncInputs, affected_refs, load_inputs, load_item_inputs
from sidecar.knowledge.sync_plan import ConflictType, Plan, PlanRequest, Resolution, SyncConflict
from sidecar.metrics import count, labelled
from sidecar.runs import run_records
from sidecar.settings.resolve import Settings
from sidecar.settings.table import DURATION
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


def failure_metrics(code: str) -> dict[str, float]:
    """Return the metric of a failed sync."""
    return {labelled("sync.failures.total", code=code): 1.0}


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
        with sync_lock(call.process.state_dir, workspace.project_key):
            synced, blocking = _run_sync(call, workspace, request)
        if blocking:
            failed = [{"item": key, "problem": text} for key, text in sorted(blocking.items())]
            counts = {
                COUNT_NAMES[kind]: number for kind, number in synced.applied.counts.items() if kind in COUNT_NAMES
            }
            raise partial_failure(failed, {"checkpointId": synced.checkpoint_id, "counts": counts})
    except SidecarError as error:
        code = str(error.data.get("code", error.kind))
        _record_metrics(call, workspace, failure_metrics(code))
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
    """Plan the resolution of the requested conflicts, and nothing else about their items."""
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
        planned.plan, planned.inputs, journal, rate_limiter, call.now()[:19] + "Z", _progress_callback(call)
    )
    state, blocking = next_state(
        planned.inputs, planned.plan, applied, call.now_ms(), planned.requested, retries=planned.retries
    )
    with call.database.write() as tx:
        if state != planned.inputs.state:
            save_state(call, tx, workspace.project_key, state)
        store.finish_checkpoint(tx, workspace.project_key, checkpoint_id, "done", "")
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
    """Return the ref for a ref or a bare id. Raise NotFound, and InvalidParams when several items have the id."""
    refs = {*inputs.manifest.items, *inputs.state.items, *(pointer.identity.ref for pointer in inputs.pointers)}
    if name in refs:
        return name
    named = sorted(ref for ref in refs if ref.partition(":")[2] == name)
    if len(named) > 1:
        raise InvalidParams(f"Several items have the id in `item`: {', '.join(named)[:300]}.")
    if not named:
        raise NotFound("There is no knowledge item with this name.", hint="`knowledge/plan` lists them.")
    return named[0]


Reason = Literal["threshold", "head_moved", "manual"]

_UNITS_MS = (DAY_MS, HOUR_MS, 60_000, 1_000)


class Triggers(NamedTuple):
    """The configured triggers; None and False disable one."""

    staleness_ms: int | None = None
    sessions: int | None = None
    head_moved: bool = False


class SyncFacts(NamedTuple):
    """The facts that the triggers are compared with."""

    since_sync_ms: int | None
    """None when no sync ran yet, which counts as stale."""
    sessions: int
    head_moved: bool
    is_rolled_back: bool = False
    """Whether the user rolled back and the head has not moved since."""


class DueDecision(NamedTuple):
    """Whether a sync is due, the reason, and a sentence for the user."""

    is_due: bool
    reason: Reason
    detail: str


def evaluate_triggers(triggers: Triggers, facts: SyncFacts) -> DueDecision:
    """Decide whether a sync is due.

    A time threshold must be exceeded, a session threshold reached.
    """
    if facts.is_rolled_back:
        return DueDecision(
            False,
            "manual",
            "Automatic syncs are paused after a rollback until the repository's head moves or someone runs a sync.",
        )
    since = facts.since_sync_ms
    if triggers.staleness_ms is not None and since is None:
        return DueDecision(True, "threshold", "No sync has run yet.")
    if triggers.staleness_ms is not None and since is not None and since > triggers.staleness_ms:
        return DueDecision(True, "threshold", "The last sync is older than the staleness threshold.")
    if triggers.sessions is not None and facts.sessions >= triggers.sessions:
        return DueDecision(True, "threshold", f"{count_noun(facts.sessions, 'session')} ran since the last sync.")
    if triggers.head_moved and facts.head_moved:
        return DueDecision(True, "head_moved", "The knowledge repository's head has moved since the last sync.")
    return DueDecision(False, "manual", "No configured trigger is met.")


def duration_ms(text: str) -> int:
    """Return a duration in milliseconds. Raise ValueError for an invalid one."""
    match = DURATION.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return sum(int(number or 0) * unit for number, unit in zip(match.groups(), _UNITS_MS, strict=True))


def due_decision(call: Call, workspace: Workspace) -> tuple[DueDecision, int]:
    """Return whether a sync is due by the project's settings, and how many sessions ran since the last one.

    The repository is fetched only when its head matters: by the settings, or because of a rollback.
    """
    settings = call.process.settings(workspace.project_key)
    triggers, state = configured_triggers(settings), load_state(call, workspace.project_key)
    with call.database.read() as tx:
        sessions = run_records.count_sessions_since(tx, workspace.project_key, state.last_sync_at_ms or 0)
    if not settings["knowledge.repository"]:
        return DueDecision(False, "manual", "No repository is configured."), sessions
    since = None if state.last_sync_at_ms is None else call.now_ms() - state.last_sync_at_ms
    without_head = evaluate_triggers(triggers._replace(head_moved=False), SyncFacts(since, sessions, head_moved=False))
    if (without_head.is_due and not state.rollback_commit) or not (without_head.is_due or triggers.head_moved):
        return without_head, sessions
    head = open_configured_source(call, settings, fetch_first=True).commit
    head_moved, is_rolled_back = head != state.last_knowledge_commit, head == state.rollback_commit
    return evaluate_triggers(triggers, SyncFacts(since, sessions, head_moved, is_rolled_back)), sessions


def auto_sync_enabled(settings: Settings) -> bool:
    """Whether syncs may run automatically: a trigger is set, and the mode is active."""
    return configured_triggers(settings) != Triggers() and settings.mode == "active"


def configured_triggers(settings: Settings) -> Triggers:
    """Return the triggers configured for the project."""
    staleness = settings["knowledge.stalenessThreshold"]
    return Triggers(
        None if staleness is None else duration_ms(staleness),
        settings["knowledge.sessionThreshold"],
        settings["knowledge.onHeadMoved"],
    )


RETRY_AFTER_MS = 15 * 60 * 1000
"""Pause after a failed or cancelled automatic sync before the next; a failed one has already retried."""


class AutoSyncs:
    """Projects with an automatic sync in progress, and when the last one of each failed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: dict[str, str] = {}
        """Job id by project; empty while the triggers are evaluated."""
        self._failed_ms: dict[str, int] = {}

    def try_start(self, project: str, now_ms: int) -> bool:
        """Whether a sync of a project may start now; if so, the project is busy from then on."""
        with self._lock:
            failed_ms = self._failed_ms.get(project)
            if project in self._busy or (failed_ms is not None and now_ms - failed_ms < RETRY_AFTER_MS):
                return False
            self._busy[project] = ""
            return True

    def set_job(self, project: str, job: str) -> None:
        """Record the job that syncs a project."""
        with self._lock:
            self._busy[project] = job

    def job_id(self, project: str) -> str | None:
        """Return the job that syncs a project, or None."""
        with self._lock:
            return self._busy.get(project) or None

    def finish(self, project: str, failed_ms: int | None) -> None:
        """Release a project; `failed_ms` delays its next sync."""
        with self._lock:
            self._busy.pop(project, None)
            self._failed_ms.pop(project, None)
            if failed_ms is not None:
                self._failed_ms[project] = failed_ms


class KnowledgeState:
    """Inputs of the last syncs, and automatic syncs in progress, for the lifetime of the process."""

    def __init__(self) -> None:
        self.sync_cache = SyncCache()
        self.auto_syncs = AutoSyncs()


def running_sync_id(process: Process, workspace: Workspace) -> str | None:
    """Return the request id of the project's automatic sync in progress."""
    return process.slices.knowledge.auto_syncs.job_id(workspace.project_key)


def sync_when_due(process: Process, workspace: Workspace) -> None:
    """Start a background job that syncs the project if a sync is due; do nothing if automatic syncs are disabled."""
    settings = process.settings(workspace.project_key)
    auto_syncs = process.slices.knowledge.auto_syncs
    if not settings["knowledge.repository"] or not auto_sync_enabled(settings):
        return
    if not auto_syncs.try_start(workspace.project_key, process.clock.now_ms()):
        return
    ended = process.background.reserve()  # tests and shutdown wait for this job too
    try:
        process.start_internal_job("knowledge/sync", lambda call: _sync_if_due(call, workspace, auto_syncs, ended))
    except Busy:  # too many jobs, or shutting down; the next run tries again
        auto_syncs.finish(workspace.project_key, None)
        ended()


def _sync_if_due(call: Call, workspace: Workspace, auto_syncs: AutoSyncs, ended: Callable[[], None]) -> None:
    failed_ms: int | None = call.now_ms()
    try:
        decision, _ = due_decision(call, workspace)
        if decision.reason != "manual":
            auto_syncs.set_job(workspace.project_key, str(call.request_id))
            _sync(call, workspace, decision.reason)
        failed_ms = None
    except Busy:
        failed_ms = None
        call.log.info("knowledge.busy")  # another process is syncing
    except SidecarError as error:
        call.log.warning("knowledge.postponed", code=str(error.data.get("code", error.kind)))
    finally:
        auto_syncs.finish(workspace.project_key, failed_ms)
        ended()


def _sync(call: Call, workspace: Workspace, reason: DueReason) -> None:
    def notify(stage: Stage, problem: str | None = None) -> None:
        call.notify(
            "knowledge/autoSync",
            KnowledgeSyncNotice(
                id=str(call.request_id),
                project_path=str(workspace.project),
                stage=stage,
                reason=reason,
                problem=problem,
            ),
        )

    call.log.info("knowledge.due", reason=reason)
    notify("started")
    try:
        sync(call, workspace, SyncRequest("incremental"))
    except BaseException as error:
        notify("ended", error.message if isinstance(error, SidecarError) else "It failed unexpectedly.")
        raise
    notify("ended")
