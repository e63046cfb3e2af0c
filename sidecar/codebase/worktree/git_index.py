"""Reads git's index file: which paths are tracked, with their modes and ids. Pure but for one read.

Only what changes the answer is read: versions 2 and 3, without extensions that take entries elsewhere (split and
sparse indexes). The format is gitformat-index(5); entries stand in the order of their paths' bytes.
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
from sidecar.system.safe_open import content_of

MAX_INDEX_BYTES = 512 * 2**20
"""A larger one is left to git to read: millions of files."""

_HEADER = struct.Struct(">4sII")
_EXTENSION = struct.Struct(">4sI")
_NUMBERS = struct.Struct(">10I")
"""What stands before the id: ctime and mtime, each twice, device, inode, mode, user, group, size."""

_STAGE, _EXTENDED, _ASSUMED = 0x3000, 0x4000, 0x8000
_SKIPPED, _INTENDED = 0x4000, 0x2000
_PIECE = 64
"""Entries that are kept, and unpacked, together."""

_ID_BYTES: dict[ObjectFormat, int] = {"sha1": 20, "sha256": 32}


class Tracked(NamedTuple):
    """One entry of the index; `path` is relative to the root."""

    path: str
    mode: int
    id: str
    size: int
    """Of the file when git last looked, in bytes, modulo 2**32; 0 also where it did not."""
    mtime: tuple[int, int]
    """Seconds and nanoseconds; the latter are 0 where git does not keep them."""
    is_plain: bool
    """False in a conflict, and where git was told not to look at the file."""

    def has_stat(self, found: os.stat_result) -> bool:
        """Says whether a file has the size and time it had when git last looked."""
        seconds, nanoseconds = divmod(found.st_mtime_ns, 1_000_000_000)
        same_time = self.mtime in ((seconds & 0xFFFFFFFF, nanoseconds), (seconds & 0xFFFFFFFF, 0))
        return same_time and self.size in (0, found.st_size & 0xFFFFFFFF)


class IndexUnreadable(Exception):
    """This index is of a kind that only git reads."""


class GitIndex:
    """The entries of one index file as it was at one moment; kept in pieces, each in two fifths of its bytes."""

    def __init__(self, content: bytes, object_format: ObjectFormat) -> None:
        """Finds where each entry begins; raises IndexUnreadable."""
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
        firsts = self._starts[:-1:_PIECE]
        self._first_paths = [self._path(content, start) for start in firsts]
        ends = (*firsts[1:], self._starts[-1])
        self._pieces = [zlib.compress(content[start:end], 1) for start, end in zip(firsts, ends, strict=False)]
        self._opened = (-1, b"")
        """The last decompressed chunk, with its number."""

    def __len__(self) -> int:
        return len(self._starts) - 1

    def find(self, path: str) -> Tracked | None:
        """Gives the entry of a path; in a conflict one of its entries."""
        wanted = path.encode("utf-8", "surrogateescape")
        number = self._first_from(wanted)
        return self._entry(number) if number < len(self) and self._path(*self._place(number)) == wanted else None

    def below(self, folder: str) -> Iterator[Tracked]:
        """Yields the entries in a folder and the folders below it."""
        prefix = f"{folder}/".encode("utf-8", "surrogateescape")
        number = self._first_from(prefix)
        while number < len(self) and self._path(*self._place(number)).startswith(prefix):
            yield self._entry(number)
            number += 1

    def _find_starts(self, content: bytes, count: int) -> int:
        """Finds where each entry begins, and where the last one ends."""
        path_at, starts = self._flags_at + 2, self._starts
        at = _HEADER.size
        for _ in range(count):
            starts.append(at)
            path_from = at + path_at
            if content[path_from - 2] & 0x40:
                if content[path_from] << 8 & _INTENDED:
                    raise IndexUnreadable("files are only intended to be added")
                path_from += 2
            # Each entry is filled up with one to eight zeros, to a multiple of eight bytes.
            at += (content.index(b"\0", path_from) - at + 8) & ~7
        starts.append(at)
        return at

    def _require_plain_extensions(self, content: bytes, at: int) -> None:
        end = len(content) - self._id_bytes
        while at < end:
            name, size = _EXTENSION.unpack_from(content, at)
            if not name[:1].isupper():  # one that may not be passed over: `link` of a split index, `sdir`
                raise IndexUnreadable("extension")
            at += _EXTENSION.size + size
        if at != end:
            raise IndexUnreadable("damaged")

    def _first_from(self, wanted: bytes) -> int:
        """The first entry whose path is not before a wanted one."""
        piece = max(0, bisect_left(self._first_paths, wanted) - 1)
        numbers = range(piece * _PIECE, min((piece + 1) * _PIECE, len(self)))
        return numbers.start + bisect_left(numbers, wanted, key=lambda number: self._path(*self._place(number)))

    def _place(self, number: int) -> tuple[bytes, int]:
        """A piece, and where in it an entry begins."""
        wanted = number // _PIECE
        opened, piece = self._opened
        if opened != wanted:
            piece = zlib.decompress(self._pieces[wanted])
            self._opened = wanted, piece
        return piece, self._starts[number] - self._starts[wanted * _PIECE]

    def _flags(self, piece: bytes, start: int) -> int:
        return piece[start + self._flags_at] << 8 | piece[start + self._flags_at + 1]

    def _path(self, piece: bytes, start: int) -> bytes:
        path_from = start + self._flags_at + (4 if self._flags(piece, start) & _EXTENDED else 2)
        return piece[path_from : piece.index(b"\0", path_from)]

    def _entry(self, number: int) -> Tracked:
        piece, start = self._place(number)
        flags = self._flags(piece, start)
        _, _, seconds, nanoseconds, _, _, mode, _, _, size = _NUMBERS.unpack_from(piece, start)
        id_ = piece[start + _NUMBERS.size : start + self._flags_at].hex()
        extended = piece[start + self._flags_at + 2] << 8 if flags & _EXTENDED else 0
        is_plain = not (flags & (_STAGE | _ASSUMED) or extended & _SKIPPED)
        path = self._path(piece, start).decode("utf-8", "surrogateescape")
        return Tracked(path, mode, id_, size, (seconds, nanoseconds), is_plain)


def read_index(git_dir: Path, object_format: ObjectFormat) -> GitIndex | None:
    """Reads a worktree's index; None where there is none, or one that only git reads."""
    try:
        return GitIndex(content_of(str(git_dir / "index"), MAX_INDEX_BYTES), object_format)
    except (OSError, IndexUnreadable):
        return None
