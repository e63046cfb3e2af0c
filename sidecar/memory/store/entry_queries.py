"""Queries over indexed memories within reach: lists, counts, lookups by hash, tag or word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from sidecar.memory.memory_tiers import UpkeepRow
from sidecar.memory.search_ranking import NEIGHBORS, CandidateRow
from sidecar.memory.store.index_tables import ENTRY_COUNT, IndexedMemory, owner_condition, scope_token, select_entries


class EntryFilter(NamedTuple):
    """Filter of a list; None matches everything."""

    owner: str | None = None
    retention: str | None = None
    tier: str | None = None
    type: str | None = None
    sector: str | None = None
    agent: str | None = None
    tag: str | None = None
    session: str | None = None
    is_archived: bool | None = False


class EntryCount(NamedTuple):
    """Number of memories of one owner, retention and tier."""

    owner: str
    retention: str
    tier: str
    is_archived: bool
    memories: int

    def wire_fields(self) -> dict[str, Any]:
        """Return the fields by their wire names."""
        return {name.removeprefix("is_"): value for name, value in self._asdict().items()}


def list_entries(
    tx: apsw.Connection, project: str, owners: Sequence[str], entry_filter: EntryFilter, offset: int, limit: int
) -> list[IndexedMemory]:
    """Return memories within reach, newest first."""
    where, bindings = _condition(project, owners, entry_filter)
    order = "ORDER BY m.at_ms DESC, m.id DESC, m.path, m.position LIMIT ? OFFSET ?"
    selected_rows = f"SELECT row_id FROM continuity_memories AS m WHERE {where} {order}"
    entries = select_entries(
        tx, f"m.row_id IN ({selected_rows})", [*bindings, limit, offset]
    )  # avoids sorting the texts along
    entries.sort(key=lambda entry: (entry.memory.path, entry.memory.position))
    return sorted(entries, key=lambda entry: (entry.memory.at_ms, entry.memory.id), reverse=True)


def count_entries(tx: apsw.Connection, project: str, owners: Sequence[str], entry_filter: EntryFilter) -> int:
    """Count the memories within reach."""
    where, bindings = _condition(project, owners, entry_filter)
    return int(str(tx.execute(f"SELECT count(*) FROM continuity_memories AS m WHERE {where}", bindings).get))


def count_by_owner(tx: apsw.Connection, project: str, owners: Sequence[str]) -> list[EntryCount]:
    """Count the memories within reach by owner, retention and tier."""
    rows: Any = tx.execute(
        "SELECT owner, retention, tier, is_archived, count(*) FROM continuity_memories AS m"
        f" WHERE project = ? AND {owner_condition(owners)} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
        (project, *owners),
    )
    return [
        EntryCount(owner, retention, tier, bool(archived), number) for owner, retention, tier, archived, number in rows
    ]


def files_within(tx: apsw.Connection, project: str, owners: Sequence[str]) -> int:
    """Count the files with memories within reach."""
    cursor = tx.execute(
        f"SELECT count(*) FROM continuity_memories AS m WHERE project = ? AND {owner_condition(owners)}"
        " AND position = 0",
        (project, *owners),
    )
    return int(str(cursor.get))


def warnings(tx: apsw.Connection, project: str) -> list[tuple[str, str]]:
    """Return path and warning of every file that could not be read completely, or lost its instruction's id."""
    rows: Any = tx.execute(
        "SELECT path, warning FROM continuity_memory_files WHERE project = ? AND warning <> '' ORDER BY path",
        (project,),
    )
    return [*rows, *((path, LOST_ID.format(memory_id)) for path, memory_id in _instructions_without_id(tx, project))]


LOST_ID = "The file has the text of the standing instruction {}, but not its id: restore that, or confirm it again."


def _instructions_without_id(tx: apsw.Connection, project: str) -> list[tuple[str, str]]:
    """Return path and former id of files with the text of a standing instruction that has no file any more."""
    rows: Any = tx.execute(
        "SELECT m.path, s.memory_id FROM continuity_standing_instructions AS s JOIN continuity_memories AS m"
        " ON m.project = s.project AND m.digest = s.digest AND m.is_archived = 0 WHERE s.project = ?"
        " AND NOT EXISTS (SELECT 1 FROM continuity_memories AS o WHERE o.project = s.project AND o.id = s.memory_id)"
        " AND NOT EXISTS (SELECT 1 FROM continuity_standing_instructions AS o WHERE o.project = s.project"
        " AND o.memory_id = m.id) ORDER BY m.path",
        (project,),
    )
    return list(rows)


