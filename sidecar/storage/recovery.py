"""Whether a state file can be trusted, told from the outside before it is used."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import apsw

from sidecar.core import json_text
from sidecar.core.errors import StateDegraded
from sidecar.storage.database import suspect_note
from sidecar.storage.migrations import DURABLE_TABLES, MIGRATIONS, current_step, migrate
from sidecar.storage.sqlite_connection import BUSY_TIMEOUT_MS, connect, translated

if TYPE_CHECKING:
    from pathlib import Path


_WAL_MAGIC = 0x377F0682
_WAL_HEADER = struct.Struct(">8I")
_FRAME_HEADER = struct.Struct(">4I")
_FRAME_HEADER_BYTES = 24


def wal_of(path: Path) -> Path:
    """Names the write-ahead log beside a file."""
    return path.with_name(path.name + "-wal")


def damage_of(path: Path) -> str | None:
    """Says in a few words what is wrong with a file; None for one that is sound or not there yet.

    Raises StateDegraded when it cannot be looked at.
    """
    if path.is_dir():
        return "a folder is in its place"
    if not _size(path):
        if _size(wal_of(path)):
            return "only its write-ahead log is left"
        return "it was empty" if path.exists() else None
    with translated():
        try:
            return _damage_inside(path)
        except (apsw.CorruptError, apsw.NotADBError) as error:
            return f"SQLite reports {type(error).__name__.removesuffix('Error')}"


def _damage_inside(path: Path) -> str | None:
    connection = _open(path)
    try:
        suspicious = _lacks_commits(connection, path)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        if suspect_note(path).exists() or _is_short(path):
            if str(connection.execute("PRAGMA integrity_check(1)").get) != "ok":
                return "its integrity check failed"
            suspect_note(path).unlink(missing_ok=True)
    finally:
        connection.close()
    return "its write-ahead log is damaged" if suspicious and _lacks_commits_alone(path) else None


def _open(path: Path) -> apsw.Connection:
    connection = apsw.Connection(os.fspath(path))
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    # The last connection to close would move the log into the file, and the evidence with it.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _lacks_commits(connection: apsw.Connection, path: Path) -> bool:
    """Whether SQLite, which stops at the first frame with a wrong checksum, sees fewer commits than were written."""
    list(connection.execute("SELECT count(*) FROM sqlite_schema"))
    connection.set_busy_timeout(0)
    try:
        seen, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    except apsw.BusyError:
        return False  # another process is moving the log into the file, so it has read it
    try:
        with wal_of(path).open("rb") as log:
            header = log.read(_WAL_HEADER.size)
            if len(header) < _WAL_HEADER.size:
                return False
            return not _is_whole(header) or _has_commit_after(seen, log, header)
    except FileNotFoundError:
        return False


def _lacks_commits_alone(path: Path) -> bool:
    """Looks again with nobody else there, so that SQLite has to read the log itself.

    While another process has the file open, the index they share says what is committed: a commit that is being
    written, was cut short by a kill, or was moved into the file already stands in the log and counts for nothing.
    """
    connection = _open(path)
    try:
        connection.set_busy_timeout(0)
        list(connection.execute("PRAGMA locking_mode = EXCLUSIVE"))
        return _lacks_commits(connection, path)
    except apsw.BusyError:
        return False
    finally:
        connection.close()


def _has_commit_after(seen: int, log: BinaryIO, header: bytes) -> bool:
    """Whether a frame beyond those seen ends a commit and bears this log's salts (an earlier log's differ)."""
    _, _, page_bytes, _, *salts, _, _ = _WAL_HEADER.unpack(header)
    frame_bytes = _FRAME_HEADER_BYTES + page_bytes
    size = os.fstat(log.fileno()).st_size
    for start in range(_WAL_HEADER.size + seen * frame_bytes, size - frame_bytes + 1, frame_bytes):
        log.seek(start)
        head = log.read(_FRAME_HEADER.size)
        if len(head) < _FRAME_HEADER.size:
            break  # it was cut meanwhile
        _, size_after_commit, *frame_salts = _FRAME_HEADER.unpack(head)
        if size_after_commit and frame_salts == salts:
            return True
    return False


def _is_whole(header: bytes) -> bool:
    """Checks the header's own checksum (sqlite.org/fileformat2.html, Checksum Algorithm)."""
    magic, *_, first, second = _WAL_HEADER.unpack(header)
    if int(magic) & ~1 != _WAL_MAGIC:
        return False
    words = struct.unpack(f"{'>' if magic & 1 else '<'}6I", header[:24])
    s0 = s1 = 0
    for even, odd in zip(words[::2], words[1::2], strict=True):
        s0 = (s0 + even + s1) & 0xFFFFFFFF
        s1 = (s1 + odd + s0) & 0xFFFFFFFF
    return bool((s0, s1) == (first, second))


def _is_short(path: Path) -> bool:
    """Whether the file ends before the size its header gives; what is missing may still be in the log."""
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


# Reads what can still be read of a damaged state file, and writes it into a new one.


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


# Sets a damaged state file aside and carries over what cannot be derived again.
#
# A rescue that is interrupted at any point is taken up again at the next start: a note beside the file says
# where the damaged one went, and the new file takes its place only when it is complete.


_SIDE_FILES = ("-wal", "-shm")


def is_unfinished(path: Path) -> bool:
    """Whether a rescue of this file was begun and not finished."""
    return _note(path).exists()


def rescue(path: Path, damage: str, now_ms: int) -> str:
    """Puts a sound file in the place of a damaged one, and gives a sentence for the user.

    Raises StateDegraded when the damaged file cannot be moved. The caller is alone with the file.
    """
    fresh = path.with_name(path.name + ".rescued")
    try:
        aside = path.with_name(_aside_name(path, now_ms))
        for suffix in ("", *_SIDE_FILES):
            _move(path.with_name(path.name + suffix), aside.with_name(aside.name + suffix))
        for suffix in ("", *_SIDE_FILES):
            fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
        with translated():
            saved, lost = salvage(aside, fresh, now_ms)
        os.replace(fresh, path)
        suspect_note(path).unlink(missing_ok=True)
        _note(path).unlink()
    except OSError as error:
        raise StateDegraded(
            "The state file is damaged and could not be set aside.",
            hint="Close other programs that use it, or move it away manually.",
        ) from error
    story = f"carried over {saved} records" + (f", could not read all of {', '.join(lost)}" if lost else "")
    return f"The state file was damaged ({damage}); it is kept as {aside.name}; {story}."


def _aside_name(path: Path, now_ms: int) -> str:
    """Gives the name for the damaged file, the one written down by an earlier attempt if there was one."""
    note = _note(path)
    if note.exists():
        try:
            return str(json_text.loads(note.read_bytes())["aside"])
        except (ValueError, KeyError):
            pass  # killed while writing the note: nothing was moved yet
    number = now_ms
    while any(path.parent.glob(f"{path.name}.damaged-{number}*")):
        number += 1
    name = f"{path.name}.damaged-{number}"
    note.write_bytes(json_text.dumps({"aside": name}))
    return name


def _move(source: Path, target: Path) -> None:
    if os.path.lexists(source) and not os.path.lexists(target):
        source.rename(target)


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".rescue")
