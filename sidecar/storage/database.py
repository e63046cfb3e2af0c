"""The state file: one SQLite database in WAL mode, one writer per process, readers beside it.

Two processes may share the file: every write is BEGIN IMMEDIATE with a busy timeout (a deferred transaction
that upgrades fails as busy at once). A write is durable (synchronous FULL) unless it says it is a cache's.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from sidecar.core.errors import Busy, SidecarError, StateDegraded

BUSY_TIMEOUT_MS = 5_000
FILE_NAME = "continuity.db"


class Database:
    """An open state file. Thread-safe; `close` may be called more than once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._write_lock = threading.RLock()
        self._lock = threading.Lock()
        self._writer = _connect(path)
        self._writer_synchronous = "NORMAL"
        self._readers: list[apsw.Connection] = []
        self._closed = False

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[apsw.Connection]:
        """Opens the one write transaction; commits at the end, rolls back on any exception.

        `durable=False` is for caches: a power loss may take the last ones, a killed process may not.
        Raises Busy when another process keeps the file locked, StateDegraded when it cannot be written.
        """
        with self._write_lock:
            self._refuse_closed()
            with self._watching(), translated():
                self._set_synchronous("FULL" if durable else "NORMAL")
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    yield self._writer
                    self._writer.execute("COMMIT")
                except BaseException:
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Lends a connection with one consistent view of what is committed."""
        with self._lock:
            self._refuse_closed()
            reader = self._readers.pop() if self._readers else None
        with self._watching(), translated():
            reader = reader or _connect(self.path)
            reader.execute("BEGIN")
            try:
                yield reader
            finally:
                reader.execute("ROLLBACK")
                self._give_back(reader)

    def data_version(self) -> tuple[int, int]:
        """Gives a pair that changes whenever this or another process has committed something."""
        with self._write_lock, translated():
            self._refuse_closed()
            other = self._writer.execute("PRAGMA data_version").get
            return int(str(other)), self._writer.total_changes()

    def writer_for_migration(self) -> apsw.Connection:
        """Gives the writing connection itself, to `migrations` alone and before anything else uses it."""
        return self._writer

    def checkpoint(self) -> None:
        """Moves the write-ahead log into the file as far as no reader needs it; never waits."""
        with self._write_lock, translated():
            if not self._closed:
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def close(self, wait_ms: float = 500) -> None:
        """Closes every connection that is not in use; a transaction longer than `wait_ms` is left to the file's log.

        What was committed is in the write-ahead log, so a process may also end without this.
        """
        if not self._write_lock.acquire(timeout=wait_ms / 1000):
            return
        try:
            with self._lock:
                if not self._closed:
                    self._closed = True
                    for connection in (*self._readers, self._writer):
                        connection.close()
        finally:
            self._write_lock.release()

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """Leaves a note beside a file that shows damage in use: the next start checks it wholly."""
        try:
            yield
        except StateDegraded as error:
            if isinstance(error.__cause__, (apsw.CorruptError, apsw.NotADBError)):
                suspect_note(self.path).touch()
            raise

    def _give_back(self, reader: apsw.Connection) -> None:
        with self._lock:
            if self._closed or len(self._readers) >= 4:
                reader.close()
            else:
                self._readers.append(reader)

    def _set_synchronous(self, level: str) -> None:
        if level != self._writer_synchronous and not self._writer.in_transaction:
            self._writer.execute(f"PRAGMA synchronous = {level}")
            self._writer_synchronous = level

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StateDegraded("The state file is closed; the sidecar is ending.")


def suspect_note(path: Path) -> Path:
    """Names the note that says a state file showed damage while it was in use."""
    return path.with_name(path.name + ".suspect")


@contextmanager
def translated() -> Iterator[None]:
    """Turns SQLite's exceptions into ours."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Busy(
            "Another process is writing the state file.", hint="Try again shortly.", data={"retryAfterMs": 200}
        ) from error
    except apsw.FullError as error:
        raise StateDegraded("The disk with the state file is full.", hint="Free some disk space.") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StateDegraded(
            "The state file is damaged.", hint="Restart the sidecar: it sets the file aside."
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError, apsw.PermissionsError) as error:
        raise StateDegraded(
            "The state file cannot be written.", hint="Check the folder's permissions and disk."
        ) from error
    except apsw.Error as error:
        if isinstance(error, SidecarError):
            raise
        raise StateDegraded(f"The state file failed: {type(error).__name__}.") from error


def _connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(os.fspath(path))
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    # One by one: execute("pragma a; pragma b") stops at the first row.
    for pragma in (
        "auto_vacuum = INCREMENTAL",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "wal_autocheckpoint = 0",
        "temp_store = MEMORY",
        "cache_size = -4096",
    ):
        list(connection.execute(f"PRAGMA {pragma}"))
    return connection
