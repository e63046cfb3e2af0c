"""The search over one workspace: its index, its head's history, and the cache of results; what worktrees share."""

import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import wait
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase.content_ids import content_identity
from sidecar.codebase.files import Listing, SharedListings, is_own_code, read_from_worktree
from sidecar.codebase.region_search import RegionQuery, RegionSearch
from sidecar.codebase.search import RANKING_VERSION, FileIndex, RankedFile, SearchQuery
from sidecar.codebase.search.commit_history import Additions, FragileFile, read_commits
from sidecar.codebase.search.head_histories import NO_HISTORY, Histories
from sidecar.codebase.search.import_graph import BrokenImport
from sidecar.codebase.search.index import SharedIndex, SummaryLookup
from sidecar.codebase.search.mentioned_files import is_translation
from sidecar.codebase.search.prompt_parts import Frame, read_evidence
from sidecar.codebase.search.quoted_texts import (
    QuotedPlace,
    ReadFiles,
    code_words_of_labels,
    find_quoted,
    likelihood_order,
    words_of_translated_texts,
)
from sidecar.codebase.search_without_index import RunningSearch, finished
from sidecar.codebase.store import StoredIndex
from sidecar.codebase.summary.model import Summary
from sidecar.codebase.summary.summarize import SUMMARY_VERSION
from sidecar.codebase.worktree.git_metadata import shallow_boundary
from sidecar.codebase.worktree.state import RepositoryState
from sidecar.core.digests import digest_value, short_id
from sidecar.core.lru_cache import LruCache
from sidecar.core.secret_formats import OWN_PATTERNS
from sidecar.core.terms import query_terms, query_words
from sidecar.system.git import GitFailed

LAST_COMMITS = 300
"""Number of commits that order the files of a cold index, before the whole history is read: 60 ms of Django's."""

MAX_PRIORITIZED = 200
"""Number of files matching the last query that are indexed before the others."""

STORED_CHANGES = 64
"""Number of changed documents after which the index is stored again; fewer are read from the file cache."""

RECENT_SUMMARY_BYTES = 4 * 2**20
"""Size of the cache of recently shown summaries."""

ORDER_SECONDS = 0.3
"""Maximum time to wait for a search of contents before files are indexed in another order."""

QUOTED_CANDIDATES, MAX_QUOTED_BYTES = 64, 512 * 1024
"""Number of files that are read for a quoted text, and the size of the largest one."""


MAX_FILES_OF_LABEL = 2 * QUOTED_CANDIDATES
"""Number of files with a word from which it is no longer looked up as one that only users see: code has it, too."""

MAX_SEEN_TERMS, MAX_ADDED_WORDS, MAX_TRANSLATED_WORDS = 24, 3, 5
"""Number of words of a prompt that are looked up among the texts that users see, and of words that are added because of
them, and because of translations.
"""


class CodeWords(NamedTuple):
    """The words by which code calls what a prompt has other words for."""

    words: tuple[str, ...]
    translated: frozenset[str]
    """The prompt's terms that only translations have and that the words stand for."""


NO_CODE_WORDS = CodeWords((), frozenset())


class _ListedState(NamedTuple):
    """A listing, and the state it belongs to."""

    head: str | None
    changed_hash: str
    listing: Listing


class SharedSearch:
    """The index and the histories that a repository's worktrees share."""

    def __init__(self) -> None:
        self.index = SharedIndex()
        self.histories = Histories()


