"""The state file: opened, created, migrated or, if it is damaged, recovered; reads, writes and their detection."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from sidecar.core.errors import SidecarError, StateDegraded
from sidecar.storage.migrations import current_step, migrate
from sidecar.storage.recovery import find_damage, integrity_problems, is_recovery_unfinished, recover
from sidecar.storage.repair import (
    FULL_TEXT,
    create_functions,
    damaged_rows,
    is_decoding_error,
    is_full_text_damaged,
    is_full_text_error,
    may_be_full_text_error,
    projects_missing_entries,
    recreate_full_text,
    set_aside,
    tables,
)
from sidecar.storage.sqlite_connection import (
    BUSY_TIMEOUT_MS,
    busy,
    connect,
    create_private_file,
    raise_translated,
    suspect_marker,
    translate_errors,
)

DELAY_SECONDS = 0.25

Write = Callable[[], object]


class WriteBehind:
    """Run each scheduled write once, `delay_s` seconds after the first; thread-safe.

    A killed process loses only what can be rebuilt. A write that fails is logged (`threading.excepthook`) and stops
    no other.
    """

    def __init__(self, delay_s: float = DELAY_SECONDS) -> None:
        self._delay_s = delay_s
        self._changed = threading.Condition()
        self._flushing = threading.RLock()
        self._scheduled: dict[Write, None] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def schedule(self, write: Write) -> None:
        """Schedule a write; the same one twice before it ran counts once. Ignored after `close`."""
        with self._changed:
            if self._closed or write in self._scheduled:
                return
            self._scheduled[write] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="write-behind", daemon=True)
                self._thread.start()
            self._changed.notify()

    def flush(self) -> None:
        """Run the scheduled writes now, in this thread, once those have ended that another thread is running.

        Must not be called inside a transaction: the other thread's writes wait for it.
        """
        with self._flushing:
            self._run_scheduled()

    def _run_scheduled(self) -> None:
        with self._changed:
            scheduled, self._scheduled = self._scheduled, {}
        for write in scheduled:
            try:
                write()
            except Exception:
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def close(self) -> None:
        """Run the scheduled writes, without waiting for those that are running, and accept no more."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._run_scheduled()

    def _run(self) -> None:
        while self._wait_for_writes():
            self.flush()

    def _wait_for_writes(self) -> bool:
        """Wait for a scheduled write, then for the delay; return False once closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._scheduled or self._closed)
            self._changed.wait_for(lambda: self._closed, self._delay_s)
            return not self._closed


class DataVersions(NamedTuple):
    """The file's versions as the detector and the writer see them, inside a write transaction."""

    seen_by_detector: int
    seen_by_writer: int


class ChangeDetector:
    """Detect commits of any process through a separate connection; never waits for a writer. Thread-safe.

    Data read at a generation is valid as long as the generation is unchanged. A commit on which nothing in memory
    depends may leave it unchanged.
    """

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

    def versions(self, writer: apsw.Connection) -> DataVersions:
        """Return the file's versions inside the writer's transaction."""
        self.generation()
        return DataVersions(self._version, _data_version(writer))

    def ignore_commit(self, writer: apsw.Connection, versions: DataVersions) -> None:
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


DUE_PAGES = 1_000
"""Pages in the log (4 KiB each) that trigger a checkpoint."""

OVERDUE_PAGES = 4_000
"""Pages from which the checkpoint waits for readers and writers, so that the log restarts at its beginning."""


