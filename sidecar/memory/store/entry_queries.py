"""Lists and counts of memories within reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from sidecar.memory.store.entries import Indexed, selected, within


class Filter(NamedTuple):
    """Which memories are asked for; None asks for all."""

    owner: str | None = None
    keeping: str | None = None
    tier: str | None = None
    type: str | None = None
    sector: str | None = None
    agent: str | None = None
    tag: str | None = None
    session: str | None = None
    is_archived: bool | None = False


class Count(NamedTuple):
    """How many memories one owner has in one keeping and tier."""

    owner: str
    keeping: str
    tier: str
    is_archived: bool
    memories: int

    def told(self) -> dict[str, Any]:
        """Gives it under the names of the wire."""
        return {name.removeprefix("is_"): value for name, value in self._asdict().items()}


def listed(
    tx: apsw.Connection, project: str, owners: Sequence[str], wanted: Filter, offset: int, limit: int
) -> list[Indexed]:
    """Gives memories within reach, the newest first."""
    where, bindings = _condition(project, owners, wanted)
    order = "ORDER BY m.at_ms DESC, m.path, m.position LIMIT ? OFFSET ?"
    chosen = f"SELECT row_id FROM continuity_memories AS m WHERE {where} {order}"
    found = selected(tx, f"m.row_id IN ({chosen})", [*bindings, limit, offset])  # so that no texts are sorted along
    return sorted(found, key=lambda one: (-one.memory.at_ms, one.memory.path, one.memory.position))


def count(tx: apsw.Connection, project: str, owners: Sequence[str], wanted: Filter) -> int:
    """Gives how many memories within reach there are."""
    where, bindings = _condition(project, owners, wanted)
    return int(str(tx.execute(f"SELECT count(*) FROM continuity_memories AS m WHERE {where}", bindings).get))


def counts(tx: apsw.Connection, project: str, owners: Sequence[str]) -> list[Count]:
    """Gives how many memories within reach there are by owner, keeping and tier."""
    rows: Any = tx.execute(
        "SELECT owner, keeping, tier, is_archived, count(*) FROM continuity_memories AS m"
        f" WHERE project = ? AND {within(owners)} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
        (project, *owners),
    )
    return [Count(owner, keeping, tier, bool(archived), number) for owner, keeping, tier, archived, number in rows]


def files_within(tx: apsw.Connection, project: str, owners: Sequence[str]) -> int:
    """Gives how many files have memories within reach."""
    found = tx.execute(
        f"SELECT count(*) FROM continuity_memories AS m WHERE project = ? AND {within(owners)} AND position = 0",
        (project, *owners),
    )
    return int(str(found.get))


def warnings(tx: apsw.Connection, project: str) -> list[tuple[str, str]]:
    """Gives path and warning of every file that could not be read wholly."""
    rows: Any = tx.execute(
        "SELECT path, warning FROM continuity_memory_files WHERE project = ? AND warning <> '' ORDER BY path",
        (project,),
    )
    return list(rows)


def repeated_ids(tx: apsw.Connection, project: str, owners: Sequence[str]) -> list[tuple[str, str]]:
    """Gives path and id of memories within reach whose id another one there has too."""
    rows: Any = tx.execute(
        f"SELECT m.path, m.id FROM continuity_memories AS m WHERE m.project = ?1 AND {within(owners)} AND m.id IN"
        f" (SELECT id FROM continuity_memories AS m WHERE project = ?1 AND {within(owners)} GROUP BY id"
        " HAVING count(*) > 1) ORDER BY m.id, m.path",
        (project, *owners, *owners),
    )
    return list(rows)


def _condition(project: str, owners: Sequence[str], wanted: Filter) -> tuple[str, list[Any]]:
    conditions, bindings = ["m.project = ?", within(owners)], [project, *owners]
    for name, value in wanted._asdict().items():
        if value is None:
            continue
        if name == "tag":
            conditions.append("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ? COLLATE NOCASE)")
        else:
            conditions.append(f"m.{name} = ?")
        bindings.append(value)
    return " AND ".join(conditions), bindings


def tiers(tx: apsw.Connection, project: str | None) -> dict[str, int]:
    """Gives how many memories there are by tier, of a project or of all, whoever's they are; the archived as one."""
    rows: Any = tx.execute(
        "SELECT CASE WHEN is_archived THEN 'archived' ELSE tier END AS kind, count(*) FROM continuity_memories"
        " WHERE project = coalesce(?, project) GROUP BY kind",
        (project,),
    )
    return dict(rows)


# Memories that a new one may repeat or be about: found within reach only.


MAX_RELATED = 200


def with_digest(tx: apsw.Connection, project: str, owners: Sequence[str], digest: str) -> Indexed | None:
    """Gives the memory within reach that has a wording, one that is not archived first."""
    found = selected(
        tx, f"m.project = ? AND m.digest = ? AND {within(owners)} ORDER BY m.is_archived, m.path, m.position LIMIT 1",
        (project, digest, *owners),
    )  # fmt: skip
    return found[0] if found else None


def tagged(tx: apsw.Connection, project: str, owner: str, tag: str) -> Indexed | None:
    """Gives an owner's oldest memory with a tag; an archived one where there is no other."""
    found = selected(
        tx, "m.project = ? AND m.owner = ? AND EXISTS (SELECT 1 FROM json_each(m.tags)"
        " WHERE value = ?) ORDER BY m.is_archived, m.created_ms, m.path, m.position LIMIT 1",
        (project, owner, tag),
    )  # fmt: skip
    return found[0] if found else None


def naming(
    tx: apsw.Connection, project: str, owners: Sequence[str], types: Sequence[str], words: Sequence[str]
) -> list[Indexed]:
    """Gives the newest memories within reach, of some types, whose text has one of some words."""
    if not words:
        return []
    any_word = " OR ".join("instr(lower(m.title || ' ' || m.text), ?)" for _ in words)
    marks = ", ".join("?" * len(types))
    return selected(
        tx, f"m.project = ? AND {within(owners)} AND m.is_archived = 0 AND m.type IN ({marks}) AND ({any_word})"
        f" ORDER BY m.at_ms DESC, m.path, m.position LIMIT {MAX_RELATED}",
        (project, *owners, *types, *words),
    )  # fmt: skip


def group_of(tx: apsw.Connection, project: str, folder: str, session: str) -> str | None:
    """Gives the last file of a folder that holds a session's group."""
    rows: Any = tx.execute(
        "SELECT max(path) FROM continuity_memories WHERE project = ? AND session = ? AND path GLOB ? || '/session-*'",
        (project, session, folder),
    )
    return next((path for (path,) in rows), None)


def files_in(tx: apsw.Connection, project: str, folder: str) -> list[str]:
    """Gives the paths of a folder's files."""
    rows: Any = tx.execute(
        "SELECT path FROM continuity_memory_files WHERE project = ? AND path GLOB ? || '/*'", (project, folder)
    )
    return [path for (path,) in rows]
