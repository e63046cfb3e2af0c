"""A workspace's files as the ranker sees them: terms of chunks, definition names and paths, by document number.

A chunk is a run of lines; its terms stand closer together than a whole file's. What a file held before can be given
when it leaves, which spares looking through all postings.
"""

import itertools
from array import array
from collections import deque
from collections.abc import Iterator, Sequence

from sidecar.codebase.files import Kind, kind_of, stem_of
from sidecar.codebase.search.postings import MAX_UNITS, Postings, unit_of
from sidecar.codebase.search.spelling import Spellings
from sidecar.codebase.summary.model import Summary
from sidecar.core.terms import count_terms

_GONE = ""
_KINDS = tuple(Kind(*marks) for marks in itertools.product((False, True), repeat=len(Kind._fields)))
_NUMBER_OF_KIND = {kind: number for number, kind in enumerate(_KINDS)}
_SHARDS_OF_NAMES, _SHARDS_OF_PATHS = 1 << 12, 1 << 10

FOLLOWED_CHANGES = 64
"""After more changes than these it is not known any more what changed."""

MAX_NAMESAKES = 2_000
"""A word in more paths than these is no file's own name."""


class Documents:
    """The files by number. Not thread-safe."""

    def __init__(self) -> None:
        self.defined, self.in_paths = Spellings(), Spellings()
        self.bodies = Postings()
        self.names = Postings(_SHARDS_OF_NAMES, self.defined)
        self.paths = Postings(_SHARDS_OF_PATHS, self.in_paths)
        self.owners = array("I")
        """A chunk's document."""
        self.chunk_lengths = array("I")
        self.body_lengths, self.name_lengths, self.path_lengths = array("I"), array("I"), array("I")
        self._path: list[str] = []
        self._kinds = array("B")
        self._first_chunks = array("I")
        self._numbers: dict[str, int] = {}
        self.links: dict[str, list[str]] = {}
        """The files that a file imports, as far as that was asked; true only for the paths there are now."""
        self.changes = 0
        """How many documents came, went or changed so far."""
        self._changed: deque[int] = deque(maxlen=FOLLOWED_CHANGES)
        self._in_folder, self._of_name = Postings(_SHARDS_OF_PATHS), Postings(_SHARDS_OF_PATHS)
        self.chunk_count = 0
        self.body_total = self.name_total = self.path_total = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, path: object) -> bool:
        return path in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    @property
    def is_full(self) -> bool:
        """Says whether numbers are running out; all files are taken in anew then."""
        return max(len(self.owners), len(self._path)) > MAX_UNITS * 0.9

    def number(self, path: str) -> int:
        """Gives the document of a path; raises KeyError."""
        return self._numbers[path]

    def path(self, number: int) -> str:
        """Gives the path of a document."""
        return self._path[number]

    def same(self, path: str) -> str:
        """Gives a path as it is kept here already: one from elsewhere is a second string. Raises KeyError."""
        return self._path[self._numbers[path]]

    def kind(self, number: int) -> Kind:
        """Tells a document's kind."""
        return _KINDS[self._kinds[number]]

    def chunks(self, number: int) -> tuple[int, int]:
        """Gives a document's first chunk, and the one after its last."""
        after = number + 1
        end = self._first_chunks[after] if after < len(self._first_chunks) else len(self.owners)
        return self._first_chunks[number], end

    def add(self, path: str, summary: Summary | None) -> None:
        """Takes a file in; without a summary it is found by its path alone."""
        number, first = len(self._path), len(self.owners)
        chunks = summary.chunks if summary else ()
        for chunk in chunks:
            self.bodies.add(len(self.owners), chunk)
            self.owners.append(number)
            self.chunk_lengths.append(sum(chunk.values()))
        names, terms = names_of(summary), count_terms(path)
        self.names.add(number, names)
        self.paths.add(number, terms)
        self._path.append(path)
        self._kinds.append(_NUMBER_OF_KIND[kind_of(path)])
        self._first_chunks.append(first)
        self.body_lengths.append(sum(self.chunk_lengths[first:]))
        self.name_lengths.append(sum(names.values()))
        self.path_lengths.append(sum(terms.values()))
        self._numbers[path] = number
        self._in_folder.add(number, {folder_of(path): 1})
        self._of_name.add(number, {name_of(path): 1})
        self._count(number, 1)

    def remove(self, path: str, held: Summary | None) -> None:
        """Forgets a file; `held` is the summary it was added with, if that is still known."""
        number = self._numbers.pop(path)
        first, end = self.chunks(number)
        self._count(number, -1)
        same = held if held is not None and self._is_of(held, number) else None
        if first < end:
            self.bodies.remove(first, end, set().union(*same.chunks) if same else None)
        if self.name_lengths[number]:
            self.names.remove(number, number + 1, names_of(same) if same else None)
        self.paths.remove(number, number + 1, count_terms(path))
        self._path[number] = _GONE
        self.links.pop(path, None)
        self._in_folder.remove(number, number + 1, (folder_of(path),))
        self._of_name.remove(number, number + 1, (name_of(path),))

    def replace(self, path: str, held: Summary, summary: Summary) -> None:
        """Gives a file that was added with one summary another; most terms of an edited file stay where they are."""
        number = self._numbers[path]
        first, end = self.chunks(number)
        if len(summary.chunks) != end - first or not self._is_of(held, number):
            self.remove(path, held)
            self.add(path, summary)
            return
        self._count(number, -1)
        for unit, before, after in zip(range(first, end), held.chunks, summary.chunks, strict=True):
            if before != after:
                self.bodies.change(unit, before, after)
                self.chunk_lengths[unit] = sum(after.values())
        named, names = names_of(held), names_of(summary)
        self.names.change(number, named, names)
        self.body_lengths[number] = sum(self.chunk_lengths[first:end])
        self.name_lengths[number] = sum(names.values())
        self._count(number, 1)
        if held.imports != summary.imports:
            self.links.pop(path, None)

    def changed_since(self, changes: int) -> frozenset[int] | None:
        """Gives the documents that came, went or changed since there were so many changes; None for too many."""
        last = self.changes - changes
        return frozenset(itertools.islice(reversed(self._changed), last)) if last <= FOLLOWED_CHANGES else None

    def spelled_right(self, term: str) -> str | None:
        """Gives the name that a term no file holds may stand for: of the fewest slips, then in the most files."""
        if term in self.bodies or term in self.names or term in self.paths:
            return None
        near = {*self.defined.near(term), *self.in_paths.near(term)}
        ordered = sorted(near, key=lambda one: (one[0], -self.names.count(one[1]) - self.paths.count(one[1]), one[1]))
        return ordered[0][1] if ordered else None

    def ending_with(self, tail: str) -> list[str]:
        """Gives the paths that end with some last parts of a path, sorted."""
        inside = "/" + tail
        candidates = self._paths_of(self._of_name.entries(name_of(tail)))
        return sorted(path for path in candidates if path == tail or path.endswith(inside))

    def inside(self, folder: str) -> list[str]:
        """Gives the files that lie directly in a folder, sorted."""
        return sorted(path for path in self._paths_of(self._in_folder.entries(folder)) if folder_of(path) == folder)

    def named_like(self, stem: str) -> list[str]:
        """Gives the files whose names share a stem, as a test and what it tests do; sorted."""
        term = next(iter(count_terms(stem)), None)
        if term is None or self.paths.count(term) > MAX_NAMESAKES:
            return []
        return sorted(path for path in self._paths_of(self.paths.entries(term)) if stem_of(path) == stem)

    def _is_of(self, held: Summary, number: int) -> bool:
        """Says whether a document was added with a summary: the same content may have been analysed in another way."""
        first, end = self.chunks(number)
        lengths = [sum(chunk.values()) for chunk in held.chunks]
        same_names = sum(names_of(held).values()) == self.name_lengths[number]
        return same_names and lengths == list(self.chunk_lengths[first:end])

    def _paths_of(self, entries: Sequence[int]) -> Iterator[str]:
        return (self._path[unit_of(entry)] for entry in entries)

    def _count(self, number: int, sign: int) -> None:
        """Adds a document to the sums, or takes it away: it came, went or changes."""
        self.changes += 1
        self._changed.append(number)
        first, end = self.chunks(number)
        self.chunk_count += sign * (end - first)
        self.body_total += sign * self.body_lengths[number]
        self.name_total += sign * self.name_lengths[number]
        self.path_total += sign * self.path_lengths[number]


def names_of(summary: Summary | None) -> dict[str, int]:
    """Counts the terms of a file's definition names."""
    return count_terms("\n".join(one.name for one in summary.definitions)) if summary else {}


def folder_of(path: str) -> str:
    """Gives the folder a file lies in; empty at the top."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Gives the last part of a path."""
    return path.rpartition("/")[2]
