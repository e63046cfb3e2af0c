"""The documents that the worktrees of a repository share: each is one content of one path, analysed once.

A worktree shows some of them (`worktree_documents.py`). A document is changed in place only while one worktree shows
it. One that no worktree shows any more may stay for a while, so that a commit checked out again needs no analysis.
"""

import itertools
import weakref
from array import array
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import orjson

from sidecar.codebase.files import FileKind, file_kind
from sidecar.codebase.search.misspelled_words import Spellings
from sidecar.codebase.search.postings import MAX_UNITS, InvertedUnits, Postings
from sidecar.codebase.summary.model import Landmine, Summary
from sidecar.core.binary_sections import BinarySection, SectionReader, of_bytes, of_texts
from sidecar.core.terms import count_terms, macro_term

REMOVED = ""
"""Path of a removed document."""

_NOT_SHARED = "-"

UNANALYSED = ""
"""Content of a document that has only the words of its path."""

WORDS_OF = "words:"
"""Precedes the content id of a document that has the words of its text, but no definitions yet."""

MIN_UNSHOWN = 2_000
"""Up to this many documents that no worktree shows stay, or as many as are shown."""

_KINDS = tuple(FileKind(*marks) for marks in itertools.product((False, True), repeat=len(FileKind._fields)))
_NUMBER_OF_KIND = {kind: number for number, kind in enumerate(_KINDS)}
_IS_SOURCE = bytes(not (kind.document or kind.unknown_language or kind.generated) for kind in _KINDS).ljust(256, b"\0")
_SHARDS_OF_NAMES, _SHARDS_OF_PATHS = 1 << 12, 1 << 10
_FIRST_CAPACITY = 1_024


class FileFacts(NamedTuple):
    """Facts of a file besides its words."""

    targets: tuple[str, ...] = ()
    """Targets of its imports, as the dependency graph counts them."""
    landmines: tuple[Landmine, ...] = ()
    is_script: bool = False
    """Whether its first line names the language that its name does not."""


NO_FACTS = FileFacts()


class View(Protocol):
    """The documents that one worktree shows."""

    def reserve(self, documents: int, passages: int) -> None:
        """Make room for documents and passages with numbers below these."""


