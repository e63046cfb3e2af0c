"""The doctor's check of stored settings, and how a purge removes them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import orjson

from sidecar.core.findings import Finding
from sidecar.settings.table import BY_NAME, from_environment, problem_with
from sidecar.storage.database import Database
from sidecar.storage.retention import Holding


def check_settings(database: Database, variables: dict[str, str]) -> Iterator[Finding]:
    """Check each value in the state file and in the environment."""
    with database.read() as tx:
        rows: Any = list(tx.execute("SELECT project, name, value FROM continuity_settings ORDER BY 1, 2"))
    for project, name, text in rows:
        problem = _problem(name, text)
        if problem:
            scope = f"of project {project}" if project else "of all projects"
            is_removed = name not in BY_NAME
            yield Finding(
                "warning",
                f"A stored setting {scope} has no effect: {problem}.",
                "`--fix` removes it." if is_removed else "Set it again; `--fix` resets it to its default.",
                partial(_remove, database, project, name, text),
            )
    for sentence in from_environment(variables)[1]:
        yield Finding("warning", sentence, "Correct or unset the variable.")


def _problem(name: str, text: Any) -> str | None:
    try:
        return problem_with(name, orjson.loads(text))
    except orjson.JSONDecodeError:
        return f"the value of `{name}` cannot be read"


def _remove(database: Database, project: str, name: str, text: Any) -> None:
    """Remove a stored value, unless it changed meanwhile."""
    with database.write() as tx:
        where = "project = ? AND name = ? AND value IS ?"
        tx.execute(f"DELETE FROM continuity_settings WHERE {where}", (project, name, text))


HOLDINGS = (Holding("settings", "continuity_settings", before="updated_at_ms < ?2"),)