def duplicate_ids(tx: apsw.Connection, project: str, owners: Sequence[str]) -> list[tuple[str, str]]:
    """Return path and id of memories within reach that share their id."""
    rows: Any = tx.execute(
        f"SELECT m.path, m.id FROM continuity_memories AS m WHERE m.project = ?1 AND {owner_condition(owners)}"
        f" AND m.id IN (SELECT id FROM continuity_memories AS m WHERE project = ?1 AND {owner_condition(owners)}"
        " GROUP BY id HAVING count(*) > 1) ORDER BY m.id, m.path",
        (project, *owners, *owners),
    )
    return list(rows)


def _condition(project: str, owners: Sequence[str], entry_filter: EntryFilter) -> tuple[str, list[Any]]:
    conditions, bindings = ["m.project = ?", owner_condition(owners)], [project, *owners]
    for name, value in entry_filter._asdict().items():
        if value is None:
            continue
        if name == "tag":
            conditions.append("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ? COLLATE NOCASE)")
        else:
            conditions.append(f"m.{name} = ?")
        bindings.append(value)
    return " AND ".join(conditions), bindings


def count_by_tier(tx: apsw.Connection, project: str | None) -> dict[str, int]:
    """Count memories by tier, of one project or all, regardless of owner; archived ones are one group."""
    rows: Any = tx.execute(
        "SELECT CASE WHEN is_archived THEN 'archived' ELSE tier END AS kind, count(*) FROM continuity_memories"
        " WHERE project = coalesce(?, project) GROUP BY kind",
        (project,),
    )
    return dict(rows)


MAX_RELATED = 200


def find_by_hash(tx: apsw.Connection, project: str, owners: Sequence[str], digest: str) -> IndexedMemory | None:
    """Return the memory within reach with a content hash, an active one first."""
    entries = select_entries(
        tx,
        f"m.project = ? AND m.digest = ? AND {owner_condition(owners)} ORDER BY m.is_archived, m.path, m.position"
        " LIMIT 1",
        (project, digest, *owners),
    )
    return entries[0] if entries else None


def find_by_tag(tx: apsw.Connection, project: str, owner: str, tag: str) -> IndexedMemory | None:
    """Return an owner's oldest memory with a tag; an archived one only if there is no other."""
    entries = select_entries(
        tx,
        "m.project = ? AND m.owner = ? AND EXISTS (SELECT 1 FROM json_each(m.tags)"
        " WHERE value = ?) ORDER BY m.is_archived, m.created_ms, m.path, m.position LIMIT 1",
        (project, owner, tag),
    )
    return entries[0] if entries else None


def find_by_words(
    tx: apsw.Connection, project: str, owners: Sequence[str], types: Sequence[str], words: Sequence[str]
) -> list[IndexedMemory]:
    """Return the newest memories within reach, of some types, whose text contains one of some words."""
    if not words:
        return []
    word_condition = " OR ".join("instr(lower(m.title || ' ' || m.text), ?)" for _ in words)
    marks = ", ".join("?" * len(types))
    return select_entries(
        tx,
        f"m.project = ? AND {owner_condition(owners)} AND m.is_archived = 0 AND m.type IN ({marks})"
        f" AND ({word_condition}) ORDER BY m.at_ms DESC, m.path, m.position LIMIT {MAX_RELATED}",
        (project, *owners, *types, *words),
    )


def last_group_file(tx: apsw.Connection, project: str, folder: str, session: str) -> str | None:
    """Return the last file in a folder with a session's group."""
    rows: Any = tx.execute(
        "SELECT max(path) FROM continuity_memories WHERE project = ? AND session = ? AND path GLOB ? || '/session-*'",
        (project, session, folder),
    )
    return next((path for (path,) in rows), None)


def files_in_folder(tx: apsw.Connection, project: str, folder: str) -> list[str]:
    """Return the paths of a folder's files."""
    rows: Any = tx.execute(
        "SELECT path FROM continuity_memory_files WHERE project = ? AND path GLOB ? || '/*'", (project, folder)
    )
    return [path for (path,) in rows]


MAX_CANDIDATES = 100
"""Maximum number of full-text results that are ranked; further ones rarely matter."""

MAX_ENTRIES_PER_TIME = 150
"""Maximum number of entries taken from a time the query names, whatever their words."""
MAX_TIMES = 2
"""Maximum number of such times."""

MAX_AUTHORS = 200


