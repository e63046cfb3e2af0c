"""How much of a memory's weight time leaves (intelligence-layer.md 4.6; decisions.md, Memory Layer). Pure."""

from collections.abc import Mapping

DAY_MS = 86_400_000

HALF_LIFE_DAYS: Mapping[str, float] = {"episodic": 14.0, "semantic": 60.0, "procedural": 90.0, "reflective": 60.0}


def recency(sector: str, since_ms: int) -> float:
    """Gives the share that is left after so many milliseconds without access: 1 at once, a half after a half-life."""
    return float(0.5 ** (max(0, since_ms) / DAY_MS / HALF_LIFE_DAYS.get(sector, 60.0)))
