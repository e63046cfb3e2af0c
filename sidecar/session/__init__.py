"""The session lock: while it is active, every message goes to the agent, until the user gives an exit command."""

from sidecar.core.ides import IdeName
from sidecar.session.managed_block import strip_session_lock
from sidecar.session.session_file import COMPACTIONS, PENDING, PROGRESS, SAVED_AT, TASK, save_session_values

__all__ = [
    "COMPACTIONS",
    "PENDING",
    "PROGRESS",
    "SAVED_AT",
    "TASK",
    "IdeName",
    "save_session_values",
    "strip_session_lock",
]
