"""Fill the index with the summaries of a repository's files, from the file cache or by reading; changed files first."""

import os
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from sidecar.call import Process
from sidecar.codebase.files import FileContent, read_contents
from sidecar.codebase.search import FileIndex
from sidecar.codebase.store import FileCache
from sidecar.codebase.summary.grammar import is_loaded
from sidecar.codebase.summary.languages import language_of
from sidecar.codebase.summary.model import Summary, from_json, to_json
from sidecar.codebase.summary.summarize import MAX_ANALYSED_BYTES, summarize, unanalysed_summary
from sidecar.codebase.worktree.state import is_outside
from sidecar.core.clock import SystemClock
from sidecar.core.errors import Cancellation
from sidecar.core.secret_formats import own_patterns, set_own_patterns
from sidecar.system.git import GitFailed
from sidecar.system.log import Log
from sidecar.system.worker import Worker, WorkerExited, worker_command, worker_count

WORKER_COMMAND = "analyse"
"""Command that starts this program as a worker."""

MIN_FILES_FOR_WORKERS = 96
"""Number of files from which the 250 ms start of a worker pays off."""

BATCH_FILES = 128
"""Number of files in one request to a worker."""

HANG_MS = 20_000.0
"""A worker that is silent for this long is killed. Reading and parsing one file have limits far below."""

MAX_CRASHES = 2
"""A file that crashes a worker is tried once more, because the system may have killed the worker for lack of memory."""

MAX_FILES_PER_WORKER = 8_192
"""A worker is replaced after this many files, which bounds what a leaking library can hold."""

_FAILED_STARTS = 2
_POLL_SECONDS = 0.1


class AnalysedFile(NamedTuple):
    """A file's summary, with the content id the file was listed under."""

    path: str
    content: str
    summary: Summary


def analyse(cwd: Path, files: Mapping[str, str]) -> Iterator[AnalysedFile]:
    """Read and summarize files in this thread; a file that changed meanwhile is left out. Raise GitFailed."""
    for read in read_contents(cwd, files, MAX_ANALYSED_BYTES, with_large=True):
        yield AnalysedFile(read.path, read.content_id, _summary_of(read))


def analyse_in_workers(
    cwd: Path,
    files: Sequence[tuple[str, str]],
    log: Log,
    is_over: Callable[[], bool],
    command: Sequence[str] | None = None,
    *,
    is_first: bool = False,
) -> Generator[AnalysedFile, None, None]:
    """Read and summarize files in workers; yield each summary as soon as it is ready.

    The first index of a repository uses every idle core, a later one leaves one core free.
    A file that crashes its worker twice counts as not analysed. Stops soon after `is_over` returns True; no worker is
    left at the end. Raise GitFailed when git's objects cannot be read, OSError when no worker can be started.
    """
    workers = worker_count(uses_every_core=is_first)
    run = _Run(cwd, files, log, tuple(command or worker_command(WORKER_COMMAND)), workers)
    try:
        yield from run.results(is_over)
    finally:
        run.end()


def handle_request(line: bytes) -> Iterator[bytes]:
    """Handle one request in the worker: announce each file, then send its summary; report errors of git."""
    request = orjson.loads(line)
    cwd = Path(os.fsdecode(bytes.fromhex(request["cwd"])))
    set_own_patterns(request["patterns"])
    try:
        for read in read_contents(cwd, dict(request["files"]), MAX_ANALYSED_BYTES, with_large=True):
            yield orjson.dumps(["started", read.path])
            yield orjson.dumps(["summary", read.path, read.content_id, to_json(_summary_of(read))])
    except GitFailed as error:
        yield orjson.dumps(["failed", error.reason])


def _summary_of(read: FileContent) -> Summary:
    if read.content is None:
        return unanalysed_summary(read.path, read.size, "large")
    return summarize(read.path, read.content)


