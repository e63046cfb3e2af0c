"""The search over one workspace: its index, its head's history, the cache of results; and searches without an index.

Without an index files are found by the words of paths, and by the lines that `git grep` finds.
"""

import math
import os
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase.files import Listing, is_own_code, may_show
from sidecar.codebase.region_search import RegionQuery
from sidecar.codebase.search import RANKING_VERSION, FileIndex, RankedFile, SearchQuery
from sidecar.codebase.search.commit_history import NO_HISTORY, FragileFile, Histories, read_commits
from sidecar.codebase.search.index import SharedIndex, SummaryLookup
from sidecar.codebase.search.query import parts_of, read_evidence
from sidecar.codebase.summary.summarize import SUMMARY_VERSION
from sidecar.codebase.unindexed_files import is_unindexed
from sidecar.codebase.worktree.state import RepositoryState
from sidecar.core.digests import digest_value
from sidecar.core.secret_formats import OWN_PATTERNS
from sidecar.core.terms import identifiers_of, paths_in, query_terms, query_words
from sidecar.system.git import Git, GitFailed, GitTimedOut

LAST_COMMITS = 300
"""Number of commits that order the files of a cold index, before the whole history is read: 60 ms of Django's."""

MAX_PRIORITIZED = 200
"""Number of files matching the last query that are indexed before the others."""


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


