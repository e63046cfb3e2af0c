"""The log: one JSON object a line, to stderr and to a rotating file. It never holds prompts, contents or secrets.

Only names, ids, counts, durations and error kinds are logged; callers pass fields, never messages from elsewhere.
Until `attach` (called in the warm-up, because the standard library's logging costs start-up time) records wait.
"""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from sidecar.core.clock import Clock, rfc3339

if TYPE_CHECKING:
    import logging

FILE_BYTES = 4 * 2**20
KEPT_FILES_PER_PROCESS = 2
KEPT_PROCESSES = 8
_WAITING_RECORDS = 500


class Log:
    """Takes records from any thread; a log that cannot be written never disturbs the work."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: list[bytes] = []
        self._sink: logging.Logger | None = None

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
        import logging.handlers

        sink = logging.Logger("sidecar", logging.INFO)  # noqa: LOG001  (outside the tree that libraries log into)
        logging.raiseExceptions = False
        sink.addHandler(logging.StreamHandler())
        if log_dir is not None:
            try:
                log_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
                _prune(log_dir)
                sink.addHandler(
                    logging.handlers.RotatingFileHandler(
                        log_dir / f"sidecar-{pid}.log",
                        maxBytes=FILE_BYTES,
                        backupCount=KEPT_FILES_PER_PROCESS - 1,
                        encoding="utf-8",
                        delay=True,
                    )
                )
            except OSError as error:
                self.warning("log.file.unavailable", error=type(error).__name__)
        with self._lock:
            waiting, self._waiting = self._waiting, []
            self._sink = sink
            for line in waiting:
                sink.info(line.decode())

    def flush_to(self, write: "WriteBytes") -> None:
        """Writes what still waits, for a process that ends before its log was attached."""
        with self._lock:
            for line in self._waiting:
                write(line + b"\n")
            self._waiting = []

    def _put(self, level: str, event: str, fields: dict[str, object]) -> None:
        record = {"at": rfc3339(self._clock.now_ms()), "level": level, "event": event, **fields}
        line = orjson.dumps(record, default=str, option=orjson.OPT_NON_STR_KEYS)
        with self._lock:
            if self._sink is not None:
                self._sink.info(line.decode())
            elif len(self._waiting) < _WAITING_RECORDS:
                self._waiting.append(line)


if TYPE_CHECKING:
    from collections.abc import Callable

    WriteBytes = Callable[[bytes], object]


def _prune(log_dir: Path) -> None:
    """Keeps the log files of the last processes only."""
    logs = sorted(log_dir.glob("sidecar-*.log*"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for old in logs[KEPT_PROCESSES * KEPT_FILES_PER_PROCESS :]:
        old.unlink(missing_ok=True)
