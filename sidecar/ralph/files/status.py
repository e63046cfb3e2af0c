"""How a change's loop stands, and what may be done about it from outside: needs neither state file nor application."""

import os

from sidecar.core.errors import StateDegraded
from sidecar.ralph.files import history
from sidecar.ralph.files.folder import Folder, forget, remove
from sidecar.ralph.files.lock import Owner, held, owner_of
from sidecar.ralph.files.stop_request import ask_from_outside
from sidecar.ralph.model import RalphStatusResult


def status_of(folder: Folder, limit: int) -> RalphStatusResult:
    """Reads state and history; a loop whose process died counts as interrupted."""
    owner, state = owner_of(folder), history.read_state(folder)
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
        context_bytes=history.size_of(folder.context),
        folder=str(folder.path),
    )


def ask_to_stop(folder: Folder, asked_at: str) -> bool:
    """Asks a running loop to stop; says whether there is one."""
    if owner_of(folder) is None:
        return False
    ask_from_outside(folder, asked_at)
    return True


def reset(folder: Folder, now: str) -> int:
    """Forgets everything but the context, and gives how many iterations that were; raises Conflict, StateDegraded."""
    if not folder.path.is_dir():
        return 0
    with held(folder, Owner(os.getpid(), now)):
        count = len(history.read_history(folder).iterations)
        forget(folder)
        for path in (folder.state, folder.history, folder.stop):
            remove(path)
            if os.path.lexists(path):
                raise StateDegraded("The loop's state cannot be removed.", hint=f"It is {path}.")
    return count
