"""A workspace's files as the ranker sees them: terms of chunks, definition names and paths, by document number.

A chunk is a run of lines; its terms stand closer together than a whole file's. What a file held before can be given
when it leaves, which spares looking through all postings.
"""

from array import array
from collections.abc import Iterator

from sidecar.codebase.kinds import Kind, kind_of, stem_of
from sidecar.codebase.search.postings import MAX_UNITS, Postings, unit_of
from sidecar.codebase.search.spelling import Spellings
from sidecar.codebase.terms import count_terms
from sidecar.codebase.values import Summary

_GONE = ""

MAX_NAMESAKES = 2_000
"""A word in more paths than these is no file's own name."""


class Documents:
    """The files by number. Not thread-safe."""

    def __init__(self) -> None:
        self.defined, self.in_paths = Spellings(), Spellings()
        self.bodies, self.names, self.paths = Postings(), Postings(self.defined), Postings(self.in_paths)
        self.owners = array("I")
        """A chunk's document."""
        self.chunk_lengths = array("I")
        self.body_lengths, self.name_lengths, self.path_lengths = array("I"), array("I"), array("I")
        self._path: list[str] = []
        self._kinds: list[Kind] = []
        self._chunks: list[tuple[int, int]] = []
        self._numbers: dict[str, int] = {}
        self.links: dict[str, list[str]] = {}
        """The files that a file imports, as far as that was asked; true only for the paths there are now."""
        self._folders: dict[str, set[str]] = {}
        # Most names stand once: those have their path here without a set around it.
        self._named: dict[str, str | set[str]] = {}
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

    def kind(self, number: int) -> Kind:
        """Tells a document's kind."""
        return self._kinds[number]

    def chunks(self, number: int) -> tuple[int, int]:
        """Gives a document's first chunk, and the one after its last."""
        return self._chunks[number]

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
        self._kinds.append(kind_of(path))
        self._chunks.append((first, len(self.owners)))
        self.body_lengths.append(sum(self.chunk_lengths[first:]))
        self.name_lengths.append(sum(names.values()))
        self.path_lengths.append(sum(terms.values()))
        self._numbers[path] = number
        self._folders.setdefault(folder_of(path), set()).add(path)
        self._name(path)
        self._count(number, 1)

    def remove(self, path: str, held: Summary | None) -> None:
        """Forgets a file; `held` is the summary it was added with, if that is still known."""
        number = self._numbers.pop(path)
        first, end = self._chunks[number]
        self._count(number, -1)
        same = held if held is not None and self._is_of(held, number) else None
        if first < end:
            self.bodies.remove(first, end, set().union(*same.chunks) if same else None)
        if self.name_lengths[number]:
            self.names.remove(number, number + 1, names_of(same) if same else None)
        self.paths.remove(number, number + 1, count_terms(path))
        self._path[number] = _GONE
        self.links.pop(path, None)
        self._forget_name(path)
        folder = folder_of(path)
        self._folders[folder].discard(path)
        if not self._folders[folder]:
            del self._folders[folder]

    def spelled_right(self, term: str) -> str | None:
        """Gives the name that a term no file holds may stand for: of the fewest slips, then in the most files."""
        if term in self.bodies or term in self.names or term in self.paths:
            return None
        near = {*self.defined.near(term), *self.in_paths.near(term)}
        ordered = sorted(
            near, key=lambda one: (one[0], -len(self.names.entries(one[1])) - len(self.paths.entries(one[1])), one[1])
        )
        return ordered[0][1] if ordered else None

    def ending_with(self, tail: str) -> list[str]:
        """Gives the paths that end with some last parts of a path, sorted."""
        same_name = self._named.get(tail.rpartition("/")[2], ())
        candidates = (same_name,) if isinstance(same_name, str) else same_name
        inside = "/" + tail
        return sorted(path for path in candidates if path == tail or path.endswith(inside))

    def inside(self, folder: str) -> list[str]:
        """Gives the files that lie directly in a folder, sorted."""
        return sorted(self._folders.get(folder, ()))

    def named_like(self, stem: str) -> list[str]:
        """Gives the files whose names share a stem, as a test and what it tests do; sorted."""
        term = next(iter(count_terms(stem)), None)
        if term is None or len(self.paths.entries(term)) > MAX_NAMESAKES:
            return []
        found = (self._path[unit_of(entry)] for entry in self.paths.entries(term))
        return sorted(path for path in found if stem_of(path) == stem)

    def _is_of(self, held: Summary, number: int) -> bool:
        """Says whether a document was added with a summary: the same content may have been analysed in another way."""
        first, end = self._chunks[number]
        lengths = [sum(chunk.values()) for chunk in held.chunks]
        same_names = sum(names_of(held).values()) == self.name_lengths[number]
        return same_names and lengths == list(self.chunk_lengths[first:end])

    def _name(self, path: str) -> None:
        name = path.rpartition("/")[2]
        known = self._named.get(name)
        if known is None:
            self._named[name] = path
        elif isinstance(known, str):
            self._named[name] = {known, path}
        else:
            known.add(path)

    def _forget_name(self, path: str) -> None:
        name = path.rpartition("/")[2]
        known = self._named[name]
        if isinstance(known, str) or known == {path}:
            del self._named[name]
        else:
            known.discard(path)

    def _count(self, number: int, sign: int) -> None:
        first, end = self._chunks[number]
        self.chunk_count += sign * (end - first)
        self.body_total += sign * self.body_lengths[number]
        self.name_total += sign * self.name_lengths[number]
        self.path_total += sign * self.path_lengths[number]


def names_of(summary: Summary | None) -> dict[str, int]:
    """Counts the terms of a file's definition names."""
    counted: dict[str, int] = {}
    for definition in summary.definitions if summary else ():
        for term, count in count_terms(definition.name).items():
            counted[term] = counted.get(term, 0) + count
    return counted


def folder_of(path: str) -> str:
    """Gives the folder a file lies in; empty at the top."""
    return path.rpartition("/")[0]
