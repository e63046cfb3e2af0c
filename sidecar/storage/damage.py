"""Whether a state file can be trusted, told from the outside before it is used."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, NamedTuple

import apsw

from sidecar.storage.connecting import BUSY_TIMEOUT_MS, translated
from sidecar.storage.database import suspect_note

if TYPE_CHECKING:
    from pathlib import Path

_WAL_MAGIC = 0x377F0682
_WAL_HEADER = struct.Struct(">8I")
_FRAME_HEADER = struct.Struct(">4I")
_FRAME_HEADER_BYTES = 24


class Log(NamedTuple):
    """What a write-ahead log says of itself: the salts of its generation and the last frame that ends a commit."""

    salts: tuple[int, int]
    committed_frames: int


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
    log = read_log(wal_of(path))
    if log is None and _size(wal_of(path)) > _WAL_HEADER.size:
        return "its write-ahead log is damaged"
    connection = apsw.Connection(os.fspath(path))
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        # The last connection to close would move the log into the file, and the evidence with it.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        list(connection.execute("SELECT count(*) FROM sqlite_schema"))
        if log is not None and _lost_commits(connection, path, log):
            return "its write-ahead log is damaged"
        if suspect_note(path).exists() or _is_short(path):
            if str(connection.execute("PRAGMA integrity_check(1)").get) != "ok":
                return "its integrity check failed"
            suspect_note(path).unlink(missing_ok=True)
    finally:
        connection.close()
    return None


def read_log(wal: Path) -> Log | None:
    """Reads the headers of a write-ahead log; None for one that is missing, empty or does not begin like one."""
    try:
        with wal.open("rb") as stream:
            header = stream.read(_WAL_HEADER.size)
            if len(header) < _WAL_HEADER.size or not _is_whole(header):
                return None
            _, _, page_bytes, _, *salts, _, _ = _WAL_HEADER.unpack(header)
            committed = 0
            frames = (os.fstat(stream.fileno()).st_size - _WAL_HEADER.size) // (_FRAME_HEADER_BYTES + page_bytes)
            for frame in range(1, frames + 1):
                head = stream.read(_FRAME_HEADER_BYTES)
                if len(head) < _FRAME_HEADER_BYTES:
                    break
                _, size_after_commit, *frame_salts = _FRAME_HEADER.unpack(head[: _FRAME_HEADER.size])
                if frame_salts == salts and size_after_commit:
                    committed = frame
                stream.seek(page_bytes, os.SEEK_CUR)
    except OSError:
        return None
    return Log((salts[0], salts[1]), committed)


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


def _lost_commits(connection: apsw.Connection, path: Path, log: Log) -> bool:
    """Whether SQLite, which stops at the first frame with a wrong checksum, sees fewer commits than were written."""
    seen, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    if seen >= log.committed_frames:
        return False
    now = read_log(wal_of(path))  # another process may have begun the log anew meanwhile
    return now is not None and now.salts == log.salts


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
