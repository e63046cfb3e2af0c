"""A workspace's files for ranking: terms of passages, definition names and paths, by document number.

A passage is a run of lines; its terms are closer together than those of a whole file. Passing a file's previous summary
on removal avoids a scan of all postings.
"""

import itertools
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecar.codebase.files import FileKind, file_kind, stem_of
from sidecar.codebase.search.postings import MAX_UNITS, Postings, unit_of
from sidecar.codebase.search.similar_terms import Spellings
from sidecar.codebase.summary.model import Summary
from sidecar.core.lru_cache import LruCache
from sidecar.core.terms import count_terms

_REMOVED = ""
_KINDS = tuple(FileKind(*marks) for marks in itertools.product((False, True), repeat=len(FileKind._fields)))
_NUMBER_OF_KIND = {kind: number for number, kind in enumerate(_KINDS)}
_SHARDS_OF_NAMES, _SHARDS_OF_PATHS = 1 << 12, 1 << 10

TRACKED_CHANGES = 64
"""Number of last changes that are tracked."""

MAX_NAMESAKES = 2_000
"""A word in more paths than this number does not identify a file's name."""


COUNTED_TERMS = 4_096
"""Number of terms whose numbers of files are remembered."""


class FileCount(NamedTuple):
    """The number of files that contain a term: between two bounds. A changed file moves it by one at most."""

    least: int
    most: int
    at_changes: int
    """`Documents.changes` when it was counted."""


