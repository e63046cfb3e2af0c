"""What is kept in memory about one workspace's repository, and the looks other slices take at it."""

import contextlib
import os
import posixpath
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from sidecar.call import Process
from sidecar.codebase.analysis_workers import analyse
from sidecar.codebase.contents import from_worktree, read_contents
from sidecar.codebase.files import Lister, Listing, may_show
from sidecar.codebase.indexer import FEW, Filling, FillReport
from sidecar.codebase.search import Names, Ranked, SearchQuestion, Trouble
from sidecar.codebase.searcher import Finder
from sidecar.codebase.store import FileCache
from sidecar.codebase.summary.grammar import load
from sidecar.codebase.summary.languages import main_grammars
from sidecar.codebase.summary.summarize import Summary
from sidecar.codebase.worktree.content_hash import ContentHashes, content_identity
from sidecar.codebase.worktree.diff import FileDiff, Moved, diff_between, moved_between, shown_of
from sidecar.codebase.worktree.diff_cache import Differences
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.git_dir import common_dir_of
from sidecar.codebase.worktree.libgit_diff import blobs_of
from sidecar.codebase.worktree.state import RepositoryState, StateFailed
from sidecar.core.clock import SystemClock
from sidecar.core.digests import short_id
from sidecar.core.terms import forget_words
from sidecar.storage.lru import Lru
from sidecar.system.allocator import give_back
from sidecar.system.git import GitFailed
from sidecar.system.safe_open import read_below
from sidecar.workspace import Workspace

MAX_NEW_FILE_BYTES = 64 * 1024
MAX_TEXT_BYTES = 256 * 1024
MANY_FILES = 1_000
"""Taking in so many leaves memory that is worth giving back."""

WARM_AFTER_SECONDS = 1.0

MAX_ASKED_FOR_IMPORTS = 400
"""So many files that speak of one are asked whether they import it."""

SHOWN_BYTES, SHOWN_SHARE = 4 * 2**20, 4
"""How much the summaries that were shown last may take; one takes about so many times its file's bytes."""


