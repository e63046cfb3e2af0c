"""Connections to the state file, and the translation of SQLite's exceptions."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import apsw

from sidecar.core.clock import SystemClock
from sidecar.core.errors import Busy, SidecarError, StateDegraded, out_of_memory

BUSY_TIMEOUT_MS = 5_000
OPEN_TIMEOUT_MS, RETRY_SECONDS = 10_000.0, 0.05
"""While other processes create the file or leave it, SQLite reports it as locked without waiting: we retry."""

_PRAGMAS = (
    "secure_delete = FAST",  # removed text does not remain in pages that are written anyway
    "synchronous = NORMAL",
    "fullfsync = ON",  # macOS: a sync reaches the disk, not only the disk's own cache; elsewhere each does
    "foreign_keys = ON",
    "wal_autocheckpoint = 0",
    "temp_store = MEMORY",
    "cache_size = -4096",
)

_READER_PRAGMAS = (
    "query_only = ON",
    "cache_size = -512",  # KiB; every commit empties a reader's cache
)

_PROGRAMMING_ERRORS = (
    apsw.SQLError,
    apsw.ConstraintError,
    apsw.MismatchError,
    apsw.MisuseError,
    apsw.RangeError,
    apsw.BindingsError,
    apsw.IncompleteExecutionError,
    apsw.ThreadingViolationError,
)
"""Never caused by the state of file or disk: they pass unchanged and end in the log as incidents."""


SIDE_FILES = ("-wal", "-shm")
"""Endings of the files that SQLite creates beside the state file."""


def wal_path(path: Path) -> Path:
    """Return the write-ahead log of a file."""
    return path.with_name(path.name + SIDE_FILES[0])


def check_side_files(path: Path) -> None:
    """Raise StateDegraded if a pipe, a device or a folder is in the place of a side file: reading it may never end."""
    for suffix in SIDE_FILES:
        side = path.with_name(path.name + suffix)
        if side.exists() and not side.is_file():
            raise StateDegraded(
                f"{side.name} in the state folder is not a regular file.", hint="Remove it, and start again."
            )


def connect(path: Path, *, query_only: bool = False) -> apsw.Connection:
    """Open the file in WAL mode, creating it if needed; raise apsw's exceptions."""
    create_private_file(path)
    clock = SystemClock()
    deadline_ms = clock.monotonic_ms() + OPEN_TIMEOUT_MS
    while True:
        connection = apsw.Connection(os.fspath(path))
        try:
            _prepare(connection, query_only=query_only)
        except BaseException as error:
            connection.close()
            if not isinstance(error, apsw.BusyError) or clock.monotonic_ms() >= deadline_ms:
                raise
            threading.Event().wait(RETRY_SECONDS)
        else:
            return connection


def _prepare(connection: apsw.Connection, *, query_only: bool) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    # One by one: execute("pragma a; pragma b") stops at the first row.
    for pragma in (*_lasting_pragmas(connection), *_PRAGMAS, *(_READER_PRAGMAS if query_only else ())):
        list(connection.execute(f"PRAGMA {pragma}"))


def create_private_file(path: Path) -> None:
    """Create an empty file, unless there is one: SQLite would make it readable by everybody."""
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _lasting_pragmas(connection: apsw.Connection) -> tuple[str, ...]:
    """Return the pragmas that last: on a file in use, `auto_vacuum` would write and so wait for every writer."""
    if connection.execute("PRAGMA page_count").get == 0:
        return ("auto_vacuum = INCREMENTAL", "journal_mode = WAL")
    return () if connection.execute("PRAGMA journal_mode").get == "wal" else ("journal_mode = WAL",)


def suspect_marker(path: Path) -> Path:
    """Return the path of the marker for a state file that showed damage in use."""
    return path.with_name(path.name + ".suspect")


@contextmanager
def translate_errors() -> Generator[None]:
    """Translate SQLite's exceptions to ours."""
    try:
        yield
    except (apsw.Error, UnicodeDecodeError) as error:
        raise_translated(error)


def busy() -> Busy:
    """Return the error for a state file that somebody else is writing."""
    message = "Another process is writing the state file."
    return Busy(message, hint="Try again shortly.", data={"retryAfterMs": 200})


def is_disk_full(error: SidecarError) -> bool:
    """Whether an error is our counterpart of SQLite's for a full disk."""
    return isinstance(error.__cause__, apsw.FullError)


def raise_translated(error: apsw.Error | UnicodeDecodeError) -> NoReturn:
    """Raise our counterpart of an exception of SQLite."""
    match error:
        case _ if isinstance(error, _PROGRAMMING_ERRORS):
            raise error
        case apsw.BusyError() | apsw.LockedError():
            raise busy() from error
        case apsw.NoMemError():
            raise out_of_memory() from error
        case apsw.FullError():
            problem = StateDegraded("The disk with the state file is full.", hint="Free some disk space.")
        case apsw.CorruptError() | apsw.NotADBError():
            problem = StateDegraded("The state file is damaged.", hint="Restart the sidecar; it recovers the file.")
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.IOError() | apsw.PermissionsError():
            problem = StateDegraded(
                "The state file cannot be written.", hint="Check the folder's permissions and disk."
            )
        case UnicodeDecodeError():
            problem = StateDegraded(
                "A row of the state file cannot be decoded.",
                hint="Run `onecode-sidecar doctor --fix`; it sets the row aside.",
            )
        case _:
            problem = StateDegraded(f"The state file failed: {type(error).__name__}.")
    raise problem from error