class Checkpointer:
    """Count the log's pages at each commit and checkpoint from a thread that starts when first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = threading.Condition()
        self._pages = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    def after_commit(self, _connection: apsw.Connection, _schema: str, pages: int) -> int:
        """WAL hook of the writing connection."""
        if pages >= DUE_PAGES:
            with self._changed:
                self._pages = pages
                if self._thread is None and not self._closed:
                    self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
                    self._thread.start()
                self._changed.notify()
        return apsw.SQLITE_OK

    def close(self) -> None:
        """Make no more checkpoints; wait up to a second for a running one."""
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
                continue  # the log keeps everything; the next commit retries

    def _await_pages(self) -> int | None:
        with self._changed:
            self._changed.wait_for(lambda: self._pages or self._closed)
            pages, self._pages = self._pages, 0
            return None if self._closed else pages


FILE_NAME = "continuity.db"
MAX_IDLE_READERS = 4


class Database:
    """An open state file in WAL mode: one writer per process, concurrent readers. Thread-safe.

    Two processes may share the file: every write is BEGIN IMMEDIATE with a busy timeout (a deferred transaction that
    upgrades fails at once as busy). A write is durable (synchronous FULL) unless it belongs to a cache. A background
    thread moves the write-ahead log into the file, because an automatic checkpoint would delay a request by 8 ms.
    `close` may be called more than once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._write_lock = threading.RLock()
        self._lock = threading.Lock()
        self._writer = connect(path)
        create_functions(self._writer)
        self._file_identity = _file_identity(path)
        self._writer_synchronous = "NORMAL"
        self.step: int | None = None
        """The schema step this process knows; None before the migration."""
        self._schema = -1
        self._readers: list[apsw.Connection] = []
        self._change_detector = ChangeDetector(path)
        self._checkpointer = Checkpointer(path)
        self._writer.set_wal_hook(self._checkpointer.after_commit)
        self._closed = False
        self._repairing_threads: set[int] = set()
        self.write_behind = WriteBehind()
        """For the writes of caches."""

    @contextmanager
    def write(
        self, *, durable: bool = True, keep_generation: bool = False, wait_ms: float = BUSY_TIMEOUT_MS
    ) -> Generator[apsw.Connection]:
        """Open the only write transaction; commit at the end, roll back on any exception.

        `durable=False` is for caches: a power loss may lose the latest ones, a killed process does not.

        `keep_generation` is for data that nobody caches by the generation. `wait_ms` is the maximum wait for other
        threads, and then for other processes.

        Raise Busy while another thread or process locks the file, StateDegraded if it cannot be written, or if a newer
        version has upgraded it meanwhile.
        """
        is_bounded = wait_ms < BUSY_TIMEOUT_MS
        if not self._write_lock.acquire(timeout=wait_ms / 1000 if is_bounded else -1):
            raise busy()
        try:
            self._require_open()
            if self._writer.in_transaction:
                raise RuntimeError("nested write transaction")
            self.require_in_place()
            with self._translated_errors():
                self._set_synchronous("FULL" if durable else "NORMAL")
                if is_bounded:
                    self._writer.set_busy_timeout(int(wait_ms))
                try:
                    self._writer.execute("BEGIN IMMEDIATE")
                finally:
                    if is_bounded:
                        self._writer.set_busy_timeout(BUSY_TIMEOUT_MS)
                try:
                    self._require_known_schema()
                    versions = self._change_detector.versions(self._writer) if keep_generation else None
                    yield self._writer
                    self._writer.execute("COMMIT")
                except BaseException:
                    _roll_back(self._writer)
                    raise
                if versions is not None:
                    with suppress(apsw.Error):  # it is committed; at worst something is read again needlessly
                        self._change_detector.ignore_commit(self._writer, versions)
        finally:
            self._write_lock.release()

    @contextmanager
    def read(self, *, new_connection: bool = False) -> Generator[apsw.Connection]:
        """Lend a read-only connection with one consistent view of the committed data; a new one has nothing cached."""
        with self._translated_errors():
            reader = self._borrow_reader(new_connection=new_connection)
            try:
                reader.execute("BEGIN")
                yield reader
            except (apsw.Error, UnicodeDecodeError):
                reader.close()  # its statement stays active as long as the exception
                raise
            except BaseException:
                self._return_reader(reader)
                raise
            self._return_reader(reader)

    def require_in_place(self) -> None:
        """Raise StateDegraded if the file was moved: writes to it would be lost."""
        if _file_identity(self.path) != self._file_identity:
            raise StateDegraded("The state file was moved or deleted while it was in use.", hint="Restart the sidecar.")

    def generation(self) -> int:
        """Return a number that changes with every commit of any process (see `write`); never waits."""
        with self._translated_errors():
            return self._change_detector.generation()

    def empty_log(self) -> None:
        """Move the write-ahead log into the file and empty it, unless readers still need it."""
        with self._write_lock, translate_errors(), suppress(apsw.BusyError):
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def writer_for_migration(self) -> apsw.Connection:
        """Return the writing connection, for `migrations` only and before any other use."""
        return self._writer

    def close(self, wait_ms: float = 500) -> None:
        """Close all idle connections; a transaction longer than `wait_ms` is left to the file's log.

        Committed data is in the write-ahead log, so a process may also end without this.
        """
        if not self._write_lock.acquire(timeout=wait_ms / 1000):
            return
        try:
            self.write_behind.close()
            with self._lock:
                if self._closed:
                    return
                self._closed = True
                self._checkpointer.close()
                self._change_detector.close()
                for connection in (*self._readers, self._writer):
                    with suppress(apsw.Error):  # the last one to close moves the log into the file if it can
                        connection.close()
        finally:
            self._write_lock.release()

    @contextmanager
    def _translated_errors(self) -> Generator[None]:
        """Translate SQLite's exceptions; a file that shows damage in use gets a marker: the next start checks it."""
        try:
            yield
        except (apsw.Error, UnicodeDecodeError) as error:
            if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
                with suppress(OSError):
                    suspect_marker(self.path).touch()
            if threading.get_ident() not in self._repairing_threads:
                if isinstance(error, UnicodeDecodeError):
                    self.write_behind.schedule(self._set_aside)
                elif may_be_full_text_error(error):
                    self.write_behind.schedule(self.repair_full_text)
            raise_translated(error)

    def repair(self, error: BaseException) -> bool:
        """Set aside the damaged rows, or recreate the full-text index, if an error comes from these.

        Return whether a retry helps. It also does where nothing is damaged any more: another thread or process was
        faster.
        """
        if is_decoding_error(error):
            return self._set_aside() or isinstance(error, (StateDegraded, apsw.SQLError))
        if not may_be_full_text_error(error):
            return False
        return self.repair_full_text(is_certain=is_full_text_error(error)) or FULL_TEXT in str(error)

    def repair_full_text(self, *, is_certain: bool = False) -> bool:
        """Recreate the full-text index if it is damaged; return whether it was, even if another thread was faster.

        `is_certain`: an error has shown damage that no check finds. Others can write until damage is found.
        """
        is_repaired = False
        with self._repairing():
            if is_certain or self._is_full_text_damaged():
                with self.write() as tx:
                    if is_certain or self._is_full_text_damaged():
                        recreate_full_text(tx)
                is_repaired = True
        if is_repaired and suspect_marker(self.path).exists():
            self.write_behind.schedule(self._remove_marker_if_intact)
        return is_repaired

    def _is_full_text_damaged(self) -> bool:
        with self.read(new_connection=True) as reader:
            return is_full_text_damaged(reader) or bool(projects_missing_entries(reader))

    def _remove_marker_if_intact(self) -> None:
        """Remove the marker of damage unless pages are damaged that the repaired index does not use."""
        with self._repairing(), self.read(new_connection=True) as reader:
            if not integrity_problems(reader):
                suspect_marker(self.path).unlink(missing_ok=True)

    def _set_aside(self) -> bool:
        """Set aside the damaged rows of all tables; others can write until damage is found."""
        with self._repairing():
            with self.read() as reader:
                damaged = [table for table in tables(reader) if damaged_rows(reader, table)]
            if damaged:
                with self.write() as tx:
                    for table in damaged:
                        if damaged_rows(tx, table):  # another thread or process may have been faster
                            set_aside(tx, table, self.path)
            return bool(damaged)
        return False

    @contextmanager
    def _repairing(self) -> Generator[None]:
        """Suppress this thread's errors, which trigger no further repair."""
        self._repairing_threads.add(threading.get_ident())
        try:
            with suppress(SidecarError, OSError, apsw.Error):
                yield
        finally:
            self._repairing_threads.discard(threading.get_ident())

    def _borrow_reader(self, *, new_connection: bool) -> apsw.Connection:
        with self._lock:
            self._require_open()
            if self._readers and not new_connection:
                return self._readers.pop()
        return connect(self.path, query_only=True)

    def _return_reader(self, reader: apsw.Connection) -> None:
        is_usable = _roll_back(reader)
        with self._lock:
            if is_usable and not self._closed and len(self._readers) < MAX_IDLE_READERS:
                self._readers.append(reader)
                return
        reader.close()

    def _set_synchronous(self, level: str) -> None:
        if level != self._writer_synchronous:
            self._writer.execute(f"PRAGMA synchronous = {level}")
            self._writer_synchronous = level

    def _require_known_schema(self) -> None:
        """Raise StateDegraded if a newer version has upgraded the schema meanwhile."""
        schema = int(str(self._writer.execute("PRAGMA schema_version").get))
        if self.step is None or schema == self._schema:
            return
        step = current_step(self._writer)
        if step > self.step:
            raise StateDegraded(
                f"The state file was upgraded by a newer sidecar (step {step}; this one knows {self.step}).",
                hint="Restart 1Code, or run `onecode-sidecar hook stop` for terminals; the stored data is safe.",
                data={"step": step, "knownStep": self.step},
            )
        self._schema = schema

    def _require_open(self) -> None:
        if self._closed:
            raise StateDegraded("The state file is closed; the sidecar is ending.")


