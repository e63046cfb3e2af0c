"""Detection of a damaged state file, and its recovery: it is set aside and everything that cannot be derived is copied.

An interrupted recovery continues at the next start: a marker beside the file names the damaged file, and the new file
takes its place only when it is complete.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import apsw

from sidecar.core import json_text
from sidecar.core.clean_text import count_noun
from sidecar.core.errors import StateDegraded
from sidecar.storage.migrations import DURABLE_TABLES, MIGRATIONS, current_step, migrate
from sidecar.storage.sqlite_connection import (
    BUSY_TIMEOUT_MS,
    SIDE_FILES,
    check_side_files,
    connect,
    create_private_file,
    suspect_marker,
    translate_errors,
    wal_path,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Row = dict[str, apsw.SQLiteValue]

_WAL_MAGIC = 0x377F0682
_WAL_HEADER = struct.Struct(">8I")
_FRAME_HEADER = struct.Struct(">4I")
_FRAME_HEADER_BYTES = 24


def find_damage(path: Path) -> str | None:
    """Return a short phrase for what is wrong with a file; None if it is sound or missing.

    Raise StateDegraded if it cannot be read.
    """
    check_side_files(path)
    if path.is_dir():
        return "a folder is in its place"
    if path.exists() and not path.is_file():
        return "a pipe or a device is in its place"
    if not _size(path):
        if _size(wal_path(path)):
            return "only its write-ahead log is left"
        return "it was empty" if path.exists() else None
    with translate_errors():
        try:
            return _damage_inside(path)
        except (apsw.CorruptError, apsw.NotADBError) as error:
            return f"SQLite reports {type(error).__name__.removesuffix('Error')}"


def _damage_inside(path: Path) -> str | None:
    connection = _open(path)
    try:
        may_miss_commits = _is_missing_commits(connection, path)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        if suspect_marker(path).exists() or _is_truncated(path):
            if integrity_problems(connection):
                return "its integrity check failed"
            suspect_marker(path).unlink(missing_ok=True)
    finally:
        connection.close()
    return "its write-ahead log is damaged" if may_miss_commits and _is_missing_commits_when_alone(path) else None


def integrity_problems(connection: apsw.Connection) -> list[str]:
    """Return what SQLite's integrity check reports, at most a hundred lines.

    Damage of the full-text index is left out: that is repaired where it is found.
    """
    try:
        rows = [str(row) for (row,) in connection.execute("PRAGMA integrity_check(100)")]
    except apsw.SQLError:  # the full-text index cannot even be opened
        names = connection.execute("SELECT name FROM pragma_table_list WHERE type IN ('table', 'shadow')")
        checks = [f"PRAGMA integrity_check({name})" for (name,) in list(names) if not str(name).startswith("sqlite_")]
        rows = [str(row) for check in checks for (row,) in connection.execute(check)]
    return [row for row in rows if row != "ok" and "fts5" not in row.lower()]


def _open(path: Path) -> apsw.Connection:
    connection = apsw.Connection(os.fspath(path))
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    # The last connection to close would move the log into the file, and destroy the evidence.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _is_missing_commits(connection: apsw.Connection, path: Path) -> bool:
    """Whether SQLite, which stops at the first frame with a wrong checksum, sees fewer commits than were written."""
    list(connection.execute("SELECT count(*) FROM sqlite_schema"))
    connection.set_busy_timeout(0)
    try:
        visible_frames, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    except apsw.BusyError:
        return False  # another process is moving the log into the file, so it has read it
    try:
        with wal_path(path).open("rb") as log:
            header = log.read(_WAL_HEADER.size)
            if len(header) < _WAL_HEADER.size:
                return False
            return not _has_valid_checksum(header) or _has_later_commit(visible_frames, log, header)
    except FileNotFoundError:
        return False


def _is_missing_commits_when_alone(path: Path) -> bool:
    """Check again while no other process has the file open, so that SQLite must read the log itself.

    Otherwise the shared index determines what is committed: a commit that is being written, was cut short by a kill, or
    was moved into the file is still in the log and does not count.
    """
    connection = _open(path)
    try:
        connection.set_busy_timeout(0)
        list(connection.execute("PRAGMA locking_mode = EXCLUSIVE"))
        return _is_missing_commits(connection, path)
    except apsw.BusyError:
        return False
    finally:
        connection.close()


def _has_later_commit(visible_frames: int, log: BinaryIO, header: bytes) -> bool:
    """Whether a frame beyond those SQLite sees ends a commit and has this log's salts (an earlier log's differ)."""
    _, _, page_bytes, _, *salts, _, _ = _WAL_HEADER.unpack(header)
    frame_bytes = _FRAME_HEADER_BYTES + page_bytes
    size = os.fstat(log.fileno()).st_size
    for start in range(_WAL_HEADER.size + visible_frames * frame_bytes, size - frame_bytes + 1, frame_bytes):
        log.seek(start)
        head = log.read(_FRAME_HEADER.size)
        if len(head) < _FRAME_HEADER.size:
            break  # it was truncated meanwhile
        _, size_after_commit, *frame_salts = _FRAME_HEADER.unpack(head)
        if size_after_commit and frame_salts == salts:
            return True
    return False


def _has_valid_checksum(header: bytes) -> bool:
    """Check the header's own checksum (sqlite.org/fileformat2.html, Checksum Algorithm)."""
    magic, *_, first, second = _WAL_HEADER.unpack(header)
    if int(magic) & ~1 != _WAL_MAGIC:
        return False
    words = struct.unpack(f"{'>' if magic & 1 else '<'}6I", header[:24])
    s0 = s1 = 0
    for even, odd in zip(words[::2], words[1::2], strict=True):
        s0 = (s0 + even + s1) & 0xFFFFFFFF
        s1 = (s1 + odd + s0) & 0xFFFFFFFF
    return bool((s0, s1) == (first, second))


