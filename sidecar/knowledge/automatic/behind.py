"""Syncs by itself, behind a project's runs, where the settings say when; with nothing configured nothing runs."""

import threading
from concurrent.futures import Future

from sidecar.call import Call, Process
from sidecar.core.cancellation import Cancellation
from sidecar.core.errors import Busy, SidecarError
from sidecar.core.wire import WireModel
from sidecar.knowledge.automatic.due import how_due, triggers_of
from sidecar.knowledge.automatic.triggers import Triggers
from sidecar.knowledge.syncing.sync import Wanted, sync
from sidecar.workspace import Workspace

AGAIN_AFTER_MS = 15 * 60 * 1000
"""A sync that failed is not tried again by itself sooner: its own attempts come before."""


class _Behind:
    """Which projects are being looked at, and when the last sync of one failed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        self._failed_ms: dict[str, int] = {}

    def begin(self, project: str, now_ms: int) -> bool:
        with self._lock:
            failed_ms = self._failed_ms.get(project)
            if project in self._busy or (failed_ms is not None and now_ms - failed_ms < AGAIN_AFTER_MS):
                return False
            self._busy.add(project)
            return True

    def end(self, project: str, failed_ms: int | None) -> None:
        with self._lock:
            self._busy.discard(project)
            self._failed_ms.pop(project, None)
            if failed_ms is not None:
                self._failed_ms[project] = failed_ms


def sync_when_due(process: Process, workspace: Workspace) -> "Future[None] | None":
    """Looks in the background whether a sync is due, and syncs then; None where nothing is to be looked at."""
    settings = process.settings(workspace.project_key)
    behind = process.part(_Behind, _Behind)
    if not settings["knowledge.repository"] or triggers_of(settings) == Triggers():
        return None
    if not behind.begin(workspace.project_key, process.clock.now_ms()):
        return None
    try:
        begun = process.background.submit(_sync_if_due, process, workspace, behind)
    except RuntimeError:
        return None  # the process is ending; the next one's runs ask again
    begun.add_done_callback(lambda done: _tell_if_broken(process, done))
    return begun


def _sync_if_due(process: Process, workspace: Workspace, behind: _Behind) -> None:
    failed_ms: int | None = process.clock.now_ms()
    call = Call(process, "knowledge", process.clock.monotonic_ms(), Cancellation(), _tell_nobody)
    try:
        found, _ = how_due(call, workspace)
        if found.is_due:
            process.log.info("knowledge.due", reason=found.reason)
            sync(call, workspace, Wanted("incremental"))
        failed_ms = None
    except Busy:
        failed_ms = None
        process.log.info("knowledge.busy")  # another process syncs
    except SidecarError as error:
        process.log.warning("knowledge.putOff", code=str(error.data.get("code", error.kind)))
    finally:
        behind.end(workspace.project_key, failed_ms)


def _tell_if_broken(process: Process, done: "Future[None]") -> None:
    error = None if done.cancelled() else done.exception()
    if error is not None:
        process.log.error("knowledge.broke", kind=type(error).__name__)


def _tell_nobody(_method: str, _params: WireModel) -> None:
    """Nobody asked, so nobody is told how far it is."""
