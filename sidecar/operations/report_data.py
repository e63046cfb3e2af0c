"""The data of the report, read from the state file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

import apsw

from sidecar.core.clock import DAY_MS
from sidecar.daily_metrics import (
    NO_PROJECT,
    NO_PROVIDER,
    DaySums,
    MetricsFigures,
    add_up,
    by_day,
    errors_of,
    figures_of,
)
from sidecar.experiment.methods import experiment_result, rollout_status
from sidecar.experiment.model import ExperimentResult, RolloutStatus
from sidecar.memory import count_by_tier
from sidecar.runs import artifact_store, run_records
from sidecar.settings.resolve import Settings
from sidecar.storage.doctor_checks import CacheSize, cache_sizes, file_bytes

MAX_DAILY_BARS = 62
"""Maximum number of days with a bar each. Beyond it the charts show weeks, because the bars would be too thin."""

MAX_DECISIONS = 12
"""Maximum number of the governor's latest decisions in the report."""

Sums = dict[tuple[bool, str], float]


class Modes(NamedTuple):
    """The figures of active mode, of passive mode, and of both together."""

    active: MetricsFigures
    passive: MetricsFigures
    both: MetricsFigures


class Period(NamedTuple):
    """The figures and error answers of a day, or of a week, which is named by its Monday."""

    day: str
    modes: Modes
    errors: Mapping[str, int]


class Group(NamedTuple):
    """The figures of one project with one provider."""

    project: str
    provider: str
    modes: Modes


@dataclass(frozen=True)
class ReportData:
    """Everything on the page."""

    periods: tuple[Period, ...]
    is_weekly: bool
    days: tuple[int, int, int]
    """Number of days with prompts: in active mode, in passive mode, in either."""
    modes: Modes
    groups: tuple[Group, ...]
    errors: Mapping[str, int]
    syncs: Mapping[str, float]
    """The knowledge sync's measures, by name."""
    decisions: tuple[run_records.GovernedRun, ...]
    artifacts: Mapping[tuple[str, str], int]
    memories: Mapping[str, int]
    caches: tuple[CacheSize, ...]
    file_bytes: int
    rollout: RolloutStatus | None
    experiment: ExperimentResult | None
    names: Mapping[str, str]
    """Projects' names by key; the start of the key is added where several share a name."""


def read_report_data(
    tx: apsw.Connection, project: str | None, settings: Settings, since_day: str, now_ms: int, *, days: int
) -> ReportData:
    """Read the report's data of the last days in one transaction."""
    is_weekly, since_ms = days > MAX_DAILY_BARS, now_ms - days * DAY_MS

    def period(day_sums: DaySums) -> str:
        return monday_of(day_sums.day) if is_weekly else day_sums.day

    all_sums = list(by_day(tx, project, since_day, None))
    names = _distinct_names(run_records.project_names(tx))
    run_sums = [day_sums for day_sums in all_sums if day_sums.provider != NO_PROVIDER]
    of_no_project = [day_sums for day_sums in all_sums if day_sums.project == NO_PROJECT]
    of_no_provider = add_up(day_sums for day_sums in all_sums if day_sums.provider == NO_PROVIDER)
    return ReportData(
        periods=tuple(_period(day, list(group)) for day, group in groupby(all_sums, key=period)),
        is_weekly=is_weekly,
        days=_days(run_sums),
        modes=_modes(add_up(run_sums)),
        groups=tuple(
            sorted(
                _groups(run_sums),
                key=lambda group: (names.get(group.project, group.project), group.project, group.provider),
            )
        ),
        errors=_errors(of_no_project),
        syncs={name: total for (_, name), total in of_no_provider.items() if name.startswith("sync.")},
        decisions=tuple(map(_without_user_reason, run_records.governed_runs(tx, project, since_ms, MAX_DECISIONS))),
        artifacts=artifact_store.count_by_status(tx, project),
        memories=count_by_tier(tx, project),
        caches=tuple(cache_sizes(tx)),
        file_bytes=file_bytes(tx),
        rollout=rollout_status(tx, settings, project),
        experiment=experiment_result(tx, settings, project, now_ms),
        names=names,
    )


def _without_user_reason(decision: run_records.GovernedRun) -> run_records.GovernedRun:
    """Remove the user's reason for a fresh session: those are the user's own words."""
    return decision._replace(
        reasons=tuple(
            "requested manually" if reason.startswith("requested:") else reason for reason in decision.reasons
        )
    )


def _distinct_names(names: Mapping[str, str]) -> dict[str, str]:
    counts = Counter(names.values())
    return {key: name if counts[name] == 1 else f"{name} ({key[:4]})" for key, name in names.items()}


def monday_of(day: str) -> str:
    """Return the Monday of a day's week."""
    date_ = date.fromisoformat(day)
    return (date_ - timedelta(days=date_.weekday())).isoformat()


def _days(run_sums: list[DaySums]) -> tuple[int, int, int]:
    active, passive = (
        {day_sums.day for day_sums in run_sums if day_sums.totals.get((of, "calls"))} for of in (False, True)
    )
    return len(active), len(passive), len(active | passive)


def _period(day: str, days: list[DaySums]) -> Period:
    of_no_project = [day_sums for day_sums in days if day_sums.project == NO_PROJECT]
    return Period(
        day, _modes(add_up(day_sums for day_sums in days if day_sums.provider != NO_PROVIDER)), _errors(of_no_project)
    )


def _groups(days: list[DaySums]) -> Iterable[Group]:
    def whose(day_sums: DaySums) -> tuple[str, str]:
        return day_sums.project, day_sums.provider

    for (project, provider), of_group in groupby(sorted(days, key=whose), key=whose):
        yield Group(project, provider, _modes(add_up(of_group)))


def _modes(sums: Sums) -> Modes:
    active, passive = ({name: total for (shadow, name), total in sums.items() if shadow is of} for of in (False, True))
    both = {name: active.get(name, 0.0) + passive.get(name, 0.0) for name in active.keys() | passive.keys()}
    return Modes(figures_of(active), figures_of(passive), figures_of(both))


def _errors(days: Iterable[DaySums]) -> dict[str, int]:
    return errors_of({name: total for (_, name), total in add_up(days).items()})
