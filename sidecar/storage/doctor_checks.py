"""Findings of the doctor, the checks of the state file beyond those on opening, and the file's sizes and backups.

The checks are of pages, references, tables, full-text indexes, damaged rows and the hashes of cached ones. A backup is
made while the file is in use (SQLite's online backup).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import apsw

from sidecar.core.clean_text import count_noun
from sidecar.core.clock import rfc3339
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import StateDegraded
from sidecar.storage.database import Database
from sidecar.storage.migrations import MIGRATIONS, migrate
from sidecar.storage.recovery import integrity_problems
from sidecar.storage.repair import (
    columns_of,
    damaged_rows,
    damaged_rows_path,
    delete_dangling,
    is_derived,
    is_full_text_damaged,
    rows_set_aside,
    set_aside,
    tables,
)
from sidecar.storage.sqlite_connection import is_disk_full, suspect_marker, translate_errors

Level = Literal["warning", "error"]


class Finding(NamedTuple):
    """A problem reported by the doctor."""

    level: Level
    message: str
    remedy: str
    """The action for the user."""
    repair: Callable[[], object] | None = None
    """Repair function; None if only the user can repair it."""


class CacheSize(NamedTuple):
    """Size of a cache table; the times are those of last uses, None for an empty table."""

    name: str
    entries: int
    bytes: int
    oldest_ms: int | None
    newest_ms: int | None


def cache_tables(tx: apsw.Connection) -> list[str]:
    """Return the names of the cache tables."""
    tables: Any = tx.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'continuity_*_cache' ORDER BY name"
    )
    return [name for (name,) in tables]


def cache_sizes(tx: apsw.Connection) -> list[CacheSize]:
    """Return the size of every cache table, by name."""
    return [_size(tx, name) for name in cache_tables(tx)]


def file_bytes(tx: apsw.Connection) -> int:
    """Return the size of the state file including everything written to it."""
    return int(str(tx.pragma("page_count"))) * int(str(tx.pragma("page_size")))


def _size(tx: apsw.Connection, table: str) -> CacheSize:
    row: Any = tx.execute(
        f"SELECT count(*), coalesce(sum(CAST(bytes AS INTEGER)), 0), min(used_at_ms), max(used_at_ms) FROM {table}"
    ).fetchone()
    return CacheSize(table.removeprefix("continuity_").removesuffix("_cache"), *row)


MAX_FREE_BYTES = 64 * 2**20
"""Maximum unused space in the file."""

MAX_LOG_BYTES = 64 * 2**20
"""The write-ahead log stays far smaller, unless a reader never ends."""

MAX_LISTED_PROBLEMS = 5
_INDEX_PROBLEMS = ("missing from index", "wrong # of entries in index", "non-unique entry in index")


def check_database(database: Database) -> Iterator[Finding]:
    """Check the file's pages, references and tables."""
    # A connection that searched before compares the full-text index with the segments it cached then, and reports
    # damage after a later change of the index.
    with database.read(new_connection=True) as tx:
        problems = integrity_problems(tx)
        has_damaged_index = is_full_text_damaged(tx)
        dangling = sorted({str(row[0]) for row in tx.execute("PRAGMA foreign_key_check")})
        missing = list(_schema_differences(tx))
        free = _number(tx, "freelist_count") * _number(tx, "page_size")
    if problems:
        yield _integrity_finding(database, problems)
        return
    if has_damaged_index:
        remedy = "`--fix` creates it again from the memory files; so does the first method that fails for it."
        yield Finding("error", "The full-text index of the memories is damaged.", remedy, database.repair_full_text)
    for name, sql in missing:
        if sql is None:
            message = f"{name} has unexpected columns."
            yield Finding(
                "error", message, "Restart the sidecar with a copy from `backups/` or with another state folder."
            )
        else:
            message = f"{name} is missing."
            yield Finding("error", message, "`--fix` creates it, empty.", partial(_execute, database, sql))
    for table in dangling:
        message = f"{table} has rows without a parent row."
        yield Finding("warning", message, "`--fix` removes them.", partial(_remove_dangling, database))
    if free > MAX_FREE_BYTES:
        yield Finding(
            "warning",
            f"{free >> 20} MiB of the file are unused.",
            "`--fix` returns them to the disk.",
            partial(reclaim_space, database),
        )
    log = database.path.with_name(database.path.name + "-wal")
    if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
        message = f"The write-ahead log has {log.stat().st_size >> 20} MiB."
        yield Finding(
            "warning",
            message,
            "`--fix` moves it into the file; so does stopping all sidecars.",
            partial(reclaim_space, database),
        )


