"""Reads what can still be read of a damaged state file, and writes it into a new one."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import apsw

from sidecar.storage.connecting import connect
from sidecar.storage.damage import wal_of
from sidecar.storage.migrations import DURABLE_TABLES, MIGRATIONS, current_step, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Row = dict[str, apsw.SQLiteValue]

_HEADER_BYTES = 100
_PAGE_BYTES = 4096
_INTERIOR = 5
"""The kind of a table's page that only names other pages."""
_UNREADABLE = (apsw.Error, UnicodeDecodeError)


class Salvaged(NamedTuple):
    """How many records were carried over, and the tables of which some could not be read."""

    saved: int
    lost: list[str]


def salvage(damaged: Path, fresh: Path, now_ms: int) -> Salvaged:
    """Makes a new file with the durable rows of a damaged one; the damaged one stays as it is."""
    target = connect(fresh)
    try:
        migrate(target, now_ms, MIGRATIONS)
        source = _open_damaged(damaged, fresh, now_ms)
        if source is None:
            return Salvaged(0, ["the whole file"])
        try:
            return _carry_over(source, target)
        finally:
            source.close()
    finally:
        target.close()
        _remove(_scratch(fresh))


def _carry_over(source: apsw.Connection, target: apsw.Connection) -> Salvaged:
    saved, lost = 0, []
    present = _tables(source)
    for table in DURABLE_TABLES:
        if table not in present:
            continue
        rows, whole = _readable_rows(source, table)
        target.execute("BEGIN IMMEDIATE")
        taken = sum(_insert(target, table, row) for row in rows)
        target.execute("COMMIT")
        saved += taken
        if not whole or taken < len(rows):
            lost.append(table)
    return Salvaged(saved, lost)


def _readable_rows(source: apsw.Connection, table: str) -> tuple[list[Row], bool]:
    """Reads a table from its beginning up to the damage, and then from its end back to it."""
    rows: dict[str, Row] = {}
    for direction in ("ASC", "DESC"):
        try:
            for row in _rows(source, table, direction):
                rows[repr(row)] = row
        except _UNREADABLE:
            continue
        return list(rows.values()), True
    return list(rows.values()), False


def _rows(source: apsw.Connection, table: str, direction: str) -> Iterator[Row]:
    key = list(source.execute("SELECT name, pk FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,)))
    without_rowid = source.execute("SELECT wr FROM pragma_table_list(?)", (table,)).get
    order = ", ".join(f"{name} {direction}" for name, _ in key) if without_rowid else f"rowid {direction}"
    # NOT INDEXED: an index may be whole where its table is not, and the other way round.
    hint = "" if without_rowid else "NOT INDEXED"
    cursor = source.execute(f"SELECT * FROM {table} {hint} ORDER BY {order}")
    names: list[str] = []
    for row in cursor:
        names = names or [column[0] for column in cursor.get_description()]
        yield dict(zip(names, row, strict=True))


def _insert(target: apsw.Connection, table: str, row: Row) -> int:
    columns, marks = ", ".join(row), ", ".join("?" * len(row))
    try:
        target.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))
    except apsw.Error:
        return 0
    return target.changes()


def _open_damaged(damaged: Path, fresh: Path, now_ms: int) -> apsw.Connection | None:
    """Opens what is there, or else a copy of it with a beginning it should have had."""
    if damaged.is_file() and damaged.stat().st_size:
        source = _opened(damaged)
        if source is not None:
            return source
    for step in range(len(MIGRATIONS), 0, -1):
        beginning = _beginning(fresh, step, now_ms)
        for kept_from in (_HEADER_BYTES, _PAGE_BYTES):  # the header alone, then the whole list of tables
            scratch = _scratch(fresh)
            _remove(scratch)
            _copy_with(beginning, damaged, scratch, kept_from)
            source = _opened(scratch)
            if source is not None and _step_of(source) == step:
                return source
            if source is not None:
                source.close()
    return None


def _opened(path: Path) -> apsw.Connection | None:
    """Opens a file for reading if its list of tables can be read and has ours."""
    try:
        connection = apsw.Connection(os.fspath(path))
    except apsw.Error:
        return None
    with suppress(*_UNREADABLE):
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("PRAGMA query_only = ON")
        if "continuity_migrations" in _tables(connection):
            return connection
    connection.close()
    return None


def _step_of(connection: apsw.Connection) -> int | None:
    try:
        return current_step(connection)
    except _UNREADABLE:
        return None


def _tables(connection: apsw.Connection) -> set[str]:
    return {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


class _Beginning(NamedTuple):
    """The list of tables as it should be: the first page, and the pages it goes on in."""

    first_page: bytes
    more: tuple[bytes, ...]


def _beginning(fresh: Path, step: int, now_ms: int) -> _Beginning:
    """Gives the list of tables of a file that went through the same steps: its tables begin on the same pages.

    That is so because with auto_vacuum SQLite keeps the first pages of all tables together at the beginning.
    """
    model = fresh.with_name(fresh.name + ".model")
    _remove(model)
    connection = connect(model)
    try:
        migrate(connection, now_ms, MIGRATIONS[:step])
        list(connection.execute("PRAGMA journal_mode = DELETE"))
        list(connection.execute("PRAGMA journal_mode = WAL"))
        contents = model.read_bytes()
    finally:
        connection.close()
        _remove(model)
    first_page = contents[:_PAGE_BYTES]
    pages = (struct.unpack_from(">I", first_page, at)[0] for at in _places_of_children(first_page))
    return _Beginning(first_page, tuple(contents[(page - 1) * _PAGE_BYTES : page * _PAGE_BYTES] for page in pages))


def _places_of_children(first_page: bytes) -> list[int]:
    """Where the first page names the pages that the list of tables goes on in (SQLite file format, B-tree pages)."""
    if first_page[_HEADER_BYTES] != _INTERIOR:
        return []
    (cells,) = struct.unpack_from(">H", first_page, _HEADER_BYTES + 3)
    return [*struct.unpack_from(f">{cells}H", first_page, _HEADER_BYTES + 12), _HEADER_BYTES + 8]


def _copy_with(beginning: _Beginning, damaged: Path, scratch: Path, kept_from: int) -> None:
    contents = bytearray(damaged.read_bytes()) if damaged.is_file() else bytearray()
    start = beginning.first_page[:kept_from] + bytes(contents[kept_from:_PAGE_BYTES])
    start = start if len(start) == _PAGE_BYTES else beginning.first_page
    contents[:_PAGE_BYTES] = start
    contents.extend(bytes(-len(contents) % _PAGE_BYTES))
    if start == beginning.first_page:  # what the list goes on in is put at the end, where nothing else is
        for at, page in zip(_places_of_children(start), beginning.more, strict=True):
            contents.extend(page)
            contents[at : at + 4] = struct.pack(">I", len(contents) // _PAGE_BYTES)
    pages = len(contents) // _PAGE_BYTES
    contents[28:32] = struct.pack(">I", pages)  # the size in pages
    contents[32:40] = bytes(8)  # no free pages, as far as reading goes
    contents[92:96] = contents[24:28]  # the change counter for which that size counts
    scratch.write_bytes(contents)
    if wal_of(damaged).exists():
        import shutil  # rarely needed, and not cheap to load

        shutil.copyfile(wal_of(damaged), wal_of(scratch))


def _scratch(fresh: Path) -> Path:
    return fresh.with_name(fresh.name + ".scratch")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
