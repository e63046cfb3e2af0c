"""`metrics/summary`, `metrics/series`."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from sidecar.call import Call
from sidecar.core.errors import StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.metrics.model import (
    MetricsDay,
    MetricsPoint,
    MetricsSeriesParams,
    MetricsSeriesResult,
    MetricsSummaryParams,
    MetricsSummaryResult,
    Provider,
)
from sidecar.metrics.store import NO_PROJECT, NO_PROVIDER, DaySums, by_day, first_day, totals
from sidecar.metrics.summary import errors_of, figures_of


def summary(call: Call, params: MetricsSummaryParams) -> MetricsSummaryResult:
    """Sums up what was measured: hit rate, bytes per turn against the baseline, latency, worth of the packs, cost.

    Active and passive mode apart: passive tells what its packs would have been worth.
    """
    since_day, project = _asked(call, params)
    with call.database.read() as tx:
        found = totals(tx, project, since_day, params.provider)
        of_no_project = totals(tx, NO_PROJECT, since_day, NO_PROVIDER)
    names = sorted({name for _, name in found})
    return MetricsSummaryResult(
        since_day=since_day,
        active=figures_of({name: total for (shadow, name), total in found.items() if not shadow}),
        passive=figures_of({name: total for (shadow, name), total in found.items() if shadow}),
        errors=_errors(of_no_project),
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
            MetricsPoint(project=one.project, provider=cast("Provider", one.provider), **_modes(one.day, one.totals))
            for one in told
            if one.provider != NO_PROVIDER
        ],
        days=[_day(day, list(ones)) for day, ones in groupby(told, key=lambda one: one.day)],
    )


def _asked(call: Call, params: MetricsSummaryParams | MetricsSeriesParams) -> tuple[str, str | None]:
    """The first day, and the project's key."""
    path = params.project_path
    project = call.process.workspaces.get(path, None).project_key if path is not None else None
    return first_day(call.now_ms(), params.days), project


def _day(day: str, ones: Sequence[DaySums]) -> MetricsDay:
    of_runs = _added([one for one in ones if one.provider != NO_PROVIDER])
    of_no_project = _added([one for one in ones if one.project == NO_PROJECT])
    return MetricsDay(**_modes(day, of_runs), errors=_errors(of_no_project))


def _errors(of_no_project: Mapping[tuple[bool, str], float]) -> dict[str, int]:
    return errors_of({name: total for (_, name), total in of_no_project.items()})


def _modes(day: str, measured: Mapping[tuple[bool, str], float]) -> dict[str, Any]:
    modes = {
        name: {measure: total for (shadow, measure), total in measured.items() if shadow is is_shadow}
        for name, is_shadow in (("active", False), ("passive", True))
    }
    return {"day": day, **{name: figures_of(of_mode) if of_mode else None for name, of_mode in modes.items()}}


def _added(ones: Sequence[DaySums]) -> dict[tuple[bool, str], float]:
    measures = dict.fromkeys(measure for one in ones for measure in one.totals)
    return {measure: sum(one.totals.get(measure, 0.0) for one in ones) for measure in measures}


METHODS = (
    method("metrics/summary", summary, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("metrics/series", series, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
)
