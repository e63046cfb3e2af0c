"""Requests between arrival and response, the sharing of identical ones, and the pool that runs them.

The pool is bounded and runs one task per key at a time; jobs have a few threads of their own.
"""

import sys
import threading
from collections import Counter, deque
from collections.abc import Callable
from typing import NamedTuple

from sidecar.core.clock import Clock
from sidecar.core.errors import Busy, Cancellation
from sidecar.rpc.envelope import BatchResponse, Notice, Request, RequestId


class QueueLimits(NamedTuple):
    """Maximum numbers of running and waiting requests; more are refused, so that memory stays bounded."""

    workers: int = 6
    jobs: int = 4
    """Maximum for one method, so that its jobs do not starve those of another."""
    loops: int = 64
    """Maximum for one method whose jobs mostly wait for another process."""
    queued: int = 128
    queued_per_key: int = 32
    queued_bytes: int = 64 * 1024 * 1024


class QueuedTask:
    """One piece of work; two tasks with the same `key`, a workspace, never run at the same time."""

    __slots__ = ("cost_bytes", "key", "run")

    def __init__(self, run: Callable[[], None], key: str | None, cost_bytes: int) -> None:
        self.run = run
        self.key = key
        self.cost_bytes = cost_bytes


class PendingRequest:
    """One request or notification."""

    __slots__ = (
        "batch",
        "cancellation",
        "expects_response",
        "followers",
        "id",
        "is_answered",
        "is_counted",
        "is_notification",
        "leader",
        "method",
        "params",
        "received_ms",
        "share_key",
        "size",
        "task",
    )

    def __init__(
        self,
        envelope: Request | Notice,
        received_ms: float,
        size: int,
        *,
        batch: BatchResponse | None = None,
        is_internal: bool = False,
    ) -> None:
        """`batch` collects the response if the request came in one. No client waits for an internal request."""
        self.is_notification = isinstance(envelope, Notice)
        self.expects_response = not (self.is_notification or is_internal)
        self.id: RequestId = envelope.id if isinstance(envelope, Request) else None
        self.method = envelope.method
        self.params = envelope.params
        self.received_ms = received_ms
        self.size = size
        self.batch = batch
        self.is_answered = False
        self.is_counted = False
        self.cancellation = Cancellation()
        self.task: QueuedTask | None = None
        self.share_key: str | None = None
        self.leader: PendingRequest | None = None
        self.followers: list[PendingRequest] = []


class Coalescer:
    """Coalesces identical in-flight requests: the first one, the leader, computes for all.

    The leader's params and cancellation are those of the computation. `lock` also guards `is_answered`.
    """

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock
        self._leaders: dict[str, PendingRequest] = {}

    def join(self, request: PendingRequest) -> bool:
        """Join an identical request's computation; False if there is none, so that the request has to compute."""
        import orjson

        from sidecar.core.digests import digest_bytes

        key = digest_bytes(orjson.dumps([request.method, request.params], option=orjson.OPT_SORT_KEYS))
        with self._lock:
            leader = self._leaders.get(key)
            if leader is None:
                request.share_key = key
                self._leaders[key] = request
                return False
            request.params = None  # the leader's are used; many followers cost no memory
            request.leader = leader
            leader.followers.append(request)
            return True

    def finish(self, request: PendingRequest) -> list[PendingRequest]:
        """Close a computation to further requests; return those that wait for it."""
        if request.share_key is None:
            return [request]
        with self._lock:
            self._forget(request)
            return [request, *request.followers]

    def leave(self, request: PendingRequest) -> PendingRequest | None:
        """Return the request whose work is no longer needed after a cancellation; the caller holds the lock."""
        leader = request.leader or request
        if any(not (member is request or member.is_answered) for member in (leader, *leader.followers)):
            if request is not leader:
                leader.followers.remove(request)
            return None
        self._forget(leader)
        return leader

    def _forget(self, leader: PendingRequest) -> None:
        if leader.share_key is not None and self._leaders.get(leader.share_key) is leader:
            del self._leaders[leader.share_key]


