"""The index: every memory file that was read, its entries, and their words for full-text search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import orjson

from sidecar.memory.entry import Memory
from sidecar.memory.files.memory_folder import Stamp
from sidecar.memory.ranking.indexed_text import NO_WORDING, Wording

# How many memories hold each term, for each project and owner: what is out of reach weighs on nothing.


ENTRIES = ""
"""Stands, as a term, for how many entries there are."""
WORDS = " "
"""Stands, as a term, for how many terms they have together."""

_ADD = (
    "INSERT INTO continuity_memory_words (project, owner, term, entries) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (project, owner, term) DO UPDATE SET entries = entries + excluded.entries"
)


class Counts(NamedTuple):
    """What is known of a question's terms within reach."""

    entries: int
    words: int
    holding: Mapping[str, int]
    """Term → how many entries hold it; those that begin as the question's do among them."""


def count_in(tx: apsw.Connection, project: str, told: Iterable[tuple[str, str]]) -> None:
    """Counts the terms of entries, given as owner and terms, that come into the index."""
    tx.executemany(_ADD, [(project, *row) for row in _counted(told, 1)])


def count_out(tx: apsw.Connection, project: str, told: Iterable[tuple[str, str]]) -> None:
    """Takes the terms of entries out of the counts."""
    rows = [(project, *row) for row in _counted(told, -1)]
    tx.executemany(_ADD, rows)
    tx.executemany(
        "DELETE FROM continuity_memory_words WHERE project = ? AND owner = ? AND term = ? AND entries <= 0",
        [row[:3] for row in rows],
    )


def counts(
    tx: apsw.Connection, project: str, owners: Sequence[str], terms: Sequence[str], beginnings: Iterable[str]
) -> Counts:
    """Gives the counts of terms, and of the words that have one of the beginnings."""
    found: Counter[str] = Counter()
    for owner in owners:
        for term in (ENTRIES, WORDS, *terms):
            rows: Any = tx.execute(
                "SELECT term, entries FROM continuity_memory_words WHERE project = ? AND owner = ? AND term = ?",
                (project, owner, term),
            )
            found.update(dict(rows))
        for begin in sorted(set(beginnings)):
            rows = tx.execute(
                "SELECT term, entries FROM continuity_memory_words"
                " WHERE project = ? AND owner = ? AND term >= ? AND term < ?",
                (project, owner, begin, f"{begin}\U0010ffff"),
            )
            found.update({term: number for term, number in rows if term not in terms})
    entries, words = found.pop(ENTRIES, 0), found.pop(WORDS, 0)
    return Counts(entries, words, found)


def _counted(told: Iterable[tuple[str, str]], sign: int) -> list[tuple[str, str, int]]:
    of_owners: dict[str, Counter[str]] = {}
    for owner, joined in told:
        words = joined.split()
        found = of_owners.setdefault(owner, Counter())
        found[ENTRIES] += 1
        found[WORDS] += len(words)
        found.update(set(words))
    return [
        (owner, term, sign * number) for owner in sorted(of_owners) for term, number in sorted(of_owners[owner].items())
    ]


_COLUMNS = Memory._fields
_LISTS = tuple(_COLUMNS.index(name) for name in ("tags", "supersedes", "contradicts"))
_FLAG = _COLUMNS.index("is_archived")
SELECTED = ", ".join(f"m.{name}" for name in _COLUMNS)
"""The columns of `continuity_memories AS m` that `memory_of_row` takes."""

_PUT_ENTRY = (
    f"INSERT INTO continuity_memories (row_id, project, digest, tokens, terms, traits, {', '.join(_COLUMNS)})"
    f" VALUES ({', '.join('?' * (6 + len(_COLUMNS)))})"
)
_PUT_WORDS = "INSERT INTO continuity_memory_text (rowid, scope, title, text, tags) VALUES (?, ?, ?, ?, ?)"
_FILES = (
    "SELECT path, modified_ns, size, inode, changed_ns, is_racy, version, is_group, warning"
    " FROM continuity_memory_files WHERE project = ?"
)


class KnownFile(NamedTuple):
    """A file as it stands in the index."""

    stamp: Stamp
    is_racy: bool
    """It was read so soon after it was written that its stamp proves nothing yet."""
    version: str
    is_group: bool
    warning: str


class Indexed(NamedTuple):
    """An entry with what the index adds to it."""

    memory: Memory
    digest: str
    """Of its wording without what varies; see `sameness.py`."""
    tokens: int
    """An estimate of its text's."""
    wording: Wording = NO_WORDING
    """Only an entry that goes into the index has one."""


