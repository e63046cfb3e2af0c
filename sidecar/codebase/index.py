"""The words of a workspace's files, in memory: which files hold a term, how often, and how long they are.

Filled from the file cache or by reading, files of a content it knows are never read again. A file whose content
is not analysed yet is found by its path alone.
"""

import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.files import is_generated
from sidecar.codebase.hashing import content_identity
from sidecar.codebase.ranking import DEFINITION_WEIGHT, PATH_WEIGHT, Candidate, Corpus, Ranked, Signals, rank
from sidecar.codebase.summary import Summary
from sidecar.codebase.terms import count_terms, identifiers_of, paths_in, query_terms, stem

AMBIGUOUS_NAMES = 3
"""A name that ends more paths than this names none of them."""

_MAX_FREQUENCY = 255
_REBUILD_SHARE = 0.5
_REBUILD_DEAD = 1_000
_DOCUMENT_WORDS = frozenset(
    stem(word) for word in ("readme", "doc", "documentation", "changelog", "markdown", "config")
)
_TEST_WORDS = frozenset(("test", "spec"))


class _Document(NamedTuple):
    path: str
    content: str
    analysed: bool
    length: int


class FileIndex:
    """Postings over the current files. All public methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: Mapping[str, str] = {}
        self._documents: list[_Document | None] = []
        self._by_path: dict[str, int] = {}
        self._by_name: dict[str, set[str]] = {}
        self._pending: dict[str, None] = {}
        self._postings: dict[str, array[int]] = {}
        self._definitions: dict[str, set[int]] = {}
        self._total_length = 0
        self._dead = 0

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
            candidates, frequency = self._candidates(terms)
            named_paths = frozenset((*self._named_paths(text), *mentioned)) & self._by_path.keys()
            known = {candidate.path for candidate in candidates}
            candidates += [Candidate(path, 1, {}) for path in sorted(named_paths - known)]
            signals = Signals(
                named_paths=named_paths,
                named_definitions=self._defining(text),
                changed=frozenset(changed),
                generated=frozenset(candidate.path for candidate in candidates if is_generated(candidate.path)),
                wants_tests=not _TEST_WORDS.isdisjoint(terms),
                wants_docs=not _DOCUMENT_WORDS.isdisjoint(terms),
            )
            count = len(self._by_path)
            corpus = Corpus(count, self._total_length / count if count else 1.0, frequency)
        return rank(terms, candidates, corpus, signals, limit)

    def _take(self, files: Mapping[str, str]) -> None:
        held = self._held
        for path in [path for path in held if path not in files]:
            self._remove(path)
        changed = [path for path, content in files.items() if held.get(path) != content]
        self._held = files
        for path in changed:
            content = content_identity(files[path])
            if path in self._by_path:
                if self._content(path) == content:
                    continue
                self._remove(path)
            self._add(path, content, None)
        if self._dead > _REBUILD_DEAD and self._dead > len(self._documents) * _REBUILD_SHARE:
            self._compact()

    def _candidates(self, terms: Sequence[str]) -> tuple[list[Candidate], dict[str, int]]:
        """The files that hold any of the terms, and in how many files each term is."""
        found: dict[int, dict[str, int]] = {}
        document_frequency: dict[str, int] = {}
        for term in terms:
            alive = 0
            for posting in self._postings.get(term, ()):
                number = posting >> 8
                if self._documents[number] is not None:
                    alive += 1
                    found.setdefault(number, {})[term] = posting & 0xFF
            document_frequency[term] = alive
        candidates = [
            Candidate(document.path, document.length, frequencies)
            for number, frequencies in found.items()
            if (document := self._documents[number]) is not None
        ]
        return sorted(candidates, key=lambda candidate: candidate.path), document_frequency

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
        self._documents.append(_Document(path, content, summary is not None, length))
        self._by_path[path] = number
        self._by_name.setdefault(path.rpartition("/")[2], set()).add(path)
        if summary is None:
            self._pending[path] = None
        self._total_length += length

    def _remove(self, path: str) -> None:
        number = self._by_path.pop(path)
        document = self._documents[number]
        self._documents[number] = None
        self._pending.pop(path, None)
        self._dead += 1
        name = path.rpartition("/")[2]
        self._by_name[name].discard(path)
        if not self._by_name[name]:
            del self._by_name[name]
        if document:
            self._total_length -= document.length

    def _compact(self) -> None:
        """Gives the documents new numbers without gaps and drops the postings of dead ones."""
        numbers: dict[int, int] = {}
        for number, document in enumerate(self._documents):
            if document is not None:
                numbers[number] = len(numbers)
        self._documents = [document for document in self._documents if document is not None]
        self._by_path = {path: numbers[number] for path, number in self._by_path.items()}
        self._postings = {
            term: kept for term, postings in self._postings.items() if (kept := _renumbered(postings, numbers))
        }
        self._definitions = {
            name: alive
            for name, holders in self._definitions.items()
            if (alive := {numbers[number] for number in holders if number in numbers})
        }
        self._dead = 0


def _renumbered(postings: "array[int]", numbers: Mapping[int, int]) -> "array[int]":
    alive = ((numbers[posting >> 8], posting & 0xFF) for posting in postings if posting >> 8 in numbers)
    return array("Q", (number << 8 | frequency for number, frequency in alive))
