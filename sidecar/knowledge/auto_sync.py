"""When a sync is due: by time, by sessions, by a moved head; with nothing configured never by itself. Pure."""

import threading
from collections.abc import Callable
from typing import Literal, NamedTuple

from sidecar.call import Call, Process
from sidecar.core.errors import Busy, SidecarError
from sidecar.knowledge.git_source import source_of
from sidecar.knowledge.model import Cause, KnowledgeSyncNotice, Stage
from sidecar.knowledge.sync import Wanted, sync
from sidecar.knowledge.sync_inputs import load_state
from sidecar.runs import records
from sidecar.settings.kinds import DURATION
from sidecar.settings.resolve import Settings
from sidecar.workspace import Workspace

Reason = Literal["threshold", "head_moved", "manual"]

_UNITS_MS = (86_400_000, 3_600_000, 60_000, 1_000)


class Triggers(NamedTuple):
    """What the project's settings say; None and False: not by this."""

    staleness_ms: int | None = None
    sessions: int | None = None
    head_moved: bool = False


class Standing(NamedTuple):
    """How things are."""

    since_sync_ms: int | None
    """None when it was never synced, which counts as stale."""
    sessions: int
    head_moved: bool
    rollback_holds: bool = False
    """The user rolled back, and the head is as it was then."""


class Due(NamedTuple):
    """Whether a sync is due, why, and that in a sentence."""

    is_due: bool
    reason: Reason
    told: str


def due(triggers: Triggers, standing: Standing) -> Due:
    """Decides; a threshold of time has to be exceeded, one of sessions reached (decisions.md, Knowledge sync)."""
    if standing.rollback_holds:
        return Due(False, "manual", "A rollback holds until the repository's head moves on or somebody syncs.")
    since = standing.since_sync_ms
    if triggers.staleness_ms is not None and since is None:
        return Due(True, "threshold", "It was never synced.")
    if triggers.staleness_ms is not None and since is not None and since > triggers.staleness_ms:
        return Due(True, "threshold", "The last sync is longer ago than the staleness threshold.")
    if triggers.sessions is not None and standing.sessions >= triggers.sessions:
        return Due(True, "threshold", f"{standing.sessions} sessions ran since the last sync.")
    if triggers.head_moved and standing.head_moved:
        return Due(True, "head_moved", "The knowledge repository's head has moved since the last sync.")
    return Due(False, "manual", "Nothing that is configured asks for a sync.")


def duration_ms(text: str) -> int:
    """Gives a duration's milliseconds; raises ValueError for what is none."""
    found = DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return sum(int(number or 0) * unit for number, unit in zip(found.groups(), _UNITS_MS, strict=True))


# Whether a sync is due, and syncing in the background when it is.


def how_due(call: Call, workspace: Workspace) -> tuple[Due, int]:
    """Says whether a sync is due by the project's settings, and how many sessions ran since the last one.

    The repository is only asked where its head counts: by the settings, or because a rollback holds.
    """
    settings = call.process.settings(workspace.project_key)
    wanted, state = triggers_of(settings), load_state(call, workspace.project_key)
    with call.database.read() as tx:
        sessions = records.count_sessions_since(tx, workspace.project_key, state.last_sync_at_ms or 0)
    if not settings["knowledge.repository"]:
        return Due(False, "manual", "No repository is set."), sessions
    since = None if state.last_sync_at_ms is None else call.now_ms() - state.last_sync_at_ms
    by_now = due(wanted._replace(head_moved=False), Standing(since, sessions, head_moved=False))
    if (by_now.is_due and not state.held_at) or not (by_now.is_due or wanted.head_moved):
        return by_now, sessions
    head = source_of(call, settings, fetches=True).commit
    moved, holds = head != state.last_knowledge_commit, head == state.held_at
    return due(wanted, Standing(since, sessions, moved, holds)), sessions


