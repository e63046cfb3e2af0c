"""`metrics/summary`, `metrics/series`."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from sidecar.call import Call
from sidecar.core.errors import StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.metrics.figures import errors_of, figures_of
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


def summary(call: Call, params: MetricsSummaryParams) -> MetricsSummaryResult:
    """Return the sums of a period: hit rate, bytes per turn against the baseline, latency, value of the packs, cost.

    Active and passive mode are separate: passive mode shows what its packs would have saved.
    """
    since_day, project = _period_and_project(call, params)
    with call.database.read() as tx:
        sums = totals(tx, project, since_day, params.provider)
        of_no_project = totals(tx, NO_PROJECT, since_day, NO_PROVIDER)
    names = sorted({name for _, name in sums})
    return MetricsSummaryResult(
        since_day=since_day,
        active=figures_of({name: total for (shadow, name), total in sums.items() if not shadow}),
        passive=figures_of({name: total for (shadow, name), total in sums.items() if shadow}),
        errors=_errors(of_no_project),
        measures={name: sums.get((False, name), 0.0) + sums.get((True, name), 0.0) for name in names},
    )


def series(call: Call, params: MetricsSeriesParams) -> MetricsSeriesResult:
    """Return the same figures by day, for each project and provider and for all of them together."""
    since_day, project = _period_and_project(call, params)
    with call.database.read() as tx:
        sums = list(by_day(tx, project, since_day, params.provider))
    return MetricsSeriesResult(
        since_day=since_day,
        points=[
            MetricsPoint(
                project=day_sums.project,
                provider=cast("Provider", day_sums.provider),
                **_figures_by_mode(day_sums.day, day_sums.totals),
            )
            for day_sums in sums
            if day_sums.provider != NO_PROVIDER
        ],
        days=[_day(day, list(of_day)) for day, of_day in groupby(sums, key=lambda day_sums: day_sums.day)],
    )


def _period_and_project(call: Call, params: MetricsSummaryParams | MetricsSeriesParams) -> tuple[str, str | None]:
    """Return the first day, and the project's key."""
    path = params.project_path
    project = call.process.workspaces.get(path, None).project_key if path is not None else None
    return first_day(call.now_ms(), params.days), project


def _day(day: str, sums: Sequence[DaySums]) -> MetricsDay:
    run_sums = _totals([day_sums for day_sums in sums if day_sums.provider != NO_PROVIDER])
    of_no_project = _totals([day_sums for day_sums in sums if day_sums.project == NO_PROJECT])
    return MetricsDay(**_figures_by_mode(day, run_sums), errors=_errors(of_no_project))


def _errors(of_no_project: Mapping[tuple[bool, str], float]) -> dict[str, int]:
    return errors_of({name: total for (_, name), total in of_no_project.items()})


def _figures_by_mode(day: str, measured: Mapping[tuple[bool, str], float]) -> dict[str, Any]:
    modes = {
        name: {measure: total for (shadow, measure), total in measured.items() if shadow is is_shadow}
        for name, is_shadow in (("active", False), ("passive", True))
    }
    return {"day": day, **{name: figures_of(of_mode) if of_mode else None for name, of_mode in modes.items()}}


def _totals(sums: Sequence[DaySums]) -> dict[tuple[bool, str], float]:
    measures = dict.fromkeys(measure for day_sums in sums for measure in day_sums.totals)
    return {measure: sum(day_sums.totals.get(measure, 0.0) for day_sums in sums) for measure in measures}


METHODS = (
    method("metrics/summary", summary, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("metrics/series", series, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
)
