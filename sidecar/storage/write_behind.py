"""Deferred writes of caches: many calls' writes are made at once, after their answers.

A killed process loses only what can be rebuilt.
"""

import threading
from collections.abc import Callable

DELAY_SECONDS = 0.25

Write = Callable[[], object]


class WriteBehind:
    """Run each scheduled write once, `delay_s` seconds after the first; thread-safe."""

    def __init__(self, delay_s: float = DELAY_SECONDS) -> None:
        self._delay_s = delay_s
        self._changed = threading.Condition()
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
        """Run the scheduled writes now, in this thread."""
        with self._changed:
            scheduled, self._scheduled = self._scheduled, {}
        for write in scheduled:
            write()

    def close(self) -> None:
        """Run the scheduled writes and accept no more."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self.flush()

    def _run(self) -> None:
        while self._wait_for_writes():
            self.flush()

    def _wait_for_writes(self) -> bool:
        """Wait for a scheduled write, then for the delay; return False once closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._scheduled or self._closed)
            self._changed.wait_for(lambda: self._closed, self._delay_s)
            return not self._closed