def _file_identity(path: Path) -> tuple[int, int] | None:
    """Return what distinguishes a file from another of the same name."""
    try:
        file_stat = path.stat()
    except OSError:
        return None
    return file_stat.st_dev, file_stat.st_ino


def _roll_back(connection: apsw.Connection) -> bool:
    """Roll back a transaction that SQLite may have ended already; return False if the connection is unusable."""
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except apsw.Error:
        return False
    return True


class OpenedState(NamedTuple):
    """An open state file, its schema step, and warnings for the user."""

    database: Database
    step: int
    warnings: tuple[str, ...]


def open_state(state_dir: Path, now_ms: int) -> OpenedState:
    """Open `continuity.db` in a folder, creating both if needed.

    Raise StateDegraded if the folder is unusable or the file is of a newer version, Busy while another process locks
    it.
    """
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateDegraded(
            "The state folder cannot be created.", hint="Choose a stateDir this user can write to."
        ) from error
    path = state_dir / FILE_NAME
    try:
        if path.exists() and not is_recovery_unfinished(path) and find_damage(path) is None:
            return _open(path, now_ms)
    except (apsw.CorruptError, apsw.NotADBError):
        pass  # only the migration found the damage
    except OSError as error:
        raise StateDegraded(
            "The state file cannot be read.", hint="Check the folder's permissions and disk."
        ) from error
    with _exclusive_lock(path):
        return _create_or_recover(path, now_ms)