class Scheduler:
    """A worker pool. Threads start when first needed and are daemons: the process's exit never waits for them."""

    def __init__(self, clock: Clock, limits: QueueLimits = QueueLimits()) -> None:  # noqa: B008  (a frozen tuple)
        self._clock = clock
        self._limits = limits
        self._changed = threading.Condition()
        self._ready: deque[QueuedTask] = deque()
        self._waiting: dict[str, deque[QueuedTask]] = {}
        self._queued = 0
        self._queued_bytes = 0
        self._running = 0
        self._idle = 0
        self._workers = 0
        self._jobs: Counter[str] = Counter()
        """Occupied places by method; a thread may outlive its place for as long as it sends the answer."""
        self._job_threads = 0
        self._average_ms = 20.0
        self._closed = False

    def submit(self, task: QueuedTask) -> None:
        """Queue a task for the pool. Raise Busy when the queue, or that of its key, is full."""
        with self._changed:
            waiting = self._waiting.get(task.key) if task.key is not None else None
            if (
                self._closed
                or self._queued >= self._limits.queued
                or self._queued_bytes + task.cost_bytes > self._limits.queued_bytes
                or (waiting is not None and len(waiting) >= self._limits.queued_per_key)
            ):
                raise self._busy(f"{self._queued} requests are waiting already")
            self._queued += 1
            self._queued_bytes += task.cost_bytes
            if waiting is not None:
                waiting.append(task)
                return
            if task.key is not None:
                self._waiting[task.key] = deque()
            self._ready.append(task)
            self._changed.notify()
            # An idle worker counts as idle until it has woken up: compare, or a second task waits for the first.
            if len(self._ready) > self._idle and self._workers < self._limits.workers:
                self._start_worker()

    def start_job(self, run: Callable[[Callable[[], None]], None], method: str, *, is_loop: bool = False) -> None:
        """Run a job on its own thread. Raise Busy when the maximum number of the method's jobs is running.

        `run` receives what frees the job's place, to be called before the answer: who has an answer may send the next.
        """
        with self._changed:
            running = self._jobs[method]
            if self._closed or running >= (self._limits.loops if is_loop else self._limits.jobs):
                raise self._busy(f"{running} jobs of {method} are running already")
            threading.Thread(target=self._run_job, args=(run, method), name="job", daemon=True).start()
            self._jobs[method] += 1
            self._job_threads += 1

    def discard(self, task: QueuedTask) -> bool:
        """Remove a task that has not started from its queue; return False if it has."""
        with self._changed:
            for queue in (self._waiting.get(task.key or ""), self._ready):
                if queue is not None and task in queue:
                    queue.remove(task)
                    self._queued -= 1
                    self._queued_bytes -= task.cost_bytes
                    if queue is self._ready and task.key is not None:
                        self._release(task.key)
                    return True
        return False

    def drain(self, wait_ms: float) -> bool:
        """Wait at most `wait_ms` until nothing is queued or running; return whether that is so."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not (self._queued or self._running or self._job_threads), wait_ms / 1000
            )

    def close(self, grace_ms: float) -> bool:
        """Drop what is queued and wait at most `grace_ms` for what runs; return whether nothing runs any more."""
        with self._changed:
            self._closed = True
            self._ready.clear()
            self._waiting.clear()
            self._changed.notify_all()
            return self._changed.wait_for(self._is_idle, grace_ms / 1000)

    def _is_idle(self) -> bool:
        return not (self._running or self._job_threads)

    def _start_worker(self) -> None:
        worker = threading.Thread(target=self._work, name=f"worker-{self._workers + 1}", daemon=True)
        try:
            worker.start()
        except RuntimeError:  # the system has no more threads: the present ones must do
            if self._workers:
                return
            raise
        self._workers += 1

    def _busy(self, reason: str) -> Busy:
        wait_ms = self._average_ms * (self._queued + 1) / self._limits.workers
        retry_after_ms = int(min(5_000, max(50, wait_ms)))
        return Busy(
            f"The sidecar is busy: {reason}.",
            hint=f"Try again in {retry_after_ms} ms.",
            data={"retryAfterMs": retry_after_ms},
        )

    def _work(self) -> None:
        while (task := self._take()) is not None:
            started_ms = self._clock.monotonic_ms()
            try:
                task.run()
            except BaseException:  # a worker survives whatever its task raises
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
            finally:
                self._finish(task, self._clock.monotonic_ms() - started_ms)

    def _take(self) -> QueuedTask | None:
        with self._changed:
            while not self._ready:
                if self._closed:
                    self._workers -= 1
                    return None
                self._idle += 1
                self._changed.wait()
                self._idle -= 1
            task = self._ready.popleft()
            self._queued -= 1
            self._queued_bytes -= task.cost_bytes
            self._running += 1
            return task

    def _finish(self, task: QueuedTask, elapsed_ms: float) -> None:
        with self._changed:
            self._running -= 1
            self._average_ms += (elapsed_ms - self._average_ms) / 8
            if task.key is not None:
                self._release(task.key)
            if not self._running:
                self._changed.notify_all()

    def _release(self, key: str) -> None:
        """Make the next task of a key ready, or free the key."""
        waiting = self._waiting.get(key)
        if waiting:
            self._ready.append(waiting.popleft())
            self._changed.notify()
        elif waiting is not None:
            del self._waiting[key]

    def _run_job(self, run: Callable[[Callable[[], None]], None], method: str) -> None:
        occupied = [method]

        def free_place() -> None:
            with self._changed:
                self._jobs.subtract(occupied)
                occupied.clear()

        try:
            run(free_place)
        finally:
            free_place()
            with self._changed:
                self._job_threads -= 1
                self._changed.notify_all()