def files_of(tx: apsw.Connection, project: str) -> dict[str, KnownFile]:
    """Gives every file of a project that is in the index."""
    rows: Any = tx.execute(_FILES, (project,))
    return {row[0]: _known(row) for row in rows}


def files_of_paths(tx: apsw.Connection, project: str, paths: Sequence[str]) -> list[KnownFile]:
    """Gives some files as the index has them; those it does not have are left out."""
    return [file for path in paths if (file := _file(tx, project, path)) is not None]


def versions_below(tx: apsw.Connection, project: str, folder: str) -> dict[str, str]:
    """Gives the digest of the bytes of each file whose path begins like this, by path."""
    rows: Any = tx.execute(
        "SELECT path, version FROM continuity_memory_files WHERE project = ? AND path >= ? AND path < ? ORDER BY path",
        (project, folder, folder + "\U0010ffff"),
    )
    return dict(rows)


def tags_below(tx: apsw.Connection, project: str, folder: str) -> dict[str, tuple[str, ...]]:
    """Gives the tags of each entry whose file's path begins like this, by path."""
    rows: Any = tx.execute(
        "SELECT path, tags FROM continuity_memories WHERE project = ? AND path >= ? AND path < ? ORDER BY path",
        (project, folder, folder + "\U0010ffff"),
    )
    return {path: tuple(orjson.loads(tags)) for path, tags in rows}


def _file(tx: apsw.Connection, project: str, path: str) -> KnownFile | None:
    rows: Any = tx.execute(f"{_FILES} AND path = ?", (project, path))
    return next((_known(row) for row in rows), None)


def _known(row: Sequence[Any]) -> KnownFile:
    _, modified, size, inode, changed, racy, version, group, warning = row
    return KnownFile(Stamp(modified, size, inode, changed), bool(racy), version, bool(group), warning)


def told(tx: apsw.Connection, project: str) -> list[dict[str, Any]]:
    """Gives what `index.json` tells of each memory, in the order of the files."""
    rows: Any = tx.execute(
        "SELECT id, title, tags, tier, type, sector, path FROM continuity_memories WHERE project = ?"
        " ORDER BY path, position",
        (project,),
    )
    return [
        {"id": id_, "title": title, "tags": orjson.loads(tags), "tier": tier, "type": kind, "sector": sector,
         "path": path}
        for id_, title, tags, tier, kind, sector, path in rows
    ]  # fmt: skip


def revision(tx: apsw.Connection, project: str) -> int:
    """Gives a number that changes with every change of a project's index."""
    found = tx.execute("SELECT revision FROM continuity_memory_revisions WHERE project = ?", (project,)).get
    return int(str(found or 0))


def advance(tx: apsw.Connection, project: str) -> int:
    """Says that a project's index changes in this transaction; gives its new revision."""
    tx.execute(
        "INSERT INTO continuity_memory_revisions (project, revision) VALUES (?, 1)"
        " ON CONFLICT (project) DO UPDATE SET revision = revision + 1",
        (project,),
    )
    return revision(tx, project)


def put_files(tx: apsw.Connection, project: str, files: Iterable[tuple[str, KnownFile]]) -> None:
    """Keeps what is known of files, given by their paths."""
    tx.executemany(
        "INSERT OR REPLACE INTO continuity_memory_files (project, path, modified_ns, size, inode, changed_ns, is_racy,"
        " version, is_group, warning) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(project, path, *file.stamp, file.is_racy, file.version, file.is_group, file.warning) for path, file in files],
    )


def put_entries(tx: apsw.Connection, project: str, entries: Sequence[Indexed]) -> None:
    """Adds entries of files that have none in the index."""
    last = int(str(tx.execute("SELECT coalesce(max(row_id), 0) FROM continuity_memories").get))
    numbered = list(enumerate(entries, last + 1))
    tx.executemany(_PUT_ENTRY, [
        (row_id, project, one.digest, one.tokens, one.wording.terms, one.wording.traits, *_cells(one.memory))
        for row_id, one in numbered
    ])  # fmt: skip
    tx.executemany(_PUT_WORDS, [
        (row_id, scope_of(project, one.memory.owner), one.wording.title, one.wording.text, one.wording.tags)
        for row_id, one in numbered
    ])  # fmt: skip
    count_in(tx, project, [(entry.memory.owner, entry.wording.terms) for entry in entries])


