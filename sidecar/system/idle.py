"""Work that nobody waits for: one thread at low priority, there while there are jobs."""

import contextlib
import heapq
import itertools
import os
import sys
import threading
from collections.abc import Callable

from sidecar.core.clock import Clock

NICE = 10

LINGER_SECONDS = 30.0
"""Without jobs the thread ends after this long."""

Job = Callable[[], object]


class Idle:
    """Runs jobs one after another, each when it is due."""

    def __init__(self, clock: Clock, ending: threading.Event, on_error: Callable[[BaseException], object]) -> None:
        self._clock = clock
        self._ending = ending
        self._on_error = on_error
        self._condition = threading.Condition()
        self._jobs: list[tuple[float, int, Job]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def submit(self, job: Job, delay_ms: float = 0.0) -> None:
        """Runs a job once, after the delay and those that were due before it; drops it while the process ends."""
        with self._condition:
            heapq.heappush(self._jobs, (self._clock.monotonic_ms() + delay_ms, next(self._numbers), job))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="idle", daemon=True)
                self._thread.start()
            self._condition.notify()

    def _run(self) -> None:
        _lower_priority()
        while (job := self._next()) is not None:
            try:
                job()
            except BaseException as error:
                self._on_error(error)
            del job  # while waiting, nothing is held that others have let go

    def _next(self) -> Job | None:
        with self._condition:
            while not self._ending.is_set():
                if not self._jobs:
                    if not self._condition.wait(LINGER_SECONDS) and not self._jobs:
                        break
                    continue
                left_ms = self._jobs[0][0] - self._clock.monotonic_ms()
                if left_ms <= 0:
                    return heapq.heappop(self._jobs)[2]
                self._condition.wait(left_ms / 1000)
            self._thread = None
        return None


def _lower_priority() -> None:
    """Linux has priorities per thread, and children inherit them; elsewhere the work is merely rare."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