class Documents:
    """The files by number. Not thread-safe."""

    def __init__(self) -> None:
        self.name_spellings, self.path_spellings = Spellings(), Spellings()
        self.texts = Postings()
        self.names = Postings(_SHARDS_OF_NAMES, self.name_spellings)
        self.paths = Postings(_SHARDS_OF_PATHS, self.path_spellings)
        self.owners = array("I")
        """A passage's document."""
        self.passage_lengths = array("I")
        self.text_lengths, self.name_lengths, self.path_lengths = array("I"), array("I"), array("I")
        self._path: list[str] = []
        self._kinds = array("B")
        self._first_passages = array("I")
        self._numbers: dict[str, int] = {}
        self.resolved_imports: dict[str, list[str]] = {}
        """The files that a file imports, as far as resolved; valid only for the present paths."""
        self.changes = 0
        """Number of documents added, removed or changed so far."""
        self._file_counts: LruCache[str, FileCount] = LruCache(COUNTED_TERMS)
        self._changed: deque[int] = deque(maxlen=TRACKED_CHANGES)
        self._by_folder, self._by_name = Postings(_SHARDS_OF_PATHS), Postings(_SHARDS_OF_PATHS)
        self.passage_count = 0
        self.text_total = self.name_total = self.path_total = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, path: object) -> bool:
        return path in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    @property
    def is_full(self) -> bool:
        """Whether document numbers are running out; then all files are added again."""
        return max(len(self.owners), len(self._path)) > MAX_UNITS * 0.9

    def number(self, path: str) -> int:
        """Return a path's document number. Raise KeyError."""
        return self._numbers[path]

    def path(self, number: int) -> str:
        """Return a document's path."""
        return self._path[number]

    def stored_path(self, path: str) -> str:
        """Return the stored string of a path, so that no copy is kept in memory. Raise KeyError."""
        return self._path[self._numbers[path]]

    def kind(self, number: int) -> FileKind:
        """Return a document's kind."""
        return _KINDS[self._kinds[number]]

    def passages(self, number: int) -> tuple[int, int]:
        """Return the number of a document's first passage, and of the one after its last."""
        after = number + 1
        end = self._first_passages[after] if after < len(self._first_passages) else len(self.owners)
        return self._first_passages[number], end

    def add(self, path: str, summary: Summary | None) -> None:
        """Add a file; without a summary it can only be found by its path."""
        number, first = len(self._path), len(self.owners)
        for passage in summary.chunks if summary else ():
            self.texts.add(len(self.owners), passage)
            self.owners.append(number)
            self.passage_lengths.append(sum(passage.values()))
        names, terms = definition_terms(summary), count_terms(path)
        self.names.add(number, names)
        self.paths.add(number, terms)
        self._path.append(path)
        self._kinds.append(_NUMBER_OF_KIND[file_kind(path)])
        self._first_passages.append(first)
        self.text_lengths.append(sum(self.passage_lengths[first:]))
        self.name_lengths.append(sum(names.values()))
        self.path_lengths.append(sum(terms.values()))
        self._numbers[path] = number
        self._by_folder.add(number, {folder_of(path): 1})
        self._by_name.add(number, {name_of(path): 1})
        self._update_totals(number, 1)

    def remove(self, path: str, summary: Summary | None) -> None:
        """Remove a file; `summary` is the summary it was added with, if known."""
        number = self._numbers.pop(path)
        first, end = self.passages(number)
        self._update_totals(number, -1)
        previous = summary if summary is not None and self._matches_summary(summary, number) else None
        if first < end:
            self.texts.remove(first, end, set().union(*previous.chunks) if previous else None)
        if self.name_lengths[number]:
            self.names.remove(number, number + 1, definition_terms(previous) if previous else None)
        self.paths.remove(number, number + 1, count_terms(path))
        self._path[number] = _REMOVED
        self.resolved_imports.pop(path, None)
        self._by_folder.remove(number, number + 1, (folder_of(path),))
        self._by_name.remove(number, number + 1, (name_of(path),))

    def replace(self, path: str, previous: Summary, summary: Summary) -> None:
        """Replace a file's summary; most terms of an edited file stay in place."""
        number = self._numbers[path]
        first, end = self.passages(number)
        if len(summary.chunks) != end - first or not self._matches_summary(previous, number):
            self.remove(path, previous)
            self.add(path, summary)
            return
        self._update_totals(number, -1)
        for unit, before, after in zip(range(first, end), previous.chunks, summary.chunks, strict=True):
            if before != after:
                self.texts.change(unit, before, after)
                self.passage_lengths[unit] = sum(after.values())
        previous_names, names = definition_terms(previous), definition_terms(summary)
        self.names.change(number, previous_names, names)
        self.text_lengths[number] = sum(self.passage_lengths[first:end])
        self.name_lengths[number] = sum(names.values())
        self._update_totals(number, 1)
        if previous.imports != summary.imports:
            self.resolved_imports.pop(path, None)

    def changed_since(self, changes: int) -> frozenset[int] | None:
        """Return the documents added, removed or changed since a value of `changes`; None if there are too many."""
        count = self.changes - changes
        return frozenset(itertools.islice(reversed(self._changed), count)) if count <= TRACKED_CHANGES else None

    def is_in_more_files(self, term: str, limit: int) -> bool:
        """Whether more than `limit` files contain a term."""
        if self.texts.count(term) <= limit:  # passages, of which a file has one or more
            return False
        known = self._file_counts.get(term)
        if known is not None:
            moved = self.changes - known.at_changes
            if known.least - moved > limit:
                return True
            if known.most + moved <= limit:
                return False
        found = self._count_files(term, limit + TRACKED_CHANGES)
        self._file_counts.put(term, found, 1)
        return found.least > limit

    def _count_files(self, term: str, limit: int) -> "FileCount":
        """Return how many files contain a term, counted until there are more than `limit`."""
        count, owner, owners = 0, -1, self.owners
        for block in self.texts.blocks(term):
            for entry in block:
                if owners[unit_of(entry)] != owner:  # the passages of a file are neighbours
                    owner = owners[unit_of(entry)]
                    count += 1
            if count > limit:
                return FileCount(count, MAX_UNITS, self.changes)
        return FileCount(count, count, self.changes)

    def correct_spelling(self, term: str) -> str | None:
        """Return the name that an unknown term probably misspells: fewest edits, then most files."""
        if term in self.texts or term in self.names or term in self.paths:
            return None
        similar = {*self.name_spellings.similar(term), *self.path_spellings.similar(term)}
        ranked = ((edits, -self.names.count(name) - self.paths.count(name), name) for edits, name in similar)
        best = min(ranked, default=None)
        return best[-1] if best else None

    def ending_with(self, tail: str) -> list[str]:
        """Return the paths that end with some path components, sorted."""
        suffix = "/" + tail
        candidates = self._paths_of(self._by_name.entries(name_of(tail)))
        return sorted(path for path in candidates if path == tail or path.endswith(suffix))

    def in_folder(self, folder: str) -> list[str]:
        """Return the files directly in a folder, sorted."""
        return sorted(path for path in self._paths_of(self._by_folder.entries(folder)) if folder_of(path) == folder)

    def sharing_stem(self, stem: str) -> list[str]:
        """Return the files whose names share a stem, as a test and its subject do; sorted."""
        term = next(iter(count_terms(stem)), None)
        if term is None or self.paths.count(term) > MAX_NAMESAKES:
            return []
        return sorted(path for path in self._paths_of(self.paths.entries(term)) if stem_of(path) == stem)

    def _matches_summary(self, previous: Summary, number: int) -> bool:
        """Whether a document was added with this summary: the same content may have been analysed differently."""
        first, end = self.passages(number)
        lengths = [sum(chunk.values()) for chunk in previous.chunks]
        same_names = sum(definition_terms(previous).values()) == self.name_lengths[number]
        return same_names and lengths == list(self.passage_lengths[first:end])

    def _paths_of(self, entries: Sequence[int]) -> Iterator[str]:
        return (self._path[unit_of(entry)] for entry in entries)

    def _update_totals(self, number: int, sign: int) -> None:
        """Add a document to the totals, or subtract it, and record the change."""
        self.changes += 1
        self._changed.append(number)
        first, end = self.passages(number)
        self.passage_count += sign * (end - first)
        self.text_total += sign * self.text_lengths[number]
        self.name_total += sign * self.name_lengths[number]
        self.path_total += sign * self.path_lengths[number]


def definition_terms(summary: Summary | None) -> dict[str, int]:
    """Count the terms of a file's definition names."""
    return count_terms("\n".join(definition.name for definition in summary.definitions)) if summary else {}


def folder_of(path: str) -> str:
    """Return a file's folder; empty at the top."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Return the last component of a path."""
    return path.rpartition("/")[2]
