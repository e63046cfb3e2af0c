"""Takes the words of a repository's files into its index: from the file cache, else by reading, changed ones first."""

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.call import Process
from sidecar.codebase import analysis_workers
from sidecar.codebase.analysis_workers import Analysed, analyse, analyse_in_workers
from sidecar.codebase.search import FileIndex
from sidecar.codebase.store import FileCache
from sidecar.codebase.summary.grammar import is_loaded
from sidecar.codebase.summary.languages import language_of
from sidecar.core.cancellation import Cancellation
from sidecar.system.git import GitFailed

Order = Callable[[Sequence[tuple[str, str]]], Iterable[tuple[str, str]]]
"""Puts (path, content id) pairs in the order in which they are worth reading; those it leaves out come last."""

FEW = 8
FEW_BYTES = 48 * 1024
"""So much is read and analysed in 15 ms at most, one ordinary file in two; a background run waits for its turn."""

_LOOKED_UP_AT_ONCE = 256
_KEPT_AT_ONCE = 64
_WAIT_SECONDS = 0.1


@dataclass
class FillReport:
    """What an index run did; changes while it runs."""

    total: int = 0
    from_cache: int = 0
    analysed: int = 0
    cancellation: Cancellation = field(default_factory=Cancellation)

    @property
    def done(self) -> int:
        """Files that are in the index."""
        return self.from_cache + self.analysed


class Filling:
    """Fills one index; one run at a time, a second one waits for what the first leaves."""

    def __init__(self, cwd: Path, process: Process, index: FileIndex, cache: FileCache) -> None:
        self._cwd = cwd
        self._process = process
        self._index = index
        self._cache = cache
        self._turn = threading.Lock()

    def run(self, repository: str, report: FillReport, order: Order | None = None) -> FillReport:
        """Takes in what is pending: changed files first, then as ordered; stops when the report is cancelled."""
        while not self._turn.acquire(timeout=_WAIT_SECONDS):
            report.from_cache = report.total - len(self._index.pending())
            if self._is_over(report):
                return report
        try:
            pending = self._index.pending()
            report.from_cache = max(0, report.total - len(pending))
            unknown = list(self._without_cached(repository, prioritised(pending, order), report))
            self._analyse(repository, unknown, report)
        finally:
            self._turn.release()
        return report

    def run_few(self, repository: str) -> int | None:
        """Takes in a handful of files in this thread, known ones or small changed ones; gives how many were analysed.

        None where there is more to do, a grammar is not ready, or a run is under way: that is for the background.
        """
        if not self._turn.acquire(blocking=False):
            return None
        try:
            files = self._index.pending(FEW + 1)
            report = FillReport(total=len(files))
            unknown = list(self._without_cached(repository, files, report)) if len(files) <= FEW else files
            if not _is_handful(self._cwd, unknown):
                return None
            self._analyse(repository, unknown, report)
            return report.analysed
        finally:
            self._turn.release()

    def _is_over(self, report: FillReport) -> bool:
        return self._process.ending.is_set() or report.cancellation.is_set

    def _without_cached(
        self, repository: str, files: Sequence[tuple[str, str]], report: FillReport
    ) -> Iterator[tuple[str, str]]:
        """Takes in what the cache has and yields the others."""
        for start in range(0, len(files), _LOOKED_UP_AT_ONCE):
            if self._is_over(report):
                return
            part = files[start : start + _LOOKED_UP_AT_ONCE]
            cached = self._cache.get_many(repository, list(part))
            for path, content in part:
                if path in cached:
                    self._index.analysed(path, content, cached[path])
                    report.from_cache += 1
                else:
                    yield path, content

    def _analyse(self, repository: str, files: Sequence[tuple[str, str]], report: FillReport) -> None:
        made: list[Analysed] = []
        try:
            with closing(self._analysed(files, report)) as analysed:
                for one in analysed:
                    self._index.analysed(*one)
                    report.analysed += 1
                    made.append(one)
                    if len(made) >= _KEPT_AT_ONCE:
                        self._keep(repository, made)
                    if self._is_over(report):
                        break
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)
        finally:
            self._keep(repository, made)

    def _keep(self, repository: str, made: list[Analysed]) -> None:
        if made:
            self._cache.put_many(repository, made, self._process.clock.now_ms())
            made.clear()

    def _analysed(self, files: Sequence[tuple[str, str]], report: FillReport) -> Generator[Analysed, None, None]:
        """Reads many files in workers and a handful here, as many as are left where no worker can be started."""
        done: set[str] = set()
        if len(files) >= analysis_workers.WORKERS_FROM:
            try:
                workers = analyse_in_workers(self._cwd, files, self._process.log, lambda: self._is_over(report))
                with closing(workers):
                    for one in workers:
                        done.add(one.path)
                        yield one
                return
            except OSError as error:
                self._process.log.warning("codebase.workers.failed", kind=type(error).__name__)
        left = [(path, content) for path, content in files if path not in done]
        for start in range(0, len(left), _KEPT_AT_ONCE):
            if self._is_over(report):
                return
            yield from analyse(self._cwd, dict(left[start : start + _KEPT_AT_ONCE]))


def _is_handful(cwd: Path, files: Sequence[tuple[str, str]]) -> bool:
    """Says whether files are few, small, in the worktree, and of languages whose grammars are ready."""
    if len(files) > FEW or not all(content.startswith("w:") for _, content in files):
        return False
    languages = (language_of(path) for path, _ in files)
    grammars = (language.grammar for language in languages if language is not None)
    if not all(grammar is None or is_loaded(grammar) for grammar in grammars):
        return False
    try:
        return sum((cwd / path).lstat().st_size for path, _ in files) <= FEW_BYTES
    except OSError:
        return False


def prioritised(files: Sequence[tuple[str, str]], order: Order | None) -> list[tuple[str, str]]:
    """Puts changed files first, then the others as the order says, then those it leaves out."""
    changed = [file for file in files if file[1].startswith("w:")]
    rest = [file for file in files if not file[1].startswith("w:")]
    if order is None or len(rest) <= FEW:  # to put so few in order takes longer than to read them
        return [*changed, *rest]
    left = set(rest)
    wanted = dict.fromkeys(file for file in order(rest) if file in left)
    return [*changed, *wanted, *(file for file in rest if file not in wanted)]
