"""Syncs by itself, behind a project's runs, where the settings say when; with nothing configured nothing runs."""

import threading
from collections.abc import Callable

from sidecar.call import Call, Process
from sidecar.core.errors import Busy, SidecarError
from sidecar.knowledge.automatic.due import how_due, runs_by_itself
from sidecar.knowledge.model import Cause, KnowledgeSyncNotice, Stage
from sidecar.knowledge.syncing.sync import Wanted, sync
from sidecar.workspace import Workspace

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