class SharedRepository:
    """Data that the worktrees of one repository share; none of it depends on which of them it came from."""

    def __init__(self, stored: StoredIndex) -> None:
        self.listings = SharedListings()
        self.search = SharedSearch()
        self.regions = RegionSearch()
        self.recent_summaries: LruCache[tuple[str, str], Summary] = LruCache(RECENT_SUMMARY_BYTES)
        self._stored = stored
        self._lock = threading.Lock()
        self._is_loaded = False

    def load(self) -> None:
        """Load what an earlier process stored, once."""
        if self._is_loaded:  # without the lock, which is held while the index is stored
            return
        with self._lock:
            if not self._is_loaded:
                loaded = self._stored.load()
                if loaded is not None and self.search.index.restore(loaded.documents):
                    self.search.histories.restore(loaded.histories)
                    self.listings.put(loaded.tracked)
                self._is_loaded = True

    def is_empty(self) -> bool:
        """Whether no file was ever indexed, in this process or an earlier one."""
        return not self.search.index.documents.present and not self._stored.exists()

    def must_be_stored(self) -> bool:
        """Whether many documents changed since the index was stored."""
        return self._stored.changes_since(self.search.index) >= STORED_CHANGES

    def store(self) -> None:
        """Store the index for later processes, unless it was done meanwhile."""
        with self._lock:
            if self.must_be_stored():
                histories = self.search.histories.to_store()
                self._stored.save(self.search.index, self.listings.latest(), histories)


