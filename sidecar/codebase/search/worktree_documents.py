"""A workspace's files for ranking: terms of passages, definition names and paths, by document number.

A passage is a run of lines; its terms are closer together than those of a whole file. The documents are shared by all
worktrees of a repository (`shared_documents.py`); this is the view of one worktree: which of them it shows, and what
depends on all its files. Passing a file's previous summary on removal avoids a scan of all postings.
"""

import itertools
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.files import FileKind, stem_of
from sidecar.codebase.search.postings import MAX_UNITS, InvertedUnits, Postings, unit_of
from sidecar.codebase.search.shared_documents import (
    NO_FACTS,
    UNANALYSED,
    FileFacts,
    SharedDocuments,
    folder_of,
    last_two,
)
from sidecar.codebase.summary.model import Summary
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.terms import count_terms, stem

TRACKED_CHANGES = 64
"""Number of last changes that are tracked."""

MAX_NAMESAKES = 2_000
"""A word in more paths than this number does not identify a file's name."""

RARE_SHARE, MIN_RARE_FILES = 0.02, 3
"""A term in more than this share of the files is not rare; in a small repository, in more files."""

RARE_SHARE_OF_FEW, MAX_RARE_OF_FEW = 0.07, 9
PAIRED_SHARE_OF_FEW, MAX_PAIRED_OF_FEW = 0.1, 14
"""The same where there are few files: each of them has more of the words that say what a prompt is about.

Second prompts about another subject in eight repositories of 68 to 502 files brought the right file in 30 of 47 cases
instead of 19; of 240 remarks without a subject none brought any.
"""

COUNTED_TERMS = 4_096
"""Number of terms whose numbers of files are remembered."""

RANGE_ENTRIES = 24
"""Finding a hidden range in a term's entries takes as long as reading this many of them."""

_DERIVING_ENDINGS = ("able", "abl", "ible", "ibl", "ation", "ion", "or", "er", "ment", "ness", "al", "ly")
"""Endings of words that are derived from others, also without the last letter that a stem lacks."""

MIN_ROOT, MIN_COMPONENT, MIN_COMPOUND, MAX_COMPOUND = 4, 3, 6, 30
"""Lengths of what words are derived from, of the parts of compounds, and of compounds."""

_HIDDEN = lazy_regex(rb"\0+")


class FileCount(NamedTuple):
    """The number of files that contain a term: between two bounds. A changed file moves it by one at most."""

    least: int
    most: int
    at_changes: int
    """`Documents.changes` when it was counted."""


