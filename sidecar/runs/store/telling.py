"""What the report tells of runs: the governor's latest words, and what projects are called."""

from __future__ import annotations

from typing import Any, NamedTuple

import apsw
import orjson

from sidecar.runs.store.records import call_of_token
from sidecar.runs.values import CallRecord


class Governed(NamedTuple):
    """A run after which the governor asked for something, or would have."""

    at_ms: int
    project: str
    provider: str
    action: str
    reasons: tuple[str, ...]


def governed(tx: apsw.Connection, project: str | None, since_ms: int, limit: int) -> list[Governed]:
    """Gives the latest runs whose governor had reasons, the newest first."""
    rows: Any = tx.execute(
        "SELECT recorded_at_ms, project, provider, json_extract(cast(result AS TEXT), '$.governor') AS word"
        " FROM continuity_runs WHERE project = coalesce(?, project) AND recorded_at_ms >= ?"
        " AND json_array_length(cast(result AS TEXT), '$.governor.reasons') > 0"
        " ORDER BY recorded_at_ms DESC, rowid DESC LIMIT ?",
        (project, since_ms, limit),
    )
    words = ((at_ms, of_project, provider, orjson.loads(word)) for at_ms, of_project, provider, word in rows)
    return [
        Governed(at_ms, of_project, provider, word["action"], tuple(word["reasons"]))
        for at_ms, of_project, provider, word in words
    ]


def last_calls(tx: apsw.Connection, limit: int) -> list[CallRecord]:
    """Gives the latest pre-runs, the newest first."""
    rows: Any = tx.execute(
        "SELECT delivery_token FROM continuity_calls ORDER BY created_at_ms DESC, rowid DESC LIMIT ?", (limit,)
    )
    found = (call_of_token(tx, token) for (token,) in list(rows))
    return [one for one in found if one is not None]


def projects(tx: apsw.Connection) -> list[tuple[str, int, int | None]]:
    """Gives each project that anything is kept of, its runs and when the last one was kept; that one first."""
    rows: Any = tx.execute(
        "SELECT project, count(run_id) AS runs, max(recorded_at_ms) AS last FROM (SELECT project, run_id,"
        " recorded_at_ms FROM continuity_runs UNION ALL SELECT project, NULL, NULL FROM continuity_calls"
        " UNION ALL SELECT project, NULL, NULL FROM continuity_artifacts"
        " UNION ALL SELECT project, NULL, NULL FROM continuity_projects)"
        " GROUP BY project ORDER BY last DESC NULLS LAST, project"
    )
    return list(rows)


def name_project(tx: apsw.Connection, project: str, name: str) -> None:
    """Notes what a project is called: the name of its folder, without where that is."""
    tx.execute(
        "INSERT INTO continuity_projects (project, name) VALUES (?1, ?2)"
        " ON CONFLICT DO UPDATE SET name = ?2 WHERE name <> ?2",
        (project, name),
    )


def project_names(tx: apsw.Connection) -> dict[str, str]:
    """Gives the names by project key."""
    rows: Any = tx.execute("SELECT project, name FROM continuity_projects")
    return dict(rows)
