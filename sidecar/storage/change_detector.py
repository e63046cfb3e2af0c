"""Tells by a number whether anything was committed to the state file, by whatever process, without waiting for it.

What was read at a generation holds as long as the generation is the same. A commit that nothing kept in memory
depends on may leave it as it is.
"""

import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from sidecar.core.errors import StateDegraded
from sidecar.storage.sqlite_connection import connect


class Mark(NamedTuple):
    """The file inside a write transaction, when nobody else can commit: as the observer and as the writer saw it."""

    observed: int
    written: int


class Observer:
    """A connection of its own, which sees what all others commit. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: apsw.Connection | None = None
        self._version = -1
        self._generation = 0
        self._closed = False

    def generation(self) -> int:
        """Gives another number than before if anything was committed that was not passed over."""
        with self._lock:
            version = self._look()
            if version != self._version:
                self._version, self._generation = version, self._generation + 1
            return self._generation

    def mark(self, writer: apsw.Connection) -> Mark:
        """Notes how the file stands inside the writer's transaction."""
        self.generation()
        return Mark(self._version, _version_of(writer))

    def pass_over(self, writer: apsw.Connection, mark: Mark) -> None:
        """Leaves the generation as it was at the mark, if the writer's own commit is all that happened since.

        The writer's version tells what others committed, and is read last: what came in between is in both.
        """
        with self._lock:
            if self._version == mark.observed:
                version = self._look()
                if _version_of(writer) == mark.written:
                    self._version = version

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                with suppress(apsw.Error):
                    self._connection.close()

    def _look(self) -> int:
        if self._closed:
            raise StateDegraded("The state file is closed; the sidecar is ending.")
        if self._connection is None:
            self._connection = connect(self._path, query_only=True)
        return _version_of(self._connection)


def _version_of(connection: apsw.Connection) -> int:
    """A number that changes with each commit of another connection, and with none of its own."""
    return int(str(connection.execute("PRAGMA data_version").get))
