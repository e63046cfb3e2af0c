"""The index tables: memory files, their entries, full-text rows and term counts.

Term counts are per project and owner: memories out of reach influence no weight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import orjson

from sidecar.core.redact import redact
from sidecar.memory.entry import Memory
from sidecar.memory.files.memory_folder import Stamp
from sidecar.memory.indexed_text import NO_TEXT, IndexedText

ENTRY_COUNT = ""
"""Pseudo-term for the number of entries."""
TERM_TOTAL = " "
"""Pseudo-term for the total number of terms."""

_ADD = (
    "INSERT INTO continuity_memory_term_counts (project, owner, term, entries) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (project, owner, term) DO UPDATE SET entries = entries + excluded.entries"
)


class TermCounts(NamedTuple):
    """Counts of a query's terms within reach."""

    entries: int
    words: int
    document_frequency: Mapping[str, int]
    """Number of entries by term, including terms that share a prefix with the query's."""


def remove_terms(tx: apsw.Connection, project: str, entry_terms: Iterable[tuple[str, str]]) -> None:
    """Subtract the terms of removed entries."""
    rows = [(project, *row) for row in _term_deltas(entry_terms, -1)]
    tx.executemany(_ADD, rows)
    tx.executemany(
        "DELETE FROM continuity_memory_term_counts WHERE project = ? AND owner = ? AND term = ? AND entries <= 0",
        [row[:3] for row in rows],
    )


def term_counts(
    tx: apsw.Connection, project: str, owners: Sequence[str], terms: Sequence[str], prefixes: Iterable[str]
) -> TermCounts:
    """Return the counts of terms, and of all terms with one of the prefixes."""
    counter: Counter[str] = Counter()
    for owner in owners:
        for term in (ENTRY_COUNT, TERM_TOTAL, *terms):
            rows: Any = tx.execute(
                "SELECT term, entries FROM continuity_memory_term_counts WHERE project = ? AND owner = ? AND term = ?",
                (project, owner, term),
            )
            counter.update(dict(rows))
        for prefix in sorted(set(prefixes)):
            rows = tx.execute(
                "SELECT term, entries FROM continuity_memory_term_counts"
                " WHERE project = ? AND owner = ? AND term >= ? AND term < ?",
                (project, owner, prefix, f"{prefix}\U0010ffff"),
            )
            counter.update({term: number for term, number in rows if term not in terms})
    entries, words = counter.pop(ENTRY_COUNT, 0), counter.pop(TERM_TOTAL, 0)
    return TermCounts(entries, words, counter)


def _term_deltas(entry_terms: Iterable[tuple[str, str]], sign: int) -> list[tuple[str, str, int]]:
    by_owner: dict[str, Counter[str]] = {}
    for owner, joined in entry_terms:
        words = joined.split()
        counter = by_owner.setdefault(owner, Counter())
        counter[ENTRY_COUNT] += 1
        counter[TERM_TOTAL] += len(words)
        counter.update(set(words))
    return [
        (owner, term, sign * number) for owner in sorted(by_owner) for term, number in sorted(by_owner[owner].items())
    ]


_COLUMNS = Memory._fields
_LISTS = tuple(_COLUMNS.index(name) for name in ("tags", "supersedes", "contradicts"))
_FLAG = _COLUMNS.index("is_archived")
SELECTED = ", ".join(f"m.{name}" for name in _COLUMNS)
"""The columns of `continuity_memories AS m` that `memory_of_row` reads."""

_PUT_ENTRY = (
    f"INSERT INTO continuity_memories (row_id, project, digest, tokens, terms, traits, {', '.join(_COLUMNS)})"
    f" VALUES ({', '.join('?' * (6 + len(_COLUMNS)))})"
)
_PUT_WORDS = "INSERT INTO continuity_memory_text (rowid, scope, title, text, tags) VALUES (?, ?, ?, ?, ?)"
_FILES = (
    "SELECT path, modified_ns, size, inode, changed_ns, is_racy, version, is_group, warning"
    " FROM continuity_memory_files WHERE project = ?"
)