class SearchFilters(NamedTuple):
    """Search filters; empty or None matches everything."""

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
    filters: SearchFilters,
    times: Sequence[tuple[int, int]] = (),
    max_candidates: int = MAX_CANDIDATES,
) -> list[CandidateRow]:
    """Return the entries that match the words best, with their neighbors in the group, in file order.

    `words`: the rare ones, of which an entry needs at least one, and others that only add to the rank; if too few
    entries pass the filters, any word suffices. At most `max_candidates` full-text results are used. Entries of some
    times are added, given as first and last millisecond, inclusive. Entries that fail the filters only serve as
    neighbors.
    """
    rare, common = words
    if not rare:
        return []
    best = best_rows(tx, project, owners, (rare, common), filters, max_candidates)
    if len(best) < max_candidates and common:
        best = best_rows(tx, project, owners, ((*rare, *common), ()), filters, max_candidates)
    condition, bindings = _condition_candidates(filters)
    time_rows = (
        f"SELECT * FROM (SELECT m.path, m.position FROM continuity_memories AS m WHERE {condition} AND m.project = ?"
        f" AND {owner_condition(owners)} AND m.at_ms BETWEEN ? AND ?"
        f" ORDER BY m.at_ms, m.path, m.position LIMIT {MAX_ENTRIES_PER_TIME})"
    )
    hit_rows = f"SELECT path, position FROM continuity_memories WHERE row_id IN ({', '.join('?' * len(best))})"
    neighborhood = " UNION ".join([hit_rows, *[time_rows] * len(times[:MAX_TIMES])])
    time_bindings = [value for time in times[:MAX_TIMES] for value in (*bindings, project, *owners, *time)]
    rows: Any = tx.execute(
        f"WITH near AS ({neighborhood})"
        f" SELECT m.row_id, m.path, m.position, m.author, m.at_ms, m.terms, m.traits, ({condition})"
        f" FROM continuity_memories AS m WHERE m.row_id IN (SELECT n.row_id FROM near JOIN continuity_memories AS n"
        f" ON n.project = ? AND n.path = near.path AND n.position BETWEEN near.position - {NEIGHBORS}"
        f" AND near.position + {NEIGHBORS}) ORDER BY m.path, m.position",
        (*best, *time_bindings, *bindings, project),
    )
    return [CandidateRow._make((*row[:-1], bool(row[-1]))) for row in rows]


def best_rows(
    tx: apsw.Connection,
    project: str,
    owners: Sequence[str],
    words: tuple[Sequence[str], Sequence[str]],
    filters: SearchFilters,
    max_candidates: int,
) -> list[int]:
    """Return the rows of the best full-text results that pass the filters."""
    rare, common = (" OR ".join(map(_quoted, terms)) for terms in words)
    scope = f"scope : ({' OR '.join(scope_token(project, owner) for owner in owners)})"
    # Every entry contains the scope, so the common words only add to the rank. A scope costs a pass over its entries.
    match = f"({rare}) AND ({scope} OR {common})" if common else f"{scope} AND ({rare})"
    if common and not _has_most_rows(tx, project, owners):
        match = f"{scope} AND {match}"
    condition, bindings = _condition_candidates(filters)
    rows: Any = tx.execute(
        f"SELECT m.row_id FROM continuity_memory_text AS t JOIN continuity_memories AS m ON m.row_id = t.rowid"
        f" WHERE t.continuity_memory_text MATCH ? AND {condition} AND m.project = ? AND {owner_condition(owners)}"
        " ORDER BY t.rank LIMIT ?",
        (match, *bindings, project, *owners, max_candidates),
    )
    return [row_id for (row_id,) in rows]


def rows_of_rules(tx: apsw.Connection, project: str, owners: Sequence[str], limit: int) -> list[int]:
    """Return the row ids of the user's newest rules, preferences, decisions and facts within reach."""
    rows: Any = tx.execute(
        f"SELECT row_id FROM continuity_memories AS m WHERE project = ? AND {owner_condition(owners)}"
        " AND (type IN ('user_correction', 'preference') OR author = 'user' AND type IN ('decision', 'semantic'))"
        " AND is_archived = 0 ORDER BY at_ms DESC LIMIT ?",
        (project, *owners, limit),
    )
    return [row_id for (row_id,) in rows]


def titles_beginning(
    tx: apsw.Connection, project: str, owners: Sequence[str], word: str, limit: int
) -> list[tuple[int, str]]:
    """Return the row ids and titles of the newest memories whose titles begin with a word, within reach."""
    rows: Any = tx.execute(
        "SELECT m.row_id, m.title FROM continuity_memory_text AS t JOIN continuity_memories AS m ON m.row_id = t.rowid"
        f" WHERE t.continuity_memory_text MATCH ? AND m.project = ? AND {owner_condition(owners)} AND m.is_archived = 0"
        " ORDER BY m.at_ms DESC LIMIT ?",
        (f"title : ^ {_quoted(word)}", project, *owners, limit),
    )
    return list(rows)


