"""Pre-run durations as counts between bounds: they can be summed over days and still give percentiles. Pure."""

from bisect import bisect_left
from collections.abc import Mapping
from itertools import pairwise

from sidecar.metrics.counters import by_label, labelled

NAME = "elapsedMs.upTo"

BOUNDS_MS = (1, 1.5, 2, 3, 4, 6, 8, 11, 15, 20, 30, 40, 60, 80, 110, 150, 200, 300, 400, 600, 800, 1_100, 1_500, 2_000)
"""Upper bounds, each about 1.4 times the previous one: a percentile is off by at most a fifth."""

OVERFLOW = "more"


def latency_bucket(elapsed_ms: float) -> str:
    """Return the name of the measure that counts a duration."""
    index = bisect_left(BOUNDS_MS, elapsed_ms)
    return labelled(NAME, ms=f"{BOUNDS_MS[index]:g}" if index < len(BOUNDS_MS) else OVERFLOW)


def counts_of(measured: Mapping[str, float]) -> list[float]:
    """Return the counts in the order of the bounds; durations beyond the last bound come last."""
    counts = by_label(measured, NAME)
    return [counts.get(f"{bound:g}", 0.0) for bound in BOUNDS_MS] + [counts.get(OVERFLOW, 0.0)]


def percentile(counts: list[float], share: float) -> float | None:
    """Return the duration that a share of all durations stays within, interpolated between bounds; None without any.

    Beyond the last bound the result is that bound.
    """
    target, below = share * sum(counts), 0.0
    if not target:
        return None
    for (low, high), count in zip(pairwise((0.0, *BOUNDS_MS)), counts, strict=False):
        if count and below + count >= target:
            return round(low + (high - low) * (target - below) / count, 2)
        below += count
    return float(BOUNDS_MS[-1])