class IndexedFile(NamedTuple):
    """A file as indexed."""

    stamp: Stamp
    is_racy: bool
    """It was read so soon after it was written that its stamp proves nothing yet."""
    version: str
    is_group: bool
    warning: str


class IndexedMemory(NamedTuple):
    """An entry with what the index adds."""

    memory: Memory
    digest: str
    """Identity of its content; see `memory/entry.py`."""
    tokens: int
    """Estimated tokens of its text."""
    indexed_text: IndexedText = NO_TEXT
    """Set only for an entry that is being indexed."""


def all_files(tx: apsw.Connection, project: str) -> dict[str, IndexedFile]:
    """Return every indexed file of a project by path."""
    rows: Any = tx.execute(_FILES, (project,))
    return {row[0]: _file_of_row(row) for row in rows}


def files_at(tx: apsw.Connection, project: str, paths: Sequence[str]) -> list[IndexedFile]:
    """Return the indexed files among some paths."""
    return [file for path in paths if (file := _file(tx, project, path)) is not None]


def versions_below(tx: apsw.Connection, project: str, folder: str) -> dict[str, str]:
    """Return the digest of each file's bytes below a folder, by path."""
    rows: Any = tx.execute(
        "SELECT path, version FROM continuity_memory_files WHERE project = ? AND path >= ? AND path < ? ORDER BY path",
        (project, folder, folder + "\U0010ffff"),
    )
    return dict(rows)


def tags_below(tx: apsw.Connection, project: str, folder: str) -> dict[str, tuple[str, ...]]:
    """Return the tags of each entry below a folder, by path."""
    rows: Any = tx.execute(
        "SELECT path, tags FROM continuity_memories WHERE project = ? AND path >= ? AND path < ? ORDER BY path",
        (project, folder, folder + "\U0010ffff"),
    )
    return {path: tuple(orjson.loads(tags)) for path, tags in rows}


def _file(tx: apsw.Connection, project: str, path: str) -> IndexedFile | None:
    rows: Any = tx.execute(f"{_FILES} AND path = ?", (project, path))
    return next((_file_of_row(row) for row in rows), None)


def _file_of_row(row: Sequence[Any]) -> IndexedFile:
    _, modified, size, inode, changed, racy, version, group, warning = row
    return IndexedFile(Stamp(modified, size, inode, changed), bool(racy), version, bool(group), warning)