def _is_truncated(path: Path) -> bool:
    """Whether the file is shorter than its header says; the missing part may still be in the log."""
    with path.open("rb") as stream:
        header = stream.read(32)
    page_bytes = int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32])
    return _size(path) < pages * (65_536 if page_bytes == 1 else page_bytes)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


_HEADER_BYTES = 100
_PAGE_BYTES = 4096
_INTERIOR = 5
"""Type of a table page that only points to other pages."""
_UNREADABLE = (apsw.Error, UnicodeDecodeError)


class SalvageResult(NamedTuple):
    """Number of copied records, and the tables with unreadable rows; all of them if nothing could be read."""

    saved: int
    lost: tuple[str, ...]


def salvage(damaged: Path, fresh: Path, now_ms: int) -> SalvageResult:
    """Create a new file with the durable rows of a damaged one, which stays unchanged.

    The rows are copied into a file of the same schema step, which is then migrated as the damaged one would have been.
    """
    source = _open_damaged(damaged, fresh, now_ms)
    step = (_step_of(source) if source is not None else None) or len(MIGRATIONS)
    target = connect(fresh)
    try:
        migrate(target, now_ms, MIGRATIONS[:step])
        result = SalvageResult(0, DURABLE_TABLES) if source is None else _copy_tables(source, target, step)
        migrate(target, now_ms, MIGRATIONS)
        return result
    finally:
        if source is not None:
            source.close()
        target.close()
        _remove(_scratch(fresh))


def _copy_tables(source: apsw.Connection, target: apsw.Connection, step: int) -> SalvageResult:
    saved, lost = 0, list[str]()
    tables = _tables(source)
    former_names = _former_names(step)
    for name in DURABLE_TABLES:
        table = former_names.get(name, name)
        if table not in tables:
            continue
        rows, is_complete = _readable_rows(source, table)
        target.execute("BEGIN IMMEDIATE")
        inserted = sum(_insert(target, table, row) for row in rows)
        target.execute("COMMIT")
        saved += inserted
        if not is_complete or inserted < len(rows):
            lost.append(name)
    return SalvageResult(saved, tuple(lost))


