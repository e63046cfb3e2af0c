"""What is done for a project's memories behind its runs: waiting material is captured, upkeep is done once a day."""

from concurrent.futures import Future

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.memory.access import SHARED_ONLY
from sidecar.memory.capture.capturing import Asking, capture_waiting
from sidecar.memory.upkeep.maintaining import maintain_if_due
from sidecar.workspace import Workspace


def tend_later(process: Process, workspace: Workspace) -> None:
    """Has it done in the background; what cannot be done now is done after a later run."""
    try:
        begun = process.indexing.submit(tend, process, workspace)
    except RuntimeError:
        process.log.warning("memory.tending.put_off")  # the process is ending; the material waits for the next one
    else:
        begun.add_done_callback(lambda done: _tell_if_broken(process, done))


def tend(process: Process, workspace: Workspace) -> None:
    """Captures what waits and does what upkeep is due."""
    try:
        capture_waiting(Asking(process, workspace, SHARED_ONLY, "run", automatic=True))
        maintain_if_due(process, workspace)
    except SidecarError as error:
        process.log.warning("memory.tending.put_off", reason=error.message)


def _tell_if_broken(process: Process, done: Future[None]) -> None:
    error = None if done.cancelled() else done.exception()
    if error is not None:
        process.log.error("memory.tending.broke", kind=type(error).__name__)
