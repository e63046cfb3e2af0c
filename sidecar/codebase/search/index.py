"""The terms of a workspace's files in memory, synchronized with its listing.

Filled from the file cache or by reading; a known content is not read again. A file whose content is not analysed yet
is found by its path alone, and one of a few edited files by its previous content.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import islice

from sidecar.codebase.files import delta_between, is_own_code
from sidecar.codebase.search.bm25 import ScoreCache, inverse_frequency
from sidecar.codebase.search.commit_history import History
from sidecar.codebase.search.dependency_graph import (
    DependencyGraph,
    ImportsOf,
    PackageNames,
    former_importers,
    importers,
)
from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.file_search import rank_files
from sidecar.codebase.search.query import SearchQuery, mentioned_files
from sidecar.codebase.search.query_evidence import parts_of
from sidecar.codebase.search.ranking import RankedFile, combine_rankings
from sidecar.codebase.summary.model import Landmine, Summary
from sidecar.codebase.worktree.content_hash import content_identity
from sidecar.core.terms import query_terms

SummaryLookup = Callable[[dict[str, str]], dict[str, Summary]]
"""Path → content id of files analysed earlier, to those summaries that are still cached."""


MAX_EDITED = 64
"""With at most this many files edited at once, their previous terms stay searchable until they are analysed again."""


MAX_LANDMINES = 40
MAX_REGION_TERMS = 160
"""Number of a prompt's rarest terms that regions are compared with."""


COMBINED_DEPTH = 100
"""Number of files of each ranking that are combined."""

COMMON_SHARE = 4
"""A term in more than one file in this many, and in more than a few, says nothing."""

FEW_FILES = 6


