"""Automatic syncs: whether one is due by time, sessions or a moved head, and its job after a project's runs.

Without configured triggers no sync runs automatically.
"""

import threading
from collections.abc import Callable
from typing import NamedTuple

from sidecar.call import Call, Process
from sidecar.core.clean_text import count_noun
from sidecar.core.clock import DAY_MS, HOUR_MS, MINUTE_MS
from sidecar.core.errors import Busy, SidecarError
from sidecar.knowledge.git_source import open_configured_source
from sidecar.knowledge.model import DueReason, KnowledgeSyncNotice, Stage, SyncReason
from sidecar.knowledge.store import load_state
from sidecar.knowledge.sync import SyncRequest, sync
from sidecar.knowledge.sync_inputs import SyncCache
from sidecar.runs import run_records
from sidecar.settings.resolve import Settings
from sidecar.settings.table import DURATION
from sidecar.workspace import Workspace

_UNITS_MS = (DAY_MS, HOUR_MS, MINUTE_MS, 1_000)


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
    reason: SyncReason
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
    last_ms = state.last_sync_at_ms
    if last_ms is not None and last_ms > call.now_ms():
        last_ms = 0  # the clock was ahead: how long ago it was is unknown
    with call.database.read() as tx:
        sessions = run_records.count_sessions_since(tx, workspace.project_key, last_ms or 0)
    if not settings["knowledge.repository"]:
        return DueDecision(False, "manual", "No repository is configured."), sessions
    since = None if last_ms is None else call.now_ms() - last_ms
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


RETRY_AFTER_MS = 15 * MINUTE_MS
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
            if project in self._busy or (failed_ms is not None and 0 <= now_ms - failed_ms < RETRY_AFTER_MS):
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
