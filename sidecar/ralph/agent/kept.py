"""Keeps the output of a run in a file: the beginning and the end of it, whatever its size."""

import os
from collections import deque
from contextlib import suppress
from io import FileIO
from pathlib import Path

from sidecar.system.plain_files import opened

HEAD_BYTES = 1024 * 1024
TAIL_BYTES = 1024 * 1024
KEPT_BYTES = 2 * (HEAD_BYTES + TAIL_BYTES)
"""No file of ours is larger, whatever the size of its last piece."""


class Kept:
    """A file that grows to two megabytes at most. A file that cannot be written stops no run: `truncated` says so."""

    def __init__(self, path: Path) -> None:
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._left_out = 0
        self._room = HEAD_BYTES
        self.bytes = 0
        self.truncated = False
        self._file: FileIO | None = None
        try:
            self._file = FileIO(opened(str(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb")
        except OSError:
            self.truncated = True

    def add(self, chunk: bytes) -> None:
        """Takes the next piece."""
        self.bytes += len(chunk)
        head, rest = chunk[: self._room], chunk[self._room :]
        if head:
            self._room -= len(head)
            self._write(head)
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            dropped = len(self._tail.popleft())
            self._tail_bytes -= dropped
            self._left_out += dropped

    def close(self) -> None:
        """Writes the end, after a line that says how much is missing before it."""
        if self._left_out:
            self.truncated = True
            self._write(f"\n[… {self._left_out} bytes left out …]\n".encode())
        for chunk in self._tail:
            self._write(chunk)
        self._tail.clear()
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def _write(self, chunk: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(chunk)
        except OSError:
            self.truncated = True
