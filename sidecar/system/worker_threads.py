"""Thread pool with a count of unfinished work, and a low-priority thread for background jobs."""

import contextlib
import heapq
import itertools
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, ParamSpec, TypeVar

from sidecar.core.clock import Clock

NICE = 10

EXIT_AFTER_IDLE_SECONDS = 30.0
"""The thread ends after this long without jobs."""

Job = Callable[[], object]


class IdleQueue:
    """Run background jobs one after another, each when it is due, on one low-priority thread."""

    def __init__(self, clock: Clock, ending: threading.Event, on_error: Callable[[BaseException], object]) -> None:
        self._clock = clock
        self._ending = ending
        self._on_error = on_error
        self._condition = threading.Condition()
        self._jobs: list[tuple[float, int, Job]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def submit(self, job: Job, delay_ms: float = 0.0) -> None:
        """Run a job once, after its delay and the jobs due before it; drop it if the process is ending."""
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
            del job  # while waiting, hold no reference to what others have released

    def _next(self) -> Job | None:
        with self._condition:
            while not self._ending.is_set():
                if not self._jobs:
                    if not self._condition.wait(EXIT_AFTER_IDLE_SECONDS) and not self._jobs:
                        break
                    continue
                remaining_ms = self._jobs[0][0] - self._clock.monotonic_ms()
                if remaining_ms <= 0:
                    return heapq.heappop(self._jobs)[2]
                self._condition.wait(remaining_ms / 1000)
            self._thread = None
        return None


def _lower_priority() -> None:
    """Lower the thread's priority on Linux, where children inherit it; elsewhere background work is merely rare."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def await_future(future: "Future[Any]", wait_ms: float) -> bool:
    """Wait at most `wait_ms` until a future is done; return whether it is."""
    return bool(wait((future,), timeout=wait_ms / 1000).done)


class ThreadPool(ThreadPoolExecutor):
    """Thread pool that can wait until no work is left."""

    def __init__(
        self, max_workers: int, thread_name_prefix: str, on_error: Callable[[str, BaseException], object]
    ) -> None:
        """`on_error` is called with the name of a started function and the error that ended it."""
        super().__init__(max_workers=max_workers, thread_name_prefix=thread_name_prefix)
        self._on_error = on_error
        self.submitted = 0
        self._unfinished = 0
        self._changed = threading.Condition()

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> "Future[Result]":
        """Queue a call; it counts as work until it has run or was cancelled."""
        done = self.reserve()
        try:
            future = super().submit(fn, *args, **kwargs)
        except BaseException:
            done()
            raise
        future.add_done_callback(lambda _future: done())
        return future

    def start(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> "Future[Result]":
        """Queue a call whose result need not be read: an error is reported."""
        future = self.submit(fn, *args, **kwargs)
        future.add_done_callback(partial(self._report, getattr(fn, "__name__", "")))
        return future

    def _report(self, name: str, future: "Future[Result]") -> None:
        error = None if future.cancelled() else future.exception()
        if error is not None:
            self._on_error(name, error)

    def reserve(self) -> Callable[[], None]:
        """Count work that will be submitted later; return a callback for when it is done or dropped."""
        with self._changed:
            self.submitted += 1
            self._unfinished += 1
        return self._done

    def wait_until_done(self, seconds: float) -> bool:
        """Wait up to `seconds` until nothing is queued or running; return False on timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._unfinished, seconds)

    def _done(self) -> None:
        with self._changed:
            self._unfinished -= 1
            if not self._unfinished:
                self._changed.notify_all()
