"""The words of a workspace's files, in memory, kept in step with its listing.

Filled from the file cache or by reading; files of a content it knows are never read again. A file whose content is
not analysed yet is found by its path alone.
"""

import threading
from collections.abc import Callable, Mapping
from itertools import islice

from sidecar.codebase.filemap import delta_between
from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.finding import ImportsOf, find
from sidecar.codebase.search.history import History
from sidecar.codebase.search.question import SearchQuestion
from sidecar.codebase.search.ranking import Ranked
from sidecar.codebase.summary.values import Summary
from sidecar.codebase.worktree.hashing import content_identity

Known = Callable[[dict[str, str]], dict[str, Summary]]
"""Path → content id of files that were analysed once, to their summaries as far as they are still known."""


class FileIndex:
    """The current files. All public methods may be called from any thread."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._lock = threading.RLock()
        self._held: Mapping[str, str] = {}
        self._pending: dict[str, None] = {}
        self._documents = Documents()

    def update(self, files: Mapping[str, str]) -> list[str]:
        """Makes the index hold exactly these files (path → content id); gives the paths that need analysis.

        The mapping is kept and must not change; the same one again costs nothing.
        """
        with self._lock:
            if files is not self._held:
                self._take(files)
            return list(self._pending)

    def pending(self, at_most: int | None = None) -> list[tuple[str, str]]:
        """Gives path and content id of the files that need analysis, or some of them, as they are listed now."""
        with self._lock:
            return [(path, self._held[path]) for path in islice(self._pending, at_most)]

    def analysed(self, path: str, content: str, summary: Summary) -> None:
        """Takes a file's summary in, unless the file has changed since or has one."""
        with self._lock:
            if path in self._pending and content_identity(self._held[path]) == content_identity(content):
                del self._pending[path]
                if not self._pending:
                    self._pending = {}  # one that was full keeps its room
                self._documents.remove(path, None)  # it was known by its path alone
                self._documents.add(path, summary)

    def is_complete(self) -> bool:
        """Says whether every file's content is analysed."""
        return not self._pending

    def holds(self, files: Mapping[str, str]) -> bool:
        """Says whether these are the files it was last updated with."""
        return self._held is files

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, question: SearchQuestion, history: History, imports_of: ImportsOf, limit: int) -> list[Ranked]:
        """Ranks the files a text is about; the same files, history and question give the same answer."""
        with self._lock:
            return find(self._documents, history, imports_of, question, limit)

    def _take(self, files: Mapping[str, str]) -> None:
        before, delta = self._held, delta_between(self._held, files)
        changed = [path for path in delta.changed if content_identity(before[path]) != content_identity(files[path])]
        leaving = [*delta.removed, *changed]
        held = self._known({path: content_identity(before[path]) for path in leaving if path not in self._pending})
        self._held = files
        if delta.added or delta.removed:
            self._documents.links.clear()
        if self._documents.is_full:
            self._begin_anew(files)
            return
        for path in leaving:
            self._documents.remove(path, held.get(path))
            self._pending.pop(path, None)
        for path in (*delta.added, *changed):
            self._add(path)

    def _begin_anew(self, files: Mapping[str, str]) -> None:
        self._documents = Documents()
        self._pending.clear()
        for path in files:
            self._add(path)

    def _add(self, path: str) -> None:
        self._documents.add(path, None)
        self._pending[path] = None
