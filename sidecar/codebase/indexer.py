"""Fill the index with the summaries of a repository's files, from the file cache or by reading; changed files first."""

import base64
import itertools
import os
import queue
import threading
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from sidecar.call import Process
from sidecar.codebase.files import FileContent, read_contents
from sidecar.codebase.search import FileIndex
from sidecar.codebase.search.postings import InvertedUnits, invert
from sidecar.codebase.store import FileCache
from sidecar.codebase.summary.languages import language_of
from sidecar.codebase.summary.model import Summary, from_json, to_json
from sidecar.codebase.summary.summarize import MAX_ANALYSED_BYTES, Words, count_words, summarize, unanalysed_summary
from sidecar.codebase.summary.syntax import is_loaded
from sidecar.codebase.worktree.state import is_outside
from sidecar.core.clock import SystemClock
from sidecar.core.errors import Cancellation
from sidecar.core.secret_formats import OWN_PATTERNS, set_own_patterns
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


class FileWords(NamedTuple):
    """The words of some files, by term, as the index adds them at once."""

    files: dict[str, str]
    """Path → content id that the file was listed under."""
    counts: tuple[int, ...]
    """Number of passages of each file."""
    words: InvertedUnits
    stored: tuple[bytes, ...]
    """The words of each file as JSON, for the file cache."""
    requested: int
    """Number of files that were to be read; those that changed or disappeared meanwhile are left out."""


class _Part(NamedTuple):
    """Files for one request to a worker; those of the first stage come first."""

    stage: int
    number: int
    files: dict[str, str]
    clean: frozenset[str] = frozenset()
    """Files that contain no secrets, as the first stage found."""


_WORDS, _SUMMARIES = 1, 2
"""The stages: the words of contents, then definitions, imports and purposes."""


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
    with_words: Sequence[tuple[str, str]] = (),
    is_first: bool = False,
) -> Generator[FileWords | AnalysedFile, None, None]:
    """Read files in workers, in two stages: yield the words of all files, then the summary of each without its words.

    Files of `with_words` have their words already. The first index of a repository uses every idle core, a later one
    leaves one core free. A file that crashes its worker twice counts as not analysed. Stops soon after `is_over`
    returns True; no worker is left at the end. Raise GitFailed when git's objects cannot be read, OSError when no
    worker can be started.
    """
    workers = worker_count(uses_every_core=is_first)
    run = _Run(cwd, files, with_words, log, tuple(command or worker_command(WORKER_COMMAND)), workers)
    try:
        yield from run.results(is_over)
    finally:
        run.end()


def handle_request(line: bytes) -> Iterator[bytes]:
    """Handle one request in the worker: announce each file, then send its words or summary; report errors of git."""
    request = orjson.loads(line)
    cwd, files = Path(os.fsdecode(bytes.fromhex(request["cwd"]))), dict(request["files"])
    answer = _answer_words if request["stage"] == _WORDS else _answer_summaries
    set_own_patterns(request["patterns"])
    try:
        yield from answer(read_contents(cwd, files, MAX_ANALYSED_BYTES, with_large=True), frozenset(request["clean"]))
    except GitFailed as error:
        yield orjson.dumps(["failed", error.reason])


def _answer_summaries(contents: Iterable[FileContent], clean: frozenset[str]) -> Iterator[bytes]:
    for file in contents:
        yield orjson.dumps(["started", file.path])
        summary = _summary_of(file, with_words=False, is_clean=file.path in clean)
        yield orjson.dumps(["summary", file.path, file.content_id, to_json(summary)])


_ReadFile = tuple[str, str, int, bool]
"""A file's path, its content id, the number of its passages, and whether it contains no secrets."""


def _answer_words(contents: Iterable[FileContent], _: frozenset[str]) -> Iterator[bytes]:
    """Yield one line for all files, then one for the words of each."""
    files: list[_ReadFile] = []
    chunks: list[tuple[dict[str, int], ...]] = []
    for file in contents:
        yield orjson.dumps(["started", file.path])
        words = count_words(file.path, file.content) if file.content is not None else Words((), is_clean=True)
        files.append((file.path, file.content_id, len(words.chunks), words.is_clean))
        chunks.append(words.chunks)
    arrays = [base64.b64encode(numbers.tobytes()).decode() for numbers in invert(itertools.chain.from_iterable(chunks))]
    yield orjson.dumps(["words", files, *arrays])
    yield from map(orjson.dumps, chunks)


def _read_words(files: Sequence[_ReadFile], arrays: Sequence[str], lines: Iterator[bytes], requested: int) -> FileWords:
    """Return what `_answer_words` yielded."""
    numbers = [array(code, base64.b64decode(text)) for code, text in zip("QIII", arrays, strict=True)]
    stored = tuple(line.rstrip(b"\n") for line in itertools.islice(lines, len(files)))
    contents, counts = {path: content for path, content, *_ in files}, tuple(count for _, _, count, _ in files)
    return FileWords(contents, counts, InvertedUnits(*numbers), stored, requested)