def take_out(tx: apsw.Connection, project: str, path: str) -> list[tuple[str, str, str]]:
    """Takes a file and its entries out of the index; gives id, digest and keeping of those that were there."""
    rows: Any = list(
        tx.execute(
            "SELECT row_id, id, digest, keeping, owner, terms FROM continuity_memories WHERE project = ? AND path = ?",
            (project, path),
        )
    )
    count_out(tx, project, [(owner, terms) for *_, owner, terms in rows])
    tx.executemany("DELETE FROM continuity_memory_text WHERE rowid = ?", [(row_id,) for row_id, *_ in rows])
    tx.execute("DELETE FROM continuity_memories WHERE project = ? AND path = ?", (project, path))
    tx.execute("DELETE FROM continuity_memory_files WHERE project = ? AND path = ?", (project, path))
    return [(memory_id, digest, keeping) for _, memory_id, digest, keeping, *_ in rows]


def clear(tx: apsw.Connection, project: str) -> None:
    """Takes everything of a project out of the index; what no file tells stays."""
    if _is_alone(tx, project):
        tx.execute("INSERT INTO continuity_memory_text (continuity_memory_text) VALUES ('delete-all')")
        tx.execute("DELETE FROM continuity_memories")  # without a condition no row is looked at
    else:
        ids = list(tx.execute("SELECT row_id FROM continuity_memories WHERE project = ?", (project,)))
        tx.executemany("DELETE FROM continuity_memory_text WHERE rowid = ?", ids)
        tx.execute("DELETE FROM continuity_memories WHERE project = ?", (project,))
    tx.execute("DELETE FROM continuity_memory_words WHERE project = ?", (project,))
    tx.execute("DELETE FROM continuity_memory_files WHERE project = ?", (project,))


def _is_alone(tx: apsw.Connection, project: str) -> bool:
    """Says whether no other project has memories in the index."""
    other = "SELECT 1 FROM continuity_memories WHERE project"
    return not tx.execute(f"SELECT EXISTS ({other} < ?1) OR EXISTS ({other} > ?1)", (project,)).get


def scope_of(project: str, owner: str) -> str:
    """Gives the word that stands in an entry's `scope`: whose it is, of which project (no stemmer shortens it)."""
    return f"{owner.replace('-', '')}x{project}0"


def with_id(tx: apsw.Connection, project: str, memory_id: str, owners: Sequence[str]) -> list[Indexed]:
    """Gives the memories of an id that lie within reach, those not archived first; usually one or none."""
    return selected(
        tx, f"m.project = ? AND m.id = ? AND {within(owners)} ORDER BY m.is_archived, m.path, m.position",
        (project, memory_id, *owners),
    )  # fmt: skip


def linked(tx: apsw.Connection, project: str, memory: Memory, owners: Sequence[str]) -> frozenset[str]:
    """Gives the ids that a memory is linked to and that lie within reach."""
    ids = (*memory.supersedes, *memory.contradicts)
    rows: Any = tx.execute(
        f"SELECT id FROM continuity_memories AS m WHERE m.project = ? AND {within(owners)}"
        f" AND m.id IN ({', '.join('?' * len(ids))})",
        (project, *owners, *ids),
    )
    return frozenset(memory_id for (memory_id,) in rows)


def at_path(tx: apsw.Connection, project: str, path: str) -> list[Indexed]:
    """Gives the entries of one file, in its order."""
    return selected(tx, "m.project = ? AND m.path = ? ORDER BY m.position", (project, path))


def selected(tx: apsw.Connection, where: str, bindings: Iterable[apsw.SQLiteValue]) -> list[Indexed]:
    """Gives the memories of a condition over `continuity_memories AS m`."""
    rows: Any = tx.execute(
        f"SELECT {SELECTED}, m.digest, m.tokens FROM continuity_memories AS m WHERE {where}", tuple(bindings)
    )
    return [Indexed(memory_of_row(row), row[-2], row[-1]) for row in rows]


def within(owners: Sequence[str]) -> str:
    """Gives the condition that a memory lies within reach; its values are the owners."""
    return f"m.owner IN ({', '.join('?' * len(owners))})"


def last_number(tx: apsw.Connection, project: str, day: str) -> int:
    """Gives the highest number of a day's memories; 0 for none."""
    start = f"mem-{day}-"
    rows: Any = tx.execute(
        "SELECT substr(id, ?3) FROM continuity_memories WHERE project = ?1 AND id >= ?2 AND id < ?2 || 'a'"
        " UNION ALL SELECT substr(id, ?3) FROM continuity_memory_tombstones WHERE project = ?1"
        " AND id >= ?2 AND id < ?2 || 'a'",
        (project, start, len(start) + 1),
    )
    return max((int(number) for (number,) in rows if number.isdigit() and len(number) < 10), default=0)


def memory_of_row(row: Sequence[Any]) -> Memory:
    """Makes an entry of the first cells of a row, which are `SELECTED`."""
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
