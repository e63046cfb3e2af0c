"""The session lock: once active, every message goes to the agent, until the user says the exit words."""

from sidecar.core.ides import IdeName
from sidecar.session.managed_block import unlocked
from sidecar.session.session_file import COMPACTIONS, PENDING, PROGRESS, SAVED_AT, TASK, save

__all__ = ["COMPACTIONS", "PENDING", "PROGRESS", "SAVED_AT", "TASK", "IdeName", "save", "unlocked"]
