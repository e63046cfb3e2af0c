"""The session lock: once active, every message goes to the agent, until the user says the exit words."""

from sidecar.session.block import unlocked
from sidecar.session.ides import IdeName

__all__ = ["IdeName", "unlocked"]