def _former_names(step: int) -> dict[str, str]:
    """Return the names that tables had at a schema step, by their current names, where these differ."""
    names: dict[str, str] = {}
    for statement in (statement for migration in MIGRATIONS[step:] for statement in migration.statements):
        match statement.split():
            case ["ALTER", "TABLE", old, "RENAME", "TO", new]:
                names[new] = names.pop(old, old)
            case _:
                pass  # changes no table's name
    return names


def _readable_rows(source: apsw.Connection, table: str) -> tuple[list[Row], bool]:
    """Read a table from its start up to the damage, then from its end back to it."""
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
    # NOT INDEXED: an index may be intact where its table is not, and the other way round.
    index_clause = "" if without_rowid else "NOT INDEXED"
    cursor = source.execute(f"SELECT * FROM {table} {index_clause} ORDER BY {order}")
    names: list[str] = []
    for row in cursor:
        names = names or [column[0] for column in cursor.get_description()]
        yield dict(zip(names, row, strict=True))


def _insert(target: apsw.Connection, table: str, row: Row) -> int:
    columns, placeholders = ", ".join(row), ", ".join("?" * len(row))
    try:
        target.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({placeholders})", tuple(row.values()))
    except apsw.Error:
        return 0
    return target.changes()


def _open_damaged(damaged: Path, fresh: Path, now_ms: int) -> apsw.Connection | None:
    """Open the damaged file, or else a copy of it with a reconstructed start."""
    holds_pages = damaged.is_file() and _size(damaged) > 0
    if holds_pages:
        source = _opened(damaged)
        if source is not None:
            return source
    elif not _size(wal_path(damaged)):
        return None
    for step in range(len(MIGRATIONS), 0, -1):
        schema = _schema_pages(fresh, step, now_ms)
        for preserved_from in (_HEADER_BYTES, _PAGE_BYTES):  # the header alone, then the whole schema
            scratch = _scratch(fresh)
            _remove(scratch)
            _write_with_schema(schema, damaged, scratch, preserved_from)
            source = _opened(scratch)
            if source is not None and _step_of(source) == step:
                return source
            if source is not None:
                source.close()
    return None


def _opened(path: Path) -> apsw.Connection | None:
    """Open a file for reading if its schema is readable and has our tables."""
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


class _SchemaPages(NamedTuple):
    """The intact schema: the first page, and the pages that continue it."""

    first_page: bytes
    more: tuple[bytes, ...]


