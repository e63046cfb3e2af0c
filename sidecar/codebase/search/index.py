"""The terms of a workspace's files in memory, synchronized with its listing.

Filled from the file cache or by reading; a known content is not read again. A file whose content is not analysed yet
is found by its words once these are read, before that by its path alone, and one of a few edited files by its previous
content.
"""

import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, islice
from typing import NamedTuple

from sidecar.codebase.content_ids import FileDelta, FileMap, content_identity, delta_between
from sidecar.codebase.file_exclusions import is_third_party
from sidecar.codebase.files import is_own_code
from sidecar.codebase.search.bm25 import ScoreCache
from sidecar.codebase.search.commit_history import History
from sidecar.codebase.search.import_graph import (
    BrokenImport,
    DependencyGraph,
    ImportsOf,
    PackageNames,
    broken_imports,
    former_importers,
    import_targets,
    importers,
)
from sidecar.codebase.search.mentioned_files import files_by_own_words, mentioned_files, names_folder, spelled_files
from sidecar.codebase.search.postings import MAX_UNITS, InvertedUnits, unit_of
from sidecar.codebase.search.prompt_parts import prompt_parts
from sidecar.codebase.search.query import FAILURE_WORDS, SearchQuery, named_share
from sidecar.codebase.search.ranking import RankedFile, combine_rankings, rank_files
from sidecar.codebase.search.shared_documents import (
    NO_FACTS,
    FileFacts,
    SharedDocuments,
    definition_terms,
    folder_of,
)
from sidecar.codebase.search.worktree_documents import Documents
from sidecar.codebase.summary.languages import language_of
from sidecar.codebase.summary.model import UNKNOWN_LANGUAGE, Landmine, Summary
from sidecar.codebase.worktree.state import is_outside
from sidecar.core.terms import inverse_frequency, is_prose, macro_term, macros_in, query_terms, term_set
from sidecar.language.common_words import is_distinctive, is_everyday, tool_terms

SummaryLookup = Callable[[dict[str, str]], dict[str, Summary]]
"""Path → content id of files analysed earlier, to those summaries that are still cached."""

MAX_EDITED = 64
"""With at most this many files edited at once, their previous terms stay searchable until they are analysed again."""

MAX_LANDMINES = 40
MAX_REGION_TERMS = 160
"""Number of a prompt's rarest terms that regions are compared with."""

COMBINED_DEPTH = 100
"""Number of files of each ranking that are combined."""

COMMON_DIVISOR = 4
"""A term in more than one file in this many, and in more than a few, says nothing."""

FEW_FILES = 6
"""A term in at most this many files is not common, however few files there are."""

MAX_ENTRIES = 20_000
"""A term in more passages than this does not tell where a text of several words is."""

PARTLY_COVERED = 16
"""Number of files that have only some words of a text, as one with placeholders, and are returned all the same."""

MANY_COMMON = 4
"""Number of common words that together say what a prompt is about."""

NAME_SHARE = 0.4
"""Share of a name's words from which a prompt that has them may be about what is so named."""

_OVER = object()


class _Content(NamedTuple):
    """A complete index's files, and what is known of them."""

    files: Mapping[str, str]
    documents: Documents
    dependency_graph: DependencyGraph
    landmines: dict[str, tuple[Landmine, ...]]
    first_landmines: tuple[tuple[str, Landmine], ...] | None