def runs_by_itself(settings: Settings) -> bool:
    """Says whether a sync may run by itself: a trigger is set, and the mode is the one that writes into projects."""
    return triggers_of(settings) != Triggers() and settings.mode == "active"


def triggers_of(settings: Settings) -> Triggers:
    """Gives what the project's settings say of when a sync is due."""
    staleness = settings["knowledge.stalenessThreshold"]
    return Triggers(
        None if staleness is None else duration_ms(staleness),
        settings["knowledge.sessionThreshold"],
        settings["knowledge.onHeadMoved"],
    )


# Syncs by itself, behind a project's runs, where the settings say when; with nothing configured nothing runs.


AGAIN_AFTER_MS = 15 * 60 * 1000
"""A sync that failed, or that somebody cancelled, is not tried again by itself sooner: its own attempts come before."""


class _Behind:
    """Which projects are being looked at or synced, and when the last sync of one failed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: dict[str, str] = {}
        """By project, the id of the sync that runs; empty while it is only looked."""
        self._failed_ms: dict[str, int] = {}

    def begin(self, project: str, now_ms: int) -> bool:
        with self._lock:
            failed_ms = self._failed_ms.get(project)
            if project in self._busy or (failed_ms is not None and now_ms - failed_ms < AGAIN_AFTER_MS):
                return False
            self._busy[project] = ""
            return True

    def runs(self, project: str, job: str) -> None:
        with self._lock:
            self._busy[project] = job

    def running(self, project: str) -> str | None:
        with self._lock:
            return self._busy.get(project) or None

    def end(self, project: str, failed_ms: int | None) -> None:
        with self._lock:
            self._busy.pop(project, None)
            self._failed_ms.pop(project, None)
            if failed_ms is not None:
                self._failed_ms[project] = failed_ms


def running(process: Process, workspace: Workspace) -> str | None:
    """Gives the id of the project's sync that runs by itself just now."""
    return process.part(_Behind, _Behind).running(workspace.project_key)


def sync_when_due(process: Process, workspace: Workspace) -> None:
    """Begins a job that looks whether a sync is due, and syncs then, unless there is nothing to look at."""
    settings = process.settings(workspace.project_key)
    behind = process.part(_Behind, _Behind)
    if not settings["knowledge.repository"] or not runs_by_itself(settings):
        return
    if not behind.begin(workspace.project_key, process.clock.now_ms()):
        return
    ended = process.background.expect()  # whoever waits for the background waits for this too
    try:
        process.run_own("knowledge/sync", lambda call: _sync_if_due(call, workspace, behind, ended))
    except Busy:  # as many jobs as may are running, or the process is ending; the next run asks again
        behind.end(workspace.project_key, None)
        ended()


def _sync_if_due(call: Call, workspace: Workspace, behind: _Behind, ended: Callable[[], None]) -> None:
    failed_ms: int | None = call.now_ms()
    try:
        found, _ = how_due(call, workspace)
        if found.reason != "manual":
            behind.runs(workspace.project_key, str(call.request_id))
            _sync(call, workspace, found.reason)
        failed_ms = None
    except Busy:
        failed_ms = None
        call.log.info("knowledge.busy")  # another process syncs
    except SidecarError as error:
        call.log.warning("knowledge.putOff", code=str(error.data.get("code", error.kind)))
    finally:
        behind.end(workspace.project_key, failed_ms)
        ended()


def _sync(call: Call, workspace: Workspace, reason: Cause) -> None:
    def tell(stage: Stage, problem: str | None = None) -> None:
        call.notify(
            "knowledge/syncsItself",
            KnowledgeSyncNotice(
                id=str(call.request_id),
                project_path=str(workspace.project),
                stage=stage,
                reason=reason,
                problem=problem,
            ),
        )

    call.log.info("knowledge.due", reason=reason)
    tell("began")
    try:
        sync(call, workspace, Wanted("incremental"))
    except BaseException as error:
        tell("ended", error.message if isinstance(error, SidecarError) else "It broke off.")
        raise
    tell("ended")
