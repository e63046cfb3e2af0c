"""Rows of projects: those that each slice declares, so that a purge can count and remove them, and those that move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from sidecar.storage.repair import FULL_TEXT, MEMORY_INDEX


class RowGroup(NamedTuple):
    """The rows of one kind in a table."""

    kind: str
    table: str
    project_condition: str = "project = ?1"
    """Condition for the rows of a project; empty if projects share them."""
    before: str = ""
    """Condition for rows older than `?2`, a time in milliseconds; empty if they have no age."""
    is_counted: bool = True
    """False if the rows belong to others that are counted."""


class PurgeScope(NamedTuple):
    """Whose rows, and how old; None means all."""

    project: str | None
    before_ms: int | None


def count_rows(tx: apsw.Connection, group: RowGroup, scope: PurgeScope) -> int:
    """Return the number of rows in a scope; 0 if the rows have no such attribute."""
    condition = _condition(group, scope)
    if condition is None:
        return 0
    return int(str(tx.execute(f"SELECT count(*) FROM {group.table} WHERE {condition}", scope).get))


def remove_rows(tx: apsw.Connection, groups: Sequence[RowGroup], scope: PurgeScope) -> int:
    """Delete the rows in a scope, table by table in the given order; return the number of counted ones."""
    removed = 0
    for group in groups:
        condition = _condition(group, scope)
        if condition is not None:
            before = tx.total_changes()
            tx.execute(f"DELETE FROM {group.table} WHERE {condition}", scope)
            removed += tx.total_changes() - before if group.is_counted else 0
    return removed


FOLDERS = "continuity_project_folders"
"""The table of the folders in which projects were last used."""
REVISIONS = "continuity_memory_revisions"
"""Numbers that processes compare with what they know of a project's index: they only grow."""


def move_project(tx: apsw.Connection, former: str, current: str) -> None:
    """Give all rows of a project another key; what the memory files fill again is removed.

    Where both keys have a row, the one of `current` stays.
    """
    keys = (former, current)
    tx.execute(f"UPDATE {REVISIONS} SET revision = revision + 1 WHERE project IN (?1, ?2)", keys)
    tx.execute(
        f"DELETE FROM {FULL_TEXT} WHERE rowid IN (SELECT row_id FROM continuity_memories WHERE project = ?1)", keys[:1]
    )
    for table in tables_with("project", tx):
        if table not in (*MEMORY_INDEX, REVISIONS):
            tx.execute(f"UPDATE OR IGNORE {table} SET project = ?2 WHERE project = ?1", keys)
        if table != REVISIONS:
            tx.execute(f"DELETE FROM {table} WHERE project = ?1", keys[:1])
    for table in tables_with("workspace", tx):
        if not table.endswith("_cache"):
            tx.execute(f"UPDATE OR IGNORE {table} SET workspace = ?2 WHERE workspace = ?1", keys)


USERS_TABLES = ("continuity_settings", "continuity_overrides", "continuity_artifacts", "continuity_runs")
"""Tables of what a user misses of a moved project, as far as a purge removes it by the project's key."""


def has_rows(tx: apsw.Connection, project: str, tables: Iterable[str]) -> bool:
    """Whether one of some tables has a row of a project."""
    return any(tx.execute(f"SELECT 1 FROM {table} WHERE project = ? LIMIT 1", (project,)).get for table in tables)


def remove_unused_folders(tx: apsw.Connection) -> None:
    """Forget the folders of projects for which nothing else is stored."""
    others = [table for table in tables_with("project", tx) if table not in (FOLDERS, REVISIONS)]
    for (project,) in list(tx.execute(f"SELECT project FROM {FOLDERS}")):
        if not has_rows(tx, str(project), others):
            tx.execute(f"DELETE FROM {FOLDERS} WHERE project = ?", (project,))


def tables_with(column: str, tx: apsw.Connection) -> list[str]:
    """Return our tables that have a column, sorted."""
    names = tx.execute(
        "SELECT t.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
        " WHERE t.schema = 'main' AND t.type = 'table' AND t.name GLOB 'continuity_*' AND c.name = ?",
        (column,),
    )
    return sorted(str(name) for (name,) in names)


def _condition(group: RowGroup, scope: PurgeScope) -> str | None:
    if (scope.project is not None and not group.project_condition) or (
        scope.before_ms is not None and not group.before
    ):
        return None
    conditions = (
        group.project_condition if scope.project is not None else "",
        group.before if scope.before_ms is not None else "",
    )
    return " AND ".join(["?1 IS ?1", "?2 IS ?2", *filter(None, conditions)])  # so that both parameters always occur
