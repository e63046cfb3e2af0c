"""The pipes that a test's own thread opens, and which of them are still open.

The descriptors of a process say nothing about one test: threads of earlier tests open and close theirs at any moment.
"""

import os
import threading
from contextlib import suppress

import pytest

DESCRIPTORS = "/dev/fd"


class OwnPipes:
    """The pipes that this thread opens from now on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.inodes: list[int] = []
        self._thread = threading.get_ident()
        self._open_pipe = os.pipe
        monkeypatch.setattr(os, "pipe", self._record)

    def still_open(self) -> set[int]:
        """Return the inodes of these pipes of which an end is open."""
        inodes = set()
        for name in os.listdir(DESCRIPTORS):
            with suppress(OSError):
                inodes.add(os.fstat(int(name)).st_ino)
        return inodes.intersection(self.inodes)

    def _record(self) -> tuple[int, int]:
        ends = self._open_pipe()
        if threading.get_ident() == self._thread:
            self.inodes.append(os.fstat(ends[0]).st_ino)
        return ends
