"""One workspace's repository in memory, and the views other slices use."""

import contextlib
import os
import posixpath
import stat
import threading
import weakref
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from pathlib import Path

from sidecar.call import Process
from sidecar.codebase.content_ids import ContentHashes, content_identity
from sidecar.codebase.file_analysis_worker import analyse
from sidecar.codebase.files import Lister, Listing, may_show, read_contents, read_from_worktree
from sidecar.codebase.indexer import MAX_INLINE_FILES, MIN_FILES_FOR_WORKERS, Indexer, IndexReport
from sidecar.codebase.region_search import FoundRegion, SearchedFile, ShownRegions
from sidecar.codebase.search import BrokenImport, FragileFile, PackageNames, RankedFile, SearchQuery
from sidecar.codebase.search.commit_history import Additions
from sidecar.codebase.search.postings import clear_key_cache
from sidecar.codebase.search.region_ranking import RankedRegion
from sidecar.codebase.search_without_index import RunningSearch
from sidecar.codebase.store import FileCache, SearchCache, StoredIndex
from sidecar.codebase.summary.languages import main_grammars
from sidecar.codebase.summary.model import Landmine, Summary
from sidecar.codebase.summary.summarize import outline
from sidecar.codebase.summary.syntax import load
from sidecar.codebase.workspace_search import CodeWords, SharedRepository, WorkspaceSearch
from sidecar.codebase.worktree.diff import (
    DiffCache,
    FileDiff,
    HeadMove,
    diff_between,
    head_move,
    paths_to_show,
)
from sidecar.codebase.worktree.freshness import Freshness, Watchers
from sidecar.codebase.worktree.git_metadata import blob_ids, has_small_index, head_of, index_signature
from sidecar.codebase.worktree.state import RepositoryState, StateUnavailable, former_paths
from sidecar.core.clock import SystemClock
from sidecar.core.digests import short_id
from sidecar.system.allocator import release_memory
from sidecar.system.git import Git, GitFailed, common_dir_of, find_root
from sidecar.system.safe_open import read_below
from sidecar.system.worker_threads import ThreadPool, await_future
from sidecar.workspace import Workspace

MAX_NEW_FILE_BYTES = 64 * 1024
MAX_TEXT_BYTES = 256 * 1024
MANY_FILES = 1_000
"""Indexing at least this many files frees memory that is worth returning to the system."""

WARM_AFTER_SECONDS = 1.0
STORE_AFTER_MS = 1_000.0

MAX_IMPORT_CANDIDATES = 400
"""Maximum number of files that mention a file whose imports are checked."""

MOVED_AT_ONCE = 8
"""After more moved and deleted files, the imports they broke are searched in the background, for the next call."""

SUMMARY_SIZE_FACTOR = 4
"""Memory of one cached summary as a multiple of its file's bytes."""


class CodebaseState:
    """Caches of summaries and search results, and the watches of worktrees, for the lifetime of the process."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.file_cache = FileCache(process)
        self.search_cache = SearchCache(process)
        self.shown_regions = ShownRegions()
        self.watchers = Watchers(process)
        self._lock = threading.Lock()
        self._shared: weakref.WeakValueDictionary[str, SharedRepository] = weakref.WeakValueDictionary()
        self.index_runs: dict[int, tuple[Path, IndexReport]] = {}
        """The folders that are being indexed, with the progress of each run."""

    def shared_repository(self, cwd: Path) -> SharedRepository:
        """Return what a workspace shares with those at the same folder of the repository's other worktrees."""
        root = find_root(cwd)
        common = common_dir_of(root) if root is not None else None
        key = str(cwd) if root is None or common is None else f"{common}\0{cwd.relative_to(root).as_posix()}"
        with self._lock:
            shared = self._shared.get(key)
            if shared is None:
                shared = self._shared[key] = SharedRepository(StoredIndex(self._process.state_dir, key))
            return shared