class SharedIndex:
    """The documents that the indexes of a repository's worktrees share, and the lock of all of them."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.analysis_lock = threading.Lock()
        """Held while one of the indexes has many files analysed, which the others wait for."""
        self.documents = SharedDocuments()
        self._indexes: weakref.WeakSet[FileIndex] = weakref.WeakSet()

    def add(self, index: "FileIndex") -> None:
        """Register an index."""
        self._indexes.add(index)

    def restore(self, documents: SharedDocuments) -> bool:
        """Use documents that an earlier process stored; return whether there were none."""
        with self.lock:
            is_empty = not self.documents.present
            if is_empty:
                self.documents = documents
            return is_empty

    def has_excess(self) -> bool:
        """Whether more documents than necessary belong to no worktree any more."""
        with self.lock:
            return self.documents.has_excess()

    def remove_excess(self) -> None:
        """Remove documents that belong to no worktree; others can use the index meanwhile."""
        steps = iter(self.documents.remove_excess())
        is_over = False
        while not is_over:
            with self.lock:
                is_over = next(steps, _OVER) is _OVER

    def nearest(self, files: Mapping[str, str]) -> "FileIndex | None":
        """Return the complete index whose files are most like these, as far as that is quickly known."""
        complete = [index for index in self._indexes if index.can_be_copied(self.documents)]
        base = files.base if isinstance(files, FileMap) else files
        return min(complete, key=lambda index: (not index.is_based_on(base), -len(index)), default=None)


class FileIndex:
    """The current files. Thread-safe."""

    def __init__(self, cached_summaries: SummaryLookup, shared: SharedIndex | None = None) -> None:
        self._cached_summaries = cached_summaries
        self._shared = shared if shared is not None else SharedIndex()
        self._lock, self.analysis_lock = self._shared.lock, self._shared.analysis_lock
        self._files: Mapping[str, str] = {}
        self.pending_paths: dict[str, bool] = {}
        """Files that need analysis, in the order in which they were added, and whether their words are known."""
        self._edited: dict[str, Summary] = {}
        """Previous summaries of edited files that are pending."""
        self._next_delta: tuple[Mapping[str, str], FileDelta] | None = None
        self._outdated: set[str] = set()
        """Pending files that are found by their previous contents, which stay shared: after a checkout of many."""
        with self._lock:
            self._start_empty()
            self._shared.add(self)

    def _start_empty(self) -> None:
        self._documents = Documents(self._shared.documents)
        self._score_cache = ScoreCache(self._documents)
        self._dependency_graph = DependencyGraph()
        self._landmines: dict[str, tuple[Landmine, ...]] = {}
        """Warnings by path; none of tests and generated files."""
        self._first_landmines: tuple[tuple[str, Landmine], ...] | None = None

    def can_be_copied(self, documents: SharedDocuments) -> bool:
        """Whether the index is complete and a view of these documents."""
        return bool(self._files) and not self.pending_paths and self._documents.shared is documents

    def copy_content(self) -> "_Content":
        """Return the content for the index of another worktree."""
        documents, graph = self._documents.copy(), self._dependency_graph.copy()
        return _Content(self._files, documents, graph, dict(self._landmines), self._first_landmines)

    def is_based_on(self, base: Mapping[str, str]) -> bool:
        """Whether the files are an overlay on this base."""
        return (self._files.base if isinstance(self._files, FileMap) else self._files) is base

    def update(self, files: Mapping[str, str], prefix: str = "") -> list[str]:
        """Make the index hold exactly these files (path → content id); return the paths that need analysis.

        The mapping must not change afterwards; passing the same object again costs nothing. `prefix` is the folder in
        the repository that paths are relative to.
        """
        with self._lock:
            if files is not self._files:
                self._synchronize(files)
            if self._documents.prefix != prefix:
                self._documents.prefix = prefix
                self._documents.resolved_imports.clear()
            return list(self.pending_paths)

    def has_unknown(self, files: Mapping[str, str], at_least: int) -> bool:
        """Whether an update to these files would find at least that many contents that are not indexed."""
        with self._lock:
            if not self._files:
                return False
            delta, shared = self._delta_to(files), self._documents.shared
            paths = chain(delta.changed, delta.added)
            unknown = (path for path in paths if shared.find(path, content_identity(files[path])) is None)
            return next(islice(unknown, at_least - 1, None), None) is not None

    def pending(self, at_most: int | None = None) -> list[tuple[str, str]]:
        """Return path and content id of the files that need analysis, or of some of them."""
        with self._lock:
            return [(path, self._files[path]) for path in islice(self.pending_paths, at_most)]

    def take_shared(self) -> int:
        """Show the pending files whose contents were analysed for another worktree meanwhile; return how many are."""
        with self._lock:
            paths, files = [*self.pending_paths], self._files
            return sum(self._show_shared(path, files[path], files[path], retained=True) for path in paths)

    def pending_by_words(self, files: Iterable[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return those of the files whose words are unknown, and those that only lack the rest; no edited ones."""
        with self._lock:
            pending = [file for file in files if self._is_pending(*file) and file[0] not in self._edited]
            return (
                [file for file in pending if not self.pending_paths[file[0]]],
                [file for file in pending if self.pending_paths[file[0]]],
            )

    def add_words(self, files: Mapping[str, str], counts: Sequence[int], words: InvertedUnits) -> None:
        """Add the words of files (path → content id), each in a number of passages; they still need analysis.

        Left out are files that have changed since, or have their words.
        """
        with self._lock:
            shown = [
                path
                for path, content in files.items()
                if self._is_pending(path, content) and not self.pending_paths[path] and path not in self._edited
            ]
            for path in self._outdated.intersection(shown):
                self._remove(path, None, retained=True)
                self._documents.add_by_path(path)
            self.pending_paths.update(dict.fromkeys(shown, True))
            identities = {path: content_identity(content) for path, content in files.items()}
            self._documents.add_words(identities, counts, words, frozenset(shown))

    def complete(self, path: str, content: str, names: Mapping[str, int], facts: FileFacts) -> None:
        """Add the term counts of a file's definitions and its facts.

        Nothing changes if the file's words are unknown, or if it has changed since.
        """
        with self._lock:
            if self._is_pending(path, content) and self.pending_paths[path]:
                path = self._end_pending(path)
                self._documents.complete(path, names, content_identity(content), facts)
                self._put_facts(path, facts)

    def add_summary(self, path: str, content: str, summary: Summary) -> None:
        """Add a file's summary, unless the file has changed since or already has one."""
        with self._lock:
            if not self._is_pending(path, content):
                return
            if self.pending_paths[path]:
                self.complete(path, content, definition_terms(summary), _facts_of(path, summary))
            else:
                path = self._end_pending(path)
                self._put_summary(path, content_identity(content), summary, self._edited.pop(path, None))

    def _is_pending(self, path: str, content: str) -> bool:
        return path in self.pending_paths and content_identity(self._files[path]) == content_identity(content)

    def _end_pending(self, path: str) -> str:
        """Record that a file is analysed; return the stored string of its path."""
        del self.pending_paths[path]
        if not self.pending_paths:
            self.pending_paths = {}  # a dict that was full does not release its memory
        return self._documents.stored_path(path)

    def is_complete(self) -> bool:
        """Whether every file's content is analysed."""
        return not self.pending_paths

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, query: SearchQuery, history: History, imports_of: ImportsOf, limit: int) -> list[RankedFile]:
        """Rank the files a text is about; equal files, history and query give equal results.

        The rankings by the parts of a text are combined, unless its prose says nothing of these files.
        """
        parts = prompt_parts(query.text)
        texts = parts.searched
        if len(texts) > 1 and not self.subject_terms(self.specific_terms(query_terms(parts.prose))):
            texts = (parts.whole,)
        depth = limit if len(texts) == 1 else max(limit, COMBINED_DEPTH)
        with self._lock:
            rankings = [
                rank_files(self._documents, self._score_cache, history, imports_of, each, depth)
                for each in (query._replace(text=text, prose=parts.prose) for text in texts)
            ]
        return rankings[0] if len(rankings) == 1 else combine_rankings(rankings, limit)

    def with_words(self, text: str, limit: int, order_of: Callable[[str], int], within: int = MAX_UNITS) -> list[str]:
        """Return the files that have the most of a text's words in one passage, best first, then by an order of paths.

        Tests, generated files and prose are left out. None is returned if more than `within` files have a term.
        """
        terms = query_terms(text)
        with self._lock:
            documents = self._documents
            if any(documents.is_in_more_files(term, within) for term in terms):
                return []
            counts = {term: documents.texts.count(term) for term in (terms if len(terms) > 1 else term_set(text))}
            covered: dict[int, float] = {}
            for term in sorted(filter(counts.get, counts), key=lambda term: (counts[term], term)):
                if covered and counts[term] > MAX_ENTRIES:
                    break
                weight = inverse_frequency(counts[term], documents.passage_count)
                for entry in documents.texts.entries(term):
                    unit = unit_of(entry)
                    covered[unit] = covered.get(unit, 0.0) + weight
            found: dict[int, tuple[float, int]] = {}
            lengths, owners = documents.passage_lengths, documents.owners
            best = round(max(covered.values(), default=0.0), 6)
            for unit, weight in covered.items():
                rank = (best - round(weight, 6), lengths[unit])
                if rank < found.get(owners[unit], (best, 0)):
                    found[owners[unit]] = rank
            texts = {
                documents.path(number): rank
                for number, rank in found.items()
                if not ((kind := documents.kind(number)).test or kind.generated)
            }
        most = max(sorted(missing for missing, _ in texts.values())[:PARTLY_COVERED], default=0.0)
        likely = (
            (missing, order_of(path), length, path)
            for path, (missing, length) in texts.items()
            if missing <= most and not is_prose(path)
        )
        ranked = nsmallest(limit, likely)
        return [path for at, (missing, _, _, path) in enumerate(ranked) if not missing or at < PARTLY_COVERED]

    def term_weights(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the weights of the rarest terms that occur in the files, by their rarity."""
        with self._lock:
            count, texts = self._documents.passage_count, self._documents.texts
            counts = {term: texts.count(term) for term in terms}
            weights = {term: inverse_frequency(units, count) for term, units in counts.items() if units}
        return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:MAX_REGION_TERMS])

    def specific_terms(self, terms: Iterable[str]) -> frozenset[str]:
        """Return the terms that occur in less than a quarter of the files, in their names or in their texts."""
        with self._lock:
            documents = self._documents
            most = max(FEW_FILES, len(documents) // COMMON_DIVISOR)
            return frozenset(
                term
                for written in terms
                for term in documents.known_forms(written)
                if 0 < documents.paths.count(term) <= most
                or (term in documents.texts and not documents.is_in_more_files(term, most))
            )

    def subject_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Return those of a prompt's specific terms that say what it is about.

        A common word and a tool's name do where they are a good part of a file's or folder's name, as in `options.js`;
        a word of everyday talk where a few files or definitions have it in their names; any other term wherever it is.
        Of several common words together all do. Beside another term a tool's name always does.
        """
        given = frozenset(terms)
        with self._lock:
            chosen = frozenset(term for term in given if self._is_of_subject(term, given))
        if chosen:
            return chosen | (tool_terms() & given)
        return chosen if len(given) < MANY_COMMON else given

    def _is_of_subject(self, term: str, terms: frozenset[str]) -> bool:
        if term in FAILURE_WORDS:
            return False
        documents, most = self._documents, max(FEW_FILES, len(self._documents) // COMMON_DIVISOR)
        is_in_few_paths = 0 < documents.paths.count(term) <= most
        if not is_distinctive(term) or term in tool_terms():
            return is_in_few_paths and any(_is_named_by(path, terms) for path in documents.with_term(term))
        return not is_everyday(term) or is_in_few_paths or 0 < documents.names.count(term) <= most

    def named_here(
        self, text: str, names: Iterable[str], words: Collection[str], touched: Collection[str] = (), *,
        only_defined: bool = False,
    ) -> frozenset[str]:  # fmt: skip
        """Return what a text names of the files: names by their terms, paths, and by its words files and folders."""
        with self._lock:
            documents = self._documents
            terms = {term for name in names if not name.startswith(".") for term in query_terms(name)[:1]}
            limit = max(FEW_FILES, len(documents) // COMMON_DIVISOR)
            used, macros = () if only_defined else documents.texts, map(macro_term, macros_in(text))
            known = {term for term in (*terms, *macros) if term in documents.names or term in used}
            prose = prompt_parts(text).prose
            own_words = term_set(prose or text).intersection(words)
            mentioned = mentioned_files(documents, text, prose, touched).files
            paths = (*mentioned, *spelled_files(documents, text), *files_by_own_words(documents, own_words))
            folders = (term for term in query_terms(text) if names_folder(documents, term))
            rare = (term for term in known if not documents.is_in_more_files(term, limit))
            return frozenset((*paths, *folders, *rare))

    def rare_terms(self, terms: Iterable[str]) -> frozenset[str]:
        """Return the terms that few files have; of everyday words those in a name.

        A single term has to be in a name, or two together are rare: few files have both in one passage.
        """
        with self._lock:
            documents = self._documents
            limit, limit_of_pairs = documents.rare_limits()
            known: list[str] = []
            for term in terms:
                units = documents.names if is_everyday(term) else documents.texts
                if term in units or term in documents.paths:
                    known.append(term)
            rare = frozenset(
                term
                for term in known
                if documents.paths.count(term) <= limit and not documents.is_in_more_files(term, limit)
            )
            if len(rare) > 1 or any(term in documents.names or term in documents.paths for term in rare):
                return rare
            distinctive = [term for term in known if is_distinctive(term) and not is_everyday(term)]
            most = max(FEW_FILES, len(documents) // COMMON_DIVISOR)
            return documents.rare_together(distinctive, limit_of_pairs, most)

    def dependencies(self, parts: frozenset[str], names: PackageNames) -> Mapping[str, Mapping[str, int]] | None:
        """Count which parts of the tree import which; None while files are still being analysed."""
        with self._lock:
            return self._dependency_graph.dependencies(parts, names) if not self.pending_paths else None

    def landmines(self) -> tuple[tuple[str, Landmine], ...] | None:
        """Return the warnings above definitions with their paths, each file's first one before any second one.

        Those outside of the workspace's folder come last, copied libraries have none; None during the analysis.
        """
        with self._lock:
            if self.pending_paths:
                return None
            if self._first_landmines is None:
                own = ((path, found) for path, found in self._landmines.items() if not is_third_party(path))
                numbered = (
                    (is_outside(path), at, path, landmine) for path, found in own for at, landmine in enumerate(found)
                )
                self._first_landmines = tuple(entry[2:] for entry in nsmallest(MAX_LANDMINES, numbered))
            return self._first_landmines

    def _put_summary(self, path: str, content: str, summary: Summary, previous: Summary | None) -> None:
        """Put a summary in the place of the previous one, or of the path alone."""
        facts = _facts_of(path, summary)
        if previous is not None:
            self._documents.replace(path, previous, summary, content, facts)
        else:
            self._documents.remove(path, None, retained=path in self._outdated)
            self._outdated.discard(path)
            if self._documents.show(path, content) is None:
                self._documents.add(path, summary, content, facts)
        self._put_facts(path, facts)

    def _put_facts(self, path: str, facts: FileFacts) -> None:
        self._dependency_graph.put_targets(path, facts.targets)
        self._put_landmines(path, facts.landmines)

    def _put_landmines(self, path: str, landmines: tuple[Landmine, ...]) -> None:
        if landmines:
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

    def broken_imports(
        self, moved: Mapping[str, str], imports_of: ImportsOf, at_most: int
    ) -> list[BrokenImport] | None:
        """Return the imports that moved or deleted files broke, sorted; None while files are still being analysed."""
        with self._lock:
            return broken_imports(self._documents, moved, imports_of, at_most) if not self.pending_paths else None

    def _delta_to(self, files: Mapping[str, str]) -> FileDelta:
        """Return the differences to the next files, which are computed once."""
        if self._next_delta is None or self._next_delta[0] is not files:
            self._next_delta = files, delta_between(self._files, files)
        return self._next_delta[1]

    def _synchronize(self, files: Mapping[str, str]) -> None:
        if not self._files:
            self._copy_nearest(files)
        before, delta = self._files, self._delta_to(files)
        self._next_delta = None
        changed = [path for path in delta.changed if content_identity(before[path]) != content_identity(files[path])]
        self._files = files
        if delta.added or delta.removed:
            self._documents.resolved_imports.clear()
        if self._documents.is_full:
            self._rebuild(files)
            return
        retained = len(delta.removed) + len(changed) > MAX_EDITED
        changed = [path for path in changed if not self._show_shared(path, files[path], before[path], retained)]
        outdated = [*delta.removed, *changed]
        previous = {path: self._edited.pop(path) for path in outdated if path in self._edited}
        if not retained:
            analysed = (path for path in outdated if path not in self.pending_paths)
            previous |= self._cached_summaries({path: content_identity(before[path]) for path in analysed})
        for path in delta.removed:
            self._remove(path, previous.get(path), retained)
            self.pending_paths.pop(path, None)
        for path in changed:
            if path in previous and len(changed) <= MAX_EDITED:
                self._edited[path] = previous[path]
                self.pending_paths[path] = False
            elif retained and self._documents.has_content(path):
                self._outdated.add(path)
                self.pending_paths[path] = False
            else:
                self._remove(path, previous.get(path), retained)
                self._add_all_pending([path])
        added = ((path, files[path]) for path in delta.added) if before else sorted(files.items())
        self._add_all({path: content_identity(content) for path, content in added})

    def _add_all(self, files: Mapping[str, str]) -> None:
        """Show the contents that are shared, and add the others by their paths until they are analysed."""
        for path, facts in self._documents.show_all(files).items():
            self._put_facts(path, facts)
        self._add_all_pending([path for path in files if path not in self._documents])

    def _copy_nearest(self, files: Mapping[str, str]) -> None:
        """Start with the files of another worktree's index, if there is one."""
        nearest = self._shared.nearest(files)
        if nearest is None:
            if self._documents.shared is not self._shared.documents:
                self._start_empty()  # stored documents were loaded meanwhile
        else:
            content = nearest.copy_content()
            self._documents, self._dependency_graph = content.documents, content.dependency_graph
            self._landmines, self._first_landmines = content.landmines, content.first_landmines
            self._files = content.files
            self._score_cache = ScoreCache(self._documents)

    def _show_shared(self, path: str, content: str, before: str, retained: bool) -> bool:
        """Put a shared document in a changed file's place; return False if its content is not shared.

        The previous content stays shared if many files changed, as in a checkout, or if other worktrees show it.
        """
        documents = self._documents
        shared = documents.shared.find(path, content_identity(content))
        if shared is None:
            return False
        self.pending_paths.pop(path, None)
        if shared == documents.number(path):  # it was edited and has been restored
            self._edited.pop(path, None)
            self._outdated.discard(path)
            return True
        previous = self._edited.pop(path, None)
        if previous is None and not retained and documents.is_own(path):
            previous = self._cached_summaries({path: content_identity(before)}).get(path)
        self._remove(path, previous, retained)
        self._put_facts(path, documents.show(path, content_identity(content)) or NO_FACTS)
        return True

    def _remove(self, path: str, previous: Summary | None, retained: bool) -> None:
        """Remove a file. Its document stays shared if its summary is unknown, without which removal takes long."""
        self._outdated.discard(path)
        self._documents.remove(path, previous, retained=retained or previous is None)
        self._put_facts(path, NO_FACTS)

    def _rebuild(self, files: Mapping[str, str]) -> None:
        if self._documents.shared is self._shared.documents:
            self._shared.documents = SharedDocuments()
        self._start_empty()
        self.pending_paths.clear()
        self._edited.clear()
        self._outdated.clear()
        self._add_all_pending(list(files))

    def _add_all_pending(self, paths: Sequence[str]) -> None:
        """Add files by their paths until their summaries arrive."""
        self._documents.add_by_paths(paths)
        self.pending_paths.update(dict.fromkeys(paths, False))


def _is_named_by(path: str, terms: frozenset[str]) -> bool:
    """Whether some terms are a good part of the name of a file or of its folder."""
    return max(named_share(path, terms), named_share(folder_of(path), terms)) >= NAME_SHARE


def facts_of(path: str, language: str, imports: Iterable[str], landmines: Sequence[Landmine]) -> FileFacts:
    """Return the facts of a file with these parts of a summary."""
    is_script = language != UNKNOWN_LANGUAGE and language_of(path) is None
    own = tuple(landmines) if landmines and is_own_code(path) else ()
    return FileFacts(import_targets(path, imports), own, is_script=is_script)


def _facts_of(path: str, summary: Summary) -> FileFacts:
    return facts_of(path, summary.language, summary.imports, summary.landmines)