class Searcher:
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

    def update(self, state: RepositoryState, listing: Listing) -> None:
        """Make the index hold exactly a state's files."""
        with self._update_lock:
            if self._listed is None or self._listed.listing is not listing:
                self._listed = None  # a search that runs meanwhile belongs to neither state
                self.index.update(listing.searched, state.prefix if state.covers_root else "")
            self._listed = _ListedState(state.head, state.changed_hash, listing)
            self._history = self._histories.known(state.head) or self._history

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

    def by_interest(self, files: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Sort (path, content id) pairs: those matching the last query first, then recently changed ones."""
        contents = dict(files)
        query = self._last_query
        matching = self._find(query, MAX_PRIORITIZED) if query is not None else []
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
        if not self._is_current(state):
            return self._find(query, limit)
        query_hash = digest_value(
            [
                *(query.text, sorted(query.mentioned), sorted(query.touched), limit),
                *(SUMMARY_VERSION, RANKING_VERSION, *OWN_PATTERNS.texts),
            ]
        )
        scope = f"{repository}:{state.prefix}:{len(self.index)}:{state.changed_hash}"
        cached = self._cache.get(query_hash, state.head or "", scope)
        if cached is not None:
            return [
                RankedFile(path, score, parts, tuple(matched), tuple((kind, seed) for kind, seed in related))
                for path, score, parts, matched, related in cached
            ]
        results = self._find(query, limit)
        if self._is_current(state):
            now_ms = self._process.clock.now_ms()
            self._cache.put(query_hash, state.head or "", scope, partial(_rows, results), now_ms)
        return results

    def importers(self, path: str, at_most: int) -> list[str]:
        """Return the files known to import a file, sorted; at most `at_most` files are checked."""
        return self.index.importers(path, self._imports_of, at_most)

    def region_query(self, text: str) -> RegionQuery:
        """Return what regions are compared with: a text's evidence and the weights of its terms."""
        terms = query_terms(text)
        return RegionQuery(read_evidence(text), self.index.term_weights(terms), query_words(text))

    def _find(self, query: SearchQuery, limit: int) -> list[RankedFile]:
        listed = self._listed
        history = self._history.history if listed is not None and self._has_history(listed.head) else NO_HISTORY.history
        return self.index.find(query, history, self._imports_of, limit)

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


MIN_TERM = 3
COMMON_SHARE = 0.02
"""A term in more paths than this share, and in more than a hundred, is ignored."""

NAME_WEIGHT = 2.0
"""Weight of a word in a file's name, relative to one in a folder's."""

MENTIONED_WEIGHT = 50.0

TIMEOUT_SECONDS = 5.0


def search_paths(cwd: Path, text: str, limit: int) -> list[RankedFile]:
    """Rank existing tracked files by the words in their paths; return nothing without a repository.

    A first answer before the index is built: git's index has the names of 100,000 files in some ten milliseconds.
    """
    try:
        output = Git(cwd).run("ls-files", "-z", "--", ".", timeout=TIMEOUT_SECONDS)
    except GitFailed:
        return []
    paths = b"\0" + output
    scores, matched = _scores(paths, query_terms(text))
    mentioned = {path for path in paths_in(text) if b"\0" + os.fsencode(path) + b"\0" in paths}
    for path in mentioned:
        scores[path] += MENTIONED_WEIGHT
    best = sorted(scores, key=lambda path: (-scores[path], path))
    top = scores[best[0]] if best else 1.0
    results: list[RankedFile] = []
    for path in best:
        if len(results) == limit:
            break
        if _may_be_shown(cwd, path):
            parts = {"namedPath": 1.0} if path in mentioned else {"path": round(scores[path] / top, 4)}
            results.append(RankedFile(path, round(scores[path] / top, 4), parts, tuple(matched[path]), ()))
    return results


def _scores(paths: bytes, terms: list[str]) -> tuple[defaultdict[str, float], defaultdict[str, list[str]]]:
    """Return each path's summed term weights, and its terms, rarest first."""
    lowercase = paths.lower()  # of ASCII letters only, so positions stay the same
    files = paths.count(b"\0")
    scores: defaultdict[str, float] = defaultdict(float)
    matched: defaultdict[str, list[str]] = defaultdict(list)
    counts = {term: lowercase.count(term.encode()) for term in terms if len(term) >= MIN_TERM}
    for term in sorted(counts, key=lambda term: (counts[term], term)):
        if counts[term] > max(100, files * COMMON_SHARE):
            break
        weight = math.log(1 + files / (1 + counts[term]))
        for path, is_in_name in _paths_containing(paths, lowercase, term.encode()).items():
            scores[path] += weight * (NAME_WEIGHT if is_in_name else 1.0)
            matched[path].append(term)
    return scores, matched


def _paths_containing(paths: bytes, lowercase: bytes, term: bytes) -> dict[str, bool]:
    """Return the paths that contain a term; the value is whether the file's own name does."""
    matches: dict[str, bool] = {}
    position = lowercase.find(term)
    while position >= 0:
        follows_letter = paths[position - 1 : position].isalpha()
        if follows_letter and not paths[position : position + 1].isupper():  # inside another word
            position = lowercase.find(term, position + 1)
            continue
        start, end = paths.rfind(b"\0", 0, position) + 1, paths.find(b"\0", position)
        path = os.fsdecode(paths[start:end])
        matches[path] = matches.get(path, False) or paths.find(b"/", position, end) < 0
        position = lowercase.find(term, position + 1)
    return matches


MAX_TERMS = 12
"""Number of a text's terms that are searched for in contents: its names, then the longest words of its first line."""

MIN_SHARE = 0.25
"""Files whose matches weigh less than this share of the best one's are left out."""

CONTENTS_WEIGHT = 6.0
"""Score of the best file: in log odds, as the ranking with an index."""

OTHERS_SHARE = 0.5
"""Share of its weight that a test or document has."""

FULL_WEIGHT_MATCHES = 2.0
"""Number of matches in a file at which a term has half of its weight."""

_GREP = (
    "grep", "-I", "-z", "-o", "-i", "--no-color", "--no-line-number", "--no-column", "--no-full-name",
    "--no-recurse-submodules",
)  # fmt: skip
_DIALECTS = ("-P", "-E")
"""A git that was built without Perl's expressions needs the second one, which takes six times as long."""


def search_contents(cwd: Path, text: str, limit: int, timeout: float) -> list[RankedFile]:
    """Rank the tracked files that contain a text's terms; return nothing after `timeout` (seconds).

    `git grep` reads the 6,000 files of a worktree in a tenth of a second; to index them takes several seconds. Only
    files that may be shown are returned; code comes before tests and documents.
    """
    terms = _searched_terms(text)
    expression = "|".join(terms)
    for dialect in _DIALECTS if terms else ():
        try:
            output = Git(cwd).run(*_GREP, dialect, "-e", expression, timeout=timeout, success_codes=(0, 1))
        except GitTimedOut:
            break
        except GitFailed:
            continue
        ranked = _ranked(_matches_by_file(output))
        return list(islice((file for file in ranked if _may_be_shown(cwd, file.path)), limit))
    return []


def _may_be_shown(cwd: Path, path: str) -> bool:
    return may_show(path) and not is_unindexed(path) and os.path.isfile(cwd / path) and not os.path.islink(cwd / path)


def _searched_terms(text: str) -> list[str]:
    """Return terms, the longest first: of alternatives that begin at the same place, the first one matches."""
    parts = parts_of(text)
    names = [part.lower() for name in identifiers_of(parts.whole) for part in re.findall(r"\w+", name)]
    words = [term for part in (parts.title, parts.prose, parts.whole) for term in _longest_first(query_terms(part))]
    terms = (term for term in (*names, *words) if len(term) >= MIN_TERM)
    return _longest_first([re.escape(term) for term in dict.fromkeys(terms)][:MAX_TERMS])


def _longest_first(terms: Sequence[str]) -> list[str]:
    return sorted(terms, key=lambda term: (-len(term), term))


def _matches_by_file(output: bytes) -> dict[str, Counter[str]]:
    """Count each file's matches by term, from lines of a path, a null byte and the match."""
    matches: defaultdict[bytes, Counter[bytes]] = defaultdict(Counter)
    for line in output.split(b"\n"):
        path, _, match = line.partition(b"\0")
        if match:
            matches[path][match.lower()] += 1
    return {
        os.fsdecode(path): Counter({term.decode("utf-8", "replace"): count for term, count in counts.items()})
        for path, counts in matches.items()
    }


def _ranked(matches: Mapping[str, Counter[str]]) -> Iterator[RankedFile]:
    """Rank files by the rarity of the terms that they contain, as BM25 without lengths; a name counts twice."""
    document_counts = Counter(term for counts in matches.values() for term in counts)
    weights = {term: math.log(1 + len(matches) / files) for term, files in document_counts.items()}
    scores: dict[str, float] = {}
    for path, counts in matches.items():
        name = path.rpartition("/")[2].lower()
        scores[path] = math.fsum(
            weights[term] * (count / (count + FULL_WEIGHT_MATCHES) + (term in name)) for term, count in counts.items()
        )
    own = {path: score * (1.0 if is_own_code(path) else OTHERS_SHARE) for path, score in scores.items()}
    top = max(own.values(), default=0.0)
    for path in sorted(own, key=lambda path: (-own[path], path)):
        score = round(CONTENTS_WEIGHT * own[path] / top, 4) if top else 0.0
        if score < CONTENTS_WEIGHT * MIN_SHARE:
            return
        matched = sorted(matches[path], key=lambda term: (document_counts[term], term))
        yield RankedFile(path, score, {"contents": score}, tuple(matched), ())
