"""Fill the index with the summaries of a repository's files, from the file cache or by reading; changed files first."""

import itertools
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
from sidecar.codebase.file_analysis_worker import (
    SUMMARIES,
    WORDS,
    AnalysedFile,
    FileWords,
    ReadFile,
    SummarizedFile,
    analyse,
    read_summaries,
    read_words,
)
from sidecar.codebase.search.index import FileIndex, facts_of
from sidecar.codebase.search.postings import invert
from sidecar.codebase.store import FileCache
from sidecar.codebase.summary.languages import language_of
from sidecar.codebase.summary.summarize import unanalysed_summary
from sidecar.codebase.summary.syntax import is_loaded
from sidecar.codebase.worktree.state import is_outside
from sidecar.core.clock import SystemClock
from sidecar.core.errors import Cancellation
from sidecar.core.secret_formats import OWN_PATTERNS
from sidecar.system.git import GitFailed
from sidecar.system.log import Log
from sidecar.system.worker_processes import Worker, WorkerExited, worker_command, worker_count

WORKER_COMMAND = "analyse"
"""Command that starts this program as a worker."""

MIN_FILES_FOR_WORKERS: int = 64
"""Number of files from which the start of a worker, a tenth of a second, pays off."""

BATCH_FILES, FIRST_BATCH_FILES = 128, 32
"""Number of files in one request to a worker, and in the first one."""

HANG_MS = 20_000.0
"""A worker that is silent for this long is killed. Reading and parsing one file have limits far below."""

MAX_CRASHES = 2
"""A file that crashes a worker is tried once more, because the system may have killed the worker for lack of memory."""

MAX_QUEUED = 16
"""Number of messages from workers that wait for the index."""

MAX_FILES_PER_WORKER = 8_192
"""A worker is replaced after this many files, which bounds what a leaking library can hold."""

_FAILED_STARTS = 2
_POLL_SECONDS = 0.1

_Results = Sequence[FileWords | SummarizedFile]


class _Part(NamedTuple):
    """Files for one request to a worker; those of the first stage come first."""

    stage: int
    number: int
    files: dict[str, str]
    clean: frozenset[str] = frozenset()
    """Files that contain no secrets, as the first stage found."""


def analyse_in_workers(
    cwd: Path,
    files: Sequence[tuple[str, str]],
    log: Log,
    is_over: Callable[[], bool],
    command: Sequence[str] | None = None,
    *,
    with_words: Sequence[tuple[str, str]] = (),
    is_first: bool = False,
) -> Generator[FileWords | SummarizedFile, None, None]:
    """Read files in workers, in two stages: yield the words of all files, then the summary of each without its words.

    Files of `with_words` have their words already. The first index of a repository, which lacks most files, uses every
    core, a later one leaves one core free. A file that crashes its worker twice counts as not analysed. Stops soon
    after `is_over` returns True; no worker is left at the end. Raise GitFailed when git's objects cannot be read,
    OSError when no worker can be started.
    """
    workers = worker_count(uses_every_core=is_first)
    run = _Run(cwd, files, with_words, log, tuple(command or worker_command(WORKER_COMMAND)), workers)
    try:
        yield from run.results(is_over)
    finally:
        run.end()


