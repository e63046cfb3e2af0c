"""Global and project settings in the state file."""

from typing import Any

import apsw
import orjson

from sidecar.settings.table import problem_with

GLOBAL = ""


def values_of(tx: apsw.Connection, project: str) -> dict[str, Any]:
    """Return the settings stored for a project key, or for `GLOBAL`. Values that are no longer valid are skipped."""
    rows = tx.execute("SELECT name, value FROM continuity_settings WHERE project = ? ORDER BY name", (project,))
    values: dict[str, Any] = {}
    for name, text in rows:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if problem_with(name, value) is None:
            values[name] = value
    return values


def put(tx: apsw.Connection, project: str, values: dict[str, Any], now_ms: int) -> None:
    """Store values. Null removes a setting, so the layer below becomes effective."""
    for name, value in values.items():
        if value is None:
            tx.execute("DELETE FROM continuity_settings WHERE project = ? AND name = ?", (project, name))
        else:
            tx.execute(
                "INSERT INTO continuity_settings (project, name, value, updated_at_ms) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (project, name)"
                " DO UPDATE SET value = excluded.value, updated_at_ms = excluded.updated_at_ms",
                (project, name, orjson.dumps(value), now_ms),
            )
