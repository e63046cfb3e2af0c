"""Entries that hold a question's words, and those that stand around them: found within reach only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from sidecar.memory.ranking.features import NEAR, Row
from sidecar.memory.store.entries import Indexed, scope_of, selected, within

CANDIDATES = 100
"""So many of the entries that full-text search puts first are looked at closely; it names few others that count."""

OF_A_TIME = 150
"""So many of the entries of a time that the question names are looked at, whatever their words."""
TIMES = 2
"""So many of the times it names."""

MOST_AUTHORS = 200


class Sought(NamedTuple):
    """Which memories may be found; what is empty or None allows all."""

    types: tuple[str, ...] = ()
    sectors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since_ms: int | None = None
    is_archived: bool | None = False


def candidates(
    tx: apsw.Connection,
    project: str,
    owners: Sequence[str],
    words: tuple[Sequence[str], Sequence[str]],
    sought: Sought,
    times: Sequence[tuple[int, int]] = (),
    most: int = CANDIDATES,
) -> list[Row]:
    """Gives the entries that fit the words best, and around each those of its group, in the order of the files.

    `words` are the rare ones, of which an entry holds one at least, and others, which count where it does; where too
    few pass the filters, any word will do. `most` are the best. With them come entries of some times, given as first
    and last millisecond, both within. What does not pass the filters says only what stands around those that do.
    """
    rare, others = words
    if not rare:
        return []
    best = _best(tx, project, owners, (rare, others), sought, most)
    if len(best) < most and others:
        best = _best(tx, project, owners, ((*rare, *others), ()), sought, most)
    condition, bindings = _condition(sought)
    one_time = (
        f"SELECT * FROM (SELECT m.path, m.position FROM continuity_memories AS m WHERE {condition} AND m.project = ?"
        f" AND {within(owners)} AND m.at_ms BETWEEN ? AND ? ORDER BY m.at_ms, m.path, m.position LIMIT {OF_A_TIME})"
    )
    hit = f"SELECT path, position FROM continuity_memories WHERE row_id IN ({', '.join('?' * len(best))})"
    near = " UNION ".join([hit, *[one_time] * len(times[:TIMES])])
    of_time = [value for time in times[:TIMES] for value in (*bindings, project, *owners, *time)]
    rows: Any = tx.execute(
        f"WITH near AS ({near})"
        f" SELECT m.row_id, m.path, m.position, m.author, m.at_ms, m.terms, m.traits, ({condition})"
        f" FROM continuity_memories AS m WHERE m.row_id IN (SELECT n.row_id FROM near JOIN continuity_memories AS n"
        f" ON n.project = ? AND n.path = near.path AND n.position BETWEEN near.position - {NEAR}"
        f" AND near.position + {NEAR}) ORDER BY m.path, m.position",
        (*best, *of_time, *bindings, project),
    )
    return [Row._make((*row[:-1], bool(row[-1]))) for row in rows]


def _best(
    tx: apsw.Connection,
    project: str,
    owners: Sequence[str],
    words: tuple[Sequence[str], Sequence[str]],
    sought: Sought,
    most: int,
) -> list[int]:
    """Gives the rows of the entries that full-text search puts first, those that pass the filters."""
    rare, others = (" OR ".join(map(_quoted, some)) for some in words)
    scope = f"scope : ({' OR '.join(scope_of(project, owner) for owner in owners)})"
    match = f"{scope} AND ({rare})"
    if others:
        match += f" AND ({scope} OR {others})"  # every entry holds the scope, so the others only count
    condition, bindings = _condition(sought)
    found: Any = tx.execute(
        f"SELECT m.row_id FROM continuity_memory_text AS t JOIN continuity_memories AS m ON m.row_id = t.rowid"
        f" WHERE t.continuity_memory_text MATCH ? AND {condition} AND m.project = ? AND {within(owners)}"
        " ORDER BY t.rank LIMIT ?",
        (match, *bindings, project, *owners, most),
    )
    return [row_id for (row_id,) in found]


def authors(tx: apsw.Connection, project: str, owners: Sequence[str]) -> list[str]:
    """Gives who is known as an author of memories within reach, without a look at each memory."""
    found: dict[str, None] = {}
    for owner in owners:
        rows: Any = tx.execute(
            "WITH RECURSIVE next(author) AS ("
            " SELECT min(author) FROM continuity_memories WHERE project = ?1 AND owner = ?2 AND author > ''"
            " UNION ALL SELECT (SELECT min(m.author) FROM continuity_memories AS m WHERE m.project = ?1"
            "  AND m.owner = ?2 AND m.author > next.author) FROM next WHERE next.author IS NOT NULL)"
            f" SELECT author FROM next WHERE author IS NOT NULL LIMIT {MOST_AUTHORS}",
            (project, owner),
        )
        found.update(dict.fromkeys(author for (author,) in rows))
    return list(found)


def of_rows(tx: apsw.Connection, row_ids: Sequence[int]) -> dict[int, Indexed]:
    """Gives memories by their rows in the index."""
    marks = ", ".join("?" * len(row_ids))
    order = [row for (row,) in tx.execute(f"SELECT row_id FROM continuity_memories WHERE row_id IN ({marks})", row_ids)]
    found = selected(tx, f"m.row_id IN ({marks}) ORDER BY m.row_id", row_ids)
    return dict(zip(sorted(int(str(row)) for row in order), found, strict=True))


def _condition(sought: Sought) -> tuple[str, list[Any]]:
    conditions, bindings = ["1"], list[Any]()
    for name, values in (("type", sought.types), ("sector", sought.sectors)):
        if values:
            conditions.append(f"m.{name} IN ({', '.join('?' * len(values))})")
            bindings += values
    for tag in sought.tags:
        conditions.append("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ? COLLATE NOCASE)")
        bindings.append(tag)
    if sought.since_ms is not None:
        conditions.append("m.at_ms >= ?")
        bindings.append(sought.since_ms)
    if sought.is_archived is not None:
        conditions.append("m.is_archived = ?")
        bindings.append(sought.is_archived)
    return " AND ".join(conditions), bindings


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
