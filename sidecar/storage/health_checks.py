"""Looks the state file over beyond what opening it does: pages, references, tables, the hashes of cached rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from sidecar.core.digests import digest_bytes
from sidecar.core.findings import Finding
from sidecar.storage.database import Database, suspect_note
from sidecar.storage.migrations import MIGRATIONS, migrate

# How large the state file and its caches are.


class CacheSize(NamedTuple):
    """What a cache table holds; times are when its entries were last used, None for an empty one."""

    name: str
    entries: int
    bytes: int
    oldest_ms: int | None
    newest_ms: int | None


def cache_tables(tx: apsw.Connection) -> list[str]:
    """Gives the tables of the file that evict by use, by name."""
    tables: Any = tx.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'continuity_*_cache' ORDER BY name"
    )
    return [name for (name,) in tables]


def cache_sizes(tx: apsw.Connection) -> list[CacheSize]:
    """Gives every cache of the file, by name."""
    return [_size(tx, name) for name in cache_tables(tx)]


def file_bytes(tx: apsw.Connection) -> int:
    """Gives the size of the state file as it is with all that was written to it."""
    return int(str(tx.pragma("page_count"))) * int(str(tx.pragma("page_size")))


def _size(tx: apsw.Connection, table: str) -> CacheSize:
    row: Any = tx.execute(
        f"SELECT count(*), coalesce(sum(bytes), 0), min(used_at_ms), max(used_at_ms) FROM {table}"
    ).fetchone()
    return CacheSize(table.removeprefix("continuity_").removesuffix("_cache"), *row)


MANY_FREE_BYTES = 64 * 2**20
"""Room in the file that nothing uses."""

MUCH_LOG_BYTES = 64 * 2**20
"""The write-ahead log is moved into the file long before it is so large, unless somebody reads on and on."""

MAX_TOLD = 5
_OF_INDEXES = ("missing from index", "wrong # of entries in index", "non-unique entry in index")


def check_database(one: Database) -> Iterator[Finding]:
    """Looks at the file's pages, references and tables."""
    with one.read() as tx:
        problems = [str(row[0]) for row in tx.execute("PRAGMA integrity_check(100)") if row[0] != "ok"]
        dangling = sorted({str(row[0]) for row in tx.execute("PRAGMA foreign_key_check")})
        missing = list(_missing(tx))
        free = _number(tx, "freelist_count") * _number(tx, "page_size")
    if problems:
        yield _broken(one, problems)
        return
    for name, sql in missing:
        if sql is None:
            told = f"{name} has unexpected columns."
            yield Finding("error", told, "Restart the sidecar with a copy from `backups/` or with another state folder.")
        else:
            told = f"{name} is missing."
            yield Finding("error", told, "`--fix` creates it, empty.", partial(_execute, one, sql))
    for table in dangling:
        told = f"{table} has rows without a parent row."
        yield Finding("warning", told, "`--fix` removes them.", partial(_remove_dangling, one))
    if free > MANY_FREE_BYTES:
        yield Finding(
            "warning", f"{free >> 20} MiB of the file are unused.", "`--fix` returns them to the disk.", partial(give_back, one)
        )
    log = one.path.with_name(one.path.name + "-wal")
    if log.exists() and log.stat().st_size > MUCH_LOG_BYTES:
        told = f"The write-ahead log has {log.stat().st_size >> 20} MiB."
        yield Finding(
            "warning", told, "`--fix` moves it into the file; so does stopping all sidecars.", partial(give_back, one)
        )


def caches(one: Database) -> Iterator[Finding]:
    """Looks whether each cached value is the one that was written; what is not was never used, and takes room."""
    with one.read() as tx:
        found = [(table, *_damaged_rows(tx, table)) for table in cache_tables(tx)]
    for table, key, rows in found:
        if rows:
            told = f"{len(rows)} entries of {table} are damaged; they are ignored."
            mend = partial(_delete, one, table, key, rows)
            yield Finding("warning", told, "`--fix` removes them; they are rebuilt when needed.", mend)


def give_back(one: Database) -> None:
    """Gives what the file does not use back to the disk, and moves the write-ahead log into it."""
    with one.write(aside=True) as tx:
        list(tx.execute("PRAGMA incremental_vacuum"))
    one.move_log()


def _broken(one: Database, problems: Sequence[str]) -> Finding:
    told = f"SQLite's integrity check reports: {'; '.join(problems[:MAX_TOLD])}."
    if all(any(mark in problem for mark in _OF_INDEXES) for problem in problems):
        return Finding(
            "error", told, "`--fix` rebuilds the indexes; no record is lost.", partial(_execute, one, "REINDEX")
        )
    remedy = "`--fix` makes the next start set the file aside and recover its readable rows; restart 1Code afterwards."
    return Finding("error", told, remedy, partial(Path.touch, suspect_note(one.path)))


def _missing(tx: apsw.Connection) -> Iterator[tuple[str, str | None]]:
    """Gives what a new file has and this one has not, with the statement that makes it; none where it is another."""
    model = apsw.Connection(":memory:")
    try:
        migrate(model, 0, MIGRATIONS)
        wanted, present = _objects(model), _objects(tx)
        columns = {name: _columns(model, name) for name, (kind, _) in wanted.items() if kind == "table"}
    finally:
        model.close()
    for name, (kind, sql) in wanted.items():
        if name not in present:
            yield name, sql
        elif kind == "table" and not set(columns[name]) <= set(_columns(tx, name)):
            yield name, None


def _objects(tx: apsw.Connection) -> dict[str, tuple[str, str]]:
    rows: Any = tx.execute(
        "SELECT name, type, sql FROM sqlite_schema WHERE name GLOB 'continuity_*' AND sql IS NOT NULL ORDER BY rowid"
    )
    return {name: (kind, sql) for name, kind, sql in rows}


def _columns(tx: apsw.Connection, table: str) -> list[str]:
    return [str(name) for (name,) in tx.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _damaged_rows(tx: apsw.Connection, table: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Gives a cache's key columns, and the keys of the rows whose value is not the one their hash was made of."""
    key = [str(name) for (name,) in tx.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,))]
    rows: Any = tx.execute(f"SELECT value, row_hash, {', '.join(key)} FROM {table}")
    return key, [
        tuple(cells)
        for value, row_hash, *cells in rows
        if not isinstance(value, bytes) or digest_bytes(value) != row_hash
    ]


def _delete(one: Database, table: str, key: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    with one.write() as tx:
        tx.executemany(f"DELETE FROM {table} WHERE {' AND '.join(f'{name} IS ?' for name in key)}", rows)


def _remove_dangling(one: Database) -> None:
    """Of our tables only the deliveries refer to anything."""
    with one.write() as tx:
        tx.execute(
            "DELETE FROM continuity_deliveries WHERE (provider, session_id, shadow) NOT IN"
            " (SELECT provider, session_id, shadow FROM continuity_sessions)"
        )


def _execute(one: Database, sql: str) -> None:
    with one.write() as tx:
        list(tx.execute("SELECT name FROM sqlite_schema"))  # else it goes by the tables it knew when it looked last
        tx.execute(sql)


def _number(tx: apsw.Connection, name: str) -> int:
    return int(str(tx.pragma(name)))