def check_caches(database: Database) -> Iterator[Finding]:
    """Check that each cached value is the one that was written; others are never used, but take space."""
    with database.read() as tx:
        damaged = [(table, *_damaged_rows(tx, table)) for table in cache_tables(tx)]
    for table, key, rows in damaged:
        if rows:
            message = f"{count_noun(len(rows), 'damaged entry')} of {table}; ignored when read."
            repair = partial(_delete, database, table, key, rows)
            yield Finding("warning", message, "`--fix` removes them; they are rebuilt when needed.", repair)


def check_rows(database: Database) -> Iterator[Finding]:
    """Check that every row can be decoded, and list the damaged ones that were set aside."""
    with database.read() as tx:
        damaged = {table: damaged_rows(tx, table) for table in tables(tx)}
    for table, rows in damaged.items():
        if rows:
            message = f"{count_noun(rows, 'row')} of {table} cannot be decoded."
            derived = "`--fix` removes them; they are rebuilt when needed."
            durable = "`--fix` sets them aside after a backup; so does the first method that reads one."
            remedy = derived if is_derived(table) else durable
            yield Finding("error", message, remedy, partial(_set_aside, database, table))
    for table, rows in rows_set_aside(database.path).items():
        name = damaged_rows_path(database.path).name
        message = (
            f"{count_noun(rows, 'row')} of {table} could not be decoded and {'is' if rows == 1 else 'are'} in {name}."
        )
        remedy = "`onecode-sidecar purge --kind damaged` removes that file when you no longer need it."
        yield Finding("warning", message, remedy)


def _set_aside(database: Database, table: str) -> None:
    with database.write() as tx:
        set_aside(tx, table, database.path)


MAX_PAGES_RECLAIMED, STEP_DIVISOR = 16_384, 8
"""Pages (4 KiB each) that one transaction returns to the disk, and by what it is divided where they do not fit."""


def make_room_in_log(database: Database) -> None:
    """Empty the write-ahead log if the file need not grow for that: on a full disk, it would take the room left."""
    with database.read() as tx:
        size = _number(tx, "page_count") * _number(tx, "page_size")
    if database.path.stat().st_size >= size:
        database.empty_log()


def reclaim_space(database: Database) -> None:
    """Return unused space to the disk, and move the write-ahead log into the file.

    On a full disk the steps are as small as the room for the log demands.
    """
    make_room_in_log(database)
    step = MAX_PAGES_RECLAIMED
    while (free := _free_pages(database)) and step:
        try:
            with database.write(keep_generation=True) as tx:
                list(tx.execute(f"PRAGMA incremental_vacuum({step})"))
        except StateDegraded as error:
            if not is_disk_full(error):
                raise
            step //= STEP_DIVISOR
        else:
            step = 0 if _free_pages(database) >= free else step
        database.empty_log()


def _free_pages(database: Database) -> int:
    with database.read() as tx:
        return _number(tx, "freelist_count")


def _integrity_finding(database: Database, problems: Sequence[str]) -> Finding:
    message = f"SQLite's integrity check reports: {'; '.join(problems[:MAX_LISTED_PROBLEMS])}."
    if all(any(mark in problem for mark in _INDEX_PROBLEMS) for problem in problems):
        return Finding(
            "error", message, "`--fix` rebuilds the indexes; no record is lost.", partial(_execute, database, "REINDEX")
        )
    remedy = (
        "`--fix` makes the next start set the file aside and recover its readable rows. Then restart 1Code, or run"
        " `onecode-sidecar hook stop` for terminals."
    )
    return Finding("error", message, remedy, partial(Path.touch, suspect_marker(database.path)))


def _schema_differences(tx: apsw.Connection) -> Iterator[tuple[str, str | None]]:
    """Yield what a new file has and this one lacks, with the SQL that creates it; None if it exists but differs."""
    actual = _objects(tx)
    for name, kind, sql, columns in _new_schema(tuple(migration.statements for migration in MIGRATIONS)):
        if name not in actual:
            yield name, sql
        elif kind == "table" and not set(columns) <= set(columns_of(tx, name)):
            yield name, None


