"""Status, stop and reset of a change's loop from outside; needs neither the state file nor the application."""

import os

from sidecar.core.errors import StateDegraded
from sidecar.ralph.files import history
from sidecar.ralph.files.folder import LoopFolder, delete_file, delete_iteration_files
from sidecar.ralph.files.lock import LockOwner, hold_lock, lock_owner
from sidecar.ralph.files.stop_request import write_stop_request
from sidecar.ralph.model import RalphStatusResult


def status_of(folder: LoopFolder, limit: int) -> RalphStatusResult:
    """Return state and recent history; a loop whose process died counts as interrupted."""
    owner, state = lock_owner(folder), history.read_state(folder)
    iterations, damaged_lines = history.read_history(folder)
    if state is not None and owner is None and state.status == "running":
        state = state.model_copy(update={"status": "interrupted", "reason": "Its process died.", "running": None})
    return RalphStatusResult(
        change=folder.change,
        is_running=owner is not None,
        state=state,
        iterations=len(iterations),
        recent=iterations[-limit:],
        damaged_lines=damaged_lines,
        context_bytes=history.file_size(folder.context),
        folder=str(folder.path),
    )


def request_stop(folder: LoopFolder, requested_at: str) -> bool:
    """Request a running loop to stop; return whether one was running."""
    if lock_owner(folder) is None:
        return False
    write_stop_request(folder, requested_at)
    return True


def reset(folder: LoopFolder, now: str) -> int:
    """Delete everything but the added context and return the number of iterations; raise Conflict, StateDegraded."""
    if not folder.path.is_dir():
        return 0
    with hold_lock(folder, LockOwner(os.getpid(), now)):
        count = len(history.read_history(folder).iterations)
        delete_iteration_files(folder)
        for path in (folder.state, folder.history, folder.stop):
            delete_file(path)
            if os.path.lexists(path):
                raise StateDegraded("The loop's state cannot be deleted.", hint=f"Path: {path}")
    return count
