"""Measures and the figures computed from them: labels in names, error counts, latency percentiles, savings.

Labels are part of a measure's name, as in `passedThrough{reason=deadline}`. Pre-run durations are counts between
bounds: they can be summed over days and still give percentiles.
"""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.metrics.model import MetricsFigures
from sidecar.metrics.store import NO_PROJECT, count


def labelled(name: str, **labels: str) -> str:
    """Return a measure's name with its labels in alphabetical order."""
    pairs = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
    return f"{name}{{{pairs}}}"


def name_and_labels(measure: str) -> tuple[str, dict[str, str]]:
    """Split a measure's name into its plain name and its labels."""
    name, _, label_text = measure.partition("{")
    pairs = (pair.partition("=") for pair in label_text.removesuffix("}").split(",") if pair)
    return name, {label: value for label, _, value in pairs}


def by_label(measured: Mapping[str, float], name: str) -> dict[str, float]:
    """Return the totals of one measure by label value; several values are joined by a space."""
    parsed = ((name_and_labels(measure), total) for measure, total in measured.items())
    return {" ".join(labels.values()): total for (name_, labels), total in parsed if name_ == name and labels}


METHOD_NOT_FOUND, CANCELLED = -32601, -32800


class ErrorCounter:
    """Counts of error answers that are not written yet."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._pending: Counter[str] = Counter()
        self._lock = threading.Lock()

    def note(self, measure: str) -> None:
        """Count one error answer; a background write follows."""
        with self._lock:
            self._pending[measure] += 1
        self._process.database.write_behind.schedule(self.write)

    def write(self) -> None:
        """Write the pending counts. Counts that cannot be written are lost and logged."""
        with self._lock:
            pending, self._pending = self._pending, Counter()
        try:
            with self._process.database.write(durable=False) as tx:
                count(tx, NO_PROJECT, self._process.clock.now_ms(), pending)
        except SidecarError as error:
            self._process.log.warning("metrics.errors.unwritten", error=error.kind)


def note_error(process: Process, method: str, code: int) -> None:
    """Count an error answer. Cancelled requests are not counted; the name of an unknown method is not stored."""
    if code != CANCELLED:
        name = "unknown" if code == METHOD_NOT_FOUND else method
        process.slices.error_counter.note(labelled("error", code=str(code), method=name))


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
    for (low, high), calls in zip(pairwise((0.0, *BOUNDS_MS)), counts, strict=False):
        if calls and below + calls >= target:
            return round(low + (high - low) * (target - below) / calls, 2)
        below += calls
    return float(BOUNDS_MS[-1])


BYTES_PER_TOKEN = 4
"""Bytes per token for the estimate of saved tokens. Code and prose have three to four, so the estimate is low."""

_UNCACHED = ("cacheCreationTokens", "inputTokens")
"""Input tokens that did not come from the provider's cache."""

_TOKENS = (*_UNCACHED, "cacheReadTokens", "outputTokens")


def figures_of(measured: Mapping[str, float]) -> MetricsFigures:
    """Return the figures of one mode."""
    calls = measured.get("calls", 0.0)
    injected, baseline = measured.get("wouldInjectBytes", 0.0), measured.get("baselineBytes", 0.0)
    needed, cached = measured.get("filesNeeded", 0.0), measured.get("cacheReadTokens", 0.0)
    file_hits, durations = measured.get("fileHits", 0.0), counts_of(measured)
    tokens, cost = sum(measured.get(name, 0.0) for name in _TOKENS), measured.get("costUsd", 0.0)
    saved_tokens = max(0.0, baseline - injected) / BYTES_PER_TOKEN
    return MetricsFigures(
        calls=int(calls),
        cache_hit_rate=round(measured.get("cacheHits", 0.0) / calls, 4) if calls else 0.0,
        follow_up_hit_rate=_share(measured.get("followUpHits", 0.0), measured.get("followUps", 0.0)),
        file_hit_rate=_share(file_hits, file_hits + measured.get("fileMisses", 0.0)),
        injected_bytes_per_turn=round(injected / calls, 1) if calls else 0.0,
        baseline_bytes_per_turn=round(baseline / calls, 1) if calls else 0.0,
        reduction=round(1 - injected / baseline, 4) if baseline else 0.0,
        saved_bytes=int(baseline - injected),
        saved_tokens=int(saved_tokens),
        saved_usd=round(saved_tokens * cost / tokens, 4) if tokens and cost else None,
        elapsed_ms_mean=round(measured.get("elapsedMs", 0.0) / calls, 2) if calls else 0.0,
        elapsed_ms_p50=percentile(durations, 0.5),
        elapsed_ms_p95=percentile(durations, 0.95),
        elapsed_ms_p99=percentile(durations, 0.99),
        partial=int(measured.get("partial", 0.0)),
        passed_through=_counts(measured, "passedThrough"),
        runs=int(measured.get("runs", 0.0)),
        outcomes={name.removeprefix("outcome."): int(total) for name, total in sorted(measured.items())
                  if name.startswith("outcome.")},
        drafts=int(measured.get("drafts", 0.0)),
        precision=_share(measured.get("filesSentAndUsed", 0.0), measured.get("filesSent", 0.0)),
        recall=_share(needed - measured.get("filesDiscovered", 0.0), needed),
        repeated_reads=int(measured.get("repeatedReads", 0.0)),
        tokens=int(tokens),
        cost_usd=round(cost, 6),
        cache_read_share=_share(cached, cached + sum(measured.get(name, 0.0) for name in _UNCACHED)),
        cache_broken=int(measured.get("cacheBroken", 0.0)),
        governor=_counts(measured, "governor"),
        governor_reasons=_counts(measured, "governor.reason"),
        governor_suppressed=_counts(measured, "governor.suppressed"),
        brackets=_counts(measured, "bracket"),
    )  # fmt: skip


def errors_of(measured: Mapping[str, float]) -> dict[str, int]:
    """Return the number of requests answered with an error, by code and method."""
    return _counts(measured, "error")


def _counts(measured: Mapping[str, float], name: str) -> dict[str, int]:
    return {value: int(total) for value, total in sorted(by_label(measured, name).items())}


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None
