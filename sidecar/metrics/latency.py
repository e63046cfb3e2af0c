"""How long pre-runs took, as counts between bounds: what can be added up over days, and still has percentiles. Pure."""

from bisect import bisect_left
from collections.abc import Mapping
from itertools import pairwise

from sidecar.metrics.counters import by_label, labelled

NAME = "elapsedMs.upTo"

BOUNDS_MS = (1, 1.5, 2, 3, 4, 6, 8, 11, 15, 20, 30, 40, 60, 80, 110, 150, 200, 300, 400, 600, 800, 1_100, 1_500, 2_000)
"""Upper bounds, each about 1.4 times the one below it: a percentile is off by at most a fifth."""

BEYOND = "more"


def bucket(elapsed_ms: float) -> str:
    """Names the measure that counts a duration."""
    place = bisect_left(BOUNDS_MS, elapsed_ms)
    return labelled(NAME, ms=f"{BOUNDS_MS[place]:g}" if place < len(BOUNDS_MS) else BEYOND)


def counts_of(measured: Mapping[str, float]) -> list[float]:
    """Gives the counts by bound, in the bounds' order; what is beyond all of them comes last."""
    found = by_label(measured, NAME)
    return [found.get(f"{bound:g}", 0.0) for bound in BOUNDS_MS] + [found.get(BEYOND, 0.0)]


def percentile(counts: list[float], share: float) -> float | None:
    """Gives the duration that a share of all stays within, straight between two bounds; None where there are none.

    Beyond the last bound it is that bound.
    """
    wanted, below = share * sum(counts), 0.0
    if not wanted:
        return None
    for (low, high), count in zip(pairwise((0.0, *BOUNDS_MS)), counts, strict=False):
        if count and below + count >= wanted:
            return round(low + (high - low) * (wanted - below) / count, 2)
        below += count
    return float(BOUNDS_MS[-1])
