"""`metrics/summary`, `metrics/series`."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.metrics.model import (
    MetricsDay,
    MetricsFigures,
    MetricsPoint,
    MetricsSeriesParams,
    MetricsSeriesResult,
    MetricsSummaryParams,
    MetricsSummaryResult,
)
from sidecar.metrics.store import DaySums, by_day, totals

DAY_MS = 86_400_000
_UNCACHED = ("cacheCreationTokens", "inputTokens")
"""Input tokens that did not come from the provider's cache."""


def summary(call: Call, params: MetricsSummaryParams) -> MetricsSummaryResult:
    """Sums up what was measured: hit rate, bytes per turn against the baseline, latency, worth of the packs, cost.

    Active and passive mode apart: passive tells what its packs would have been worth.
    """
    since_day, project = _asked(call, params)
    with call.database.read() as tx:
        found = totals(tx, project, since_day, params.provider)
    names = sorted({name for _, name in found})
    return MetricsSummaryResult(
        since_day=since_day,
        active=_figures({name: total for (shadow, name), total in found.items() if not shadow}),
        passive=_figures({name: total for (shadow, name), total in found.items() if shadow}),
        measures={name: found.get((False, name), 0.0) + found.get((True, name), 0.0) for name in names},
    )


def series(call: Call, params: MetricsSeriesParams) -> MetricsSeriesResult:
    """Tells the same figures day by day, of each project and provider and of all of them together."""
    since_day, project = _asked(call, params)
    with call.database.read() as tx:
        told = list(by_day(tx, project, since_day, params.provider))
    return MetricsSeriesResult(
        since_day=since_day,
        points=[
            MetricsPoint(project=one.project, provider=one.provider, **_modes(one.day, one.totals)) for one in told
        ],
        days=[MetricsDay(**_modes(day, _added(list(ones)))) for day, ones in groupby(told, key=lambda one: one.day)],
    )


def _asked(call: Call, params: MetricsSummaryParams | MetricsSeriesParams) -> tuple[str, str | None]:
    """The first day, and the project's key."""
    path = params.project_path
    project = call.process.workspaces.get(path, None).project_key if path is not None else None
    return rfc3339(call.now_ms() - (params.days - 1) * DAY_MS)[:10], project


def _modes(day: str, measured: Mapping[tuple[bool, str], float]) -> dict[str, Any]:
    modes = {
        name: {measure: total for (shadow, measure), total in measured.items() if shadow is is_shadow}
        for name, is_shadow in (("active", False), ("passive", True))
    }
    return {"day": day, **{name: _figures(of_mode) if of_mode else None for name, of_mode in modes.items()}}


def _added(ones: Sequence[DaySums]) -> dict[tuple[bool, str], float]:
    measures = dict.fromkeys(measure for one in ones for measure in one.totals)
    return {measure: sum(one.totals.get(measure, 0.0) for one in ones) for measure in measures}


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


METHODS = (
    method("metrics/summary", summary, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("metrics/series", series, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
)
