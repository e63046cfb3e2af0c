"""The words of a workspace's files, in memory: which files hold a term, how often, and how long they are.

Filled from the file cache or by reading, files of a content it knows are never read again. A file whose content
is not analysed yet is found by its path alone.
"""

import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.filemap import delta_between
from sidecar.codebase.files import is_generated
from sidecar.codebase.hashing import content_identity
from sidecar.codebase.ranking import (
    DEFINITION_WEIGHT,
    PATH_WEIGHT,
    Candidate,
    Corpus,
    Posting,
    Ranked,
    Signals,
    Traits,
    is_document,
    is_test,
    rank,
    text_scores,
    weights_of,
)
from sidecar.codebase.summary import Summary
from sidecar.codebase.terms import count_terms, identifiers_of, paths_in, query_terms, stem

AMBIGUOUS_NAMES = 3
"""A name that ends more paths than this names none of them."""

_MAX_FREQUENCY = 255
_GONE = -1
_NOTHING: "array[int]" = array("Q")
_REBUILD_SHARE = 0.5
_REBUILD_DEAD = 1_000
_DOCUMENT_WORDS = frozenset(
    stem(word) for word in ("readme", "doc", "documentation", "changelog", "markdown", "config")
)
_TEST_WORDS = frozenset(("test", "spec"))


class _Document(NamedTuple):
    path: str
    content: str
    traits: Traits


