"""Files → summaries, in this process or in workers of its own, so that a cold index blocks no request."""

import os
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from sidecar.codebase.contents import Read, read_contents
from sidecar.codebase.summary.model import Summary, from_json, to_json
from sidecar.codebase.summary.summarize import MAX_ANALYSED_BYTES, not_analysed, summarise
from sidecar.core.clock import SystemClock
from sidecar.system.git import GitFailed
from sidecar.system.log import Log
from sidecar.system.worker import Worker, WorkerGone, command_of, worker_count

WORK = "analyse"
"""The command that makes this program a worker."""

WORKERS_FROM = 96
"""So many files are worth the quarter of a second that a worker takes to start."""

AT_ONCE = 128
"""Files a worker is asked for at a time."""

HANG_MS = 20_000.0
"""A worker that says nothing for so long is ended; reading and parsing one file have limits far below."""

CRASHES = 2
"""A file that ends a worker is tried once more: the system may have ended it for want of memory."""

FILES_A_WORKER = 8_192
"""Then another one takes its place: the bound of what a library may fail to give back."""

_FAILED_STARTS = 2
_POLL_SECONDS = 0.1


class Analysed(NamedTuple):
    """A file's summary with the content id it was listed under."""

    path: str
    content: str
    summary: Summary


def analyse(cwd: Path, files: Mapping[str, str]) -> Iterator[Analysed]:
    """Reads and summarises files in this thread; one that changed meanwhile is left out. Raises GitFailed."""
    for read in read_contents(cwd, files, MAX_ANALYSED_BYTES):
        yield Analysed(read.path, read.content_id, _summary_of(read))


def analyse_in_workers(
    cwd: Path,
    files: Sequence[tuple[str, str]],
    log: Log,
    is_over: Callable[[], bool],
    command: Sequence[str] | None = None,
) -> Generator[Analysed, None, None]:
    """Has workers read and summarise files, in their order, each of which is given when it is ready.

    A file that ends its worker twice counts as not analysed. Stops soon after `is_over` says so; no worker is left
    when it ends. Raises GitFailed when git's objects cannot be read, OSError when no worker can be started.
    """
    run = _Run(cwd, files, log, tuple(command or command_of(WORK)))
    try:
        yield from run.results(is_over)
    finally:
        run.end()


def answer(line: bytes) -> Iterator[bytes]:
    """The worker's part: says of each file that it begins, then what it is; and what went wrong with git."""
    asked = orjson.loads(line)
    cwd = Path(os.fsdecode(bytes.fromhex(asked["cwd"])))
    try:
        for read in read_contents(cwd, dict(asked["files"]), MAX_ANALYSED_BYTES):
            yield orjson.dumps(["began", read.path])
            yield orjson.dumps(["is", read.path, read.content_id, to_json(_summary_of(read))])
    except GitFailed as error:
        yield orjson.dumps(["failed", error.reason])


def _summary_of(read: Read) -> Summary:
    if read.content is None:
        return not_analysed(read.path, read.size, "large")
    return summarise(read.path, read.content)