class WorkspaceSearch:
    """Finds files by a text. Thread-safe."""

    def __init__(
        self,
        cwd: Path,
        process: Process,
        shared: SharedSearch,
        whole_summaries: SummaryLookup,
        cached_summaries: SummaryLookup,
        summaries: SummaryLookup,
    ) -> None:
        """`cached_summaries` looks up cached summaries, `whole_summaries` with their words; `summaries` reads files."""
        self._cwd = cwd
        self._process = process
        self._cached_summaries, self._summaries = cached_summaries, summaries
        self.index = FileIndex(whole_summaries, shared.index)
        self._histories = shared.histories
        self._cache = process.slices.codebase.search_cache
        self._history = NO_HISTORY
        self._unreadable_head: str | None = None
        """The head whose history could not be read: searches do without it and are not cached."""
        self._history_lock = threading.Lock()
        self._update_lock = threading.Lock()
        self._listed: _ListedState | None = None
        self._last_query: SearchQuery | None = None
        self._found_by_contents: RunningSearch | None = None
        self._last_quoted: tuple[str, Listing | None, list[QuotedPlace]] = ("", None, [])

    def update(self, state: RepositoryState, listing: Listing) -> None:
        """Make the index hold exactly a state's files."""
        with self._update_lock:
            if self._listed is None or self._listed.listing is not listing:
                self._listed = None  # a search that runs meanwhile belongs to neither state
                self.index.update(listing.searched, state.prefix if state.covers_root else "")
            self._listed = _ListedState(state.head, state.changed_hash, listing)
            if state.kind == "git":
                self._histories.set_boundary(shallow_boundary(state.root))
            before = self._history if self._history.boundary == self._histories.boundary else NO_HISTORY
            self._history = self._histories.known(state.head) or before

    def cached_listing(self, state: RepositoryState) -> Listing | None:
        """Return the last listing if it is this state's."""
        listed = self._listed
        if listed is None or listed.head != state.head or listed.changed_hash != state.changed_hash:
            return None
        return listed.listing

    def is_complete(self, allowed_pending: int = 0) -> bool:
        """Whether all listed files but `allowed_pending` are indexed and the head's history is loaded."""
        listed = self._listed
        if listed is None or len(self.index.pending_paths) > allowed_pending:
            return False
        return self._history.head == listed.head or (listed.head is not None and listed.head == self._unreadable_head)

    def read_history(self) -> None:
        """Read the commits of the listed head; only new ones if it descends from the last head."""
        head = self._listed.head if self._listed is not None else None
        with self._history_lock:
            if self._has_history(head):
                return
            try:
                self._history = self._histories.get(self._cwd, head, self._history)
            except GitFailed as error:
                self._process.log.warning("codebase.history.failed", reason=error.reason)
                self._unreadable_head = head

    def read_history_of(self, head: str) -> None:
        """Read the commits of a head that is probably listed soon."""
        try:
            self._histories.get(self._cwd, head, self._history)
        except GitFailed as error:
            self._process.log.warning("codebase.history.failed", reason=error.reason)

    def fragile_files(self, limit: int) -> list[FragileFile] | None:
        """Return the most fragile listed files; None while the history is unknown."""
        listed, history = self._listed, self._history
        if listed is None or history.head != listed.head:
            return None
        files, paths = self._histories.fragile_files(history), listed.listing.files
        return list(islice((file for file in files if file.path in paths and is_own_code(file.path)), limit))

    def prioritize(self, query: SearchQuery, found_by_contents: RunningSearch | None) -> None:
        """Index what a query will find before other files, if an index run begins now.

        `found_by_contents` is a search for it without an index.
        """
        self._last_query, self._found_by_contents = query, found_by_contents

    def by_interest(self, files: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Sort (path, content id) pairs: those matching the last query first, then recently changed ones."""
        contents = dict(files)
        query, search = self._last_query, self._found_by_contents
        self._found_by_contents = None
        if search is not None:
            wait((search,), timeout=ORDER_SECONDS)
        # Ranking with what the index has takes time from a request that waits for these files.
        matching = finished(search) or (self._find(query, MAX_PRIORITIZED) if query is not None else [])
        paths = dict.fromkeys((*(file.path for file in matching), *self._recent_paths(len(contents))))
        return [(path, contents[path]) for path in paths if path in contents]

    def _recent_paths(self, limit: int) -> list[str]:
        """Return recently changed files, latest first; while no history is known, those of the last commits."""
        head = self._listed.head if self._listed is not None else None
        if self._history.head is not None or head is None:
            return self._history.history.recent(limit)
        with suppress(GitFailed):
            return [path for commit in read_commits(self._cwd, head, LAST_COMMITS) for path in commit.paths]
        return []

    def find(self, query: SearchQuery, state: RepositoryState, repository: str, limit: int) -> list[RankedFile]:
        """Rank the files a query is about; the same query on the same state comes from the cache."""
        self._last_query = query
        listing = self.cached_listing(state)
        if listing is None or not self._is_current(state):
            return self._find(query, limit)
        query_hash = digest_value(
            [
                *(query.text, sorted(query.mentioned), sorted(query.touched), limit),
                *(SUMMARY_VERSION, RANKING_VERSION, *OWN_PATTERNS.texts),
            ]
        )
        history_boundary = self._histories.boundary
        scope = short_id(
            [repository, state.prefix, len(listing.searched), listing.entries, state.changed_hash, history_boundary]
        )
        cached = self._cache.get(query_hash, state.head or "", scope)
        if cached is not None:
            return [
                RankedFile(path, score, parts, tuple(matched), tuple((kind, seed) for kind, seed in related))
                for path, score, parts, matched, related in cached
            ]
        results = self._find(query, limit)
        if self.cached_listing(state) is listing and self._is_current(state):
            now_ms = self._process.clock.now_ms()
            self._cache.put(query_hash, state.head or "", scope, partial(_rows, results), now_ms)
        return results

    def importers(self, path: str, at_most: int) -> list[str]:
        """Return the files known to import a file, sorted; at most `at_most` files are checked."""
        return self.index.importers(path, self._imports_of, at_most)

    def folders_named(self, term: str) -> Sequence[str]:
        """Return the folders whose names have a term, sorted, as far as the history is known."""
        return self._history.history.folders_named(term)

    def changed_with_additions(self, folder: str) -> Additions:
        """Return the files that most of the last additions to a folder changed, as far as the history is known."""
        return self._history.history.changed_with_additions(folder)

    def broken_imports(self, moved: Mapping[str, str], at_most: int) -> list[BrokenImport] | None:
        """Return the imports that moved or deleted files broke, sorted; None while files are still being indexed."""
        return self.index.broken_imports(moved, self._imports_of, at_most)

    def region_query(self, text: str) -> RegionQuery:
        """Return what regions are compared with: a text's evidence and the weights of its terms."""
        terms, evidence = query_terms(text), read_evidence(text)
        places = [Frame(place.path, place.line, "") for place in reversed(self._quoted_places(text))]
        evidence = evidence._replace(frames=(*places, *evidence.frames))
        return RegionQuery(evidence, self.index.term_weights(terms), query_words(text))

    def code_words_of_labels(self, terms: Collection[str]) -> CodeWords:
        """Return the words by which the code calls what only the texts that users see call by some terms."""
        if self._listed is None or not self.index.is_complete() or len(terms) > MAX_SEEN_TERMS:
            return NO_CODE_WORDS
        read = self._read(self._listed.listing)
        found = partial(self.index.with_words, order_of=likelihood_order, within=MAX_FILES_OF_LABEL)
        rare, listed = self.index.specific_terms(terms), self._listed.listing.searched
        paths = {term: found(term, QUOTED_CANDIDATES) for term in terms if term in rare}
        words = [word for term, own in paths.items() for word in code_words_of_labels(term, own, read)]
        foreign = {
            term: own for term, own in paths.items() if own and all(is_translation(path, listed) for path in own)
        }
        translated = words_of_translated_texts(foreign, read)
        specific = self.index.specific_terms((*words, *translated))
        known = [word for word in dict.fromkeys(words) if word in specific][:MAX_ADDED_WORDS]
        new = [word for word in translated if word in specific and word not in terms][:MAX_TRANSLATED_WORDS]
        return CodeWords((*known, *new), frozenset(foreign if translated else ()))

    def _quoted_places(self, text: str) -> list[QuotedPlace]:
        """Return the places that a text's quotations come from; none while files are still being indexed."""
        if self._listed is None or not self.index.is_complete():
            return []
        listing = self._listed.listing
        last_text, last_listing, places = self._last_quoted
        if last_text != text or last_listing is not listing:
            places = find_quoted(
                text,
                partial(self.index.with_words, limit=QUOTED_CANDIDATES, order_of=likelihood_order),
                self._read(listing),
            )
            self._last_quoted = text, listing, places
        return places

    def _read(self, listing: Listing) -> ReadFiles:
        """Return a function that reads listed files of the worktree; each is read once."""
        known: dict[str, str] = {}
        checked: set[str] = set()

        def read(paths: Sequence[str]) -> dict[str, str]:
            for path in paths:
                if path not in known and path in listing.searched:
                    content = content_identity(listing.searched[path])
                    found = read_from_worktree(self._cwd, path, content, MAX_QUOTED_BYTES, checked)
                    known[path] = "" if found is None else found.decode("utf-8", "replace")
            return {path: known[path] for path in paths if known.get(path)}

        return read

    def _find(self, query: SearchQuery, limit: int) -> list[RankedFile]:
        listed = self._listed
        history = self._history.history if listed is not None and self._has_history(listed.head) else NO_HISTORY.history
        quoted: dict[str, dict[str, float]] = {}
        for place in self._quoted_places(query.text):
            values = quoted.setdefault(place.path, {})
            kind = "usesQuoted" if place.is_use else "quoted"
            values[kind] = max(place.share, values.get(kind, 0.0))
        return self.index.find(query._replace(quoted=quoted), history, self._imports_of, limit)

    def _imports_of(self, paths: Sequence[str]) -> dict[str, Sequence[str]]:
        files = self._listed.listing.searched if self._listed is not None else {}
        # While files are still being indexed, none is read here: that could delay a call beyond its deadline.
        look_up = self._summaries if self.index.is_complete() else self._cached_summaries
        summaries = look_up({path: files[path] for path in paths if path in files})
        return {path: summary.imports for path, summary in summaries.items()}

    def _has_history(self, head: str | None) -> bool:
        return self._history.head == head

    def _is_current(self, state: RepositoryState) -> bool:
        """Whether index and history are complete and of this state: another request may have moved them on."""
        return self.cached_listing(state) is not None and self.is_complete() and self._has_history(state.head)


def _rows(results: Sequence[RankedFile]) -> list[list[object]]:
    """Return the files as JSON arrays."""
    return [list(ranked) for ranked in results]
