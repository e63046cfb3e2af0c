"""Fill the index with the summaries of a repository's files, from the file cache or by reading; changed files first."""

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.call import Process
from sidecar.codebase import analysis_workers
from sidecar.codebase.analysis_workers import AnalysedFile, analyse, analyse_in_workers
from sidecar.codebase.search import FileIndex
from sidecar.codebase.store import FileCache
from sidecar.codebase.summary.grammar import is_loaded
from sidecar.codebase.summary.languages import language_of
from sidecar.core.cancellation import Cancellation
from sidecar.system.git import GitFailed

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
    cancellation: Cancellation = field(default_factory=Cancellation)

    @property
    def done(self) -> int:
        """Number of files in the index."""
        return self.from_cache + self.analysed


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
        if len(files) >= analysis_workers.MIN_FILES_FOR_WORKERS:
            try:
                workers = analyse_in_workers(self._cwd, files, self._process.log, lambda: self._is_over(report))
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
    if order is None or len(rest) <= MAX_INLINE_FILES:  # sorting so few takes longer than reading them
        return [*changed, *rest]
    remaining = set(rest)
    ordered = dict.fromkeys(file for file in order(rest) if file in remaining)
    return [*changed, *ordered, *(file for file in rest if file not in ordered)]
