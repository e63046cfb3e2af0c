"""Measures in the state file: a total and a count per day, project, provider, ledger and name."""

from __future__ import annotations

from collections.abc import Mapping

import apsw

from sidecar.core.clock import rfc3339


def count_call(
    tx: apsw.Connection, project: str, provider: str, *, shadow: bool, now_ms: int, measures: Mapping[str, float]
) -> None:
    """Adds one observation of each measure."""
    day = rfc3339(now_ms)[:10]
    tx.executemany(
        "INSERT INTO continuity_metrics (day, project, provider, shadow, name, total, count)"
        " VALUES (?, ?, ?, ?, ?, ?, 1)"
        " ON CONFLICT DO UPDATE SET total = total + excluded.total, count = count + 1",
        [(day, project, provider, shadow, name, value) for name, value in measures.items()],
    )


def totals(
    tx: apsw.Connection, project: str | None, since_day: str, provider: str | None = None
) -> dict[tuple[bool, str], float]:
    """Gives each measure's total by (shadow, name) from a day on; without a project or a provider over all of them."""
    rows = tx.execute(
        "SELECT shadow, name, sum(total) FROM continuity_metrics"
        " WHERE project = coalesce(?, project) AND day >= ? AND provider = coalesce(?, provider)"
        " GROUP BY shadow, name ORDER BY shadow, name",
        (project, since_day, provider),
    )
    return {(bool(shadow), name): total for shadow, name, total in rows}