def _create_or_recover(path: Path, now_ms: int) -> OpenedState:
    """Check again: another process may have worked on the file before this one had it exclusively."""
    damage = find_damage(path)
    if damage is None and not is_recovery_unfinished(path):
        try:
            return _open(path, now_ms)
        except (apsw.CorruptError, apsw.NotADBError) as error:
            damage = f"SQLite reports {type(error).__name__.removesuffix('Error')}"
    warning = recover(path, damage or "a recovery was interrupted", now_ms)
    return _open(path, now_ms)._replace(warnings=(warning,))


def _open(path: Path, now_ms: int) -> OpenedState:
    """Open and migrate a file; SQLite's corruption errors pass unchanged, all others are translated."""
    with _translate_except_corruption():
        database = Database(path)
        try:
            step = database.step = migrate(database.writer_for_migration(), now_ms)
        except BaseException:
            database.close()
            raise
    return OpenedState(database, step, ())


@contextmanager
def _translate_except_corruption() -> Generator[None]:
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError):
        raise
    except apsw.Error as error:
        with translate_errors():
            raise error from None
        raise


@contextmanager
def _exclusive_lock(path: Path) -> Generator[None]:
    """Exclude other processes from creating or recovering the file: SQLite's own lock on an empty file beside it."""
    with translate_errors():
        lock_path = path.with_name(path.name + ".lock")
        create_private_file(lock_path)
        lock = apsw.Connection(os.fspath(lock_path))
        try:
            lock.set_busy_timeout(BUSY_TIMEOUT_MS)
            lock.execute("BEGIN EXCLUSIVE")
        except BaseException:
            lock.close()
            raise
    try:
        yield
    finally:
        lock.close()
