"""The log: one JSON object per line, to stderr and to a rotating file. It never contains prompts, contents or secrets.

Only names, ids, counts, durations and error kinds are logged; callers pass fields, never foreign messages. Records wait
until `attach`, which runs in the warm-up because the standard library's logging costs start-up time. After that each
target has its own thread, so that a host that does not read our stderr blocks nothing else.
"""

import contextlib
import os
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.core import json_text
from sidecar.core.clock import Clock, rfc3339
from sidecar.system.safe_open import make_private_folder

if TYPE_CHECKING:
    import io
    import logging
    from collections.abc import Callable

    WriteBytes = Callable[[bytes], object]

FILE_BYTES = 4 * 2**20
MAX_FILES_PER_PROCESS = 2
MAX_PROCESSES = 8
MAX_PENDING_RECORDS = 2_000


class Log:
    """Accept records from any thread. A log that cannot be written never disturbs other work."""

    def __init__(self, clock: Clock, *, to_stderr: bool = True) -> None:
        """Without `to_stderr`, write the file only: on a command line stderr belongs to the user."""
        self._clock = clock
        self._to_stderr = to_stderr
        self._lock = threading.Lock()
        self._pending: deque[bytes] = deque(maxlen=MAX_PENDING_RECORDS)
        self._targets: list[_Target] = []

    def info(self, event: str, **fields: object) -> None:
        """Record an event."""
        self._put("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Record something the user may have to check."""
        self._put("warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Record a failure."""
        self._put("error", event, fields)

    def attach(self, log_dir: Path | None, pid: int) -> None:
        """Start writing: to stderr, and with a folder also to `sidecar-<pid>.log` there, rotated by size."""
        import logging

        logging.raiseExceptions = False
        handlers: list[logging.Handler] = [logging.StreamHandler()] if self._to_stderr else []
        if log_dir is not None:
            try:
                handlers.append(_file_handler(log_dir, pid))
            except OSError as error:
                self.warning("log.file.unavailable", error=type(error).__name__)
        with self._lock:
            self._targets = [_Target(handler) for handler in handlers]
            for target in self._targets:
                target.put(self._pending)
            self._pending.clear()

    def flush(self, wait_seconds: float, write: "WriteBytes") -> None:
        """Wait up to `wait_seconds` until everything is written; before `attach`, write with `write`."""
        with self._lock:
            targets, pending = self._targets, list(self._pending)
            self._pending.clear()
        for line in pending:
            write(line + b"\n")
        for target in targets:
            target.drain(wait_seconds)

    def close(self, wait_seconds: float = 1.0) -> None:
        """Write pending records and close the targets; later records stay in memory."""
        with self._lock:
            targets, self._targets = self._targets, []
        for target in targets:
            target.close(wait_seconds)

    def _put(self, level: str, event: str, fields: dict[str, object]) -> None:
        record = {"at": rfc3339(self._clock.now_ms()), "level": level, "event": event, **fields}
        try:
            line = json_text.dumps(record, default=str)
        except TypeError:  # for example a path that is not UTF-8
            line = json_text.dumps({"at": record["at"], "level": level, "event": event, "fields": "unwritable"})
        with self._lock:
            if not self._targets:
                self._pending.append(line)
            for target in self._targets:
                target.put((line,))


class _Target:
    """One log target with its own thread; when it falls behind, the oldest records are dropped."""

    def __init__(self, handler: "logging.Handler") -> None:
        self._handler = handler
        self._lines: deque[bytes] = deque(maxlen=MAX_PENDING_RECORDS)
        self._changed = threading.Condition()
        self._writing = False
        self._closed = False
        self._thread = threading.Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def put(self, lines: "tuple[bytes, ...] | deque[bytes]") -> None:
        """Queue lines; never block."""
        with self._changed:
            self._lines.extend(lines)
            self._changed.notify_all()

    def drain(self, wait_seconds: float) -> None:
        """Wait at most `wait_seconds` until every line is written."""
        with self._changed:
            self._changed.wait_for(lambda: not self._lines and not self._writing, wait_seconds)

    def close(self, wait_seconds: float) -> None:
        """Write pending lines and close the handler, unless it is stuck."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(wait_seconds)
        if not self._thread.is_alive():
            self._handler.close()

    def _write(self) -> None:
        while (lines := self._next_batch()) is not None:
            for line in lines:
                self._emit(line)

    def _next_batch(self) -> list[bytes] | None:
        with self._changed:
            self._writing = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._lines or self._closed)
            if not self._lines:
                return None
            self._writing = True
            lines = list(self._lines)
            self._lines.clear()
            return lines

    def _emit(self, line: bytes) -> None:
        import logging

        record = logging.LogRecord("sidecar", logging.INFO, "", 0, line.decode(), None, None)
        with contextlib.suppress(Exception):
            self._handler.handle(record)


def _file_handler(log_dir: Path, pid: int) -> "logging.Handler":
    import logging.handlers

    make_private_folder(str(log_dir))
    _prune(log_dir)
    path = log_dir / f"sidecar-{pid}.log"
    os.close(_open_privately(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND))  # fails now if the folder is not writable

    class PrivateFileHandler(logging.handlers.RotatingFileHandler):
        """Creates each of its files for this user alone, whatever the umask."""

        def _open(self) -> "io.TextIOWrapper":
            return open(self.baseFilename, "a", encoding="utf-8", opener=_open_privately)

    return PrivateFileHandler(path, maxBytes=FILE_BYTES, backupCount=MAX_FILES_PER_PROCESS - 1, delay=True)


def _open_privately(path: "str | Path", flags: int) -> int:
    return os.open(path, flags, 0o600)


def _prune(log_dir: Path) -> None:
    """Delete all but the log files of the latest processes; another process may be doing the same."""
    written_at: dict[Path, int] = {}
    for path in log_dir.glob("sidecar-*.log*"):
        with contextlib.suppress(OSError):
            written_at[path] = path.stat().st_mtime_ns
    newest_first = sorted(written_at, key=lambda path: written_at[path], reverse=True)
    for surplus in newest_first[MAX_PROCESSES * MAX_FILES_PER_PROCESS :]:
        with contextlib.suppress(OSError):
            surplus.unlink()
