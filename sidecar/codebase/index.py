"""The words of a workspace's files, in memory: which files hold a term, how often, and how long they are.

Filled from the file cache or by reading, files of a content it knows are never read again. A file whose content
is not analysed yet is found by its path alone.
"""

import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.files import is_generated
from sidecar.codebase.ranking import DEFINITION_WEIGHT, PATH_WEIGHT, Candidate, Ranked, Signals, rank
from sidecar.codebase.summary import Summary
from sidecar.codebase.terms import identifiers_of, paths_in, query_terms, terms_of

_MAX_FREQUENCY = 255
_REBUILD_SHARE = 0.5


class _Document(NamedTuple):
    path: str
    content: str
    analysed: bool
    length: int


class FileIndex:
    """Postings over the current files. All public methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._documents: list[_Document | None] = []
        self._by_path: dict[str, int] = {}
        self._postings: dict[str, array[int]] = {}
        self._definitions: dict[str, set[int]] = {}
        self._total_length = 0
        self._dead = 0

    def update(self, files: Mapping[str, str]) -> list[str]:
        """Makes the index hold exactly these files (path → content id); gives the paths that need analysis."""
        with self._lock:
            for path in [path for path, number in self._by_path.items() if self._content(number) != files.get(path)]:
                self._remove(path)
            for path in files.keys() - self._by_path.keys():
                self._add(path, files[path], None)
            if self._dead > 1_000 and self._dead > len(self._documents) * _REBUILD_SHARE:
                self._compact()
            return [document.path for document in self._documents if document and not document.analysed]

    def analysed(self, path: str, content: str, summary: Summary) -> None:
        """Takes a file's summary in, unless the file has changed since."""
        with self._lock:
            number = self._by_path.get(path)
            if number is not None and self._content(number) == content:
                self._remove(path)
                self._add(path, content, summary)

    def is_complete(self) -> bool:
        """Says whether every file's content is analysed."""
        with self._lock:
            return all(document.analysed for document in self._documents if document)

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
                wants_tests="test" in terms or "spec" in terms,
                wants_docs=bool({"readm", "doc", "documentation", "changelog", "markdown", "config"} & set(terms)),
            )
            count = len(self._by_path)
            average = self._total_length / count if count else 1.0
            return rank(terms, candidates, count, average, frequency, signals, limit)

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
        """The files a text names by path or, where only one is meant, by the end of a path."""
        named: set[str] = set()
        for mention in paths_in(text):
            wanted = mention.lstrip("./")
            if wanted in self._by_path:
                named.add(wanted)
                continue
            tail = "/" + wanted
            ends = [path for path in self._by_path if path.endswith(tail) or wanted.endswith("/" + path)]
            if 0 < len(ends) <= 3:
                named.update(ends)
        return named

    def _defining(self, text: str) -> frozenset[str]:
        names = {
            part
            for identifier in identifiers_of(text)
            for part in (identifier, *identifier.replace(":", ".").split("."))
        }
        numbers = set[int]().union(*(self._definitions.get(name.casefold(), set()) for name in names))
        return frozenset(document.path for number in numbers if (document := self._documents[number]) is not None)

    def _content(self, number: int) -> str | None:
        document = self._documents[number]
        return document.content if document else None

    def _add(self, path: str, content: str, summary: Summary | None) -> None:
        frequencies: dict[str, int] = dict(summary.terms) if summary else {}
        for term in terms_of(path):
            frequencies[term] = frequencies.get(term, 0) + PATH_WEIGHT
        number = len(self._documents)
        for definition in summary.definitions if summary else ():
            for term in terms_of(definition.name):
                frequencies[term] = frequencies.get(term, 0) + DEFINITION_WEIGHT
            self._definitions.setdefault(definition.name.casefold(), set()).add(number)
        length = sum(frequencies.values())
        for term, frequency in frequencies.items():
            self._postings.setdefault(term, array("Q")).append(number << 8 | min(frequency, _MAX_FREQUENCY))
        self._documents.append(_Document(path, content, summary is not None, length))
        self._by_path[path] = number
        self._total_length += length

    def _remove(self, path: str) -> None:
        number = self._by_path.pop(path)
        document = self._documents[number]
        self._documents[number] = None
        self._dead += 1
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
        kept = (
            (
                term,
                array(
                    "Q",
                    (numbers[posting >> 8] << 8 | posting & 0xFF for posting in postings if posting >> 8 in numbers),
                ),
            )
            for term, postings in self._postings.items()
        )
        self._postings = {term: postings for term, postings in kept if postings}
        self._definitions = {
            name: alive
            for name, holders in self._definitions.items()
            if (alive := {numbers[number] for number in holders if number in numbers})
        }
        self._dead = 0