class _Run:
    """One cold index: threads that each drive a worker through batches, and the queue of their results."""

    def __init__(
        self,
        cwd: Path,
        files: Sequence[tuple[str, str]],
        with_words: Sequence[tuple[str, str]],
        log: Log,
        command: tuple[str, ...],
        workers: int,
    ) -> None:
        self._cwd = os.fsencode(cwd).hex()
        self._log = log
        self._command = command
        self._parts: queue.PriorityQueue[_Part] = queue.PriorityQueue()
        self._numbers = itertools.count()
        for stage, staged in ((WORDS, files), (SUMMARIES, with_words)):
            for part in _batches(staged, workers):
                self.add_part(stage, dict(part))
        self._results: queue.Queue[_Results | Exception | None] = queue.Queue(maxsize=MAX_QUEUED)
        self._over = threading.Event()
        count = min(workers, self._parts.qsize())
        self._slots = [_WorkerSlot(self) for _ in range(count)]

    def add_part(self, stage: int, files: dict[str, str], clean: frozenset[str] = frozenset()) -> None:
        """Queue files for a stage."""
        self._parts.put(_Part(stage, next(self._numbers), files, clean))

    def results(self, is_over: Callable[[], bool]) -> Iterator[FileWords | SummarizedFile]:
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
                yield from itertools.takewhile(lambda _: not is_over(), result)

    def end(self) -> None:
        """Kill every worker; their threads end soon after."""
        self._over.set()
        for slot in self._slots:
            slot.kill()

    def put(self, results: _Results | Exception | None) -> None:
        """Queue results; wait while the queue is full, unless the run is over."""
        while not self._over.is_set():
            try:
                self._results.put(results, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return

    def _drive(self, slot: "_WorkerSlot") -> None:
        try:
            while not self._over.is_set():
                slot.work_through(self._parts.get_nowait())
        except queue.Empty:
            self.put(None)
        except Exception as error:
            self.put(error)
        finally:
            slot.close()

    def start_worker(self) -> Worker:
        """Start a worker. Raise OSError."""
        return Worker(self._command)

    def request(self, part: _Part, *, announces: bool) -> bytes:
        """Return the request for some files."""
        return orjson.dumps(
            {
                "cwd": self._cwd,
                "stage": part.stage,
                "files": list(part.files.items()),
                "clean": list(part.clean),
                "announces": announces,
                "patterns": OWN_PATTERNS.texts,
            }
        )

    def is_over(self) -> bool:
        """Whether the results are no longer needed."""
        return self._over.is_set()

    def exited(self, status: int, files: int) -> None:
        """Log that a worker exited in a batch, while it announced nothing."""
        self._log.warning("codebase.worker.exited", status=status, files=files)

    def crashed(self, path: str, content: str, status: int, times: int) -> None:
        """Log that a file crashed its worker."""
        self._log.warning(
            "codebase.analysis.crashed", content=content, suffix=Path(path).suffix, status=status, times=times
        )


def _batches(files: Sequence[tuple[str, str]], workers: int) -> Iterator[Sequence[tuple[str, str]]]:
    """Split files into requests: a short first one for each worker, because a prompt may wait for its files."""
    end_of_first = workers * FIRST_BATCH_FILES
    for start in range(0, min(end_of_first, len(files)), FIRST_BATCH_FILES):
        yield files[start : min(start + FIRST_BATCH_FILES, end_of_first)]
    for start in range(end_of_first, len(files), BATCH_FILES):
        yield files[start : start + BATCH_FILES]


class _WorkerSlot:
    """The workers of one thread, one after another."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._clock = SystemClock()
        self._worker: Worker | None = None
        self._answer_count = self._reply_count = 0
        self._last_reply_ms: float | None = None
        self._crashes: dict[str, int] = {}

    def work_through(self, part: _Part) -> None:
        """Analyse a whole batch, with as many workers as that takes. Raise OSError or GitFailed.

        Once a worker has exited, the next one announces each file, so that the one that crashes it is known.
        """
        if self._answer_count >= MAX_FILES_PER_WORKER:
            self.close()
        failed_starts, announces, had_exited = 0, False, False
        while part.files and not self._run.is_over():
            started: list[str] = []
            replies = self._reply_count
            try:
                self._request(part, started, announces=announces)
                return
            except WorkerExited:
                status = self.close()
            if self._run.is_over():
                return
            if not started:
                self._run.exited(status, len(part.files))
                failed_starts += self._reply_count == replies
                if failed_starts >= _FAILED_STARTS:
                    raise OSError("no worker answers")
            elif started[-1] in part.files:
                self._record_crash(started[-1], part, status, had_exited)
            had_exited = not announces
            announces = True

    def _request(self, part: _Part, started: list[str], *, announces: bool) -> None:
        if self._worker is None:
            self._worker = self._run.start_worker()
        self._last_reply_ms = self._clock.monotonic_ms()
        lines = self._worker.request(self._run.request(part, announces=announces))
        for line in lines:
            self._last_reply_ms = self._clock.monotonic_ms()
            self._reply_count += 1
            reply: list[Any] = orjson.loads(line)
            match reply:
                case ["started", path]:
                    started.append(path)
                case ["words", files, summaries, *arrays]:
                    words = read_words(files, arrays, lines, len(part.files))
                    self._put_words(words, files, self._summarized(part, read_summaries(summaries, lines)))
                    part.files.clear()
                case ["summaries", summaries]:
                    self._run.put(self._summarized(part, read_summaries(summaries, lines)))
                case _:
                    raise GitFailed(str(reply[-1]))
            self._last_reply_ms = self._clock.monotonic_ms()  # queueing the results may block
        self._last_reply_ms = None

    def _summarized(self, part: _Part, files: list[SummarizedFile]) -> list[SummarizedFile]:
        """Record that files are no longer to be analysed, and return them."""
        for file in files:
            part.files.pop(file.path, None)
        self._answer_count += len(files)
        return files

    def _put_words(self, words: FileWords, files: Sequence[ReadFile], summarized: Sequence[SummarizedFile]) -> None:
        """Queue the words of files, then their second stage, so that no summary precedes a file's words."""
        self._run.put([words, *summarized])
        done = {file.path for file in summarized}
        clean = frozenset(path for path, _, _, is_clean in files if is_clean and path not in done)
        if left := {path: content for path, content in words.files.items() if path not in done}:
            self._run.add_part(SUMMARIES, left, clean)

    def _record_crash(self, path: str, part: _Part, status: int, had_exited: bool) -> None:
        """Count a crash; the exit of a worker just before, while it announced nothing, was the same file's."""
        times = self._crashes[path] = self._crashes.get(path, 0) + 1 + had_exited
        content = part.files[path]
        self._run.crashed(path, content, status, times)
        if times >= MAX_CRASHES:
            words = [FileWords({path: content}, (0,), invert(()), (b"[]",), 1)] if part.stage == WORDS else []
            self._run.put([*words, SummarizedFile.of(path, content, unanalysed_summary(path, 0, "failed"))])
            del part.files[path]

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

MAX_UNSORTED_FILES = 32
"""Reading up to this number of files takes less time than finding out which of them matter most."""

_LOOKUP_BATCH = 256
_STORE_BATCH = 64
_STORE_AFTER_MS = 500.0
"""A killed process loses the analyses of this time, and those that wait in the queue."""

_WORDS_SHARE = 1.3
"""Time to read the words of a file, as a multiple of that of its analysis."""

_WAIT_SECONDS = 0.1

_ATTEMPTS_PER_TAKE = 10
"""Number of waits after which an index takes over what another worktree's has by now."""


@dataclass
class IndexReport:
    """Progress of an index run; changes while it runs."""

    total: int = 0
    from_cache: int = 0
    analysed: int = 0
    words: int = 0
    """Number of files whose words the run has read."""
    to_read: int = 0
    """Number of files whose words it reads before it analyses them."""
    reading_since_ms: float | None = None
    """Time at which the run began to read files that are not in the cache."""
    cancellation: Cancellation = field(default_factory=Cancellation)

    @property
    def done(self) -> int:
        """Number of files in the index whose stage is finished."""
        return self.analysed_total if self.stage != "words" else self.total - self.to_read + self.words

    @property
    def analysed_total(self) -> int:
        """Number of files whose analysis is finished."""
        return self.from_cache + self.analysed

    @property
    def stage(self) -> str:
        """`cache` while known summaries are looked up, `words` while contents are read, then `analysis`."""
        if self.reading_since_ms is None:
            return "cache"
        return "words" if self.words < self.to_read else "analysis"

    def remaining_ms(self, now_ms: float) -> int | None:
        """Return an estimate of the time left at a monotonic time, from the files read so far; None before one."""
        finished = self.words * _WORDS_SHARE + self.analysed
        if self.reading_since_ms is None or not finished:
            return None
        left = (self.to_read - self.words) * _WORDS_SHARE + self.total - self.analysed_total
        return round((now_ms - self.reading_since_ms) / finished * max(0.0, left))

    def follow(self, active: "IndexReport") -> None:
        """Show the progress of another run of the same files."""
        self.from_cache, self.analysed = active.from_cache, active.analysed
        self.words, self.to_read, self.reading_since_ms = active.words, active.to_read, active.reading_since_ms


class Indexer:
    """Fills one index, one run at a time; a second run follows the first and takes what it left."""

    def __init__(self, cwd: Path, process: Process, index: FileIndex, cache: FileCache) -> None:
        self._cwd = cwd
        self._process = process
        self._index = index
        self._cache = cache
        self._run_lock = threading.Lock()
        self._active: IndexReport | None = None

    def run(self, repository: str, report: IndexReport, order: Order | None = None) -> IndexReport:
        """Index the pending files, changed ones first, then in the given order; stop when the report is cancelled."""
        joined = self._active
        while not self._run_lock.acquire(timeout=_WAIT_SECONDS):
            joined = self._active or joined
            if joined is not None:
                report.follow(joined)
            if self._is_over(report):
                return report
        try:
            self._active = report
            pending = self._index.pending()
            report.follow(joined if joined is not None and not pending else IndexReport())
            report.from_cache = max(0, report.total - len(pending) - report.analysed)
            unknown = list(self._without_cached(repository, prioritized(pending, order), report))
            self._analyse(repository, unknown, report)
        finally:
            self._active = None
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
        """Index what is cached of the files, and yield those that are not analysed."""
        for start in range(0, len(files), _LOOKUP_BATCH):
            if self._is_over(report):
                return
            batch = files[start : start + _LOOKUP_BATCH]
            cached_words = self._cache.get_words(repository, batch)
            cached = self._cache.get_many(repository, (file for file in batch if file[0] in cached_words))
            if len(batch) > MAX_INLINE_FILES:
                self._add_words(batch, cached_words)
            for path, content in batch:
                if path in cached:
                    whole = cached[path]._replace(chunks=tuple(cached_words[path]))
                    self._index.add_summary(path, content, whole)
                    report.from_cache += 1
                else:
                    yield path, content

    def _add_words(self, files: Iterable[tuple[str, str]], words: Mapping[str, Sequence[dict[str, int]]]) -> None:
        found = {path: content for path, content in files if path in words}
        units = invert(itertools.chain.from_iterable(words[path] for path in found))
        self._index.add_words(found, [len(words[path]) for path in found], units)

    def _analyse(self, repository: str, files: Sequence[tuple[str, str]], report: IndexReport) -> None:
        """Analyse many files in workers; few files, and those that workers could not take, in this thread."""
        try:
            if len(files) >= MIN_FILES_FOR_WORKERS:
                files = self._analyse_in_turn(repository, files, report)
            self._analyse_here(repository, files, report)
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)

    def _analyse_in_turn(
        self, repository: str, files: Sequence[tuple[str, str]], report: IndexReport
    ) -> Sequence[tuple[str, str]]:
        """Analyse files in workers, after those of the repository's other worktrees, which mostly are the same.

        Those that are needed first do not wait. Return the files that are left for this thread.
        """
        turn, index = self._index.analysis_lock, self._index
        if not turn.acquire(blocking=False):
            self._analyse_in_stages(repository, files[:MIN_FILES_FOR_WORKERS], report)
            for attempt in itertools.count(1):
                if turn.acquire(timeout=_WAIT_SECONDS):
                    break
                if self._is_over(report):
                    return ()
                if attempt % _ATTEMPTS_PER_TAKE == 0:
                    report.from_cache += index.take_shared()
        try:
            report.from_cache += index.take_shared()
            pending = index.pending_paths
            return self._analyse_in_stages(repository, [file for file in files if file[0] in pending], report)
        finally:
            turn.release()

    def _analyse_here(self, repository: str, files: Sequence[tuple[str, str]], report: IndexReport) -> None:
        report.reading_since_ms = report.reading_since_ms or self._process.clock.monotonic_ms()
        for start in range(0, len(files), _STORE_BATCH):
            if self._is_over(report):
                return
            analysed: list[AnalysedFile] = []
            for file in analyse(self._cwd, dict(files[start : start + _STORE_BATCH])):
                self._index.add_summary(*file)
                report.analysed += 1
                analysed.append(file)
            if analysed:
                self._cache.put_whole(repository, analysed, self._process.clock.now_ms())

    def _analyse_in_stages(
        self, repository: str, files: Sequence[tuple[str, str]], report: IndexReport
    ) -> Sequence[tuple[str, str]]:
        """Analyse files in workers: first the words of all, then the rest. Return those left for this thread."""
        without_words, with_words = self._index.pending_by_words(files)
        staged = frozenset((*without_words, *with_words))
        # A first prompt has analysed the files that it shows, and a process that was killed some more.
        is_first = 2 * len(files) > report.total
        report.to_read = len(without_words)
        batch: list[SummarizedFile] = []
        report.reading_since_ms = stored_at_ms = self._process.clock.monotonic_ms()
        workers = analyse_in_workers(
            self._cwd, without_words, self._process.log, lambda: self._is_over(report),
            with_words=with_words, is_first=is_first,
        )  # fmt: skip
        finished: set[str] = set()
        try:
            with closing(workers):
                for result in workers:
                    now_ms = self._process.clock.monotonic_ms()
                    if isinstance(result, FileWords):
                        self._index.add_words(result.files, result.counts, result.words)
                        self._store_words(repository, result)
                        report.words += result.requested
                        continue
                    facts = facts_of(result.path, result.language, result.imports, result.landmines)
                    self._index.complete(result.path, result.content, result.names, facts)
                    finished.add(result.path)
                    report.analysed += 1
                    batch.append(result)
                    if len(batch) >= _STORE_BATCH or now_ms - stored_at_ms > _STORE_AFTER_MS:
                        self._store(repository, batch)
                        stored_at_ms = now_ms
        except OSError as error:
            self._process.log.warning("codebase.workers.failed", kind=type(error).__name__)
            return [file for file in files if file[0] not in finished]
        finally:
            self._store(repository, batch)
            report.words = report.to_read
        return [file for file in files if file not in staged]

    def _store(self, repository: str, batch: list[SummarizedFile]) -> None:
        if batch:
            self._cache.put_many(
                repository,
                ((file.path, file.content, lambda text=file.stored: text) for file in batch),
                self._process.clock.now_ms(),
            )
            batch.clear()

    def _store_words(self, repository: str, words: FileWords) -> None:
        rows = ((*file, lambda text=text: text) for file, text in zip(words.files.items(), words.stored, strict=True))
        self._cache.put_words(repository, rows, self._process.clock.now_ms())


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
    if order is None or len(rest) <= MAX_UNSORTED_FILES:
        return [*changed, *rest]
    remaining = set(rest)
    ordered = dict.fromkeys(file for file in order(rest) if file in remaining)
    return [*changed, *ordered, *(file for file in rest if file not in ordered)]
