"""Writes that may wait a moment: those of caches. Many calls' worth of them is written at once, behind the answers.

A process that is killed meanwhile loses what it could make again.
"""

import threading
from collections.abc import Callable

DELAY_SECONDS = 0.25

Write = Callable[[], object]


class Behind:
    """Runs each write that was announced, once, `delay_s` seconds after the first; thread-safe."""

    def __init__(self, delay_s: float = DELAY_SECONDS) -> None:
        self._delay_s = delay_s
        self._changed = threading.Condition()
        self._announced: dict[Write, None] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def soon(self, write: Write) -> None:
        """Announces a write; the same one again, before it ran, is one. After `close` nothing is written any more."""
        with self._changed:
            if self._closed or write in self._announced:
                return
            self._announced[write] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="write-behind", daemon=True)
                self._thread.start()
            self._changed.notify()

    def flush(self) -> None:
        """Runs what is announced now, in this thread."""
        with self._changed:
            announced, self._announced = self._announced, {}
        for write in announced:
            write()

    def close(self) -> None:
        """Runs what is announced, and takes nothing more."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self.flush()

    def _run(self) -> None:
        while self._await_announced():
            self.flush()

    def _await_announced(self) -> bool:
        """Waits for an announcement, then the delay; False once it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._announced or self._closed)
            self._changed.wait_for(lambda: self._closed, self._delay_s)
            return not self._closed
