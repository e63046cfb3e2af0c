"""What the tables hold, by kind: whose rows they are, how old, and how they are removed. Slices give the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw


class Holding(NamedTuple):
    """A table's rows of a kind."""

    kind: str
    table: str
    of_project: str = "project = ?1"
    """The condition for the rows of a project; empty where projects share them."""
    before: str = ""
    """The condition for rows older than a moment `?2` in milliseconds; empty where they have no age."""
    is_counted: bool = True
    """False where the rows stand for others that are counted."""


class Scope(NamedTuple):
    """Whose rows are meant, and how old; None is all."""

    project: str | None
    before_ms: int | None


def count(tx: apsw.Connection, held: Holding, scope: Scope) -> int:
    """Gives how many rows lie in a scope; none where they do not tell."""
    where = _where(held, scope)
    if where is None:
        return 0
    return int(str(tx.execute(f"SELECT count(*) FROM {held.table} WHERE {where}", scope).get))


def remove(tx: apsw.Connection, held: Sequence[Holding], scope: Scope) -> int:
    """Removes the rows that lie in a scope, table by table in the order given; gives how many of those counted."""
    removed = 0
    for one in held:
        where = _where(one, scope)
        if where is not None:
            before = tx.total_changes()
            tx.execute(f"DELETE FROM {one.table} WHERE {where}", scope)
            removed += tx.total_changes() - before if one.is_counted else 0
    return removed


def _where(held: Holding, scope: Scope) -> str | None:
    if (scope.project is not None and not held.of_project) or (scope.before_ms is not None and not held.before):
        return None
    asked = (held.of_project if scope.project is not None else "", held.before if scope.before_ms is not None else "")
    return " AND ".join(["?1 IS ?1", "?2 IS ?2", *filter(None, asked)])  # so that both always stand in it