class ShownPostings:
    """The entries of the documents that a worktree shows. A range of units is one of a single document."""

    def __init__(self, documents: "Documents", postings: Postings, shown: bytearray) -> None:
        """`shown` marks the units; it changes with the documents."""
        self._documents = documents
        self._postings = postings
        self._shown = shown
        self._hidden: tuple[tuple[int, int], tuple[tuple[int, int], ...]] = ((-1, -1), ())
        self._counts: dict[str, int] = {}

    def __contains__(self, term: str) -> bool:
        if self._documents.shows_all:
            return term in self._postings
        shown = self._shown
        return any(shown[unit_of(entry)] for block in self._postings.blocks(term) for entry in block)

    def count(self, term: str) -> int:
        """Return the number of units that contain a term."""
        if self._documents.shows_all:
            return self._postings.count(term)
        hidden = self._hidden_ranges()
        count = self._counts.get(term)
        if count is None:
            count = self._postings.count(term)
            if count > RANGE_ENTRIES * len(hidden):
                count -= self._postings.count_in_ranges(term, hidden)
            elif count:
                shown = self._shown
                count = sum([shown[entry >> 8] for entry in self._postings.entries(term)])
            self._counts[term] = count
        return count

    def entries(self, term: str) -> Sequence[int]:
        """Return a term's entries."""
        entries = self._postings.entries(term)
        return entries if self._documents.shows_all else self._only_shown(entries)

    def blocks(self, term: str) -> Iterable[Sequence[int]]:
        """Return a term's entries in parts."""
        blocks = self._postings.blocks(term)
        return blocks if self._documents.shows_all else map(self._only_shown, blocks)

    def in_range(self, term: str, first: int, end: int) -> Sequence[int]:
        """Return a term's entries in the units of one document."""
        return self._postings.in_range(term, first, end) if first < end and self._shown[first] else ()

    def in_ranges(self, term: str, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """Return a term's entries in the units of shown documents, which are sorted and disjoint."""
        return self._postings.in_ranges(term, ranges)

    def contains(self, term: str, first: int, end: int) -> bool:
        """Whether a term occurs in the units of one document."""
        return first < end and bool(self._shown[first]) and self._postings.contains(term, first, end)

    def _only_shown(self, entries: Sequence[int]) -> list[int]:
        shown = self._shown
        return [entry for entry in entries if shown[entry >> 8]]

    def _hidden_ranges(self) -> tuple[tuple[int, int], ...]:
        """Return the ranges of units that are not shown; those of no unit do no harm."""
        version, ranges = self._hidden
        if version != self._documents.version:
            ranges = tuple(match.span() for match in _HIDDEN.finditer(self._shown))
            self._hidden = (self._documents.version, ranges)
            self._counts = {}
        return ranges


class Documents:
    """The files of one worktree. Not thread-safe: whoever uses them holds the lock of all views."""

    def __init__(self, shared: SharedDocuments | None = None) -> None:
        self.shared = shared if shared is not None else SharedDocuments()
        self._shown, self._shown_passages = bytearray(), bytearray()
        self._numbers: dict[str, int] = {}
        self.resolved_imports: dict[str, list[str]] = {}
        """The files that a file imports, as far as resolved; valid only for the present paths and prefix."""
        self.prefix = ""
        """The folder in the repository that paths are relative to, with a trailing slash; empty for the top."""
        self.changes = 0
        """Number of documents added, removed or changed so far."""
        self._file_counts: LruCache[str, FileCount] = LruCache(COUNTED_TERMS)
        self._changed: deque[int] = deque(maxlen=TRACKED_CHANGES)
        self.passage_count = 0
        self.text_total = self.name_total = self.path_total = 0
        self._use_shared()

    def _use_shared(self) -> None:
        shared = self.shared
        self.texts = ShownPostings(self, shared.texts, self._shown_passages)
        self.names = ShownPostings(self, shared.names, self._shown)
        self.paths = ShownPostings(self, shared.paths, self._shown)
        self._by_folder = ShownPostings(self, shared.by_folder, self._shown)
        self._by_name = ShownPostings(self, shared.by_name, self._shown)
        self.owners: array[int] = shared.owners
        """A passage's document."""
        self.passage_lengths: array[int] = shared.passage_lengths
        self.text_lengths, self.name_lengths = shared.text_lengths, shared.name_lengths
        self.path_lengths = shared.path_lengths
        shared.add_view(self, self._shown)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, path: object) -> bool:
        return path in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    @property
    def shows_all(self) -> bool:
        """Whether this worktree shows all shared documents."""
        return len(self._numbers) == self.shared.present

    @property
    def version(self) -> tuple[int, int]:
        """Identifies what is shown. Documents that are added for others have numbers that count as hidden already."""
        return self.changes, len(self._shown) + len(self._shown_passages)

    @property
    def is_full(self) -> bool:
        """Whether document numbers are running out; then all files are added again."""
        return self.shared.is_full

    def copy(self) -> "Documents":
        """Return another view that shows the same documents."""
        copied = Documents(self.shared)
        copied._shown[:] = self._shown
        copied._shown_passages[:] = self._shown_passages
        copied._numbers = dict(self._numbers)
        copied.resolved_imports, copied.prefix = dict(self.resolved_imports), self.prefix
        copied.passage_count, copied.text_total = self.passage_count, self.text_total
        copied.name_total, copied.path_total = self.name_total, self.path_total
        for first, end in _ranges(sorted(copied._numbers.values())):
            self.shared.hold(first, end)
        return copied

    def reserve(self, documents: int, passages: int) -> None:
        """Make room for documents and passages with numbers below these."""
        self._shown.extend(bytes(max(0, documents - len(self._shown))))
        self._shown_passages.extend(bytes(max(0, passages - len(self._shown_passages))))

    def number(self, path: str) -> int:
        """Return a path's document number. Raise KeyError."""
        return self._numbers[path]

    def path(self, number: int) -> str:
        """Return a document's path."""
        return self.shared.path(number)

    def stored_path(self, path: str) -> str:
        """Return the stored string of a path, so that no copy is kept in memory. Raise KeyError."""
        return self.shared.path(self._numbers[path])

    def kind(self, number: int) -> FileKind:
        """Return a document's kind."""
        return self.shared.kind(number)

    def source_share(self) -> float:
        """Return the share of files that are source code, not documents, data or of an unknown language."""
        shown = int.from_bytes(self._shown, "little") & self.shared.source_marks()
        return shown.bit_count() / max(1, len(self))

    def passages(self, number: int) -> tuple[int, int]:
        """Return the number of a document's first passage, and of the one after its last."""
        return self.shared.passages(number)

    def add(self, path: str, summary: Summary | None, content: str | None = None, facts: FileFacts = NO_FACTS) -> None:
        """Add a file; without a summary it can only be found by its path. With a content id, it can be shared."""
        self._show(self.shared.add(path, summary, content, facts))

    def show(self, path: str, content: str) -> FileFacts | None:
        """Add a file whose content is already shared, and return its facts; None if it is not."""
        number = self.shared.find(path, content)
        if number is None:
            return None
        self._show(number)
        return self.shared.facts(number)

    def show_all(self, files: Mapping[str, str]) -> dict[str, FileFacts]:
        """Add those files, none of which is shown, whose contents are shared already; return their facts."""
        shared = self.shared
        numbers = shared.find_all(files)
        for first, end in _ranges(sorted(numbers)):  # few: stored documents are neighbours
            shared.hold(first, end)
            self._shown[first:end] = b"\1" * (end - first)
            self.passage_count += shared.passage_count(first, end)
            self.text_total += sum(self.text_lengths[first:end])
            self.name_total += sum(self.name_lengths[first:end])
            self.path_total += sum(self.path_lengths[first:end])
        self._mark_passages(numbers)
        self._numbers.update(zip(map(shared.path, numbers), numbers, strict=True))
        self.changes += len(numbers)
        self._changed.extend(numbers)
        facts = ((number, shared.facts(number)) for number in numbers)
        return {shared.path(number): known for number, known in facts if known is not NO_FACTS}

    def _mark_passages(self, numbers: Sequence[int]) -> None:
        """Mark the passages of documents that are shown now; if these are most, unmark those of the others."""
        total = self.shared.document_count
        hidden = [number for match in _HIDDEN.finditer(self._shown, 0, total) for number in range(*match.span())]
        if len(hidden) < len(numbers):
            self._shown_passages[: len(self.owners)] = b"\1" * len(self.owners)
        for number in hidden if len(hidden) < len(numbers) else numbers:
            first, end = self.shared.passages(number)
            self._shown_passages[first:end] = bytes((self._shown[number],)) * (end - first)

    def is_own(self, path: str) -> bool:
        """Whether no other worktree shows a file's document."""
        return self.shared.holders[self._numbers[path]] == 1

    def has_content(self, path: str) -> bool:
        """Whether a file is found by a content, its own or a previous one, and not by its path alone."""
        return self.shared.content(self._numbers[path]) not in (None, UNANALYSED)

    def add_by_path(self, path: str) -> None:
        """Add a file that is found by its path alone until it is analysed."""
        if self.show(path, UNANALYSED) is None:
            self.add(path, None, UNANALYSED)

    def add_by_paths(self, paths: Sequence[str]) -> None:
        """Add many files as `add_by_path` does one, none of which is shown."""
        shared = self.shared
        shared.add_by_paths((path for path in paths if shared.find(path, UNANALYSED) is None), UNANALYSED)
        self.show_all(dict.fromkeys(paths, UNANALYSED))

    def add_words(
        self, files: Mapping[str, str], counts: Sequence[int], words: InvertedUnits, shown: frozenset[str]
    ) -> None:
        """Add the words of files' texts (path → content id), each a number of passages, to those that are `shown`.

        They are found by their path alone so far. The words of the other files are not shown.
        """
        shared = self.shared
        numbers = [
            self._number_for_words(path) if path in shown else shared.add(path, None, UNANALYSED) for path in files
        ]
        shared.add_words(numbers, tuple(files.values()), counts, words)
        for path, number in zip(files, numbers, strict=True):
            if path in shown:
                first, end = shared.passages(number)
                self._shown_passages[first:end] = b"\1" * (end - first)
                self.passage_count += end - first
                self.text_total += self.text_lengths[number]
                self._record_change(number)

    def _number_for_words(self, path: str) -> int:
        """Return the document of a path that no other view shows."""
        number = self._numbers[path]
        if self.shared.holders[number] > 1:
            self.remove(path, None)
            self.add(path, None, UNANALYSED)
        return self._numbers[path]

    def complete(self, path: str, names: Mapping[str, int], content: str, facts: FileFacts) -> None:
        """Add the terms of the definitions of a file that has its words."""
        number = self._numbers[path]
        self.shared.complete(number, names, content, facts)
        self.name_total += self.name_lengths[number]
        self.resolved_imports.pop(path, None)
        self._record_change(number)

    def remove(self, path: str, summary: Summary | None, *, retained: bool = False) -> None:
        """Remove a file; `summary` is the summary it was added with, if known.

        A retained document stays among the shared ones.
        """
        number = self._numbers[path]
        self.resolved_imports.pop(path, None)
        if not self._hide(path) and not (retained and self.shared.content(number)):
            self.shared.remove(number, summary)

    def replace(
        self,
        path: str,
        previous: Summary,
        summary: Summary,
        content: str | None = None,
        facts: FileFacts = NO_FACTS,
    ) -> None:
        """Replace a file's summary; in a document that no other view shows, most terms stay in place."""
        number = self._numbers[path]
        self._add_to_totals(number, -1)
        is_own = self.shared.holders[number] == 1
        if not (is_own and self.shared.replace(number, previous, summary, content, facts)):
            self._add_to_totals(number, 1)
            self.remove(path, previous)
            self.add(path, summary, content, facts)
            return
        self._add_to_totals(number, 1)
        self._record_change(number)
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

    def rare_limits(self) -> tuple[int, int]:
        """Return the largest number of files that have a rare term, and that have two terms in one passage."""
        files = len(self)
        limit = max(MIN_RARE_FILES, int(RARE_SHARE * files), min(MAX_RARE_OF_FEW, int(RARE_SHARE_OF_FEW * files)))
        return limit, max(limit, min(MAX_PAIRED_OF_FEW, int(PAIRED_SHARE_OF_FEW * files)))

    def rare_together(self, terms: Iterable[str], limit: int, most: int) -> frozenset[str]:
        """Return the terms in at most `most` files that at most `limit` files have in one passage with another one."""
        passages = {
            term: frozenset(map(unit_of, self.texts.entries(term)))
            for term in terms
            if not self.is_in_more_files(term, most)
        }
        found: set[str] = set()
        for pair in itertools.combinations(passages, 2):
            shared = passages[pair[0]] & passages[pair[1]]
            if 0 < len({self.owners[unit] for unit in shared}) <= limit:
                found.update(pair)
        return frozenset(found)

    def known_forms(self, term: str) -> tuple[str, ...]:
        """Return a term that some file contains; for an unknown one, what it is derived from, misspells or consists of.

        As `collapsible` from `collapse`, and `sidebar` of `side` and `bar`.
        """
        if self._knows(term):
            return (term,)
        derived = (
            stem(f"{term[: -len(end)]}{vowel}")
            for end in _DERIVING_ENDINGS
            if term.endswith(end)
            for vowel in ("", "e")
        )
        known = next(
            (form for form in derived if len(form) >= MIN_ROOT and self._knows(form)), None
        ) or self._corrected(term)
        return (known,) if known is not None else self._components(term)

    def _knows(self, term: str) -> bool:
        return term in self.texts or term in self.names or term in self.paths

    def _components(self, term: str) -> tuple[str, ...]:
        """Return the two words of a compound, both part of some name; the shorter one as long as possible."""
        if not (MIN_COMPOUND <= len(term) <= MAX_COMPOUND and term.isascii() and term.isalpha()):
            return ()
        places = sorted(range(MIN_COMPONENT, len(term) - MIN_COMPONENT + 1), key=lambda at: abs(2 * at - len(term)))
        pairs = ((stem(term[:at]), stem(term[at:])) for at in places)
        return next((pair for pair in pairs if all(word in self.names or word in self.paths for word in pair)), ())

    def _corrected(self, term: str) -> str | None:
        """Return the name that an unknown term probably misspells: fewest edits, then most files."""
        shared = self.shared
        similar = {*shared.name_spellings.similar(term), *shared.path_spellings.similar(term)}
        counted = ((edits, self.names.count(name) + self.paths.count(name), name) for edits, name in similar)
        best = min(((edits, -files, name) for edits, files, name in counted if files), default=None)
        return best[-1] if best else None

    def definition_counts(self, names: Iterable[str], most: int) -> dict[int, int]:
        """Count for each file how many of some names it defines, without those of more definitions than `most`."""
        counts: dict[int, int] = {}
        for name in names:
            entries = self.names.entries(name)
            for entry in entries if len(entries) <= most else ():
                counts[unit_of(entry)] = counts.get(unit_of(entry), 0) + 1
        return counts

    def ending_with(self, tail: str) -> list[str]:
        """Return the paths that end with some path components, sorted."""
        suffix = "/" + tail
        candidates = self._paths_of(self._by_name.entries(last_two(tail)))
        return sorted(path for path in candidates if path == tail or path.endswith(suffix))

    def with_word(self, word: str) -> list[str]:
        """Return the paths that have a word, sorted; none if it is in too many."""
        return self.with_term(stem(word))

    def with_term(self, term: str) -> list[str]:
        """Return the paths that have a term, sorted; none if it is in too many."""
        return sorted(self._paths_of(self.paths.entries(term))) if self.paths.count(term) <= MAX_NAMESAKES else []

    def in_folder(self, folder: str) -> list[str]:
        """Return the files directly in a folder, sorted."""
        return sorted(path for path in self._paths_of(self._by_folder.entries(folder)) if folder_of(path) == folder)

    def sharing_stem(self, stem: str) -> list[str]:
        """Return the files whose names share a stem, as a test and its subject do; sorted."""
        term = next(iter(count_terms(stem)), None)
        if term is None or self.paths.count(term) > MAX_NAMESAKES:
            return []
        return sorted(path for path in self._paths_of(self.paths.entries(term)) if stem_of(path) == stem)

    def beside(self, path: str) -> list[str]:
        """Return the files of a file's folder whose names share its stem, itself among them; sorted."""
        return [other for other in self.in_folder(folder_of(path)) if stem_of(other) == stem_of(path)]

    def _paths_of(self, entries: Sequence[int]) -> Iterator[str]:
        return (self.shared.path(unit_of(entry)) for entry in entries)

    def _show(self, number: int) -> None:
        first, end = self.shared.passages(number)
        self.shared.hold(number, number + 1)
        self._shown[number] = 1
        self._shown_passages[first:end] = b"\1" * (end - first)
        self._numbers[self.shared.path(number)] = number
        self._add_to_totals(number, 1)
        self._record_change(number)

    def _hide(self, path: str) -> bool:
        """Hide a file's document; return whether other views show it."""
        number = self._numbers.pop(path)
        first, end = self.shared.passages(number)
        self._add_to_totals(number, -1)
        self._record_change(number)
        self._shown[number] = 0
        self._shown_passages[first:end] = bytes(end - first)
        return self.shared.drop(number)

    def _record_change(self, number: int) -> None:
        self.changes += 1
        self._changed.append(number)

    def _add_to_totals(self, number: int, sign: int) -> None:
        """Add a document to the totals, or subtract it."""
        first, end = self.shared.passages(number)
        self.passage_count += sign * (end - first)
        self.text_total += sign * self.text_lengths[number]
        self.name_total += sign * self.name_lengths[number]
        self.path_total += sign * self.path_lengths[number]


def _ranges(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first of each run of successive numbers, and the one after its last."""
    start = 0
    for at, number in enumerate(numbers, 1):
        if at == len(numbers) or numbers[at] != number + 1:
            yield numbers[start], number + 1
            start = at