def index_file_rows(tx: apsw.Connection, project: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each owner's `index.json`, in file order."""
    rows: Any = tx.execute(
        "SELECT owner, id, title, tags, tier, type, sector, path FROM continuity_memories WHERE project = ?"
        " ORDER BY path, position",
        (project,),
    )
    by_owner: dict[str, list[dict[str, Any]]] = {}
    for owner, id_, title, tags, tier, kind, sector, path in rows:
        by_owner.setdefault(owner, []).append(
            {"id": id_, "title": title, "tags": orjson.loads(tags), "tier": tier, "type": kind, "sector": sector,
             "path": redact(path)}
        )  # fmt: skip
    return by_owner


def revision(tx: apsw.Connection, project: str) -> int:
    """Return a number that changes with every change of a project's index."""
    value = tx.execute("SELECT revision FROM continuity_memory_revisions WHERE project = ?", (project,)).get
    return int(str(value or 0))


def advance_revision(tx: apsw.Connection, project: str) -> int:
    """Increment a project's index revision and return it."""
    tx.execute(
        "INSERT INTO continuity_memory_revisions (project, revision) VALUES (?, 1)"
        " ON CONFLICT (project) DO UPDATE SET revision = revision + 1",
        (project,),
    )
    return revision(tx, project)


def put_files(tx: apsw.Connection, project: str, files: Iterable[tuple[str, IndexedFile]]) -> None:
    """Store file stamps and versions by path."""
    tx.executemany(
        "INSERT OR REPLACE INTO continuity_memory_files (project, path, modified_ns, size, inode, changed_ns, is_racy,"
        " version, is_group, warning) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(project, path, *file.stamp, file.is_racy, file.version, file.is_group, file.warning) for path, file in files],
    )


def add_entries(tx: apsw.Connection, project: str, entries: Sequence[IndexedMemory]) -> None:
    """Add entries of files that have none in the index."""
    last = int(str(tx.execute("SELECT coalesce(max(row_id), 0) FROM continuity_memories").get))
    numbered = list(enumerate(entries, last + 1))
    tx.executemany(_PUT_ENTRY, [
        (row_id, project, entry.digest, entry.tokens, indexed.terms, indexed.traits, *_cells(entry.memory))
        for row_id, entry in numbered for indexed in (entry.indexed_text,)
    ])  # fmt: skip
    tx.executemany(_PUT_WORDS, [
        (row_id, scope_token(project, entry.memory.owner), indexed.title, indexed.text, indexed.tags)
        for row_id, entry in numbered for indexed in (entry.indexed_text,)
    ])  # fmt: skip
    added = _term_deltas([(entry.memory.owner, entry.indexed_text.terms) for entry in entries], 1)
    tx.executemany(_ADD, [(project, *row) for row in added])


def remove_file(tx: apsw.Connection, project: str, path: str) -> list[tuple[str, str, str]]:
    """Remove a file and its entries; return id, digest and retention of each removed entry."""
    rows: Any = list(
        tx.execute(
            "SELECT row_id, id, digest, retention, owner, terms FROM continuity_memories"
            " WHERE project = ? AND path = ?",
            (project, path),
        )
    )
    remove_terms(tx, project, [(owner, terms) for *_, owner, terms in rows])
    tx.executemany("DELETE FROM continuity_memory_text WHERE rowid = ?", [(row_id,) for row_id, *_ in rows])
    tx.execute("DELETE FROM continuity_memories WHERE project = ? AND path = ?", (project, path))
    tx.execute("DELETE FROM continuity_memory_files WHERE project = ? AND path = ?", (project, path))
    return [(memory_id, digest, retention) for _, memory_id, digest, retention, *_ in rows]


def clear(tx: apsw.Connection, project: str) -> None:
    """Remove a project's index; state that no file holds stays."""
    if _is_only_project(tx, project):
        tx.execute("INSERT INTO continuity_memory_text (continuity_memory_text) VALUES ('delete-all')")
        tx.execute("DELETE FROM continuity_memories")  # without a condition SQLite truncates the table
    else:
        ids = list(tx.execute("SELECT row_id FROM continuity_memories WHERE project = ?", (project,)))
        tx.executemany("DELETE FROM continuity_memory_text WHERE rowid = ?", ids)
        tx.execute("DELETE FROM continuity_memories WHERE project = ?", (project,))
    tx.execute("DELETE FROM continuity_memory_term_counts WHERE project = ?", (project,))
    tx.execute("DELETE FROM continuity_memory_files WHERE project = ?", (project,))


def _is_only_project(tx: apsw.Connection, project: str) -> bool:
    """Whether no other project has indexed memories."""
    other = "SELECT 1 FROM continuity_memories WHERE project"
    return not tx.execute(f"SELECT EXISTS ({other} < ?1) OR EXISTS ({other} > ?1)", (project,)).get


def scope_token(project: str, owner: str) -> str:
    """Return the full-text token for project and owner; the stemmer leaves it unchanged."""
    return f"{owner.replace('-', '')}x{project}0"


def entries_with_id(tx: apsw.Connection, project: str, memory_id: str, owners: Sequence[str]) -> list[IndexedMemory]:
    """Return the memories with an id within reach, active ones first; usually at most one."""
    return select_entries(
        tx, f"m.project = ? AND m.id = ? AND {owner_condition(owners)} ORDER BY m.is_archived, m.path, m.position",
        (project, memory_id, *owners),
    )  # fmt: skip


def linked_ids(tx: apsw.Connection, project: str, memory: Memory, owners: Sequence[str]) -> frozenset[str]:
    """Return the linked ids of a memory that are within reach."""
    ids = (*memory.supersedes, *memory.contradicts)
    rows: Any = tx.execute(
        f"SELECT id FROM continuity_memories AS m WHERE m.project = ? AND {owner_condition(owners)}"
        f" AND m.id IN ({', '.join('?' * len(ids))})",
        (project, *owners, *ids),
    )
    return frozenset(memory_id for (memory_id,) in rows)


def superseding_ids(
    tx: apsw.Connection, project: str, owners: Sequence[str], ids: Iterable[str]
) -> dict[str, list[str]]:
    """Return the ids of the memories within reach that supersede some memories, by the superseded id, newest first."""
    superseded = frozenset(ids)
    rows: Any = tx.execute(
        "SELECT link.value, m.id FROM continuity_memories AS m INDEXED BY continuity_memories_superseding,"
        " json_each(m.supersedes) AS link"
        f" WHERE m.project = ? AND {owner_condition(owners)} AND m.supersedes != '[]' AND m.is_archived = 0"
        " ORDER BY m.at_ms DESC, m.id DESC",
        (project, *owners),
    )
    superseding: dict[str, list[str]] = {}
    for old, new in rows:
        if old in superseded:
            superseding.setdefault(old, []).append(new)
    return superseding


def entries_at_path(tx: apsw.Connection, project: str, path: str) -> list[IndexedMemory]:
    """Return the entries of one file, in its order."""
    return select_entries(tx, "m.project = ? AND m.path = ? ORDER BY m.position", (project, path))


def select_entries(tx: apsw.Connection, where: str, bindings: Iterable[apsw.SQLiteValue]) -> list[IndexedMemory]:
    """Return the memories matching a condition over `continuity_memories AS m`."""
    rows: Any = tx.execute(
        f"SELECT {SELECTED}, m.digest, m.tokens FROM continuity_memories AS m WHERE {where}", tuple(bindings)
    )
    return [IndexedMemory(memory_of_row(row), row[-2], row[-1]) for row in rows]


def owner_condition(owners: Sequence[str]) -> str:
    """Return the SQL condition for reach; its bindings are the owners."""
    return f"m.owner IN ({', '.join('?' * len(owners))})"


def last_memory_number(tx: apsw.Connection, project: str, day: str) -> int:
    """Return the highest memory number of a day; 0 if there is none."""
    start = f"mem-{day}-"
    rows: Any = tx.execute(
        "SELECT substr(id, ?3) FROM continuity_memories WHERE project = ?1 AND id >= ?2 AND id < ?2 || 'a'"
        " UNION ALL SELECT substr(id, ?3) FROM continuity_memory_tombstones WHERE project = ?1"
        " AND id >= ?2 AND id < ?2 || 'a'",
        (project, start, len(start) + 1),
    )
    return max((int(number) for (number,) in rows if number.isdigit() and len(number) < 10), default=0)


def memory_of_row(row: Sequence[Any]) -> Memory:
    """Build a memory from the `SELECTED` cells of a row."""
    cells = list(row[: len(_COLUMNS)])
    for at in _LISTS:
        cells[at] = tuple(orjson.loads(cells[at])) if cells[at] != "[]" else ()
    cells[_FLAG] = bool(cells[_FLAG])
    return Memory._make(cells)


def _cells(memory: Memory) -> list[Any]:
    cells: list[Any] = list(memory)
    for at in _LISTS:
        cells[at] = orjson.dumps(cells[at]).decode() if cells[at] else "[]"
    return cells