class Repository:
    """One workspace's repository. Thread-safe."""

    def __init__(self, workspace: Workspace, process: Process) -> None:
        self.cwd = workspace.cwd
        self._process = process
        files_clock = SystemClock()  # file times come from the machine's clock, not from the process's
        self._hashes = ContentHashes(lambda: files_clock.now_ms() * 1_000_000)
        self.shared = process.slices.codebase.shared_repository(self.cwd)
        self._lister = Lister(self.shared.listings)
        self._file_cache = process.slices.codebase.file_cache
        lookups = (self._whole_summaries, self.cached_summaries, self.summaries)
        self._search = WorkspaceSearch(self.cwd, process, self.shared.search, *lookups)
        self._index = self._search.index
        self._region_search = self.shared.regions
        self._indexer = Indexer(self.cwd, process, self._index, self._file_cache)
        self._recent_summaries = self.shared.recent_summaries
        self._listing_lock = threading.Lock()
        self._index_lock = threading.Lock()
        self._index_run: Future[IndexReport] | None = None
        self._index_report = IndexReport()
        self._last_listing: Listing | None = None
        self._when_unindexed: list[Callable[[], None]] = []
        self._grammars_started = False
        self._texts_above: tuple[object, dict[str, str]] = (None, {})
        """Instruction files of the folders above, and what they were read for."""
        self._broken_imports: tuple[object, Sequence[BrokenImport] | None] = (None, ())
        """The imports that moved and deleted files broke, None while searched, and the state in which they did."""
        self._unmoved: object = None  # the last state in which no file was moved or deleted
        self.key = workspace.key
        self.freshness = Freshness(self.cwd, process, self._hashes)
        self._differences = DiffCache(self.cwd, self._hashes, self.freshness)

    def state(self) -> RepositoryState:
        """Return the worktree's state; git runs only if something happened since the last time.

        Raise StateUnavailable.
        """
        self._read_ahead()
        return self.freshness.state()

    def _read_ahead(self) -> None:
        """Read a changed index, and the head's history and last changes, while git reads the state."""
        root = find_root(self.cwd)
        if root is None or self._process.closing.is_set():
            return
        if self._lister.read_ahead(self._process.background, self.cwd, root):
            self._process.background.start(self._load_ahead, root)
            latest, head = self.shared.listings.latest(), head_of(root)
            if head is not None and (latest.unindexed or not (latest.digest or has_small_index(root))):
                self._process.background.start(self._lister.read_recently_changed, self.cwd, head)

    def _load_ahead(self, root: Path) -> None:
        self.shared.load()
        head = head_of(root)
        if head is not None and self.shared.search.histories.has_any():
            self._search.read_history_of(head)

    def cached_state(self) -> tuple[RepositoryState, Listing] | None:
        """Return state and listing if little or nothing happened, and no other thread reads them now; else None."""
        state = self.freshness.cached_state()
        with contextlib.suppress(StateUnavailable):
            if state is not None:
                return state, self._search.cached_listing(state) or self.listing(state, may_wait=False)
        return None

    def likely_state(self) -> RepositoryState | None:
        """Return the state that git probably reports after a checkout, without a proof; None where that is open."""
        return self.freshness.likely_state() if self._search.is_complete() else None

    def verify_unchanged(self, paths: list[str]) -> bool:
        """Whether files about to be sent still match the state; if not, the next state is read afresh."""
        listing = self._last_listing
        files = {path: listing.content_of(path) if listing is not None else None for path in paths}
        unchanged = self.freshness.verify_unchanged(files)
        if not unchanged:
            self._process.log.warning("codebase.state.denied", files=len(paths))
            self.freshness.invalidate()
        return unchanged

    def listing(self, state: RepositoryState, *, may_wait: bool = True) -> Listing:
        """Return a state's files and make the index hold exactly these. Raise StateUnavailable."""
        if not self._listing_lock.acquire(blocking=may_wait):
            raise StateUnavailable("another thread lists the files")
        try:
            self.shared.load()
            listing = self._lister.list(self.cwd, state)
            if self._last_listing is not listing:
                self.key, self._last_listing = _repository_key(state), listing
                if self._when_unindexed and self._index.has_unknown(listing.searched, MIN_FILES_FOR_WORKERS):
                    for start in (*self._when_unindexed,):
                        start()
            self._search.update(state, listing)
            if self.shared.search.index.has_excess():
                self.freshness.idle_queue.submit(self.shared.search.index.remove_excess)
            return listing
        except GitFailed as error:
            raise StateUnavailable(error.reason) from error
        finally:
            self._listing_lock.release()

    def start_indexing(self, listing: Listing, pool: ThreadPool) -> "Future[IndexReport]":
        """Start indexing in the background, or join an active run.

        Changed files come first, then files related to the last query, then recently changed ones.
        """
        with self._index_lock:
            if self._index_run is None or self._index_run.done():
                self._index_report = IndexReport(total=len(listing.searched))
                self._index_run = pool.start(self._run, self._index_report)
                if not self._grammars_started:
                    self._grammars_started = True
                    run = (self._index_run,)
                    threading.Thread(target=self._load_grammars, args=run, name="grammars", daemon=True).start()
            return self._index_run

    def fill_index(self, listing: Listing, report: IndexReport) -> IndexReport:
        """Index the files in this thread; the report can be watched and cancelled."""
        report.total = len(listing.searched)
        return self._run(report)

    def prioritize(
        self, text: str, state: RepositoryState, touched: Collection[str], by_contents: RunningSearch | None
    ) -> None:
        """Index the files that a search for a text will find before others, if an index run begins now.

        `by_contents` is a search for it without the index.
        """
        self._search.prioritize(_search_query(text, state, (), touched), by_contents)

    def unread(self, files: Sequence[RankedFile]) -> list[RankedFile]:
        """Return the files that are listed and whose words are not in the index yet."""
        pending = self._index.pending_paths
        return [file for file in files if pending.get(file.path) is False]

    def wait_for_index(self, listing: Listing, pool: ThreadPool, wait_ms: float) -> tuple[int, bool]:
        """Index for at most `wait_ms`; return how many files were analysed, and whether the index is complete.

        A few edited files are analysed in this thread, which is faster than a thread hand-off. A run that was started
        for an earlier listing is awaited and followed by another one.
        """
        if self._search.is_complete():
            return 0, True
        analysed = (self._indexer.run_inline(self.key) or 0) if wait_ms > 0 else 0
        if self._search.is_complete():
            return analysed, True
        clock = self._process.clock
        deadline_ms = clock.monotonic_ms() + wait_ms
        for _ in range(2):
            previous, before = self._index_report, self._index_report.analysed
            future = self.start_indexing(listing, pool)
            if self._index_report is not previous:
                before = 0  # a run may analyse files before this thread continues
            await_future(future, max(0.0, deadline_ms - clock.monotonic_ms()))
            analysed += self._index_report.analysed - before
            if self._search.is_complete() or not future.done():
                break
        return analysed, self._search.is_complete()

    def is_nearly_indexed(self) -> bool:
        """Whether all but a few listed files are indexed and the head's history is loaded."""
        return self._search.is_complete(allowed_pending=MAX_INLINE_FILES)

    def is_indexed(self) -> bool:
        """Whether every listed file is indexed and the head's history is loaded."""
        return self._search.is_complete()

    def find(
        self,
        text: str,
        state: RepositoryState,
        limit: int,
        *,
        mentioned: Collection[str] = (),
        touched: Collection[str] = (),
    ) -> list[RankedFile]:
        """Rank the files a text is about; `mentioned` by the user, `touched` by the conversation's runs."""
        return self._search.find(_search_query(text, state, mentioned, touched), state, self.key, limit)

    def defer_history(self) -> AbstractContextManager[None]:
        """Let the history of commits wait meanwhile: a request that can do without it has little time."""
        return self.shared.search.histories.request_priority.defer_history()

    @contextlib.contextmanager
    def when_unindexed(self, start: Callable[[], None]) -> Generator[None]:
        """Call a function as soon as the files of a new state are listed, if many of them are not indexed."""
        self._when_unindexed.append(start)
        try:
            yield
        finally:
            self._when_unindexed.remove(start)

    def is_unindexed(self) -> bool:
        """Whether many files are not indexed, as far as is known before the repository's state is."""
        is_unlisted, pending = self._last_listing is None, self._index.pending_paths
        return self.shared.is_empty() if is_unlisted else len(pending) >= MIN_FILES_FOR_WORKERS

    def outlines(self, files: dict[str, str]) -> dict[str, Summary]:
        """Return summaries of path → content id by line patterns alone, which takes a few milliseconds each."""
        texts = self._source_texts(files)
        return {path: outline(path, text) for path, text in texts.items() if 0 < len(text) <= MAX_TEXT_BYTES}

    def regions(self, text: str, files: Sequence[SearchedFile]) -> list[RankedRegion]:
        """Rank the regions of files, which come best first; contents are read once."""
        return self._region_search.rank(self._search.region_query(text), files, self._source_texts)

    def region_lines(self, region: RankedRegion, content: str) -> FoundRegion | None:
        """Return a ranked region with its lines."""
        return self._region_search.with_lines(region, content)

    def specific_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Return the terms that occur in few enough files to say something."""
        return self._index.specific_terms(terms)

    def subject_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Return those of a prompt's specific terms that say what it is about."""
        return self._index.subject_terms(terms)

    def code_words_of_labels(self, terms: Collection[str]) -> CodeWords:
        """Return the words by which the code calls what only the texts that users see call by some terms."""
        return self._search.code_words_of_labels(terms)

    def _source_texts(self, files: dict[str, str]) -> dict[str, str]:
        """Read files from the worktree, or from git's objects where a filter changed their bytes."""
        return self._with_objects(self.worktree_texts(files), files)

    def cached_summaries(self, files: dict[str, str]) -> dict[str, Summary]:
        """Return the cached summaries of path → content id; reads no file."""
        return self._file_cache.get_many(self.key, files.items())

    def _whole_summaries(self, files: dict[str, str]) -> dict[str, Summary]:
        return self._file_cache.get_whole(self.key, list(files.items()))

    def names_in(self, paths: Collection[str]) -> frozenset[str]:
        """Return the names that files of the last listing define and use, as far as they are cached; reads no file."""
        listing = self._last_listing
        searched = listing.searched if listing is not None else {}
        files = {path: searched[path] for path in paths if path in searched}
        known = self.cached_summaries(files).values()
        defined = (definition.name for summary in known for definition in summary.definitions)
        return frozenset((*defined, *(name for summary in known for name in summary.references)))

    def evidence_in(
        self, text: str, names: Collection[str], terms: Collection[str], touched: Collection[str], *, strict: bool
    ) -> frozenset[str]:
        """Return the paths, names and rare terms of a prompt that the repository has; strictly, what it defines."""
        named = self._index.named_here(text, names, terms, touched, only_defined=strict)
        return named if strict else named | self._index.rare_terms(terms)

    def summaries(self, files: dict[str, str]) -> dict[str, Summary]:
        """Return the summaries of path → content id; those not cached are read together.

        A file that changed or disappeared meanwhile has none.
        """
        recent = {path: self._recent_summaries.get((path, content)) for path, content in files.items()}
        result = {path: summary for path, summary in recent.items() if isinstance(summary, Summary)}
        result |= self.cached_summaries({path: content for path, content in files.items() if path not in result})
        unknown = {path: content for path, content in files.items() if path not in result}
        try:
            analysed = list(analyse(self.cwd, unknown))
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)
            return result
        if analysed:
            self._file_cache.put_whole(self.key, analysed, self._process.clock.now_ms())
        result |= {path: summary for path, _, summary in analysed}
        for path, summary in result.items():
            self._recent_summaries.put((path, files[path]), summary, SUMMARY_SIZE_FACTOR * summary.bytes)
        return result

    def has_diffs(self, state: RepositoryState) -> bool:
        """Whether `diffs` has no file to read."""
        return self._differences.has(state)

    def diffs(self, state: RepositoryState) -> dict[str, FileDiff]:
        """Return each changed file's diff to the head commit; only changes since the last time are read.

        New files are not included: `new_file_text` reads them. Raise StateUnavailable.
        """
        try:
            return self._differences.diffs(state)
        except GitFailed as error:
            raise StateUnavailable(error.reason) from error

    def head_move(self, old: str, new: str, max_commits: int) -> HeadMove:
        """Return what happened between two commits; if the old one no longer exists, the way is `unknown`."""
        try:
            return head_move(self.cwd, old, new, max_commits)
        except GitFailed:
            return HeadMove((), (), "unknown")

    def committed_diffs(self, old: str, new: str, moved: HeadMove) -> dict[str, FileDiff]:
        """Return the diffs of files that may be shown between two commits, small ones first, up to a size.

        Empty if the head moved back: whoever knew the old head knows that content.
        """
        if moved.direction == "backward":
            return {}
        try:
            return diff_between(self.cwd, old, new, paths_to_show(moved.files))
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)
            return {}

    def texts(self, files: dict[str, str]) -> dict[str, str]:
        """Read small text files by content id; a large or binary file counts as empty.

        A file that changed, or cannot be read now, is left out. Most files are in the worktree as committed; git is
        asked for the others.
        """
        texts: dict[str, str] = {}
        checked: set[str] = set()
        for path, content in files.items():
            found = read_from_worktree(self.cwd, path, content_identity(content), MAX_TEXT_BYTES, checked)
            if found is not None:
                texts[path] = _text(found)
        return self._with_objects(texts, files)

    def _with_objects(self, texts: dict[str, str], files: dict[str, str]) -> dict[str, str]:
        """Add the files that were not read from the worktree, as far as git's objects have them."""
        missing = {path: content for path, content in files.items() if path not in texts}
        if missing:
            try:
                objects = read_contents(self.cwd, missing, MAX_TEXT_BYTES)
                return texts | {read.path: _text(read.content) for read in objects}
            except GitFailed as error:
                self._process.log.warning("codebase.read.failed", reason=error.reason)
        return texts

    def content_ids_at(self, commit: str, paths: Sequence[str], state: RepositoryState) -> dict[str, str]:
        """Return the content ids of files in a commit; files it does not have are left out. Raise StateUnavailable."""
        try:
            return blob_ids(state, commit, paths) if paths else {}
        except GitFailed as error:
            raise StateUnavailable(error.reason) from error

    def importers(self, path: str) -> list[str]:
        """Return the files known to import a listed file, sorted; also those of the repository outside of `cwd`."""
        return self._search.importers(path, MAX_IMPORT_CANDIDATES)

    def folders_named(self, term: str) -> Sequence[str]:
        """Return the folders whose names have a term, sorted, as far as the history is known."""
        return self._search.folders_named(term)

    def changed_with_additions(self, folder: str) -> Additions:
        """Return the files that most of the last additions to a folder changed, as far as the history is known."""
        return self._search.changed_with_additions(folder)

    def broken_imports(self, state: RepositoryState) -> Sequence[BrokenImport] | None:
        """Return the imports that the files moved or deleted since the last commit broke, sorted.

        None while files are still being indexed, and at first after many moves. Computed once for a state.
        """
        listing = self._last_listing
        key = (state.head, state.changed_hash, listing.entries if listing is not None else "")
        moved = former_paths(state.changed) if key != self._unmoved else {}
        if not moved:
            self._unmoved = key
            return ()
        if self._broken_imports[0] != key:
            self._broken_imports = key, None
            if len(moved) > MOVED_AT_ONCE:
                self._process.background.start(self._find_broken_imports, moved, key)
                return None
            self._find_broken_imports(moved, key)
        return self._broken_imports[1] if self._broken_imports[0] == key else None

    def _find_broken_imports(self, moved: Mapping[str, str], key: object) -> None:
        broken = None
        try:
            broken = self._search.broken_imports(moved, MAX_IMPORT_CANDIDATES)
        finally:
            self._broken_imports = (key, broken) if broken is not None else (None, ())

    def texts_above(self, names: Sequence[str], state: RepositoryState) -> dict[str, str]:
        """Return the texts of files with these names in the repository's folders above `cwd`, the nearest first.

        Paths are relative to `cwd`. Ignored files and links are left out; unchanged files are not read again.
        """
        levels = state.prefix.count("/") if state.kind == "git" else 0
        paths = ["../" * level + name for level in range(1, levels + 1) for name in names]
        stats = {
            path: (file_stat.st_mtime_ns, file_stat.st_size, file_stat.st_ino)
            for path in paths
            if (file_stat := _regular_stat(self.cwd / path)) is not None
        }
        if not stats:
            return {}
        key = (index_signature(state.root), tuple(stats.items()))
        if self._texts_above[0] != key:
            try:
                shown = Git(self.cwd).run("ls-files", "-z", "-c", "-o", "--exclude-standard", "--", *stats)
            except GitFailed as error:
                self._process.log.warning("codebase.read.failed", reason=error.reason)
                return {}
            listed = frozenset(shown.decode("utf-8", "surrogateescape").split("\0"))
            contents = {
                path: read_below(str(state.root), posixpath.normpath(state.prefix + path), MAX_TEXT_BYTES)
                for path in stats
                if path in listed
            }
            self._texts_above = (key, {path: _text(content) for path, content in contents.items() if content})
        return self._texts_above[1]

    def names_above(self, names: Sequence[str], state: RepositoryState) -> frozenset[str]:
        """Return which of these files the nearest of the repository's folders above `cwd` has that has any of them."""
        levels = state.prefix.count("/") if state.kind == "git" else 0
        for level in range(1, levels + 1):
            folder = self.cwd / ("../" * level)
            if present := frozenset(name for name in names if _regular_stat(folder / name) is not None):
                return present
        return frozenset()

    def former_importers(self, path: str, imports: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the files whose imports, as they were then, resolve to a file that was removed; sorted."""
        return self._index.former_importers(path, imports)

    def dependencies(self, parts: frozenset[str], names: PackageNames) -> Mapping[str, Mapping[str, int]] | None:
        """Count for each folder (`""`: the top) the files that import each other folder; None during indexing."""
        return self._index.dependencies(parts, names)

    def fragile_files(self, limit: int) -> list[FragileFile] | None:
        """Return the files whose changes were most often reverted or fixed again lately; None while that is unknown."""
        return self._search.fragile_files(limit)

    def landmines(self) -> tuple[tuple[str, Landmine], ...] | None:
        """Return the first warnings above definitions, with their paths; None while files are still being indexed."""
        return self._index.landmines()

    def symbolic_links(self, names: Collection[str]) -> dict[str, str]:
        """Return the targets of those names that are symbolic links, relative to the workspace."""
        targets = {}
        for name in names:
            with contextlib.suppress(OSError, ValueError):
                target = os.readlink(self.cwd / name).replace("\\", "/")
                targets[name] = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
        return targets

    def worktree_texts(self, files: dict[str, str]) -> dict[str, str]:
        """Read worktree files whose bytes match their content ids, without git's objects."""
        read = ((path, read_from_worktree(self.cwd, path, content_identity(id_))) for path, id_ in files.items())
        return {path: _text(content) for path, content in read if content is not None and may_show(path)}

    def new_file_text(self, path: str) -> str | None:
        """Read a small untracked text file; None if it may not be shown."""
        if not may_show(path):
            return None
        content = read_below(str(self.cwd), path, MAX_NEW_FILE_BYTES, may_download=False)
        if content is None or b"\0" in content:
            return None
        return content.decode("utf-8", "replace")

    def _run(self, report: IndexReport) -> IndexReport:
        runs = self._process.slices.codebase.index_runs
        runs[id(report)] = (self.cwd, report)
        history = threading.Thread(target=self._search.read_history, name="history", daemon=True)
        try:
            history.start()  # meanwhile the last commits order the files
            done = self._indexer.run(self.key, report, self._search.by_interest)
            history.join()
        finally:
            del runs[id(report)]
        if done.analysed >= MANY_FILES or done.from_cache >= MANY_FILES:
            clear_key_cache()
            release_memory()
        if self.shared.must_be_stored() and self._search.is_complete():
            self.freshness.idle_queue.submit(self.shared.store, STORE_AFTER_MS)
        return done

    def _load_grammars(self, index_run: "Future[IndexReport]") -> None:
        """Load the grammars of the repository's main languages, for which the first edit would wait otherwise.

        Files from workers or the cache are not parsed in this process. Waits for the first run and a moment more:
        compiling a query blocks other threads.
        """
        wait((index_run,))
        listing = self._last_listing
        if listing is None or self._process.closing.wait(WARM_AFTER_SECONDS):
            return
        for grammar in main_grammars(listing.files):
            if not self._process.closing.is_set():
                load(grammar)


def _search_query(
    text: str, state: RepositoryState, mentioned: Collection[str], touched: Collection[str]
) -> SearchQuery:
    changed = () if state.kind == "folder" else (file.path for file in state.all_changed)
    return SearchQuery(text, frozenset(changed), frozenset(mentioned), frozenset(touched))


def _regular_stat(path: Path) -> os.stat_result | None:
    with contextlib.suppress(OSError):
        file_stat = os.lstat(path)
        return file_stat if stat.S_ISREG(file_stat.st_mode) else None
    return None


def _text(content: bytes | None) -> str:
    return "" if content is None or b"\0" in content else content.decode("utf-8", "replace")


def _repository_key(state: RepositoryState) -> str:
    """Return the repository's key: worktrees of one repository share the common git directory."""
    common = common_dir_of(state.root) if state.kind == "git" else None
    return short_id(os.fsencode(common or state.root).hex(), 16)
