"""A disk that fails on request of a test."""

from collections.abc import Generator
from contextlib import contextmanager

import apsw


class Disk(apsw.VFS):
    """SQLite's view of the disk: the n-th write from now fails, and with `lasting` all that follow.

    With a `room`, files can grow by that many bytes in all, and more once others shrink.
    """

    def __init__(self) -> None:
        self.base = apsw.vfs_names()[0]
        super().__init__("failing", self.base, makedefault=True)
        self.writes = 0
        self.fails_at: int | None = None
        self.lasting = False
        self.failure: type[apsw.Error] = apsw.FullError
        self.room: int | None = None

    def fail(self, at: int | None, failure: type[apsw.Error] = apsw.FullError, *, lasting: bool = False) -> None:
        """Set the write that fails, counted from 1; None for none."""
        self.writes, self.fails_at, self.failure, self.lasting = 0, at, failure, lasting

    def xOpen(self, name: "str | apsw.URIFilename | None", flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(self, name, flags)

    def count(self) -> None:
        """Count a write, and fail it if it is the chosen one."""
        self.writes += 1
        if self.fails_at is not None and (
            self.writes == self.fails_at or (self.lasting and self.writes > self.fails_at)
        ):
            raise self.failure("the disk fails, as a test said")

    def grow(self, growth: int) -> None:
        """Take the room for a file's growth, or return it; fail a write that finds too little."""
        if self.room is not None:
            if growth > self.room:
                raise apsw.FullError("the disk is full, as a test said")
            self.room -= growth


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: "str | apsw.URIFilename | None", flags: list[int]) -> None:
        super().__init__(disk.base, name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.count()
        self._disk.grow(max(0, offset + len(data) - self.xFileSize()))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.grow(newsize - self.xFileSize())
        super().xTruncate(newsize)


@contextmanager
def failing_disk() -> Generator[Disk]:
    """Put a disk that can fail under every database opened in the meantime."""
    disk = Disk()
    try:
        yield disk
    finally:
        disk.fail(None)
        disk.unregister()
