"""Detects, as a number, whether any process committed to the state file; never waits for a writer.

Data read at a generation is valid as long as the generation is unchanged. A commit on which nothing in memory depends
may leave it unchanged.
"""

import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from sidecar.core.errors import StateDegraded
from sidecar.storage.sqlite_connection import connect


class FileVersions(NamedTuple):
    """The file's versions as the detector and the writer see them, inside a write transaction."""

    seen_by_detector: int
    seen_by_writer: int


class ChangeDetector:
    """Detect commits through a separate connection, which sees those of all others. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: apsw.Connection | None = None
        self._version = -1
        self._generation = 0
        self._closed = False

    def generation(self) -> int:
        """Return a different number than before if anything was committed that was not ignored."""
        with self._lock:
            version = self._read_version()
            if version != self._version:
                self._version, self._generation = version, self._generation + 1
            return self._generation

    def versions(self, writer: apsw.Connection) -> FileVersions:
        """Return the file's versions inside the writer's transaction."""
        self.generation()
        return FileVersions(self._version, _data_version(writer))

    def ignore_commit(self, writer: apsw.Connection, versions: FileVersions) -> None:
        """Keep the generation of the mark if the writer's own commit is all that happened since.

        The writer's version counts the commits of others and is read last: one in between is in both.
        """
        with self._lock:
            if self._version == versions.seen_by_detector:
                version = self._read_version()
                if _data_version(writer) == versions.seen_by_writer:
                    self._version = version

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                with suppress(apsw.Error):
                    self._connection.close()

    def _read_version(self) -> int:
        if self._closed:
            raise StateDegraded("The state file is closed; the sidecar is ending.")
        if self._connection is None:
            self._connection = connect(self._path, query_only=True)
        return _data_version(self._connection)


def _data_version(connection: apsw.Connection) -> int:
    """Return a number that changes with each commit of another connection, and not with its own."""
    return int(str(connection.execute("PRAGMA data_version").get))
