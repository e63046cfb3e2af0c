"""The search over one workspace: its index, the history of its head, and the cache of what was found."""

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sidecar.call import Process
from sidecar.codebase.files import Listing, is_code, is_generated, is_test
from sidecar.codebase.search import RANKING_VERSION, FileIndex, Ranked, SearchQuestion
from sidecar.codebase.search.commit_history import NO_HISTORY, HistoryOfHead, follow
from sidecar.codebase.search.fragile_files import Trouble, troubles
from sidecar.codebase.search.index import Known
from sidecar.codebase.store import SearchCache
from sidecar.codebase.summary.summarize import SUMMARY_VERSION
from sidecar.codebase.worktree.state import RepositoryState
from sidecar.core.digests import digest_value
from sidecar.system.git import GitFailed

INTERESTING = 200
"""So many of the files that fit what was last asked are read before the others."""


class Finder:
    """Finds files by what a text says. Thread-safe."""

    def __init__(self, cwd: Path, process: Process, known: Known, summaries: Known) -> None:
        """Takes how summaries are looked up: those that are known, and any, which reads what is not."""
        self._cwd = cwd
        self._process = process
        self._known, self._summaries = known, summaries
        self.index = FileIndex(known)
        self._cache = process.part(SearchCache, lambda: SearchCache(process))
        self._history = NO_HISTORY
        self._troubles: tuple[HistoryOfHead, int, list[Trouble]] | None = None
        self._unreadable: str | None = None
        """The head whose history could not be read: searches go without it, and are not kept."""
        self._history_lock = threading.Lock()
        self._listed: tuple[str | None, str, Listing] | None = None
        self._asked: SearchQuestion | None = None

    def follow(self, state: RepositoryState, listing: Listing) -> None:
        """Makes the index hold exactly the files of a state."""
        if not self.index.holds(listing.files):
            self.index.update(listing.files)
        self._listed = (state.head, state.changed_hash, listing)

    def listed(self, state: RepositoryState) -> Listing | None:
        """Gives the listing that was followed last, if it is this state's."""
        listed = self._listed
        if listed is None or listed[:2] != (state.head, state.changed_hash) or not self.index.holds(listed[2].files):
            return None
        return listed[2]

    def is_complete(self, but: int = 0) -> bool:
        """Says whether every listed file's words, or those of all but so many, and the head's history are known."""
        if self._listed is None or self.index.pending_count() > but:
            return False
        head = self._listed[0]
        return self._knows(head) or (head is not None and head == self._unreadable)

    def read_history(self) -> None:
        """Reads the commits of the listed head, only those that are new where the last head led to it."""
        head = self._listed[0] if self._listed is not None else None
        with self._history_lock:
            if self._knows(head):
                return
            try:
                self._history = follow(self._cwd, head, self._history)
            except GitFailed as error:
                self._process.log.warning("codebase.history.failed", reason=error.reason)
                self._unreadable = head

    def troubles(self, limit: int) -> list[Trouble] | None:
        """Gives the listed files whose changes went wrong most often lately; None while the history is unknown."""
        listed, known = self._listed, self._history
        if listed is None or known.head != listed[0]:
            return None
        told = self._troubles
        if told is None or told[0] is not known or told[1] != limit:
            files = listed[2].files
            found = troubles(known.commits, known.history, limit, lambda path: path in files and _is_own_code(path))
            told = self._troubles = (known, limit, found)
        return told[2]

    def in_order_of_interest(self, files: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Puts (path, content id) pairs first that are near what was last asked, then those that changed lately."""
        contents = dict(files)
        asked = self._asked
        near = self._find(asked, INTERESTING) if asked is not None else []
        recent = self._history.history.recent(len(contents))
        paths = dict.fromkeys((*(one.path for one in near), *recent))
        return [(path, contents[path]) for path in paths if path in contents]

    def find(self, question: SearchQuestion, state: RepositoryState, repository: str, limit: int) -> list[Ranked]:
        """Ranks the files a question is about, from the cache where the same was asked of the same state."""
        self._asked = question
        if not self._holds(state):
            return self._find(question, limit)
        query = digest_value([question.text, *map(sorted, question[2:]), limit, SUMMARY_VERSION, RANKING_VERSION])
        scope = f"{repository}:{state.prefix}:{len(self.index)}:{state.changed_hash}"
        cached = self._cache.get(query, state.head or "", scope)
        if cached is not None:
            return [
                Ranked(path, score, parts, tuple(matched), tuple((kind, seed) for kind, seed in near))
                for path, score, parts, matched, near in cached
            ]
        found = self._find(question, limit)
        if self._holds(state):
            now_ms = self._process.clock.now_ms()
            self._cache.put(query, state.head or "", scope, partial(_rows, found), now_ms)
        return found

    def importers(self, path: str, at_most: int) -> list[str]:
        """Gives the files that import one, sorted, as far as they are known; looks at so many at most."""
        return self.index.importers(path, self._imports_of, at_most)

    def _find(self, question: SearchQuestion, limit: int) -> list[Ranked]:
        listed = self._listed
        history = self._history.history if listed is not None and self._knows(listed[0]) else NO_HISTORY.history
        return self.index.find(question, history, self._imports_of, limit)

    def _imports_of(self, paths: Sequence[str]) -> dict[str, Sequence[str]]:
        files = self._listed[2].files if self._listed is not None else {}
        # While files are still being read, none is read here: that could hold a call up beyond its deadline.
        look_up = self._summaries if self.index.is_complete() else self._known
        summaries = look_up({path: files[path] for path in paths if path in files})
        return {path: summary.imports for path, summary in summaries.items()}

    def _knows(self, head: str | None) -> bool:
        return self._history.head == head

    def _holds(self, state: RepositoryState) -> bool:
        """Says whether index and history are whole and of this state: another request may have moved them on."""
        return self.listed(state) is not None and self.is_complete() and self._knows(state.head)


def _rows(found: Sequence[Ranked]) -> list[list[object]]:
    """Files as JSON arrays."""
    return [list(ranked) for ranked in found]


def _is_own_code(path: str) -> bool:
    return is_code(path) and not is_test(path) and not is_generated(path)