class SharedDocuments:
    """Documents by number. Not thread-safe: all views have one lock."""

    def __init__(self) -> None:
        self.name_spellings, self.path_spellings = Spellings(), Spellings()
        self.texts = Postings()
        self.names = Postings(_SHARDS_OF_NAMES, self.name_spellings)
        self.paths = Postings(_SHARDS_OF_PATHS, self.path_spellings)
        self.by_folder, self.by_name = Postings(_SHARDS_OF_PATHS), Postings(_SHARDS_OF_PATHS)
        self.owners = array("I")
        """A passage's document."""
        self.passage_lengths = array("I")
        self.text_lengths, self.name_lengths, self.path_lengths = array("I"), array("I"), array("I")
        self.holders = array("H")
        """Number of views that show a document."""
        self.present = 0
        """Number of documents that are not removed."""
        self.unshown = 0
        """Number of them that no view shows."""
        self.version = 0
        """Changes with the documents."""
        self._path: list[str] = []
        self._contents: list[str | None] = []
        """A document's content id; None if it cannot be shared."""
        self._facts: list[FileFacts] = []
        self._kinds = array("B")
        self._first_passages, self._passage_counts = array("I"), array("I")
        self._newest: dict[str, int] = {}
        """A path's newest document."""
        self._older: dict[int, int] = {}
        """The next older document of the same path."""
        self._views: weakref.WeakSet[View] = weakref.WeakSet()
        self._capacity = (0, 0)
        self._released: deque[bytearray] = deque()
        """Marks of the documents that closed views showed."""
        self._excess: tuple[bytearray, bytearray] | None = None
        """Marks of the documents and passages that are being removed; those added meanwhile are not."""

    @property
    def is_full(self) -> bool:
        """Whether document numbers are running out; then all files are added again."""
        return max(len(self.owners), len(self._path)) > MAX_UNITS * 0.9

    def add_view(self, view: View, shown: bytearray) -> None:
        """Register a view; `shown` marks the documents that it shows, as long as it lives."""
        view.reserve(*self._capacity)
        self._views.add(view)
        finalizer = weakref.finalize(view, self._released.append, shown)
        finalizer.atexit = False

    def find(self, path: str, content: str) -> int | None:
        """Return the document of a path's content."""
        number = self._newest.get(path)
        while number is not None and self._contents[number] != content:
            number = self._older.get(number)
        return number

    def find_all(self, files: Mapping[str, str]) -> list[int]:
        """Return the documents of those files (path → content id) that have one."""
        newest, contents = self._newest, self._contents
        numbers = []
        for path, content in files.items():
            number = newest.get(path)
            if number is not None and contents[number] != content:
                number = self.find(path, content)
            if number is not None:
                numbers.append(number)
        return numbers

    def path(self, number: int) -> str:
        """Return a document's path; empty if it is removed."""
        return self._path[number]

    def stored_path(self, path: str) -> str:
        """Return the stored string of a path, so that no copy is kept in memory."""
        number = self._newest.get(path)
        return path if number is None else self._path[number]

    def content(self, number: int) -> str | None:
        """Return a document's content id; None if it has none."""
        return self._contents[number]

    def facts(self, number: int) -> FileFacts:
        """Return a document's facts besides its words."""
        return self._facts[number]

    def kind(self, number: int) -> FileKind:
        """Return a document's kind."""
        return _KINDS[self._kinds[number]]

    def source_marks(self) -> int:
        """Return a number whose bytes, lowest first, are 1 for each document that is source code, else 0."""
        return int.from_bytes(self._kinds.tobytes().translate(_IS_SOURCE), "little")

    def passages(self, number: int) -> tuple[int, int]:
        """Return the number of a document's first passage, and of the one after its last."""
        first = self._first_passages[number]
        return first, first + self._passage_counts[number]

    @property
    def document_count(self) -> int:
        """Number of documents, removed ones included."""
        return len(self._path)

    def passage_count(self, first: int, end: int) -> int:
        """Return the number of passages of the documents from `first` to before `end`."""
        return sum(self._passage_counts[first:end])

    def add(self, path: str, summary: Summary | None, content: str | None, facts: FileFacts = NO_FACTS) -> int:
        """Add a document that no view shows yet; without a summary it can only be found by its path."""
        path = self.stored_path(path)
        number, first = len(self._path), len(self.owners)
        self.version += 1
        passages = summary.chunks if summary else ()
        for passage in passages:
            self.texts.add(len(self.owners), passage)
            self.owners.append(number)
            self.passage_lengths.append(sum(passage.values()))
        names, terms = definition_terms(summary), count_terms(path)
        self.names.add(number, names)
        self.paths.add(number, terms)
        self.by_folder.add(number, {folder_of(path): 1})
        self.by_name.add(number, dict.fromkeys((name_of(path), last_two(path)), 1))
        self._path.append(path)
        self._contents.append(content)
        self._facts.append(facts)
        self._kinds.append(_number_of_kind(path, facts))
        self._first_passages.append(first)
        self._passage_counts.append(len(passages))
        self.text_lengths.append(sum(self.passage_lengths[first:]))
        self.name_lengths.append(sum(names.values()))
        self.path_lengths.append(sum(terms.values()))
        self.holders.append(0)
        if self._excess is not None:
            self._excess[0].append(0)
            self._excess[1].extend(bytes(len(self.owners) - first))
        self.present += 1
        self.unshown += 1
        self._link(path, number)
        self._reserve()
        return number

    def add_by_paths(self, paths: Iterable[str], content: str) -> None:
        """Add documents that can only be found by their paths and that no view shows yet."""
        stored = list(map(self.stored_path, paths))
        first, count = len(self._path), len(stored)
        terms = list(map(count_terms, stored))
        self.version += count
        self.paths.add_many(first, terms)
        self.by_folder.add_many(first, [{folder_of(path): 1} for path in stored])
        self.by_name.add_many(first, [dict.fromkeys((name_of(path), last_two(path)), 1) for path in stored])
        self._path += stored
        self._contents += [content] * count
        self._facts += [NO_FACTS] * count
        self._kinds.extend(_number_of_kind(path, NO_FACTS) for path in stored)
        self._first_passages.extend([len(self.owners)] * count)
        self.path_lengths.extend(sum(counts.values()) for counts in terms)
        for zeros in (self._passage_counts, self.text_lengths, self.name_lengths, self.holders):
            zeros.extend([0] * count)
        if self._excess is not None:
            self._excess[0].extend(bytes(count))
        self.present += count
        self.unshown += count
        for number, path in enumerate(stored, first):
            self._link(path, number)
        self._reserve()

    def add_words(
        self, numbers: Sequence[int], contents: Sequence[str], counts: Sequence[int], words: InvertedUnits
    ) -> None:
        """Give documents without passages theirs: to each the next ones of `words`, as many as its count.

        A document that is removed meanwhile takes its passages with it.
        """
        first = len(self.owners)
        self.version += 1
        self.texts.add_all(first, words)
        self.passage_lengths.extend(words.lengths)
        for number, content, count in zip(numbers, contents, counts, strict=True):
            self.owners.extend(array("I", [number]) * count)
            self._first_passages[number], self._passage_counts[number] = first, count
            self.text_lengths[number] = sum(self.passage_lengths[first : first + count])
            self._contents[number] = WORDS_OF + content
            first += count
        if self._excess is not None:
            self._excess[1].extend(bytes(len(words.lengths)))
        self._reserve()

    def complete(self, number: int, names: Mapping[str, int], content: str, facts: FileFacts) -> None:
        """Add the terms of the definitions to a document that has its words and that one view shows."""
        self.version += 1
        self.names.change(number, {}, names)
        self.name_lengths[number] = sum(names.values())
        if facts.is_script != self._facts[number].is_script:
            self._kinds[number] = _number_of_kind(self._path[number], facts)
        self._contents[number], self._facts[number] = content, facts

    def replace(self, number: int, previous: Summary, summary: Summary, content: str | None, facts: FileFacts) -> bool:
        """Replace the summary of a document that one view shows; most terms of an edited file stay in place.

        Return False if it was not added with `previous`, or has another number of passages now.
        """
        first, end = self.passages(number)
        if len(summary.chunks) != end - first or not self.matches(number, previous):
            return False
        self.version += 1
        for unit, before, after in zip(range(first, end), previous.chunks, summary.chunks, strict=True):
            if before != after:
                self.texts.change(unit, before, after)
                self.passage_lengths[unit] = sum(after.values())
        previous_names, names = definition_terms(previous), definition_terms(summary)
        self.names.change(number, previous_names, names)
        self.text_lengths[number] = sum(self.passage_lengths[first:end])
        self.name_lengths[number] = sum(names.values())
        self._contents[number], self._facts[number] = content, facts
        self._kinds[number] = _number_of_kind(self._path[number], facts)
        return True

    def remove(self, number: int, summary: Summary | None) -> None:
        """Remove a document that no view shows; `summary` is the one it was added with, if known."""
        path, (first, end) = self._path[number], self.passages(number)
        previous = summary if summary is not None and self.matches(number, summary) else None
        self.version += 1
        if first < end:
            self.texts.remove(first, end, set().union(*previous.chunks) if previous else None)
        if self.name_lengths[number]:
            self.names.remove(number, number + 1, definition_terms(previous) if previous else None)
        self.paths.remove(number, number + 1, count_terms(path))
        self.by_folder.remove(number, number + 1, (folder_of(path),))
        self.by_name.remove(number, number + 1, (name_of(path), last_two(path)))
        self._path[number], self._contents[number], self._facts[number] = REMOVED, None, NO_FACTS
        self.present -= 1
        self.unshown -= 1
        self._unlink(path, number)

    def dump(self) -> Iterator[BinarySection]:
        """Yield sections from which `load` restores the documents, unless `version` changes meanwhile."""
        yield of_texts(self._path)
        yield of_texts(_NOT_SHARED if content is None else content for content in self._contents)
        yield of_bytes(array("I", [len(facts.targets) for facts in self._facts]).tobytes())
        yield of_texts(itertools.chain.from_iterable(facts.targets for facts in self._facts))
        landmines = [
            [number, list(map(list, facts.landmines))] for number, facts in enumerate(self._facts) if facts.landmines
        ]
        yield of_bytes(orjson.dumps(landmines))
        for numbers in self._numbers():
            yield of_bytes(numbers.tobytes())
        for postings in (self.texts, self.names, self.paths, self.by_folder, self.by_name):
            yield from postings.dump()
        yield from self.name_spellings.dump()
        yield from self.path_spellings.dump()

    def load(self, reader: SectionReader) -> None:
        """Restore the documents of a dump; no view shows any. Raise ValueError if it is another one."""
        self._path = reader.texts()
        self._contents = [None if content == _NOT_SHARED else content for content in reader.texts()]
        targets = reader.lists(reader.numbers("I"))
        self._facts = [FileFacts(own) if own else NO_FACTS for own in targets]
        for number, landmines in orjson.loads(reader.bytes()):
            self._facts[number] = FileFacts(self._facts[number].targets, tuple(map(Landmine._make, landmines)))
        for numbers in self._numbers():
            numbers.frombytes(reader.bytes())
        for postings in (self.texts, self.names, self.paths, self.by_folder, self.by_name):
            postings.load(reader)
        self.name_spellings.load(reader)
        self.path_spellings.load(reader)
        self.holders = array("H", bytes(2 * len(self._path)))
        for number, path in enumerate(self._path):
            if path:
                self._link(path, number)
        self.present = self.unshown = sum(map(bool, self._path))
        self._reserve()

    def _numbers(self) -> "tuple[array[int], ...]":
        return (
            self.owners, self.passage_lengths, self.text_lengths, self.name_lengths, self.path_lengths, self._kinds,
            self._first_passages, self._passage_counts,
        )  # fmt: skip

    @property
    def is_settled(self) -> bool:
        """Whether nothing is being removed."""
        return self._excess is None

    def matches(self, number: int, summary: Summary) -> bool:
        """Whether a document was added with this summary: the same content may have been analysed differently."""
        first, end = self.passages(number)
        lengths = [sum(chunk.values()) for chunk in summary.chunks]
        same_names = sum(definition_terms(summary).values()) == self.name_lengths[number]
        return same_names and lengths == list(self.passage_lengths[first:end])

    def hold(self, first: int, end: int) -> None:
        """Record that one more view shows the documents from `first` to before `end`."""
        holders = self.holders[first:end]
        self.unshown -= holders.count(0)
        self.holders[first:end] = array("H", [count + 1 for count in holders])

    def drop(self, number: int) -> bool:
        """Record that a view does not show a document any more; return whether others do."""
        self.holders[number] -= 1
        self.unshown += not self.holders[number]
        return self.holders[number] > 0

    def has_excess(self) -> bool:
        """Whether more documents than necessary are shown by no view."""
        self._release()
        return self.unshown > self._most_unshown()

    def remove_excess(self) -> Iterator[None]:
        """Remove the oldest documents that no view shows, in steps between which other threads may use the lock."""
        self._release()
        numbers = (number for number, count in enumerate(self.holders) if not count and self._path[number])
        excess = list(itertools.islice(numbers, max(0, self.unshown - self._most_unshown() // 2)))
        documents, passages = bytearray(len(self._path)), bytearray(len(self.owners))
        self._excess = (documents, passages)
        self.version += 1
        for number in excess:  # from here on they are not found
            self._unlink(self._path[number], number)
            self._path[number], self._contents[number], self._facts[number] = REMOVED, None, NO_FACTS
            first, end = self.passages(number)
            documents[number] = 1
            passages[first:end] = b"\1" * (end - first)
        self.unshown -= len(excess)
        yield from self.texts.remove_marked(passages)
        for postings in (self.names, self.paths, self.by_folder, self.by_name):
            yield from postings.remove_marked(documents)
        self.present -= len(excess)
        self.version += 1
        self._excess = None

    def _most_unshown(self) -> int:
        return max(MIN_UNSHOWN, self.present - self.unshown)

    def _release(self) -> None:
        while self._released:
            shown = self._released.popleft()
            number = shown.find(1)
            while number >= 0:
                self.drop(number)
                number = shown.find(1, number + 1)

    def _reserve(self) -> None:
        documents, passages = self._capacity
        if len(self._path) > documents or len(self.owners) > passages:
            self._capacity = (
                max(_FIRST_CAPACITY, len(self._path) * 5 // 4), max(_FIRST_CAPACITY, len(self.owners) * 5 // 4)
            )  # fmt: skip
            for view in self._views:
                view.reserve(*self._capacity)

    def _link(self, path: str, number: int) -> None:
        """Make a document the newest of its path."""
        older = self._newest.get(path)
        if older is not None:
            self._older[number] = older
        self._newest[path] = number

    def _unlink(self, path: str, number: int) -> None:
        """Remove a document from the chain of its path."""
        older = self._older.pop(number, None)
        newer = self._newest[path]
        if newer == number:
            if older is None:
                del self._newest[path]
            else:
                self._newest[path] = older
            return
        while self._older[newer] != number:
            newer = self._older[newer]
        if older is None:
            del self._older[newer]
        else:
            self._older[newer] = older


def definition_terms(summary: Summary | None) -> dict[str, int]:
    """Count the terms of a file's definition names; a macro has one more with its mark."""
    if summary is None:
        return {}
    terms = count_terms("\n".join(definition.name for definition in summary.definitions))
    macros = (macro_term(definition.name) for definition in summary.definitions if definition.kind == "macro")
    return terms | Counter(macros)


def _number_of_kind(path: str, facts: FileFacts) -> int:
    kind = file_kind(path)
    return _NUMBER_OF_KIND[kind._replace(unknown_language=kind.unknown_language and not facts.is_script)]


def folder_of(path: str) -> str:
    """Return a file's folder; empty at the top."""
    return path.rpartition("/")[0]


def last_two(path: str) -> str:
    """Return the last two components of a path: a name such as `__init__.py` alone is that of thousands."""
    return "/".join(path.rsplit("/", 2)[-2:])


def name_of(path: str) -> str:
    """Return the last component of a path."""
    return path.rpartition("/")[2]