def _summary_of(file: FileContent, *, with_words: bool = True, is_clean: bool = False) -> Summary:
    if file.content is None:
        return unanalysed_summary(file.path, file.size, "large")
    return summarize(file.path, file.content, with_words=with_words, is_clean=is_clean)


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
        for stage, staged in ((_WORDS, files), (_SUMMARIES, with_words)):
            for start in range(0, len(staged), BATCH_FILES):
                self.add_part(stage, dict(staged[start : start + BATCH_FILES]))
        self._results: queue.Queue[FileWords | AnalysedFile | Exception | None] = queue.Queue(maxsize=BATCH_FILES)
        self._over = threading.Event()
        count = min(workers, self._parts.qsize())
        self._slots = [_WorkerSlot(self) for _ in range(count)]

    def add_part(self, stage: int, files: dict[str, str], clean: frozenset[str] = frozenset()) -> None:
        """Queue files for a stage."""
        self._parts.put(_Part(stage, next(self._numbers), files, clean))

    def results(self, is_over: Callable[[], bool]) -> Iterator[FileWords | AnalysedFile]:
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

    def put(self, result: "FileWords | AnalysedFile | Exception | None") -> None:
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

    def request(self, part: _Part) -> bytes:
        """Return the request for some files."""
        return orjson.dumps(
            {
                "cwd": self._cwd,
                "stage": part.stage,
                "files": list(part.files.items()),
                "clean": list(part.clean),
                "patterns": OWN_PATTERNS.texts,
            }
        )

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

    def work_through(self, part: _Part) -> None:
        """Analyse a whole batch, with as many workers as that takes. Raise OSError or GitFailed."""
        if self._answer_count >= MAX_FILES_PER_WORKER:
            self.close()
        failed_starts = 0
        while part.files and not self._run.is_over():
            started: list[str] = []
            try:
                self._request(part, started)
                return
            except WorkerExited:
                status = self.close()
            if self._run.is_over():
                return
            if not started:
                failed_starts += 1
                if failed_starts >= _FAILED_STARTS:
                    raise OSError("no worker answers")
            elif started[-1] in part.files:
                self._record_crash(started[-1], part, status)

    def _request(self, part: _Part, started: list[str]) -> None:
        if self._worker is None:
            self._worker = self._run.start_worker()
        self._last_reply_ms = self._clock.monotonic_ms()
        lines = self._worker.request(self._run.request(part))
        for line in lines:
            self._last_reply_ms = self._clock.monotonic_ms()
            reply: list[Any] = orjson.loads(line)
            match reply:
                case ["started", path]:
                    started.append(path)
                case ["words", files, *arrays]:
                    self._put_words(_read_words(files, arrays, lines, len(part.files)), files)
                    part.files.clear()
                case ["summary", path, content, summary]:
                    part.files.pop(path, None)
                    self._answer_count += 1
                    self._run.put(AnalysedFile(path, content, from_json(summary)))
                case _:
                    raise GitFailed(str(reply[-1]))
            self._last_reply_ms = self._clock.monotonic_ms()  # queueing the result may block
        self._last_reply_ms = None

    def _put_words(self, words: FileWords, files: Sequence[_ReadFile]) -> None:
        """Queue the words of files, then their second stage, so that no summary precedes a file's words."""
        self._run.put(words)
        if words.files:
            clean = frozenset(path for path, _, _, is_clean in files if is_clean)
            self._run.add_part(_SUMMARIES, dict(words.files), clean)

    def _record_crash(self, path: str, part: _Part, status: int) -> None:
        times = self._crashes[path] = self._crashes.get(path, 0) + 1
        content = part.files[path]
        self._run.crashed(path, content, status, times)
        if times >= MAX_CRASHES:
            if part.stage == _WORDS:
                self._run.put(FileWords({path: content}, (0,), invert(()), (b"[]",), 1))
            self._run.put(AnalysedFile(path, content, unanalysed_summary(path, 0, "failed")))
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

_LOOKUP_BATCH = 256
_STORE_BATCH = 64
_STORE_AFTER_MS = 500.0
"""A killed process loses the analyses of this time, and those that wait in the queue."""

_WORDS_SHARE = 1.3
"""Time to read the words of a file, as a multiple of that of its analysis."""

_WAIT_SECONDS = 0.1


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
        """Return an estimate of the time left at a monotonic time, from the files read so far; None before the first.

        Also None of a run that waits for another one of the same files.
        """
        finished = self.words * _WORDS_SHARE + self.analysed
        if self.reading_since_ms is None or not finished:
            return None
        left = (self.to_read - self.words) * _WORDS_SHARE + self.total - self.analysed_total
        return round((now_ms - self.reading_since_ms) / finished * max(0.0, left))


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
                files = self._analyse_in_stages(repository, files, report)
            self._analyse_here(repository, files, report)
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)

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
        is_first = not report.from_cache and not with_words
        report.to_read = len(without_words)
        batch: list[AnalysedFile] = []
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
                    self._index.complete(*result)
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

    def _store(self, repository: str, batch: list[AnalysedFile]) -> None:
        if batch:
            self._cache.put_many(repository, batch, self._process.clock.now_ms())
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
    if order is None or len(rest) <= MAX_INLINE_FILES:  # sorting so few takes longer than reading them
        return [*changed, *rest]
    remaining = set(rest)
    ordered = dict.fromkeys(file for file in order(rest) if file in remaining)
    return [*changed, *ordered, *(file for file in rest if file not in ordered)]
