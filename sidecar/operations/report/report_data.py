"""What the report is about, as it was found in the state file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

import apsw

from sidecar.memory import tiers
from sidecar.metrics import NO_PROJECT, NO_PROVIDER, DaySums, MetricsFigures, by_day, errors_of, figures_of
from sidecar.runs import artifacts, records
from sidecar.storage.health_checks import CacheSize, cache_sizes, file_bytes

MAX_WORDS = 12
"""The governor's latest words that are told as they were said."""

Sums = dict[tuple[bool, str], float]


class Modes(NamedTuple):
    """Figures of what was injected, of what passive mode would have, and of both together."""

    active: MetricsFigures
    passive: MetricsFigures
    both: MetricsFigures


class Period(NamedTuple):
    """The figures of a day, or of a week by its Monday, and the answers that were errors then."""

    day: str
    modes: Modes
    errors: Mapping[str, int]


class Group(NamedTuple):
    """The figures of a project with a provider."""

    project: str
    provider: str
    modes: Modes


@dataclass(frozen=True)
class Seen:
    """Everything on the page."""

    periods: tuple[Period, ...]
    is_weekly: bool
    days: tuple[int, int, int]
    """How many days had prompts: with injecting, in passive mode, in either."""
    modes: Modes
    groups: tuple[Group, ...]
    errors: Mapping[str, int]
    syncs: Mapping[str, float]
    """The knowledge sync's measures, by the specification's names."""
    words: tuple[records.Governed, ...]
    artifacts: Mapping[tuple[str, str], int]
    memories: Mapping[str, int]
    caches: tuple[CacheSize, ...]
    file_bytes: int
    names: Mapping[str, str]
    """Projects' names by key; with its beginning where several have one name."""


def look(tx: apsw.Connection, project: str | None, since_day: str, since_ms: int, *, is_weekly: bool) -> Seen:
    """Reads what the report tells, in one transaction."""

    def period(one: DaySums) -> str:
        return monday_of(one.day) if is_weekly else one.day

    told = list(by_day(tx, project, since_day, None))
    names = _told_apart(records.project_names(tx))
    of_runs = [one for one in told if one.provider != NO_PROVIDER]
    of_no_project = [one for one in told if one.project == NO_PROJECT]
    of_no_provider = _added(one for one in told if one.provider == NO_PROVIDER)
    return Seen(
        periods=tuple(_period(day, list(ones)) for day, ones in groupby(told, key=period)),
        is_weekly=is_weekly,
        days=_days(of_runs),
        modes=_modes(_added(of_runs)),
        groups=tuple(sorted(_groups(of_runs), key=lambda one: (names.get(one.project, one.project), *one[:2]))),
        errors=_errors(of_no_project),
        syncs={name: total for (_, name), total in of_no_provider.items() if name.startswith("sync.")},
        words=tuple(map(_own_words, records.governed(tx, project, since_ms, MAX_WORDS))),
        artifacts=artifacts.counted(tx, project),
        memories=tiers(tx, project),
        caches=tuple(cache_sizes(tx)),
        file_bytes=file_bytes(tx),
        names=names,
    )


def _own_words(said: records.Governed) -> records.Governed:
    """Leaves out why the user asked for a fresh session: those are the user's words."""
    return said._replace(
        reasons=tuple("asked for by hand" if reason.startswith("asked for:") else reason for reason in said.reasons)
    )


def _told_apart(names: Mapping[str, str]) -> dict[str, str]:
    times = Counter(names.values())
    return {key: name if times[name] == 1 else f"{name} ({key[:4]})" for key, name in names.items()}


def monday_of(day: str) -> str:
    """Gives the Monday of a day's week."""
    one = date.fromisoformat(day)
    return (one - timedelta(days=one.weekday())).isoformat()


def _days(of_runs: list[DaySums]) -> tuple[int, int, int]:
    active, passive = ({one.day for one in of_runs if one.totals.get((of, "calls"))} for of in (False, True))
    return len(active), len(passive), len(active | passive)


def _period(day: str, ones: list[DaySums]) -> Period:
    of_no_project = [one for one in ones if one.project == NO_PROJECT]
    return Period(day, _modes(_added(one for one in ones if one.provider != NO_PROVIDER)), _errors(of_no_project))


def _groups(ones: list[DaySums]) -> Iterable[Group]:
    def whose(one: DaySums) -> tuple[str, str]:
        return one.project, one.provider

    for (project, provider), of_group in groupby(sorted(ones, key=whose), key=whose):
        yield Group(project, provider, _modes(_added(of_group)))


def _added(ones: Iterable[DaySums]) -> Sums:
    added: Sums = {}
    for one in ones:
        for measure, total in one.totals.items():
            added[measure] = added.get(measure, 0.0) + total
    return added


def _modes(sums: Sums) -> Modes:
    active, passive = ({name: total for (shadow, name), total in sums.items() if shadow is of} for of in (False, True))
    both = {name: active.get(name, 0.0) + passive.get(name, 0.0) for name in active.keys() | passive.keys()}
    return Modes(figures_of(active), figures_of(passive), figures_of(both))


def _errors(ones: Iterable[DaySums]) -> dict[str, int]:
    return errors_of({name: total for (_, name), total in _added(ones).items()})