class _Run:
    """One cold index: threads that each drive a worker through batches, and the queue of their results."""

    def __init__(
        self, cwd: Path, files: Sequence[tuple[str, str]], log: Log, command: tuple[str, ...], workers: int
    ) -> None:
        self._cwd = os.fsencode(cwd).hex()
        self._log = log
        self._command = command
        self._batches: queue.SimpleQueue[dict[str, str]] = queue.SimpleQueue()
        for start in range(0, len(files), BATCH_FILES):
            self._batches.put(dict(files[start : start + BATCH_FILES]))
        self._results: queue.Queue[AnalysedFile | Exception | None] = queue.Queue(maxsize=BATCH_FILES * 4)
        self._over = threading.Event()
        count = min(workers, -(-len(files) // BATCH_FILES))
        self._slots = [_WorkerSlot(self) for _ in range(count)]

    def results(self, is_over: Callable[[], bool]) -> Iterator[AnalysedFile]:
        threads = [
            threading.Thread(target=self._drive, args=(slot,), name="analysis", daemon=True) for slot in self._slots
        ]
        for thread in threads:
            thread.start()
        running = len(threads)
        while running and not is_over():
            for slot in self._slots:
                slot.end_if_hung()
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
        """Kill every worker; their threads end soon after."""
        self._over.set()
        for slot in self._slots:
            slot.kill()

    def put(self, result: "AnalysedFile | Exception | None") -> None:
        """Queue a result; wait while the queue is full, unless the run is over."""
        while not self._over.is_set():
            try:
                self._results.put(result, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return

    def _drive(self, slot: "_WorkerSlot") -> None:
        try:
            while not self._over.is_set():
                slot.work_through(self._batches.get_nowait())
        except queue.Empty:
            self.put(None)
        except Exception as error:
            self.put(error)
        finally:
            slot.close()

    def start_worker(self) -> Worker:
        """Start a worker. Raise OSError."""
        return Worker(self._command)

    def request(self, files: Mapping[str, str]) -> bytes:
        """Return the request for some files."""
        return orjson.dumps({"cwd": self._cwd, "files": list(files.items()), "patterns": own_patterns()})

    def is_over(self) -> bool:
        """Whether the results are no longer needed."""
        return self._over.is_set()

    def crashed(self, path: str, content: str, status: int, times: int) -> None:
        """Log that a file crashed its worker."""
        self._log.warning(
            "codebase.analysis.crashed", content=content, suffix=Path(path).suffix, status=status, times=times
        )


class _WorkerSlot:
    """The workers of one thread, one after another."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._clock = SystemClock()
        self._worker: Worker | None = None
        self._answer_count = 0
        self._last_reply_ms: float | None = None
        self._crashes: dict[str, int] = {}

    def work_through(self, remaining: dict[str, str]) -> None:
        """Analyse a whole batch, with as many workers as that takes. Raise OSError or GitFailed."""
        if self._answer_count >= MAX_FILES_PER_WORKER:
            self.close()
        failed_starts = 0
        while remaining and not self._run.is_over():
            started: list[str] = []
            try:
                self._request(remaining, started)
                return
            except WorkerExited:
                status = self.close()
            if self._run.is_over():
                return
            if not started:
                failed_starts += 1
                if failed_starts >= _FAILED_STARTS:
                    raise OSError("no worker answers")
            elif started[-1] in remaining:
                self._record_crash(started[-1], remaining, status)

    def _request(self, remaining: dict[str, str], started: list[str]) -> None:
        if self._worker is None:
            self._worker = self._run.start_worker()
        self._last_reply_ms = self._clock.monotonic_ms()
        for line in self._worker.request(self._run.request(remaining)):
            self._last_reply_ms = self._clock.monotonic_ms()
            reply: list[Any] = orjson.loads(line)
            match reply:
                case ["started", path]:
                    started.append(path)
                case ["summary", path, content, summary]:
                    remaining.pop(path, None)
                    self._answer_count += 1
                    self._run.put(AnalysedFile(path, content, from_json(summary)))
                case _:
                    raise GitFailed(str(reply[-1]))
            self._last_reply_ms = self._clock.monotonic_ms()  # queueing the result may block
        self._last_reply_ms = None

    def _record_crash(self, path: str, remaining: dict[str, str], status: int) -> None:
        times = self._crashes[path] = self._crashes.get(path, 0) + 1
        self._run.crashed(path, remaining[path], status, times)
        if times >= MAX_CRASHES:
            self._run.put(AnalysedFile(path, remaining.pop(path), unanalysed_summary(path, 0, "failed")))

    def end_if_hung(self) -> None:
        """Kill a worker that is silent for too long; its thread continues with another one."""
        last_reply_ms = self._last_reply_ms
        if last_reply_ms is not None and self._clock.monotonic_ms() - last_reply_ms > HANG_MS:
            self.kill()

    def kill(self) -> None:
        """Kill the worker, from any thread."""
        worker = self._worker
        if worker is not None:
            worker.kill()

    def close(self) -> int:
        """End the worker and return its exit status."""
        worker, self._worker = self._worker, None
        self._answer_count = 0
        self._last_reply_ms = None
        return worker.close() if worker is not None else 0


Order = Callable[[Sequence[tuple[str, str]]], Iterable[tuple[str, str]]]
"""Sort (path, content id) pairs by how urgently they are needed; pairs it omits come last."""

MAX_INLINE_FILES = 8
MAX_INLINE_BYTES = 48 * 1024
"""Files up to this number and size are analysed in at most 15 ms, one ordinary file in 2 ms.
A thread hand-off waits longer."""

_LOOKUP_BATCH = 256
_STORE_BATCH = 64
_WAIT_SECONDS = 0.1


@dataclass
class IndexReport:
    """Progress of an index run; changes while it runs."""

    total: int = 0
    from_cache: int = 0
    analysed: int = 0
    reading_since_ms: float | None = None
    """Time at which the run began to read files that are not in the cache."""
    cancellation: Cancellation = field(default_factory=Cancellation)

    @property
    def done(self) -> int:
        """Number of files in the index."""
        return self.from_cache + self.analysed

    @property
    def stage(self) -> str:
        """`cache` while known summaries are looked up, `analysis` while files are read."""
        return "cache" if self.reading_since_ms is None else "analysis"

    def remaining_ms(self, now_ms: float) -> int | None:
        """Return an estimate of the time left at a monotonic time, from the files read so far; None before the first.

        Also None of a run that waits for another one of the same files.
        """
        if self.reading_since_ms is None or not self.analysed:
            return None
        return round((now_ms - self.reading_since_ms) / self.analysed * max(0, self.total - self.done))


class Indexer:
    """Fills one index, one run at a time; a second run waits for the first and takes the rest."""

    def __init__(self, cwd: Path, process: Process, index: FileIndex, cache: FileCache) -> None:
        self._cwd = cwd
        self._process = process
        self._index = index
        self._cache = cache
        self._run_lock = threading.Lock()

    def run(self, repository: str, report: IndexReport, order: Order | None = None) -> IndexReport:
        """Index the pending files, changed ones first, then in the given order; stop when the report is cancelled."""
        while not self._run_lock.acquire(timeout=_WAIT_SECONDS):
            report.from_cache = report.total - len(self._index.pending())
            if self._is_over(report):
                return report
        try:
            pending = self._index.pending()
            report.from_cache = max(0, report.total - len(pending))
            unknown = list(self._without_cached(repository, prioritized(pending, order), report))
            self._analyse(repository, unknown, report)
        finally:
            self._run_lock.release()
        return report

    def run_inline(self, repository: str) -> int | None:
        """Index a few files in this thread, cached or small changed ones; return how many were analysed.

        Return None if there are more, a grammar is not loaded, or a run is active: that work belongs in the background.
        """
        if not self._run_lock.acquire(blocking=False):
            return None
        try:
            files = self._index.pending(MAX_INLINE_FILES + 1)
            report = IndexReport(total=len(files))
            unknown = list(self._without_cached(repository, files, report)) if len(files) <= MAX_INLINE_FILES else files
            if not _fits_inline(self._cwd, unknown):
                return None
            self._analyse(repository, unknown, report)
            return report.analysed
        finally:
            self._run_lock.release()

    def _is_over(self, report: IndexReport) -> bool:
        return self._process.closing.is_set() or report.cancellation.is_set

    def _without_cached(
        self, repository: str, files: Sequence[tuple[str, str]], report: IndexReport
    ) -> Iterator[tuple[str, str]]:
        """Index the cached files and yield the others."""
        for start in range(0, len(files), _LOOKUP_BATCH):
            if self._is_over(report):
                return
            batch = files[start : start + _LOOKUP_BATCH]
            cached = self._cache.get_many(repository, list(batch))
            for path, content in batch:
                if path in cached:
                    self._index.add_summary(path, content, cached[path])
                    report.from_cache += 1
                else:
                    yield path, content

    def _analyse(self, repository: str, files: Sequence[tuple[str, str]], report: IndexReport) -> None:
        batch: list[AnalysedFile] = []
        report.reading_since_ms = self._process.clock.monotonic_ms()
        try:
            with closing(self._analysed_files(files, report)) as analysed:
                for file in analysed:
                    self._index.add_summary(*file)
                    report.analysed += 1
                    batch.append(file)
                    if len(batch) >= _STORE_BATCH:
                        self._store(repository, batch)
                    if self._is_over(report):
                        break
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)
        finally:
            self._store(repository, batch)

    def _store(self, repository: str, batch: list[AnalysedFile]) -> None:
        if batch:
            self._cache.put_many(repository, batch, self._process.clock.now_ms())
            batch.clear()

    def _analysed_files(
        self, files: Sequence[tuple[str, str]], report: IndexReport
    ) -> Generator[AnalysedFile, None, None]:
        """Analyse many files in workers; few files, and those that workers could not take, in this thread."""
        finished: set[str] = set()
        if len(files) >= MIN_FILES_FOR_WORKERS:
            try:
                workers = analyse_in_workers(
                    self._cwd, files, self._process.log, lambda: self._is_over(report), is_first=not report.done
                )
                with closing(workers):
                    for file in workers:
                        finished.add(file.path)
                        yield file
                return
            except OSError as error:
                self._process.log.warning("codebase.workers.failed", kind=type(error).__name__)
        remaining = [(path, content) for path, content in files if path not in finished]
        for start in range(0, len(remaining), _STORE_BATCH):
            if self._is_over(report):
                return
            yield from analyse(self._cwd, dict(remaining[start : start + _STORE_BATCH]))


def _fits_inline(cwd: Path, files: Sequence[tuple[str, str]]) -> bool:
    """Whether files are few, small, in the worktree, and of languages whose grammars are loaded."""
    if len(files) > MAX_INLINE_FILES or not all(content.startswith("w:") for _, content in files):
        return False
    languages = (language_of(path) for path, _ in files)
    grammars = (language.grammar for language in languages if language is not None)
    if not all(grammar is None or is_loaded(grammar) for grammar in grammars):
        return False
    try:
        return sum((cwd / path).lstat().st_size for path, _ in files) <= MAX_INLINE_BYTES
    except OSError:
        return False


def prioritized(files: Sequence[tuple[str, str]], order: Order | None) -> list[tuple[str, str]]:
    """Sort files: changed ones first, then those of `order` in its order, then the rest."""
    changed = [file for file in files if file[1].startswith("w:")]
    rest = [file for file in files if not file[1].startswith("w:")]
    rest.sort(key=lambda file: is_outside(file[0]))
    if order is None or len(rest) <= MAX_INLINE_FILES:  # sorting so few takes longer than reading them
        return [*changed, *rest]
    remaining = set(rest)
    ordered = dict.fromkeys(file for file in order(rest) if file in remaining)
    return [*changed, *ordered, *(file for file in rest if file not in ordered)]