class FileIndex:
    """The current files. Thread-safe."""

    def __init__(self, cached_summaries: SummaryLookup) -> None:
        self._cached_summaries = cached_summaries
        self._lock = threading.RLock()
        self._files: Mapping[str, str] = {}
        self.pending_paths: dict[str, None] = {}
        """Files that need analysis, in the order in which they were added."""
        self._edited: dict[str, Summary] = {}
        """Previous summaries of edited files that are pending."""
        self._documents = Documents()
        self._score_cache = ScoreCache(self._documents)
        self._dependency_graph = DependencyGraph()
        self._landmines: dict[str, tuple[Landmine, ...]] = {}
        """Warnings by path; none of tests and generated files."""
        self._first_landmines: tuple[tuple[str, Landmine], ...] | None = None

    def update(self, files: Mapping[str, str]) -> list[str]:
        """Make the index hold exactly these files (path → content id); return the paths that need analysis.

        The mapping must not change afterwards; passing the same object again costs nothing.
        """
        with self._lock:
            if files is not self._files:
                self._synchronize(files)
            return list(self.pending_paths)

    def pending(self, at_most: int | None = None) -> list[tuple[str, str]]:
        """Return path and content id of the files that need analysis, or of some of them."""
        with self._lock:
            return [(path, self._files[path]) for path in islice(self.pending_paths, at_most)]

    def add_summary(self, path: str, content: str, summary: Summary) -> None:
        """Add a file's summary, unless the file has changed since or already has one."""
        with self._lock:
            if path in self.pending_paths and content_identity(self._files[path]) == content_identity(content):
                del self.pending_paths[path]
                path = self._documents.stored_path(path)
                self._dependency_graph.put(path, summary.imports)
                self._put_landmines(path, summary.landmines)
                if not self.pending_paths:
                    self.pending_paths = {}  # a dict that was full does not release its memory
                previous = self._edited.pop(path, None)
                if previous is not None:
                    self._documents.replace(path, previous, summary)
                else:
                    self._documents.remove(path, None)  # it was indexed by its path alone
                    self._documents.add(path, summary)

    def is_complete(self) -> bool:
        """Whether every file's content is analysed."""
        return not self.pending_paths

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, query: SearchQuery, history: History, imports_of: ImportsOf, limit: int) -> list[RankedFile]:
        """Rank the files a text is about; equal files, history and query give equal results.

        The rankings by the parts of a long text are combined.
        """
        texts = parts_of(query.text).searched
        depth = limit if len(texts) == 1 else max(limit, COMBINED_DEPTH)
        with self._lock:
            rankings = [
                rank_files(self._documents, self._score_cache, history, imports_of, query._replace(text=text), depth)
                for text in texts
            ]
        return rankings[0] if len(rankings) == 1 else combine_rankings(rankings, limit)

    def term_weights(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the weights of the rarest terms that occur in the files, by their rarity."""
        with self._lock:
            count, texts = self._documents.passage_count, self._documents.texts
            weights = {term: inverse_frequency(held, count) for term in terms if (held := texts.count(term))}
        return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:MAX_REGION_TERMS])

    def specific_terms(self, terms: Iterable[str]) -> frozenset[str]:
        """Return the terms that occur in less than a quarter of the files, in their names or in their texts."""
        with self._lock:
            documents = self._documents
            most = max(FEW_FILES, len(documents) // COMMON_SHARE)
            return frozenset(
                term
                for term in terms
                if 0 < documents.paths.count(term) <= most
                or (term in documents.texts and not documents.is_in_more_files(term, most))
            )

    def named_here(self, text: str, names: Iterable[str]) -> frozenset[str]:
        """Return the terms of names, and the paths in a text, that the files have."""
        with self._lock:
            documents = self._documents
            terms = {term for name in names for term in query_terms(name)[:1]}
            limit = max(FEW_FILES, len(documents) // COMMON_SHARE)
            known = {term for term in terms if term in documents.texts or term in documents.names}
            paths = mentioned_files(documents, text).files
            return frozenset((*paths, *(term for term in known if not documents.is_in_more_files(term, limit))))

    def rare_terms(self, terms: Iterable[str], share: float, at_least: int) -> frozenset[str]:
        """Return the terms that occur, in texts or paths, in at most a share of the files or `at_least` files."""
        with self._lock:
            documents = self._documents
            limit = max(at_least, int(share * len(documents)))
            known = (term for term in terms if term in documents.texts or term in documents.paths)
            return frozenset(
                term
                for term in known
                if documents.paths.count(term) <= limit and not documents.is_in_more_files(term, limit)
            )

    def common_terms(self, terms: Iterable[str], share: float, at_least: int) -> frozenset[str]:
        """Return the terms that more than a share of the files contain, and more than `at_least` files."""
        with self._lock:
            limit = max(at_least, int(share * len(self._documents)))
            return frozenset(term for term in terms if self._documents.is_in_more_files(term, limit))

    def dependencies(self, parts: frozenset[str], names: PackageNames) -> Mapping[str, Mapping[str, int]] | None:
        """Count which parts of the tree import which; None while files are still being analysed."""
        with self._lock:
            return self._dependency_graph.dependencies(parts, names) if not self.pending_paths else None

    def landmines(self) -> tuple[tuple[str, Landmine], ...] | None:
        """Return the warnings above definitions with their paths, each file's first one before any second one.

        None while files are still being analysed.
        """
        with self._lock:
            if self.pending_paths:
                return None
            if self._first_landmines is None:
                numbered = (
                    (number, path, landmine)
                    for path, landmines in self._landmines.items()
                    for number, landmine in enumerate(landmines)
                )
                first = nsmallest(MAX_LANDMINES, numbered)
                self._first_landmines = tuple((path, landmine) for _, path, landmine in first)
            return self._first_landmines

    def _put_landmines(self, path: str, landmines: tuple[Landmine, ...]) -> None:
        if landmines and is_own_code(path):
            self._landmines[path] = landmines
        elif self._landmines.pop(path, None) is None:
            return
        self._first_landmines = None

    def importers(self, path: str, imports_of: ImportsOf, at_most: int) -> list[str]:
        """Return the files that import a file, sorted; at most `at_most` files that mention it are checked."""
        with self._lock:
            return importers(self._documents, path, imports_of, at_most)

    def former_importers(self, path: str, imports: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the files whose imports resolve to a removed file, sorted."""
        with self._lock:
            return former_importers(self._documents, path, imports)

    def _synchronize(self, files: Mapping[str, str]) -> None:
        before, delta = self._files, delta_between(self._files, files)
        changed = [path for path in delta.changed if content_identity(before[path]) != content_identity(files[path])]
        outdated = [*delta.removed, *changed]
        previous = self._cached_summaries(
            {path: content_identity(before[path]) for path in outdated if path not in self.pending_paths}
        )
        previous |= {path: self._edited.pop(path) for path in outdated if path in self._edited}
        self._files = files
        if delta.added or delta.removed:
            self._documents.resolved_imports.clear()
        if self._documents.is_full:
            self._rebuild(files)
            return
        for path in delta.removed:
            self._documents.remove(path, previous.get(path))
            self._dependency_graph.remove(path)
            self._put_landmines(path, ())
            self.pending_paths.pop(path, None)
        for path in changed:
            if path in previous and len(changed) <= MAX_EDITED:
                self._edited[path] = previous[path]
                self.pending_paths[path] = None
            else:
                self._documents.remove(path, previous.get(path))
                self._add_pending(path)
        for path in delta.added:
            self._add_pending(path)

    def _rebuild(self, files: Mapping[str, str]) -> None:
        self._documents = Documents()
        self._score_cache = ScoreCache(self._documents)
        self._dependency_graph = DependencyGraph()
        self._landmines, self._first_landmines = {}, None
        self.pending_paths.clear()
        self._edited.clear()
        for path in files:
            self._add_pending(path)

    def _add_pending(self, path: str) -> None:
        """Add a file by its path until its summary arrives."""
        self._documents.add(path, None)
        self.pending_paths[path] = None