@lru_cache(maxsize=1)
def _new_schema(_statements: tuple[tuple[str, ...], ...]) -> list[tuple[str, str, str, list[str]]]:
    """Return the objects of a new file: name, kind, SQL and, for a table, columns. Stored, for it takes 15 ms."""
    model = apsw.Connection(":memory:")
    try:
        migrate(model, 0, MIGRATIONS)
        return [
            (name, kind, sql, columns_of(model, name) if kind == "table" else [])
            for name, (kind, sql) in _objects(model).items()
        ]
    finally:
        model.close()


def _objects(tx: apsw.Connection) -> dict[str, tuple[str, str]]:
    rows: Any = tx.execute(
        "SELECT name, type, sql FROM sqlite_schema WHERE name GLOB 'continuity_*' AND sql IS NOT NULL ORDER BY rowid"
    )
    return {name: (kind, sql) for name, kind, sql in rows}


def _damaged_rows(tx: apsw.Connection, table: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return a cache's key columns, and the keys of rows whose value does not match its hash."""
    key = [str(name) for (name,) in tx.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,))]
    rows: Any = tx.execute(f"SELECT value, row_hash, {', '.join(key)} FROM {table}")
    return key, [
        tuple(cells)
        for value, row_hash, *cells in rows
        if not isinstance(value, bytes) or digest_bytes(value) != row_hash
    ]


def _delete(database: Database, table: str, key: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    with database.write() as tx:
        tx.executemany(f"DELETE FROM {table} WHERE {' AND '.join(f'{name} IS ?' for name in key)}", rows)


def _remove_dangling(database: Database) -> None:
    with database.write() as tx:
        delete_dangling(tx)


def _execute(database: Database, sql: str) -> None:
    with database.write() as tx:
        list(tx.execute("SELECT name FROM sqlite_schema"))  # otherwise SQLite uses the schema it read last
        tx.execute(sql)


def _number(tx: apsw.Connection, name: str) -> int:
    return int(str(tx.pragma(name)))


BACKUPS_FOLDER = "backups"
MAX_BACKUPS = 3
PAGES_PER_STEP = 1_000
FREE_SPACE_FACTOR = 2
"""Free disk space required, as a multiple of the file's size: the copy and further writes."""


def back_up(path: Path, now_ms: int, temporary_name: str) -> Path:
    """Copy a state file with everything committed into `backups/` beside it; delete all but the latest three copies.

    The copy has the temporary name until it is complete. Raise StateDegraded if the disk is too small or not writable,
    Busy while others lock the file.
    """
    folder = path.parent / BACKUPS_FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if shutil.disk_usage(folder).free < FREE_SPACE_FACTOR * path.stat().st_size:
            raise StateDegraded("The disk is too full for a backup of the state file.", hint="Free some disk space.")
    except OSError as error:
        raise StateDegraded(
            f"The backup folder cannot be created: {error.strerror or type(error).__name__}.",
            hint="Check the state folder's permissions and disk.",
        ) from error
    target = _free_name(folder, f"{path.stem}-{rfc3339(now_ms).replace(':', '')}")
    temporary = target.with_name(temporary_name)
    try:
        _copy_file(path, temporary)
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    for old in sorted(folder.glob("*.db"))[:-MAX_BACKUPS]:
        with suppress(OSError):
            old.unlink()
    return target


def _copy_file(path: Path, target: Path) -> None:
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    with translate_errors():
        source, copy = apsw.Connection(os.fspath(path)), apsw.Connection(os.fspath(target))
        try:
            with copy.backup("main", source, "main") as backup:  # pyrefly: ignore[bad-context-manager]  # its stub lacks the types
                while not backup.done:
                    backup.step(PAGES_PER_STEP)
            list(copy.execute("PRAGMA journal_mode = DELETE"))  # one file that needs no other beside it
        finally:
            copy.close()
            source.close()


def _free_name(folder: Path, stem: str) -> Path:
    number = 1
    while (target := folder / f"{stem}-{number}.db").exists():
        number += 1
    return target
