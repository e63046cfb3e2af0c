"""Measures in the state file: a total and a count per day, project, provider, mode and name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

import apsw

from sidecar.core.clock import DAY_MS, rfc3339
from sidecar.storage.retention import RowGroup

NO_PROVIDER = NO_PROJECT = ""

DAYS = 400
"""Number of days for which sums are stored by day."""


def count_call(
    tx: apsw.Connection, project: str, provider: str, *, shadow: bool, now_ms: int, measures: Mapping[str, float]
) -> None:
    """Add one observation of each measure."""
    day = rfc3339(now_ms)[:10]
    tx.executemany(
        "INSERT INTO continuity_metrics (day, project, provider, shadow, name, total, count)"
        " VALUES (?, ?, ?, ?, ?, ?, 1)"
        " ON CONFLICT DO UPDATE SET total = total + excluded.total, count = count + 1",
        [(day, project, provider, shadow, name, value) for name, value in measures.items()],
    )


def count(tx: apsw.Connection, project: str, now_ms: int, measures: Mapping[str, float]) -> None:
    """Add one observation of each measure that belongs to no provider. Names may carry labels: `a.total{b=c}`."""
    count_call(tx, project, NO_PROVIDER, shadow=False, now_ms=now_ms, measures=measures)


def totals(
    tx: apsw.Connection, project: str | None, since_day: str, provider: str | None = None
) -> dict[tuple[bool, str], float]:
    """Return each measure's total by (shadow, name) from a day on; None as project or provider means all of them."""
    rows = tx.execute(
        "SELECT shadow, name, sum(total) FROM continuity_metrics"
        " WHERE project = coalesce(?, project) AND day >= ? AND provider = coalesce(?, provider)"
        " GROUP BY shadow, name ORDER BY shadow, name",
        (project, since_day, provider),
    )
    return {(bool(shadow), name): total for shadow, name, total in rows}


class DaySums(NamedTuple):
    """The sums of one day in one project with one provider: totals by (shadow, name)."""

    day: str
    project: str
    provider: str
    totals: dict[tuple[bool, str], float]


def by_day(tx: apsw.Connection, project: str | None, since_day: str, provider: str | None) -> Iterator[DaySums]:
    """Yield the sums in the order of day, project and provider.

    Measures without a project or provider have an empty one; those with neither are always included.
    """
    rows = tx.execute(
        "SELECT day, project, provider, shadow, name, total FROM continuity_metrics"
        " WHERE day >= ?2 AND (project = coalesce(?1, project) AND provider = coalesce(?3, provider)"
        " OR project = '' AND provider = '') ORDER BY day, project, provider, shadow, name",
        (project, since_day, provider),
    )
    for (day, of_project, of_provider), sums in groupby(rows, key=lambda row: row[:3]):
        yield DaySums(day, of_project, of_provider, {(bool(shadow), name): total for *_, shadow, name, total in sums})


def first_day(now_ms: int, days: int) -> str:
    """Return the first of `days` days that end today."""
    return rfc3339(now_ms - (days - 1) * DAY_MS)[:10]


def roll_up(tx: apsw.Connection, now_ms: int, days: int = DAYS) -> None:
    """Add up the sums of days older than `days` into one sum, so that lifetime totals remain."""
    day = first_day(now_ms, days)
    rows = "FROM continuity_metrics WHERE day > '' AND day < ?"
    if tx.execute(f"SELECT 1 {rows} LIMIT 1", (day,)).get is None:
        return
    tx.execute(
        "INSERT INTO continuity_metrics (day, project, provider, shadow, name, total, count)"
        f" SELECT '', project, provider, shadow, name, sum(total), sum(count) {rows} GROUP BY 2, 3, 4, 5"
        " ON CONFLICT DO UPDATE SET total = total + excluded.total, count = count + excluded.count",
        (day,),
    )
    tx.execute(f"DELETE {rows}", (day,))


ROW_GROUPS = (
    RowGroup(
        "metrics", "continuity_metrics", before="day <> '' AND day < strftime('%Y-%m-%d', ?2 / 1000, 'unixepoch')"
    ),
)