class _Run:
    """One cold index: threads that each drive a worker through batches, and the queue they fill."""

    def __init__(self, cwd: Path, files: Sequence[tuple[str, str]], log: Log, command: tuple[str, ...]) -> None:
        self._cwd = os.fsencode(cwd).hex()
        self._log = log
        self._command = command
        self._batches: queue.SimpleQueue[dict[str, str]] = queue.SimpleQueue()
        for start in range(0, len(files), AT_ONCE):
            self._batches.put(dict(files[start : start + AT_ONCE]))
        self._results: queue.Queue[Analysed | Exception | None] = queue.Queue(maxsize=AT_ONCE * 4)
        self._over = threading.Event()
        count = min(worker_count(), -(-len(files) // AT_ONCE))
        self._lanes = [_Lane(self) for _ in range(count)]

    def results(self, is_over: Callable[[], bool]) -> Iterator[Analysed]:
        threads = [
            threading.Thread(target=self._drive, args=(lane,), name="analysis", daemon=True) for lane in self._lanes
        ]
        for thread in threads:
            thread.start()
        running = len(threads)
        while running and not is_over():
            for lane in self._lanes:
                lane.end_if_hung()
            try:
                result = self._results.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(result, Exception):
                raise result
            if result is None:
                running -= 1
            else:
                yield result

    def end(self) -> None:
        """Ends every worker; their threads follow."""
        self._over.set()
        for lane in self._lanes:
            lane.kill()

    def put(self, result: "Analysed | Exception | None") -> None:
        """Hands a result over, waiting while too many are waiting, unless nobody wants it any more."""
        while not self._over.is_set():
            try:
                self._results.put(result, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return

    def _drive(self, lane: "_Lane") -> None:
        try:
            while not self._over.is_set():
                lane.work_through(self._batches.get_nowait())
        except queue.Empty:
            self.put(None)
        except Exception as error:
            self.put(error)
        finally:
            lane.close()

    def start_worker(self) -> Worker:
        """Starts one; raises OSError."""
        return Worker(self._command)

    def request(self, files: Mapping[str, str]) -> bytes:
        """Asks for files."""
        return orjson.dumps({"cwd": self._cwd, "files": list(files.items())})

    def is_over(self) -> bool:
        """Says whether nobody wants the results any more."""
        return self._over.is_set()

    def crashed(self, path: str, content: str, status: int, times: int) -> None:
        """Logs that a file ended its worker."""
        self._log.warning(
            "codebase.analysis.crashed", content=content, suffix=Path(path).suffix, status=status, times=times
        )


class _Lane:
    """One worker after another, for the batches of one thread."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._clock = SystemClock()
        self._worker: Worker | None = None
        self._answered = 0
        self._heard_ms: float | None = None
        self._crashes: dict[str, int] = {}

    def work_through(self, left: dict[str, str]) -> None:
        """Has a batch analysed to its end, by as many workers as it takes; raises OSError, GitFailed."""
        if self._answered >= FILES_A_WORKER:
            self.close()
        failed_starts = 0
        while left and not self._run.is_over():
            begun: list[str] = []
            try:
                self._ask(left, begun)
                return
            except WorkerGone:
                status = self.close()
            if self._run.is_over():
                return
            if not begun:
                failed_starts += 1
                if failed_starts >= _FAILED_STARTS:
                    raise OSError("no worker answers")
            elif begun[-1] in left:
                self._blame(begun[-1], left, status)

    def _ask(self, left: dict[str, str], begun: list[str]) -> None:
        if self._worker is None:
            self._worker = self._run.start_worker()
        self._heard_ms = self._clock.monotonic_ms()
        for line in self._worker.ask(self._run.request(left)):
            self._heard_ms = self._clock.monotonic_ms()
            said: list[Any] = orjson.loads(line)
            match said:
                case ["began", path]:
                    begun.append(path)
                case ["is", path, content, summary]:
                    left.pop(path, None)
                    self._answered += 1
                    self._run.put(Analysed(path, content, from_json(summary)))
                case _:
                    raise GitFailed(str(said[-1]))
            self._heard_ms = self._clock.monotonic_ms()  # handing over may take its time
        self._heard_ms = None

    def _blame(self, path: str, left: dict[str, str], status: int) -> None:
        times = self._crashes[path] = self._crashes.get(path, 0) + 1
        self._run.crashed(path, left[path], status, times)
        if times >= CRASHES:
            self._run.put(Analysed(path, left.pop(path), not_analysed(path, 0, "failed")))

    def end_if_hung(self) -> None:
        """Ends a worker that says nothing any more; its thread goes on with another."""
        heard = self._heard_ms
        if heard is not None and self._clock.monotonic_ms() - heard > HANG_MS:
            self.kill()

    def kill(self) -> None:
        """Ends the worker from any thread."""
        worker = self._worker
        if worker is not None:
            worker.kill()

    def close(self) -> int:
        """Ends the worker and gives its exit status."""
        worker, self._worker = self._worker, None
        self._answered = 0
        self._heard_ms = None
        return worker.close() if worker is not None else 0
