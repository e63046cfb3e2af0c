"""A pool of threads that knows when all its work is done."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Pool(ThreadPoolExecutor):
    """Runs what it is given as its base does, and lets others wait until nothing is left."""

    def __init__(self, max_workers: int, thread_name_prefix: str) -> None:
        super().__init__(max_workers=max_workers, thread_name_prefix=thread_name_prefix)
        self.expected = 0
        self._left = 0
        self._changed = threading.Condition()

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> "Future[Result]":
        """Queues a call; it counts as work until it has run or was cancelled."""
        done = self.expect()
        try:
            future = super().submit(fn, *args, **kwargs)
        except BaseException:
            done()
            raise
        future.add_done_callback(lambda _future: done())
        return future

    def expect(self) -> Callable[[], None]:
        """Counts work that is to be submitted later; gives what is called, once, when it was or will not be."""
        with self._changed:
            self.expected += 1
            self._left += 1
        return self._done

    def wait_until_done(self, seconds: float) -> bool:
        """Waits at most so long until nothing is queued and nothing runs; False when time is up before."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._left, seconds)

    def _done(self) -> None:
        with self._changed:
            self._left -= 1
            if not self._left:
                self._changed.notify_all()
