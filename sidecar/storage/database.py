"""Moves the write-ahead log into the file in the background; an automatic checkpoint would delay a request by 8 ms."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from sidecar.core.errors import StateDegraded
from sidecar.storage.change_detector import Observer
from sidecar.storage.migrations import current_step
from sidecar.storage.sqlite_connection import connect, translated
from sidecar.storage.write_behind import Behind

DUE_PAGES = 1_000
"""Pages in the log (4 KiB each) from which a checkpoint is made."""

OVERDUE_PAGES = 4_000
"""Pages from which the checkpoint waits for readers and writers, so that the log starts again from its beginning."""


class Checkpoints:
    """Learns of each commit and checkpoints when it is time, from a thread that is started when first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = threading.Condition()
        self._pages = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    def after_commit(self, _connection: apsw.Connection, _schema: str, pages: int) -> int:
        """Is SQLite's WAL hook of the writing connection."""
        if pages >= DUE_PAGES:
            with self._changed:
                self._pages = pages
                if self._thread is None and not self._closed:
                    self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
                    self._thread.start()
                self._changed.notify()
        return apsw.SQLITE_OK

    def close(self) -> None:
        """Makes no more checkpoints; waits for the one that is running, a second at most."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(1.0)

    def _run(self) -> None:
        while (pages := self._await_pages()) is not None:
            overdue = pages >= OVERDUE_PAGES
            try:
                connection = connect(self._path)
                try:
                    connection.wal_checkpoint(
                        mode=apsw.SQLITE_CHECKPOINT_RESTART if overdue else apsw.SQLITE_CHECKPOINT_PASSIVE
                    )
                finally:
                    connection.close()
            except apsw.Error:
                continue  # the log keeps everything; the next commit asks again

    def _await_pages(self) -> int | None:
        with self._changed:
            self._changed.wait_for(lambda: self._pages or self._closed)
            pages, self._pages = self._pages, 0
            return None if self._closed else pages


# The state file: one SQLite database in WAL mode, one writer per process, readers beside it.
#
# Two processes may share the file: every write is BEGIN IMMEDIATE with a busy timeout (a deferred transaction
# that upgrades fails as busy at once). A write is durable (synchronous FULL) unless it says it is a cache's.


FILE_NAME = "continuity.db"
KEPT_READERS = 4


class Database:
    """An open state file. Thread-safe; `close` may be called more than once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._write_lock = threading.RLock()
        self._lock = threading.Lock()
        self._writer = connect(path)
        self._identity = _identity(path)
        self._writer_synchronous = "NORMAL"
        self.step: int | None = None
        """The schema step this process knows; None before the migration."""
        self._schema = -1
        self._readers: list[apsw.Connection] = []
        self._observer = Observer(path)
        self._checkpoints = Checkpoints(path)
        self._writer.set_wal_hook(self._checkpoints.after_commit)
        self._closed = False
        self.behind = Behind()
        """For the writes of caches."""

    @contextmanager
    def write(self, *, durable: bool = True, aside: bool = False) -> Iterator[apsw.Connection]:
        """Opens the one write transaction; commits at the end, rolls back on any exception.

        `durable=False` is for caches: a power loss may take the last ones, a killed process may not. `aside` is for
        what nobody keeps in memory by its generation, which stays the same.
        Raises Busy when another process keeps the file locked, StateDegraded when it cannot be written, or when a newer
        version has upgraded it meanwhile.
        """
        with self._write_lock:
            self._refuse_closed()
            if self._writer.in_transaction:
                raise RuntimeError("nested write transaction")
            self._refuse_moved()
            with self._noting_damage(), translated():
                self._set_synchronous("FULL" if durable else "NORMAL")
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    self._refuse_upgraded()
                    mark = self._observer.mark(self._writer) if aside else None
                    yield self._writer
                    self._writer.execute("COMMIT")
                except BaseException:
                    _roll_back(self._writer)
                    raise
                if mark is not None:
                    with suppress(apsw.Error):  # it is committed; at worst something is read again for nothing
                        self._observer.pass_over(self._writer, mark)

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Lends a connection with one consistent view of what is committed; it cannot write."""
        with self._noting_damage(), translated():
            reader = self._take_reader()
            try:
                reader.execute("BEGIN")
                yield reader
            finally:
                self._give_back(reader)

    def generation(self) -> int:
        """Gives a number that changes whenever this or another process commits something, not aside; never waits."""
        with self._noting_damage(), translated():
            return self._observer.generation()

    def move_log(self) -> None:
        """Moves the write-ahead log into the file and empties it, as far as nobody reads on from it."""
        with self._write_lock, translated(), suppress(apsw.BusyError):
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def writer_for_migration(self) -> apsw.Connection:
        """Gives the writing connection itself, to `migrations` alone and before anything else uses it."""
        return self._writer

    def close(self, wait_ms: float = 500) -> None:
        """Closes every connection that is not in use; a transaction longer than `wait_ms` is left to the file's log.

        What was committed is in the write-ahead log, so a process may also end without this.
        """
        if not self._write_lock.acquire(timeout=wait_ms / 1000):
            return
        self.behind.close()
        try:
            with self._lock:
                if self._closed:
                    return
                self._closed = True
                self._checkpoints.close()
                self._observer.close()
                for connection in (*self._readers, self._writer):
                    with suppress(apsw.Error):  # the last to close moves the log into the file, if it can
                        connection.close()
        finally:
            self._write_lock.release()

    @contextmanager
    def _noting_damage(self) -> Iterator[None]:
        """Leaves a note beside a file that shows damage in use: the next start checks it wholly."""
        try:
            yield
        except StateDegraded as error:
            if isinstance(error.__cause__, (apsw.CorruptError, apsw.NotADBError)):
                with suppress(OSError):
                    suspect_note(self.path).touch()
            raise

    def _take_reader(self) -> apsw.Connection:
        with self._lock:
            self._refuse_closed()
            if self._readers:
                return self._readers.pop()
        return connect(self.path, query_only=True)

    def _give_back(self, reader: apsw.Connection) -> None:
        sound = _roll_back(reader)
        with self._lock:
            if sound and not self._closed and len(self._readers) < KEPT_READERS:
                self._readers.append(reader)
                return
        reader.close()

    def _set_synchronous(self, level: str) -> None:
        if level != self._writer_synchronous:
            self._writer.execute(f"PRAGMA synchronous = {level}")
            self._writer_synchronous = level

    def _refuse_moved(self) -> None:
        """Acknowledges nothing that would go into a file nobody finds again."""
        if _identity(self.path) != self._identity:
            raise StateDegraded("The state file was moved or deleted while it was in use.", hint="Restart the sidecar.")

    def _refuse_upgraded(self) -> None:
        """Writes nothing in the shape of yesterday into a file that a newer version has changed meanwhile."""
        schema = int(str(self._writer.execute("PRAGMA schema_version").get))
        if self.step is None or schema == self._schema:
            return
        step = current_step(self._writer)
        if step > self.step:
            raise StateDegraded(
                f"The state file was upgraded by a newer sidecar (step {step}; this one knows {self.step}).",
                hint="Restart 1Code; the stored data is safe.",
                data={"step": step, "knownStep": self.step},
            )
        self._schema = schema

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StateDegraded("The state file is closed; the sidecar is ending.")


def _identity(path: Path) -> tuple[int, int] | None:
    """Tells a file from another one under the same name."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def suspect_note(path: Path) -> Path:
    """Names the note that says a state file showed damage while it was in use."""
    return path.with_name(path.name + ".suspect")


def _roll_back(connection: apsw.Connection) -> bool:
    """Ends a transaction that SQLite may have ended already; False when the connection is of no more use."""
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except apsw.Error:
        return False
    return True