def rows_of_session(
    tx: apsw.Connection, project: str, owners: Sequence[str], session: str, types: Sequence[str], limit: int
) -> list[int]:
    """Return the row ids of the newest memories of some types that come from a session, within reach."""
    marks = ", ".join("?" * len(types))
    rows: Any = tx.execute(
        f"SELECT row_id FROM continuity_memories AS m WHERE project = ? AND {owner_condition(owners)}"
        f" AND session = ? AND type IN ({marks}) AND is_archived = 0 ORDER BY at_ms DESC LIMIT ?",
        (project, *owners, session, *types, limit),
    )
    return [row_id for (row_id,) in rows]


def _has_most_rows(tx: apsw.Connection, project: str, owners: Sequence[str]) -> bool:
    """Whether at least half of all indexed entries are within reach, so that few others are ranked in vain."""
    marks = ", ".join("?" * len(owners))
    rows: Any = tx.execute(
        "SELECT coalesce((SELECT sum(entries) FROM continuity_memory_term_counts WHERE project = ?"
        f" AND owner IN ({marks}) AND term = ?), 0) * 2 >= coalesce((SELECT max(row_id) FROM continuity_memories), 0)",
        (project, *owners, ENTRY_COUNT),
    )
    return any(bool(has_most) for (has_most,) in rows)


def authors(tx: apsw.Connection, project: str, owners: Sequence[str]) -> list[str]:
    """Return the known authors of memories within reach, without reading every memory."""
    names: dict[str, None] = {}
    for owner in owners:
        rows: Any = tx.execute(
            "WITH RECURSIVE next(author) AS ("
            " SELECT min(author) FROM continuity_memories WHERE project = ?1 AND owner = ?2 AND author > ''"
            " UNION ALL SELECT (SELECT min(m.author) FROM continuity_memories AS m WHERE m.project = ?1"
            "  AND m.owner = ?2 AND m.author > next.author) FROM next WHERE next.author IS NOT NULL)"
            f" SELECT author FROM next WHERE author IS NOT NULL LIMIT {MAX_AUTHORS}",
            (project, owner),
        )
        names.update(dict.fromkeys(author for (author,) in rows))
    return list(names)


def entries_of_rows(tx: apsw.Connection, row_ids: Sequence[int]) -> dict[int, IndexedMemory]:
    """Return memories by row id."""
    marks = ", ".join("?" * len(row_ids))
    order = [row for (row,) in tx.execute(f"SELECT row_id FROM continuity_memories WHERE row_id IN ({marks})", row_ids)]
    entries = select_entries(tx, f"m.row_id IN ({marks}) ORDER BY m.row_id", row_ids)
    return dict(zip(sorted(int(str(row)) for row in order), entries, strict=True))


def _condition_candidates(filters: SearchFilters) -> tuple[str, list[Any]]:
    conditions, bindings = ["1"], list[Any]()
    for name, values in (("type", filters.types), ("sector", filters.sectors)):
        if values:
            conditions.append(f"m.{name} IN ({', '.join('?' * len(values))})")
            bindings += values
    for tag in filters.tags:
        conditions.append("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ? COLLATE NOCASE)")
        bindings.append(tag)
    if filters.since_ms is not None:
        conditions.append("m.at_ms >= ?")
        bindings.append(filters.since_ms)
    if filters.is_archived is not None:
        conditions.append("m.is_archived = ?")
        bindings.append(filters.is_archived)
    return " AND ".join(conditions), bindings


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def has_content(tx: apsw.Connection, project: str, digest: str) -> bool:
    """Whether any memory, archived ones included, has this content."""
    cursor = tx.execute("SELECT 1 FROM continuity_memories WHERE project = ? AND digest = ? LIMIT 1", (project, digest))
    return cursor.get is not None


def open_proposals(
    tx: apsw.Connection, project: str, owners: Sequence[str], types: Sequence[str], confidence: float, evidence: int
) -> list[IndexedMemory]:
    """Return undecided memories within reach with enough confidence and evidence, most confident first."""
    return select_entries(
        tx,
        f"m.project = ? AND {owner_condition(owners)} AND m.is_archived = 0"
        f" AND m.type IN ({', '.join('?' * len(types))}) AND m.confidence > ? AND m.evidence >= ?"
        " AND NOT EXISTS (SELECT 1 FROM continuity_memory_resolutions AS r WHERE r.project = m.project"
        " AND r.id = m.digest) ORDER BY m.confidence DESC, m.evidence DESC, m.id",
        (project, *owners, *types, confidence, evidence),
    )


def upkeep_rows(tx: apsw.Connection, project: str) -> list[UpkeepRow]:
    """Return every active memory of a project, in file order."""
    cells_of_rows: Any = tx.execute(
        f"SELECT {', '.join(UpkeepRow._fields)} FROM continuity_memories WHERE project = ? AND is_archived = 0"
        " ORDER BY path, position",
        (project,),
    )
    return [UpkeepRow(*cells) for cells in cells_of_rows]
