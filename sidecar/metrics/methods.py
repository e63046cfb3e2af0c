"""`metrics/summary`."""

from collections.abc import Mapping

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.metrics.model import MetricsFigures, MetricsSummaryParams, MetricsSummaryResult
from sidecar.metrics.store import totals

DAY_MS = 86_400_000
_UNCACHED = ("cacheCreationTokens", "inputTokens")
"""Input tokens that did not come from the provider's cache."""


def summary(call: Call, params: MetricsSummaryParams) -> MetricsSummaryResult:
    """Sums up what was measured: hit rate, bytes per turn against the baseline, latency, worth of the packs, cost.

    Active and passive mode apart: passive tells what its packs would have been worth.
    """
    since_day = rfc3339(call.now_ms() - (params.days - 1) * DAY_MS)[:10]
    path = params.project_path
    project = call.process.workspaces.get(path, None).project_key if path is not None else None
    with call.database.read() as tx:
        found = totals(tx, project, since_day, params.provider)
    names = sorted({name for _, name in found})
    return MetricsSummaryResult(
        since_day=since_day,
        active=_figures({name: total for (shadow, name), total in found.items() if not shadow}),
        passive=_figures({name: total for (shadow, name), total in found.items() if shadow}),
        measures={name: found.get((False, name), 0.0) + found.get((True, name), 0.0) for name in names},
    )


def _figures(measured: Mapping[str, float]) -> MetricsFigures:
    calls = measured.get("calls", 0.0)
    injected, baseline = measured.get("wouldInjectBytes", 0.0), measured.get("baselineBytes", 0.0)
    needed, cached = measured.get("filesNeeded", 0.0), measured.get("cacheReadTokens", 0.0)
    return MetricsFigures(
        calls=int(calls),
        cache_hit_rate=round(measured.get("cacheHits", 0.0) / calls, 4) if calls else 0.0,
        injected_bytes_per_turn=round(injected / calls, 1) if calls else 0.0,
        baseline_bytes_per_turn=round(baseline / calls, 1) if calls else 0.0,
        reduction=round(1 - injected / baseline, 4) if baseline else 0.0,
        elapsed_ms_mean=round(measured.get("elapsedMs", 0.0) / calls, 2) if calls else 0.0,
        precision=_share(measured.get("packUsed", 0.0), measured.get("packGiven", 0.0)),
        recall=_share(needed - measured.get("filesFound", 0.0), needed),
        repeated_reads=int(measured.get("repeatedReads", 0.0)),
        cost_usd=round(measured.get("costUsd", 0.0), 6),
        cache_read_share=_share(cached, cached + sum(measured.get(name, 0.0) for name in _UNCACHED)),
        cache_broken=int(measured.get("cacheBroken", 0.0)),
    )


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


METHODS = (method("metrics/summary", summary, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),)