def _schema_pages(fresh: Path, step: int, now_ms: int) -> _SchemaPages:
    """Return the schema pages of a file with the same migration steps: its tables start on the same pages.

    That holds because with auto_vacuum SQLite stores the root pages of all tables at the start.
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
    pages = (struct.unpack_from(">I", first_page, offset)[0] for offset in _child_pointer_offsets(first_page))
    return _SchemaPages(first_page, tuple(contents[(page - 1) * _PAGE_BYTES : page * _PAGE_BYTES] for page in pages))


def _child_pointer_offsets(first_page: bytes) -> list[int]:
    """Return the offsets in the first page of the numbers of the pages that continue the schema.

    See B-tree pages in the SQLite file format.
    """
    if first_page[_HEADER_BYTES] != _INTERIOR:
        return []
    (cells,) = struct.unpack_from(">H", first_page, _HEADER_BYTES + 3)
    return [*struct.unpack_from(f">{cells}H", first_page, _HEADER_BYTES + 12), _HEADER_BYTES + 8]


def _write_with_schema(schema: _SchemaPages, damaged: Path, scratch: Path, preserved_from: int) -> None:
    contents = bytearray(damaged.read_bytes()) if damaged.is_file() else bytearray()
    start = schema.first_page[:preserved_from] + bytes(contents[preserved_from:_PAGE_BYTES])
    start = start if len(start) == _PAGE_BYTES else schema.first_page
    contents[:_PAGE_BYTES] = start
    contents.extend(bytes(-len(contents) % _PAGE_BYTES))
    if start == schema.first_page:  # append the pages that continue the schema at the end, where nothing else is
        for offset, page in zip(_child_pointer_offsets(start), schema.more, strict=True):
            contents.extend(page)
            contents[offset : offset + 4] = struct.pack(">I", len(contents) // _PAGE_BYTES)
    pages = len(contents) // _PAGE_BYTES
    contents[28:32] = struct.pack(">I", pages)  # the size in pages
    contents[32:40] = bytes(8)  # no free pages
    contents[92:96] = contents[24:28]  # the change counter for which that size is valid
    create_private_file(scratch)
    scratch.write_bytes(contents)
    if wal_path(damaged).exists():
        import shutil  # rarely needed and slow to import

        shutil.copyfile(wal_path(damaged), wal_path(scratch))


def _scratch(fresh: Path) -> Path:
    return fresh.with_name(fresh.name + ".scratch")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def is_recovery_unfinished(path: Path) -> bool:
    """Whether a recovery of this file was started and not finished."""
    return _recovery_marker(path).exists()


def recover(path: Path, damage: str, now_ms: int) -> str:
    """Replace a damaged file by a sound one; return a sentence for the user.

    An interrupted recovery is resumed at the next start: a note beside the file has the damaged one's new name, and
    the new file takes its place only when it is complete.

    Raise StateDegraded if the damaged file cannot be moved. The caller must hold the file exclusively.
    """
    fresh = path.with_name(path.name + ".rescued")
    try:
        damaged_path = path.with_name(_damaged_name(path, now_ms))
        for suffix in ("", *SIDE_FILES):
            _move(path.with_name(path.name + suffix), damaged_path.with_name(damaged_path.name + suffix))
        for suffix in ("", *SIDE_FILES):
            fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
        with translate_errors():
            saved, lost = salvage(damaged_path, fresh, now_ms)
        if lost:
            _lost_tables_path(damaged_path).write_bytes(json_text.dumps(lost))
        os.replace(fresh, path)
        suspect_marker(path).unlink(missing_ok=True)
        _recovery_marker(path).unlink()
    except OSError as error:
        raise StateDegraded(
            "The state file is damaged and could not be set aside.",
            hint="Close other programs that use it, or move it away manually.",
        ) from error
    return f"The state file was damaged ({damage}); it was set aside as {damaged_path.name}; {_summary(saved, lost)}."


def _summary(saved: int, lost: tuple[str, ...]) -> str:
    if lost == DURABLE_TABLES:
        return "nothing in it could be read"
    carried_over = f"carried over {count_noun(saved, 'record')}"
    return f"{carried_over}, could not read all of {', '.join(lost)}" if lost else carried_over


def lost_tables(damaged_path: Path) -> tuple[str, ...]:
    """Return the tables of a damaged file that could not be read completely; `DURABLE_TABLES` if none could."""
    listed = _lost_tables_path(damaged_path)
    try:
        return tuple(json_text.loads(listed.read_bytes())) if listed.is_file() else ()
    except (OSError, ValueError):
        return ()


def _lost_tables_path(damaged_path: Path) -> Path:
    return damaged_path.with_name(f"{damaged_path.name}.lost")


def _damaged_name(path: Path, now_ms: int) -> str:
    """Return the new name of the damaged file, reusing that of an interrupted recovery."""
    marker = _recovery_marker(path)
    if marker.exists():
        try:
            return str(json_text.loads(marker.read_bytes())["aside"])
        except (ValueError, KeyError):
            pass  # killed while writing the marker: nothing was moved yet
    number = now_ms
    while any(path.parent.glob(f"{path.name}.damaged-{number}*")):
        number += 1
    name = f"{path.name}.damaged-{number}"
    marker.write_bytes(json_text.dumps({"aside": name}))
    return name


def _move(source: Path, target: Path) -> None:
    if os.path.lexists(source) and not os.path.lexists(target):
        source.rename(target)


def _recovery_marker(path: Path) -> Path:
    return path.with_name(path.name + ".rescue")
