"""Reader of git's index file: tracked paths with modes and ids. Pure except for one read.

Supports versions 2 and 3 without extensions that store entries elsewhere (split and sparse indexes). The format is
gitformat-index(5); entries are sorted by the bytes of their paths.
"""

import os
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.worktree.content_hash import ObjectFormat
from sidecar.system.safe_open import read_regular

MAX_INDEX_BYTES = 512 * 2**20
"""Larger ones, with millions of files, are left to git."""

_HEADER = struct.Struct(">4sII")
_EXTENSION = struct.Struct(">4sI")
_NUMBERS = struct.Struct(">10I")
"""Fields before the id: ctime and mtime (two numbers each), device, inode, mode, user, group, size."""

_STAGE, _EXTENDED, _ASSUME_VALID = 0x3000, 0x4000, 0x8000
_SKIP_WORKTREE, _INTENT_TO_ADD = 0x4000, 0x2000
_CHUNK_ENTRIES = 64
"""Number of entries compressed together."""

_ID_BYTES: dict[ObjectFormat, int] = {"sha1": 20, "sha256": 32}


class IndexEntry(NamedTuple):
    """One entry of the index; `path` is relative to the root."""

    path: str
    mode: int
    id: str
    size: int
    """Size of the file when git last checked it, in bytes, modulo 2**32; 0 also if unknown."""
    mtime: tuple[int, int]
    """Seconds and nanoseconds; the latter are 0 if git does not store them."""
    is_plain: bool
    """False in a conflict, and if git was told not to check the file."""

    def matches_stat(self, file_stat: os.stat_result) -> bool:
        """Whether a file has the size and time it had when git last checked it."""
        seconds, nanoseconds = divmod(file_stat.st_mtime_ns, 1_000_000_000)
        same_time = self.mtime in ((seconds & 0xFFFFFFFF, nanoseconds), (seconds & 0xFFFFFFFF, 0))
        return same_time and self.size in (0, file_stat.st_size & 0xFFFFFFFF)


class IndexUnreadable(Exception):
    """Only git can read this kind of index."""


class GitIndex:
    """The entries of one index file at one moment, stored in compressed chunks (40% of its size)."""

    def __init__(self, content: bytes, object_format: ObjectFormat) -> None:
        """Locate the start of each entry; raise IndexUnreadable."""
        self._id_bytes = _ID_BYTES[object_format]
        self._flags_at = _NUMBERS.size + self._id_bytes
        self._starts = array("I")
        try:
            magic, version, count = _HEADER.unpack_from(content)
            if magic != b"DIRC" or version not in (2, 3):
                raise IndexUnreadable("version")
            self._require_plain_extensions(content, self._find_starts(content, count))
        except (struct.error, ValueError) as error:
            raise IndexUnreadable("damaged") from error
        firsts = self._starts[:-1:_CHUNK_ENTRIES]
        self._first_paths = [self._path(content, start) for start in firsts]
        ends = (*firsts[1:], self._starts[-1])
        self._chunks = [zlib.compress(content[start:end], 1) for start, end in zip(firsts, ends, strict=False)]
        self._last_chunk = (-1, b"")
        """The last decompressed chunk, with its number."""

    def __len__(self) -> int:
        return len(self._starts) - 1

    def find(self, path: str) -> IndexEntry | None:
        """Return the entry of a path; in a conflict one of its entries."""
        target = path.encode("utf-8", "surrogateescape")
        number = self._first_at_or_after(target)
        return self._entry(number) if number < len(self) and self._path(*self._locate(number)) == target else None

    def below(self, folder: str) -> Iterator[IndexEntry]:
        """Yield the entries in a folder and its subfolders."""
        prefix = f"{folder}/".encode("utf-8", "surrogateescape")
        number = self._first_at_or_after(prefix)
        while number < len(self) and self._path(*self._locate(number)).startswith(prefix):
            yield self._entry(number)
            number += 1

    def _find_starts(self, content: bytes, count: int) -> int:
        """Locate the start of each entry; return the end of the last one."""
        path_at, starts = self._flags_at + 2, self._starts
        offset = _HEADER.size
        for _ in range(count):
            starts.append(offset)
            path_from = offset + path_at
            if content[path_from - 2] & 0x40:
                if content[path_from] << 8 & _INTENT_TO_ADD:
                    raise IndexUnreadable("files are only intended to be added")
                path_from += 2
            # Each entry is padded with one to eight zeros, to a multiple of eight bytes.
            offset += (content.index(b"\0", path_from) - offset + 8) & ~7
        starts.append(offset)
        return offset

    def _require_plain_extensions(self, content: bytes, offset: int) -> None:
        end = len(content) - self._id_bytes
        while offset < end:
            name, size = _EXTENSION.unpack_from(content, offset)
            if not name[:1].isupper():  # a mandatory one: `link` of a split index, `sdir`
                raise IndexUnreadable("extension")
            offset += _EXTENSION.size + size
        if offset != end:
            raise IndexUnreadable("damaged")

    def _first_at_or_after(self, target: bytes) -> int:
        """Return the number of the first entry whose path is not less than the target."""
        chunk = max(0, bisect_left(self._first_paths, target) - 1)
        numbers = range(chunk * _CHUNK_ENTRIES, min((chunk + 1) * _CHUNK_ENTRIES, len(self)))
        return numbers.start + bisect_left(numbers, target, key=lambda number: self._path(*self._locate(number)))

    def _locate(self, number: int) -> tuple[bytes, int]:
        """Return an entry's chunk and its offset there."""
        target = number // _CHUNK_ENTRIES
        number_of_last, chunk = self._last_chunk
        if number_of_last != target:
            chunk = zlib.decompress(self._chunks[target])
            self._last_chunk = target, chunk
        return chunk, self._starts[number] - self._starts[target * _CHUNK_ENTRIES]

    def _flags(self, chunk: bytes, start: int) -> int:
        return chunk[start + self._flags_at] << 8 | chunk[start + self._flags_at + 1]

    def _path(self, chunk: bytes, start: int) -> bytes:
        path_from = start + self._flags_at + (4 if self._flags(chunk, start) & _EXTENDED else 2)
        return chunk[path_from : chunk.index(b"\0", path_from)]

    def _entry(self, number: int) -> IndexEntry:
        chunk, start = self._locate(number)
        flags = self._flags(chunk, start)
        _, _, seconds, nanoseconds, _, _, mode, _, _, size = _NUMBERS.unpack_from(chunk, start)
        id_ = chunk[start + _NUMBERS.size : start + self._flags_at].hex()
        extended = chunk[start + self._flags_at + 2] << 8 if flags & _EXTENDED else 0
        is_plain = not (flags & (_STAGE | _ASSUME_VALID) or extended & _SKIP_WORKTREE)
        path = self._path(chunk, start).decode("utf-8", "surrogateescape")
        return IndexEntry(path, mode, id_, size, (seconds, nanoseconds), is_plain)


def read_index(git_dir: Path, object_format: ObjectFormat) -> GitIndex | None:
    """Read a worktree's index; return None if there is none, or if only git can read it."""
    try:
        return GitIndex(read_regular(str(git_dir / "index"), MAX_INDEX_BYTES), object_format)
    except (OSError, IndexUnreadable):
        return None
