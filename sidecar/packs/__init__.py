"""Before a run: what the agent is told, and what it is not told twice."""

from sidecar.packs.prefetch import prepare

__all__ = ["prepare"]
