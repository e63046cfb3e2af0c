"""Which files import a file: those that speak of it by name are asked what their imports lead to. Pure."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from sidecar.codebase.files import COMMON_STEMS, delta_between
from sidecar.codebase.search.bm25 import Searches
from sidecar.codebase.search.commit_history import History
from sidecar.codebase.search.dependency_graph import Names, Reach
from sidecar.codebase.search.documents import Documents, folder_of, name_of
from sidecar.codebase.search.file_search import ImportsOf, find
from sidecar.codebase.search.import_resolution import Tree, resolve
from sidecar.codebase.search.postings import unit_of
from sidecar.codebase.search.query import SearchQuestion
from sidecar.codebase.search.ranking import Ranked, Weighings
from sidecar.codebase.summary.model import Summary
from sidecar.codebase.worktree.content_hash import content_identity
from sidecar.core.terms import count_terms

_BY_FOLDER = (".go",)
"""Endings of files that are imported by their folder's name."""


def importers(documents: Documents, path: str, imports_of: ImportsOf, at_most: int) -> list[str]:
    """Gives the files whose imports lead to a file, sorted; looks at so many that speak of it at most.

    Files of its own language and no tests come first among those that are looked at.
    """
    asked = _speaking_of(documents, path)[:at_most]
    unknown = [one for one in asked if one not in documents.links]
    imports = imports_of(unknown) if unknown else {}
    tree = Tree(documents, documents.ending_with, documents.inside)
    for one in unknown:
        if one in imports:
            documents.links[one] = sorted(_targets(one, imports[one], tree))
    return sorted(one for one in asked if path in documents.links.get(one, ()))


def former_importers(documents: Documents, path: str, imports: Mapping[str, Sequence[str]]) -> list[str]:
    """Gives those of the files whose imports lead to a file that is gone, sorted; `imports` are as they were then."""

    def ending_with(tail: str) -> list[str]:
        own = [path] if path == tail or path.endswith(f"/{tail}") else []
        return sorted([*documents.ending_with(tail), *own])

    tree = Tree(frozenset((path,)), ending_with, documents.inside)
    return sorted(one for one, specifiers in imports.items() if path in _targets(one, specifiers, tree))


def _targets(path: str, specifiers: Iterable[str], tree: Tree) -> set[str]:
    return {target for specifier in specifiers for target in resolve(path, specifier, tree)}


def _speaking_of(documents: Documents, path: str) -> list[str]:
    terms = list(count_terms(_imported_name(path)))
    if not terms:
        return []
    units = [{documents.owners[unit_of(entry)] for entry in documents.bodies.entries(term)} for term in terms]
    suffix = path.rpartition(".")[2]
    found = []
    for number in set.intersection(*units):
        kind, one = documents.kind(number), documents.path(number)
        if one and one != path and not (kind.document or kind.foreign or kind.generated):
            found.append((kind.test, one.rpartition(".")[2] != suffix, one))
    return [one for *_, one in sorted(found)]


def _imported_name(path: str) -> str:
    """What an import says of a file: its name, or its folder's where that is the module."""
    stem = name_of(path).partition(".")[0]
    if stem in COMMON_STEMS - {"types", "utils", "common"} or path.endswith(_BY_FOLDER):
        folder = folder_of(path)
        return name_of(folder.removesuffix("/src")) or stem
    return stem


# The words of a workspace's files, in memory, kept in step with its listing.
#
# Filled from the file cache or by reading; files of a content it knows are never read again. A file whose content is
# not analysed yet is found by its path alone, one of a few that were edited by what it held before.


Known = Callable[[dict[str, str]], dict[str, Summary]]
"""Path → content id of files that were analysed once, to their summaries as far as they are still known."""


FEW_EDITED = 64
"""Of so many files edited at once, what they held is kept in memory until they are analysed anew."""


class FileIndex:
    """The current files. All public methods may be called from any thread."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._lock = threading.RLock()
        self._held: Mapping[str, str] = {}
        self._pending: dict[str, None] = {}
        self._edited: dict[str, Summary] = {}
        """What files that are pending are still held with."""
        self._documents = Documents()
        self._searches, self._weighings = Searches(self._documents), Weighings()
        self._reach = Reach()

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
                path = self._documents.same(path)
                self._reach.put(path, summary.imports)
                if not self._pending:
                    self._pending = {}  # one that was full keeps its room
                held = self._edited.pop(path, None)
                if held is not None:
                    self._documents.replace(path, held, summary)
                else:
                    self._documents.remove(path, None)  # it was known by its path alone
                    self._documents.add(path, summary)

    def is_complete(self) -> bool:
        """Says whether every file's content is analysed."""
        return not self._pending

    def pending_count(self) -> int:
        """Counts the files that need analysis."""
        return len(self._pending)

    def holds(self, files: Mapping[str, str]) -> bool:
        """Says whether these are the files it was last updated with."""
        return self._held is files

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, question: SearchQuestion, history: History, imports_of: ImportsOf, limit: int) -> list[Ranked]:
        """Ranks the files a text is about; the same files, history and question give the same answer."""
        with self._lock:
            return find(self._documents, self._searches, self._weighings, history, imports_of, question, limit)

    def reach(self, parts: frozenset[str], names: Names) -> Mapping[str, Mapping[str, int]] | None:
        """Counts which parts of the tree import which; None while files are still being read."""
        with self._lock:
            return self._reach.between(parts, names) if not self._pending else None

    def importers(self, path: str, imports_of: ImportsOf, at_most: int) -> list[str]:
        """Gives the files that import one, of those that speak of it by name, sorted; looks at so many at most."""
        with self._lock:
            return importers(self._documents, path, imports_of, at_most)

    def former_importers(self, path: str, imports: Mapping[str, Sequence[str]]) -> list[str]:
        """Gives those of the files whose imports lead to a file that is gone, sorted."""
        with self._lock:
            return former_importers(self._documents, path, imports)

    def _take(self, files: Mapping[str, str]) -> None:
        before, delta = self._held, delta_between(self._held, files)
        changed = [path for path in delta.changed if content_identity(before[path]) != content_identity(files[path])]
        leaving = [*delta.removed, *changed]
        held = self._known({path: content_identity(before[path]) for path in leaving if path not in self._pending})
        held |= {path: self._edited.pop(path) for path in leaving if path in self._edited}
        self._held = files
        if delta.added or delta.removed:
            self._documents.links.clear()
        if self._documents.is_full:
            self._begin_anew(files)
            return
        for path in delta.removed:
            self._documents.remove(path, held.get(path))
            self._reach.remove(path)
            self._pending.pop(path, None)
        for path in changed:
            if path in held and len(changed) <= FEW_EDITED:
                self._edited[path] = held[path]
                self._pending[path] = None
            else:
                self._documents.remove(path, held.get(path))
                self._await(path)
        for path in delta.added:
            self._await(path)

    def _begin_anew(self, files: Mapping[str, str]) -> None:
        self._documents = Documents()
        self._searches, self._weighings = Searches(self._documents), Weighings()
        self._reach = Reach()
        self._pending.clear()
        self._edited.clear()
        for path in files:
            self._await(path)

    def _await(self, path: str) -> None:
        """Takes a file in by its path, to wait for its summary."""
        self._documents.add(path, None)
        self._pending[path] = None
