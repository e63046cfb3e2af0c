"""The figures that decide the rollout, from sums of measures. Pure."""

from collections.abc import Mapping

from sidecar.metrics.counters import by_label
from sidecar.metrics.latency import counts_of, percentile
from sidecar.metrics.model import MetricsFigures

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
        precision=_share(measured.get("packUsed", 0.0), measured.get("packGiven", 0.0)),
        recall=_share(needed - measured.get("filesFound", 0.0), needed),
        repeated_reads=int(measured.get("repeatedReads", 0.0)),
        tokens=int(tokens),
        cost_usd=round(cost, 6),
        cache_read_share=_share(cached, cached + sum(measured.get(name, 0.0) for name in _UNCACHED)),
        cache_broken=int(measured.get("cacheBroken", 0.0)),
        governor=_counts(measured, "governor"),
        governor_reasons=_counts(measured, "governor.cause"),
        governor_suppressed=_counts(measured, "governor.withheld"),
        brackets=_counts(measured, "bracket"),
    )  # fmt: skip


def errors_of(measured: Mapping[str, float]) -> dict[str, int]:
    """Return the number of requests answered with an error, by code and method."""
    return _counts(measured, "error")


def _counts(measured: Mapping[str, float], name: str) -> dict[str, int]:
    return {value: int(total) for value, total in sorted(by_label(measured, name).items())}


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None
