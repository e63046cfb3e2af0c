"""Where requests wait and run: a bounded pool with one-at-a-time keys, and a few threads for jobs."""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from sidecar.core.clock import Clock
from sidecar.core.errors import Busy, MethodNotFound
from sidecar.rpc.pending_request import Company, Host, Incoming, Routes, Sharing


class Limits(NamedTuple):
    """How much may run and wait at once; beyond it a request is refused, so memory stays bounded."""

    workers: int = 6
    jobs: int = 4
    queued: int = 128
    queued_per_key: int = 32
    queued_bytes: int = 64 * 1024 * 1024


class Task:
    """One piece of work; `key` names the workspace it must not share with another task at the same time."""

    __slots__ = ("cost_bytes", "key", "run")

    def __init__(self, run: Callable[[], None], key: str | None, cost_bytes: int) -> None:
        self.run = run
        self.key = key
        self.cost_bytes = cost_bytes


class Lanes:
    """A worker pool. Threads are started when first needed and are daemons: exit never waits for them."""

    def __init__(self, clock: Clock, limits: Limits = Limits()) -> None:  # noqa: B008  (a frozen tuple)
        self._clock = clock
        self._limits = limits
        self._changed = threading.Condition()
        self._ready: deque[Task] = deque()
        self._waiting: dict[str, deque[Task]] = {}
        self._queued = 0
        self._queued_bytes = 0
        self._running = 0
        self._idle = 0
        self._workers = 0
        self._jobs = 0
        self._average_ms = 20.0
        self._closed = False

    def submit(self, task: Task) -> None:
        """Queues a task for the pool; raises Busy when the queue, or its key's, is full."""
        with self._changed:
            self._admit(task)
            if task.key is not None and task.key in self._waiting:
                self._waiting[task.key].append(task)
                return
            if task.key is not None:
                self._waiting[task.key] = deque()
            self._ready.append(task)
            self._changed.notify()
            # An idle worker counts as idle until it has woken up: compare, or a second task waits for the first.
            if len(self._ready) > self._idle and self._workers < self._limits.workers:
                self._hire()

    def start_job(self, run: Callable[[], None]) -> None:
        """Runs a job on a thread of its own; raises Busy when as many as allowed are running."""
        with self._changed:
            if self._closed or self._jobs >= self._limits.jobs:
                raise self._busy(f"{self._jobs} jobs are running already")
            threading.Thread(target=self._run_job, args=(run,), name="job", daemon=True).start()
            self._jobs += 1

    def discard(self, task: Task) -> bool:
        """Takes a task that has not started out of its queue; False when it runs or ran already."""
        with self._changed:
            for queue in (self._waiting.get(task.key or ""), self._ready):
                if queue is not None and task in queue:
                    queue.remove(task)
                    self._forget(task)
                    if queue is self._ready:
                        self._release(task.key)
                    return True
        return False

    def drain(self, wait_ms: float) -> bool:
        """Waits until nothing is queued and nothing runs, `wait_ms` milliseconds at most; True when all is quiet."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._queued or self._running or self._jobs), wait_ms / 1000)

    def close(self, grace_ms: float) -> bool:
        """Drops what is queued and waits for what runs, `grace_ms` milliseconds at most; True when all is quiet."""
        with self._changed:
            self._closed = True
            self._ready.clear()
            self._waiting.clear()
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not (self._running or self._jobs), grace_ms / 1000)

    def _admit(self, task: Task) -> None:
        waiting = self._waiting.get(task.key) if task.key is not None else None
        full = (
            self._closed
            or self._queued >= self._limits.queued
            or self._queued_bytes + task.cost_bytes > self._limits.queued_bytes
            or (waiting is not None and len(waiting) >= self._limits.queued_per_key)
        )
        if full:
            raise self._busy(f"{self._queued} requests are waiting already")
        self._queued += 1
        self._queued_bytes += task.cost_bytes

    def _hire(self) -> None:
        worker = threading.Thread(target=self._work, name=f"worker-{self._workers + 1}", daemon=True)
        try:
            worker.start()
        except RuntimeError:  # the system gives no more threads: those there are have to do
            if self._workers:
                return
            raise
        self._workers += 1

    def _busy(self, why: str) -> Busy:
        wait_ms = self._average_ms * (self._queued + 1) / self._limits.workers
        retry_after_ms = int(min(5_000, max(50, wait_ms)))
        return Busy(
            f"The sidecar is busy: {why}.",
            hint=f"Try again in {retry_after_ms} ms.",
            data={"retryAfterMs": retry_after_ms},
        )

    def _work(self) -> None:
        while (task := self._take()) is not None:
            started_ms = self._clock.monotonic_ms()
            try:
                task.run()
            except BaseException:  # a worker outlives whatever its task did
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
            finally:
                self._finish(task, self._clock.monotonic_ms() - started_ms)

    def _take(self) -> Task | None:
        with self._changed:
            while not self._ready:
                if self._closed:
                    self._workers -= 1
                    return None
                self._idle += 1
                self._changed.wait()
                self._idle -= 1
            task = self._ready.popleft()
            self._forget(task)
            self._running += 1
            return task

    def _finish(self, task: Task, took_ms: float) -> None:
        with self._changed:
            self._running -= 1
            self._average_ms += (took_ms - self._average_ms) / 8
            self._release(task.key)
            if not self._running:
                self._changed.notify_all()

    def _release(self, key: str | None) -> None:
        """Lets the next task of a key become ready, or frees the key."""
        if key is None or key not in self._waiting:
            return
        if self._waiting[key]:
            self._ready.append(self._waiting[key].popleft())
            self._changed.notify()
        else:
            del self._waiting[key]

    def _forget(self, task: Task) -> None:
        self._queued -= 1
        self._queued_bytes -= task.cost_bytes

    def _run_job(self, run: Callable[[], None]) -> None:
        try:
            run()
        finally:
            with self._changed:
                self._jobs -= 1
                self._changed.notify_all()


# Brings a request to its lane, runs it there, and hands its outcome back.


class Running:
    """Starts requests once the product's methods are loaded. Whatever a method raises becomes its answer."""

    def __init__(
        self,
        routes: Routes,
        host: Host,
        lanes: Lanes,
        sharing: Sharing,
        *,
        reply: Callable[[Incoming, dict[str, Any]], None],
        fail: Callable[[Incoming, BaseException], None],
    ) -> None:
        self._routes = routes
        self._host = host
        self._lanes = lanes
        self._sharing = sharing
        self._reply = reply
        self._fail = fail

    def knows(self, incoming: Incoming) -> bool:
        """Says whether a request or notification is of a method that is loaded."""
        return self._lane_of(incoming) is not None

    def _lane_of(self, incoming: Incoming) -> str | None:
        of = self._routes.lane_of_notice if incoming.answer is None else self._routes.lane_of
        return of(incoming.method)

    def start(self, incoming: Incoming) -> None:
        """Queues a request or notification; raises Busy or MethodNotFound. An unknown notification is passed over."""
        is_notice = incoming.answer is None
        lane = self._lane_of(incoming)
        if lane is None:
            if is_notice:
                return
            raise MethodNotFound(
                f"There is no method {incoming.method[:80]!r}.", hint="`rpc.discover` lists the methods."
            )
        run = partial(self._run_notice if is_notice else self._run, incoming)
        if lane == "job":
            self._lanes.start_job(run)
        elif lane == "shared" and not is_notice:
            self._start_shared(incoming)
        else:
            key = _workspace_key(incoming.params) if lane == "workspace" else None
            incoming.task = Task(run, key, incoming.size)
            self._lanes.submit(incoming.task)

    def _start_shared(self, incoming: Incoming) -> None:
        company = self._sharing.join(incoming)
        if company is None:
            return
        try:
            incoming.task = Task(partial(self._run_shared, company), None, incoming.size)
            self._lanes.submit(incoming.task)
        except Exception as error:
            for one in self._sharing.part(company):
                self._fail(one, error)

    def _run_notice(self, incoming: Incoming) -> None:
        try:
            self._routes.notify(self._host.new_call(incoming), incoming.method, incoming.params)
        except BaseException as error:
            self._host.on_incident(error, self._host.new_incident_id())

    def _run(self, incoming: Incoming) -> None:
        if incoming.has_answer:
            return
        try:
            body = self._routes.answer(self._host.new_call(incoming), incoming.method, incoming.params)
        except BaseException as error:
            self._fail(incoming, error)
            return
        self._reply(incoming, body)

    def _run_shared(self, company: Company) -> None:
        first = company.members[0]
        if first.cancellation.is_set:
            return
        try:
            body = self._routes.answer(self._host.new_call(first), first.method, first.params)
        except BaseException as error:
            for one in self._sharing.part(company):
                self._fail(one, error)
            return
        for one in self._sharing.part(company):
            self._reply(one, body)


def _workspace_key(params: Any) -> str:
    """Names a workspace without asking the disk: two spellings of one folder are one."""
    cwd = params.get("cwd") if isinstance(params, Mapping) else None
    return os.path.normcase(os.path.normpath(cwd)) if isinstance(cwd, str) and cwd else ""
