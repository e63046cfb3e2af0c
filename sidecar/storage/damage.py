"""Whether a state file can be trusted, told from the outside before it is used."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, BinaryIO

import apsw

from sidecar.storage.connecting import BUSY_TIMEOUT_MS, translated
from sidecar.storage.database import suspect_note

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
        return "a folder stands in its place"
    if not _size(path):
        if _size(wal_of(path)):
            return "only its write-ahead log is left"
        return "it was empty" if path.exists() else None
    with translated():
        try:
            return _damage_inside(path)
        except (apsw.CorruptError, apsw.NotADBError) as error:
            return f"SQLite says {type(error).__name__.removesuffix('Error')}"


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
