"""Rows that each slice declares, so that a purge can count and remove them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw


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
