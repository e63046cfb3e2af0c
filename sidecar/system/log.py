"""The log: one JSON object a line, to stderr and to a rotating file. It never holds prompts, contents or secrets.

Only names, ids, counts, durations and error kinds are logged; callers pass fields, never messages from elsewhere.
Until `attach` (called in the warm-up, because the standard library's logging costs start-up time) records wait.
Afterwards each target has a thread of its own: a host that does not read our stderr holds up nothing else.
"""

import contextlib
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.core import json_text
from sidecar.core.clock import Clock, rfc3339

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable

    WriteBytes = Callable[[bytes], object]

FILE_BYTES = 4 * 2**20
KEPT_FILES_PER_PROCESS = 2
KEPT_PROCESSES = 8
WAITING_RECORDS = 2_000


class Log:
    """Takes records from any thread; a log that cannot be written never disturbs the work."""

    def __init__(self, clock: Clock, *, to_stderr: bool = True) -> None:
        """Without `to_stderr` there is the file only: on a command line stderr is for people."""
        self._clock = clock
        self._to_stderr = to_stderr
        self._lock = threading.Lock()
        self._waiting: deque[bytes] = deque(maxlen=WAITING_RECORDS)
        self._targets: list[_Target] = []

    def info(self, event: str, **fields: object) -> None:
        """Records that something happened."""
        self._put("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Records something the user may have to look at."""
        self._put("warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Records a failure."""
        self._put("error", event, fields)

    def attach(self, log_dir: Path | None, pid: int) -> None:
        """Begins to write: to stderr, and with a folder to `sidecar-<pid>.log` there, rotated by size."""
        import logging

        logging.raiseExceptions = False
        handlers: list[logging.Handler] = [logging.StreamHandler()] if self._to_stderr else []
        if log_dir is not None:
            try:
                handlers.append(_file_in(log_dir, pid))
            except OSError as error:
                self.warning("log.file.unavailable", error=type(error).__name__)
        with self._lock:
            self._targets = [_Target(handler) for handler in handlers]
            for target in self._targets:
                target.put(self._waiting)
            self._waiting.clear()

    def flush(self, wait_seconds: float, write: "WriteBytes") -> None:
        """Waits until everything is written, not longer than said; before `attach`, writes with `write`."""
        with self._lock:
            targets, waiting = self._targets, list(self._waiting)
            self._waiting.clear()
        for line in waiting:
            write(line + b"\n")
        for target in targets:
            target.drain(wait_seconds)

    def close(self, wait_seconds: float = 1.0) -> None:
        """Writes what waits and closes the targets; records after it wait in memory."""
        with self._lock:
            targets, self._targets = self._targets, []
        for target in targets:
            target.close(wait_seconds)

    def _put(self, level: str, event: str, fields: dict[str, object]) -> None:
        record = {"at": rfc3339(self._clock.now_ms()), "level": level, "event": event, **fields}
        try:
            line = json_text.dumps(record, default=str)
        except TypeError:  # a path that is not UTF-8, for example
            line = json_text.dumps({"at": record["at"], "level": level, "event": event, "fields": "unwritable"})
        with self._lock:
            if not self._targets:
                self._waiting.append(line)
            for target in self._targets:
                target.put((line,))


class _Target:
    """One place the log goes to, written by a thread of its own; when it falls behind, the oldest records go."""

    def __init__(self, handler: "logging.Handler") -> None:
        self._handler = handler
        self._lines: deque[bytes] = deque(maxlen=WAITING_RECORDS)
        self._changed = threading.Condition()
        self._writing = False
        self._closed = False
        self._thread = threading.Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def put(self, lines: "tuple[bytes, ...] | deque[bytes]") -> None:
        """Queues lines; never waits."""
        with self._changed:
            self._lines.extend(lines)
            self._changed.notify_all()

    def drain(self, wait_seconds: float) -> None:
        """Waits until every line is written."""
        with self._changed:
            self._changed.wait_for(lambda: not self._lines and not self._writing, wait_seconds)

    def close(self, wait_seconds: float) -> None:
        """Writes what waits and closes the handler, unless it is stuck."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(wait_seconds)
        if not self._thread.is_alive():
            self._handler.close()

    def _write(self) -> None:
        while (lines := self._take()) is not None:
            for line in lines:
                self._emit(line)

    def _take(self) -> list[bytes] | None:
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


def _file_in(log_dir: Path, pid: int) -> "logging.Handler":
    import logging.handlers

    log_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    _prune(log_dir)
    path = log_dir / f"sidecar-{pid}.log"
    path.touch()  # tells now whether the folder may be written to
    return logging.handlers.RotatingFileHandler(
        path, maxBytes=FILE_BYTES, backupCount=KEPT_FILES_PER_PROCESS - 1, encoding="utf-8", delay=True
    )


def _prune(log_dir: Path) -> None:
    """Keeps the log files of the last processes only; another process may be doing the same."""
    written_at: dict[Path, int] = {}
    for path in log_dir.glob("sidecar-*.log*"):
        with contextlib.suppress(OSError):
            written_at[path] = path.stat().st_mtime_ns
    newest_first = sorted(written_at, key=lambda path: written_at[path], reverse=True)
    for old in newest_first[KEPT_PROCESSES * KEPT_FILES_PER_PROCESS :]:
        with contextlib.suppress(OSError):
            old.unlink()