class Repository:
    """One workspace's repository. Thread-safe."""

    def __init__(self, workspace: Workspace, process: Process) -> None:
        self.cwd = workspace.cwd
        self._workspace_key = workspace.key
        self._process = process
        files_clock = SystemClock()  # file times are the machine's own, whatever clock the process was given
        self._hashes = ContentHashes(lambda: files_clock.now_ms() * 1_000_000)
        self._lister = Lister()
        self._file_cache = process.part(FileCache, lambda: FileCache(process))
        self._finder = Finder(self.cwd, process, self.known_summaries, self.summaries)
        self._index = self._finder.index
        self._filler = Filling(self.cwd, process, self._index, self._file_cache)
        self._shown = Lru(SHOWN_BYTES)
        self._look_lock = threading.Lock()
        self._fill_lock = threading.Lock()
        self._fill: Future[FillReport] | None = None
        self._filling = FillReport()
        self._listed: Listing | None = None
        self._is_warm = False
        self.key = workspace.key
        self.freshness = Freshness(self.cwd, process, self._hashes)
        self._differences = Differences(self.cwd, self._hashes, self.freshness)

    def state(self) -> RepositoryState:
        """Tells how the worktree is now: asks git, unless nothing happened since it was asked; raises StateFailed."""
        return self.freshness.state()

    def at_once(self) -> tuple[RepositoryState, Listing] | None:
        """Gives state and listing where nothing or little happened since they were given last, else None."""
        state = self.freshness.at_once()
        if state is None:
            return None
        try:
            return state, self._finder.listed(state) or self.listing(state)
        except StateFailed:
            return None

    def confirms(self, paths: list[str]) -> bool:
        """Looks at files that are about to be told of; where one is not as the state has it, the next is read anew."""
        confirmed = self.freshness.confirms(paths)
        if not confirmed:
            self._process.log.warning("codebase.state.denied", files=len(paths))
            self.freshness.forget()
        return confirmed

    def listing(self, state: RepositoryState) -> Listing:
        """Gives the files of a state and makes the index hold exactly those; raises StateFailed."""
        with self._look_lock:
            try:
                listing = self._lister.list(self.cwd, state)
            except GitFailed as error:
                raise StateFailed(error.reason) from error
            if self._listed is not listing:
                self.key, self._listed = _repository_key(state), listing
            self._finder.follow(state, listing)
            return listing

    def start_filling(self, listing: Listing, pool: ThreadPoolExecutor) -> "Future[FillReport]":
        """Begins to take the files' words into the index, in the background; joins a run that is under way.

        Changed files come first, then those near what was last asked, then those that changed lately.
        """
        with self._fill_lock:
            if self._fill is None or self._fill.done():
                self._filling = FillReport(total=len(listing.files))
                self._fill = pool.submit(self._run, self._filling)
                if not self._is_warm:
                    self._is_warm = True
                    warming = threading.Thread(
                        target=self._warm_grammars, args=(self._fill,), name="grammars", daemon=True
                    )
                    warming.start()
            return self._fill

    def fill(self, listing: Listing, report: FillReport) -> FillReport:
        """Takes the files' words into the index in this thread; the report may be watched and cancelled."""
        report.total = len(listing.files)
        return self._run(report)

    def wait_for_index(self, listing: Listing, pool: ThreadPoolExecutor, wait_ms: float) -> tuple[int, bool]:
        """Fills the index for at most `wait_ms`; gives how many files were analysed meanwhile, and whether all are in.

        A handful of edited files is analysed in this thread, which takes less time than another one's turn.
        A run that was begun for an earlier listing is waited for, and followed by one more.
        """
        if self._finder.is_complete():
            return 0, True
        analysed = (self._filler.run_few(self.key) or 0) if wait_ms > 0 else 0
        if self._finder.is_complete():
            return analysed, True
        clock = self._process.clock
        give_up_at = clock.monotonic_ms() + wait_ms
        for _ in range(2):
            future = self.start_filling(listing, pool)
            before = self._filling.analysed
            wait((future,), timeout=max(0.0, give_up_at - clock.monotonic_ms()) / 1000)
            analysed += self._filling.analysed - before
            if self._finder.is_complete() or not future.done():
                break
        return analysed, self._finder.is_complete()

    def is_nearly_indexed(self) -> bool:
        """Says whether all but a handful of the listed files' words, and the head's history, are known."""
        return self._finder.is_complete(but=FEW)

    def is_indexed(self) -> bool:
        """Says whether the words of every listed file and the head's history are known."""
        return self._finder.is_complete()

    def find(
        self,
        text: str,
        state: RepositoryState,
        limit: int,
        *,
        mentioned: Collection[str] = (),
        touched: Collection[str] = (),
    ) -> list[Ranked]:
        """Ranks the files a text is about; `mentioned` by the user, `touched` by the conversation's runs."""
        changed = () if state.kind == "folder" else (file.path for file in state.changed)
        question = SearchQuestion(text, frozenset(changed), frozenset(mentioned), frozenset(touched))
        return self._finder.find(question, state, self.key, limit)

    def known_summaries(self, files: dict[str, str]) -> dict[str, Summary]:
        """Gives those of the summaries of path → content id that were made before; reads no file."""
        return self._file_cache.get_many(self.key, list(files.items()))

    def names_in(self, paths: Collection[str]) -> frozenset[str]:
        """Gives the names that files define and use, as they were listed last and as far as is known; reads no file."""
        listed = self._listed
        files = {path: listed.files[path] for path in paths if path in listed.files} if listed is not None else {}
        known = self.known_summaries(files).values()
        defined = (definition.name for summary in known for definition in summary.definitions)
        return frozenset((*defined, *(name for summary in known for name in summary.references)))

    def summaries(self, files: dict[str, str]) -> dict[str, Summary]:
        """Gives the summaries of path → content id: cached ones, and the others by reading them all at once.

        A file that changed or is gone meanwhile has none.
        """
        shown = {path: self._shown.get((path, content)) for path, content in files.items()}
        found = {path: summary for path, summary in shown.items() if isinstance(summary, Summary)}
        found |= self.known_summaries({path: content for path, content in files.items() if path not in found})
        unknown = {path: content for path, content in files.items() if path not in found}
        try:
            made = list(analyse(self.cwd, unknown))
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)
            return found
        if made:
            self._file_cache.put_many(self.key, made, self._process.clock.now_ms())
        found |= {path: summary for path, _, summary in made}
        for path, summary in found.items():
            self._shown.put((path, files[path]), summary, SHOWN_SHARE * summary.bytes)
        return found

    def diffs(self, state: RepositoryState) -> dict[str, FileDiff]:
        """Gives the difference of each changed file to the head commit; read again only for what changed.

        New files have no difference here: `new_file` reads them. Raises StateFailed.
        """
        try:
            return self._differences.of(state)
        except GitFailed as error:
            raise StateFailed(error.reason) from error

    def moved(self, old: str, new: str, max_commits: int) -> Moved:
        """Tells what happened between two commits; a vanished old one leaves only the new one's place to tell."""
        try:
            return moved_between(self.cwd, old, new, max_commits)
        except GitFailed:
            return Moved((), (), "unknown")

    def committed(self, old: str, new: str, moved: Moved) -> dict[str, FileDiff]:
        """Gives the differences of files between two commits that may be shown, small ones first, up to a size.

        Of a head that moved back there are none: what was there is known to whoever knew the old one.
        """
        if moved.way == "back":
            return {}
        try:
            return diff_between(self.cwd, old, new, shown_of(moved.files))
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)
            return {}

    def texts(self, files: dict[str, str]) -> dict[str, str]:
        """Reads small text files by content id; a large or binary one is as good as empty.

        One that changed, or cannot be read just now, is left out.
        """
        try:
            return {read.path: _text(read.content) for read in read_contents(self.cwd, files, MAX_TEXT_BYTES)}
        except GitFailed as error:
            self._process.log.warning("codebase.read.failed", reason=error.reason)
            return {}

    def at(self, commit: str, paths: Sequence[str], state: RepositoryState) -> dict[str, str]:
        """Gives the content ids that files had in a commit; those it does not have are left out. Raises StateFailed."""
        try:
            return blobs_of(state, commit, paths) if paths else {}
        except GitFailed as error:
            raise StateFailed(error.reason) from error

    def importers(self, path: str) -> list[str]:
        """Gives the files that import a listed file, sorted, as far as they are known."""
        return self._finder.importers(path, MAX_ASKED_FOR_IMPORTS)

    def former_importers(self, path: str, imports: Mapping[str, Sequence[str]]) -> list[str]:
        """Gives those of the files whose imports, as they were then, lead to a file that is gone; sorted."""
        return self._index.former_importers(path, imports)

    def reach(self, parts: frozenset[str], names: Names) -> Mapping[str, Mapping[str, int]] | None:
        """Counts for each folder the files that import other ones of the folders; `""` are the files at the top.

        None while files are still being read.
        """
        return self._index.reach(parts, names)

    def troubles(self, limit: int) -> list[Trouble] | None:
        """Gives the files whose changes were taken back or mended most often lately; None while that is unknown."""
        return self._finder.troubles(limit)

    def links(self, names: Collection[str]) -> dict[str, str]:
        """Gives where those of the names lead that are symbolic links, relative to the workspace."""
        found = {}
        for name in names:
            with contextlib.suppress(OSError, ValueError):
                target = posixpath.normpath(os.readlink(self.cwd / name).replace("\\", "/"))
                found[name] = target
        return found

    def present_texts(self, files: dict[str, str]) -> dict[str, str]:
        """Reads files that lie in the worktree just as their content ids say, without asking git's objects."""
        read = ((path, from_worktree(self.cwd, path, content_identity(content))) for path, content in files.items())
        return {path: _text(content) for path, content in read if content is not None and may_show(path)}

    def new_file(self, path: str) -> str | None:
        """Reads a small untracked text file; None for what may not be shown."""
        if not may_show(path):
            return None
        content = read_below(str(self.cwd), path, MAX_NEW_FILE_BYTES)
        if content is None or b"\0" in content:
            return None
        return content.decode("utf-8", "replace")

    def _run(self, report: FillReport) -> FillReport:
        self._finder.read_history()
        done = self._filler.run(self.key, report, self._finder.in_order_of_interest)
        if done.analysed >= MANY_FILES or done.from_cache >= MANY_FILES:
            forget_words()
            give_back()
        return done

    def _warm_grammars(self, fill: "Future[FillReport]") -> None:
        """Makes the grammars of the repository's own languages ready for the first edit, which would wait for that.

        Files read by workers or known from the cache were not parsed by this process. Waits for the first
        run and a moment more: a query is compiled in one go, which no call that is under way should feel.
        """
        wait((fill,))
        listed = self._listed
        if listed is None or self._process.ending.wait(WARM_AFTER_SECONDS):
            return
        for grammar in main_grammars(listed.files):
            if not self._process.ending.is_set():
                load(grammar)


def repository_of(workspace: Workspace, process: Process) -> Repository:
    """Gives the workspace's repository, made at the first look."""
    return workspace.part(Repository, lambda: Repository(workspace, process))


def _text(content: bytes | None) -> str:
    return "" if content is None or b"\0" in content else content.decode("utf-8", "replace")


def _repository_key(state: RepositoryState) -> str:
    """Identifies the repository: worktrees of one repository have the same common git directory."""
    common = common_dir_of(state.root) if state.kind == "git" else None
    return short_id(os.fsencode(common or state.root).hex(), 16)