class FileIndex:
    """Postings over the current files. All public methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: Mapping[str, str] = {}
        self._documents: list[_Document | None] = []
        self._lengths = array("q")
        self._by_path: dict[str, int] = {}
        self._by_name: dict[str, set[str]] = {}
        self._pending: dict[str, None] = {}
        self._postings: dict[str, array[int]] = {}
        self._definitions: dict[str, set[int]] = {}
        self._total_length = 0
        self._gone: list[int] = []

    def update(self, files: Mapping[str, str]) -> list[str]:
        """Makes the index hold exactly these files (path → content id); gives the paths that need analysis.

        The mapping is kept and must not change; the same one again costs nothing.
        """
        with self._lock:
            if files is not self._held:
                self._take(files)
            return list(self._pending)

    def pending(self) -> list[tuple[str, str]]:
        """Gives path and content id of the files that need analysis, as they are listed now."""
        with self._lock:
            return [(path, self._held[path]) for path in self._pending]

    def analysed(self, path: str, content: str, summary: Summary) -> None:
        """Takes a file's summary in, unless the file has changed since or has one."""
        with self._lock:
            if path in self._pending and self._content(path) == content_identity(content):
                self._remove(path)
                self._add(path, content_identity(content), summary)

    def is_complete(self) -> bool:
        """Says whether every file's content is analysed."""
        return not self._pending

    def holds(self, files: Mapping[str, str]) -> bool:
        """Says whether these are the files it was last updated with."""
        return self._held is files

    def __len__(self) -> int:
        return len(self._by_path)

    def find(self, text: str, changed: Iterable[str], mentioned: Iterable[str] = (), limit: int = 24) -> list[Ranked]:
        """Ranks the files a text is about; the same files and text give the same answer."""
        terms = query_terms(text)
        with self._lock:
            postings = {term: posting for term in terms if (posting := self._posting(term)).file_count}
            count = len(self._by_path)
            weights = weights_of(postings, count)
            average = self._total_length / count if count else 1.0
            scores = text_scores(postings, weights, Corpus(count, average, self._lengths))
            signals = Signals(
                named_paths={*self._named_paths(text), *mentioned} & self._by_path.keys(),
                named_definitions=self._defining(text),
                changed=frozenset(changed),
                wants_tests=not _TEST_WORDS.isdisjoint(terms),
                wants_docs=not _DOCUMENT_WORDS.isdisjoint(terms),
            )
            raised = self._raised(signals, scores)
            special = [self._candidate(number, scores.get(number, 0.0)) for number in raised]
            plain = (
                self._candidate(number, scores[number])
                for number in sorted(scores, key=scores.__getitem__, reverse=True)
                if number not in raised
            )
            return [
                Ranked(one.path, score, parts, self._matched(one.path, postings, weights))
                for one, score, parts in rank(special, plain, signals, limit)
            ]

    def _posting(self, term: str) -> Posting:
        entries = self._postings.get(term, _NOTHING)
        if len(self._gone) < len(entries) // 16:  # looking the gone ones up takes less than looking at all
            return Posting(entries, len(entries) - sum(_holds(entries, number) for number in self._gone))
        lengths = self._lengths
        return Posting(entries, sum(lengths[entry >> 8] >= 0 for entry in entries))

    def _raised(self, signals: Signals, scores: Mapping[int, float]) -> set[int]:
        """The files that a signal raises; only a path that is named does so without any word in common."""
        named = {self._by_path[path] for path in signals.named_paths}
        others = (self._by_path.get(path, -1) for path in (*signals.named_definitions, *signals.changed))
        return named | {number for number in others if number in scores}

    def _candidate(self, number: int, text: float) -> Candidate:
        document = self._documents[number]
        assert document is not None
        return Candidate(document.path, text, document.traits)

    def _matched(self, path: str, postings: Mapping[str, Posting], weights: Mapping[str, float]) -> tuple[str, ...]:
        number = self._by_path[path]
        return tuple(term for term in weights if _holds(postings[term].entries, number))

    def _take(self, files: Mapping[str, str]) -> None:
        held = self._held
        delta = delta_between(held, files)
        for path in delta.removed:
            self._remove(path)
        self._held = files
        for path in sorted((*delta.added, *delta.changed)):
            content = content_identity(files[path])
            if path in self._by_path:
                if self._content(path) == content:
                    continue
                self._remove(path)
            self._add(path, content, None)
        if len(self._gone) > _REBUILD_DEAD and len(self._gone) > len(self._documents) * _REBUILD_SHARE:
            self._compact()

    def _named_paths(self, text: str) -> set[str]:
        """The files a text names by path or, where only few are meant, by the end of a path."""
        named: set[str] = set()
        for mention in paths_in(text):
            inside = self._longest_end(mention)
            if inside is not None:
                named.add(inside)
                continue
            tail = "/" + mention
            same_name = self._by_name.get(mention.rpartition("/")[2], ())
            ends = [path for path in same_name if path.endswith(tail)]
            if len(ends) <= AMBIGUOUS_NAMES:
                named.update(ends)
        return named

    def _longest_end(self, mention: str) -> str | None:
        """The file a mention is, or that an absolute path from elsewhere ends with; the longest such path."""
        rest = mention
        while rest not in self._by_path:
            _, slash, rest = rest.partition("/")
            if not slash:
                return None
        is_whole = rest == mention or "/" in rest or len(self._by_name[rest]) == 1
        return rest if is_whole else None

    def _defining(self, text: str) -> frozenset[str]:
        names = {
            part
            for identifier in identifiers_of(text)
            for part in (identifier, *identifier.replace(":", ".").split("."))
        }
        numbers = set[int]().union(*(self._definitions.get(name.casefold(), set()) for name in names))
        return frozenset(document.path for number in numbers if (document := self._documents[number]) is not None)

    def _content(self, path: str) -> str | None:
        document = self._documents[self._by_path[path]]
        return document.content if document else None

    def _add(self, path: str, content: str, summary: Summary | None) -> None:
        frequencies: dict[str, int] = dict(summary.terms) if summary else {}
        for term, count in count_terms(path).items():
            frequencies[term] = frequencies.get(term, 0) + count * PATH_WEIGHT
        number = len(self._documents)
        for definition in summary.definitions if summary else ():
            for term, count in count_terms(definition.name).items():
                frequencies[term] = frequencies.get(term, 0) + count * DEFINITION_WEIGHT
            self._definitions.setdefault(definition.name.casefold(), set()).add(number)
        length = sum(frequencies.values())
        for term, frequency in frequencies.items():
            self._postings.setdefault(term, array("Q")).append(number << 8 | min(frequency, _MAX_FREQUENCY))
        traits = Traits(is_generated(path), is_test(path), is_document(path))
        self._documents.append(_Document(path, content, traits))
        self._lengths.append(length)
        self._by_path[path] = number
        self._by_name.setdefault(path.rpartition("/")[2], set()).add(path)
        if summary is None:
            self._pending[path] = None
        self._total_length += length

    def _remove(self, path: str) -> None:
        number = self._by_path.pop(path)
        self._documents[number] = None
        self._total_length -= self._lengths[number]
        self._lengths[number] = _GONE
        self._pending.pop(path, None)
        self._gone.append(number)
        name = path.rpartition("/")[2]
        self._by_name[name].discard(path)
        if not self._by_name[name]:
            del self._by_name[name]

    def _compact(self) -> None:
        """Gives the documents new numbers without gaps and drops the postings of dead ones."""
        numbers: dict[int, int] = {}
        for number, document in enumerate(self._documents):
            if document is not None:
                numbers[number] = len(numbers)
        self._documents = [document for document in self._documents if document is not None]
        self._lengths = array("q", (length for length in self._lengths if length != _GONE))
        self._by_path = {path: numbers[number] for path, number in self._by_path.items()}
        self._postings = {
            term: kept for term, postings in self._postings.items() if (kept := _renumbered(postings, numbers))
        }
        self._definitions = {
            name: alive
            for name, holders in self._definitions.items()
            if (alive := {numbers[number] for number in holders if number in numbers})
        }
        self._gone.clear()


def _renumbered(postings: "array[int]", numbers: Mapping[int, int]) -> "array[int]":
    alive = ((numbers[posting >> 8], posting & 0xFF) for posting in postings if posting >> 8 in numbers)
    return array("Q", (number << 8 | frequency for number, frequency in alive))


def _holds(entries: Sequence[int], number: int) -> bool:
    """Says whether a file is among a term's entries, which stand in the order of their numbers."""
    at = bisect_left(entries, number << 8)
    return at < len(entries) and entries[at] >> 8 == number
