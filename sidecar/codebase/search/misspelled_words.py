"""Find the terms closest to a misspelled word: letters missing, added, replaced or swapped. Pure."""

import zlib
from array import array
from collections.abc import Iterable, Iterator

from sidecar.core.binary_sections import BinarySection, SectionReader, of_bytes, of_texts

MIN_LENGTH, LONG_LENGTH = 6, 9
"""Shorter words have too many neighbours; words of at least LONG_LENGTH letters may have two edits instead of one."""

COMPRESS_BYTES = 16 * 1024
"""Terms of one kind are compressed in pieces of this size, which are unpacked when an unknown word is looked up."""


class Spellings:
    """Terms by first letter and length."""

    def __init__(self) -> None:
        # In UTF-8, a line end before and after each term: a set of strings would take eight times the memory.
        self._terms: dict[tuple[str, int], bytearray] = {}
        """The newest terms of each kind."""
        self._compressed: dict[tuple[str, int], list[bytes]] = {}
        """The older ones, sorted and compressed to two fifths."""

    def __iter__(self) -> Iterator[str]:
        for kind in self._terms:
            yield from self._of(kind)

    def add(self, term: str) -> None:
        """Add a new term."""
        if len(term) < MIN_LENGTH - 1:
            return
        kind = (term[0], len(term))
        terms = self._terms.setdefault(kind, bytearray(b"\n"))
        terms.extend(b"%b\n" % term.encode())
        if len(terms) > COMPRESS_BYTES:
            self._compressed.setdefault(kind, []).append(zlib.compress(_joined(sorted(_split(terms)))))
            self._terms[kind] = bytearray(b"\n")

    def discard(self, term: str) -> None:
        """Remove a term."""
        kind = (term[:1], len(term))
        terms = self._terms.get(kind)
        if terms is None or _remove_line(terms, term):
            return
        for at, compressed in enumerate(self._compressed.get(kind, ())):
            unpacked = bytearray(zlib.decompress(compressed))
            if _remove_line(unpacked, term):
                self._compressed[kind][at] = zlib.compress(unpacked)
                return

    def dump(self) -> Iterator[BinarySection]:
        """Yield sections from which `load` restores the terms."""
        compressed = [(kind, piece) for kind, pieces in self._compressed.items() for piece in pieces]
        for pairs in (list(self._terms.items()), compressed):
            yield of_texts(letter for (letter, _), _ in pairs)
            yield of_bytes(array("I", [length for (_, length), _ in pairs]).tobytes())
            yield of_bytes(array("I", [len(piece) for _, piece in pairs]).tobytes())
            yield of_bytes(b"".join(piece for _, piece in pairs))

    def load(self, reader: SectionReader) -> None:
        """Restore the terms of a dump."""
        self._terms = {kind: bytearray(piece) for kind, piece in _pieces(reader)}
        self._compressed = {}
        for kind, piece in _pieces(reader):
            self._compressed.setdefault(kind, []).append(bytes(piece))

    def similar(self, term: str) -> Iterator[tuple[int, str]]:
        """Yield the terms that a word may misspell, with the number of edits; the first letter must be equal."""
        if len(term) < MIN_LENGTH:
            return
        max_edits = 2 if len(term) >= LONG_LENGTH else 1
        letters = set(term)
        for length in range(len(term) - max_edits, len(term) + max_edits + 1):
            for candidate in self._of((term[0], length)):
                if len(letters.symmetric_difference(candidate)) > 2 * max_edits:
                    continue
                edits = distance(term, candidate, max_edits)
                if edits <= max_edits:
                    yield edits, candidate

    def _of(self, kind: tuple[str, int]) -> Iterator[str]:
        """Yield the terms of a first letter and length."""
        for compressed in self._compressed.get(kind, ()):
            yield from _split(zlib.decompress(compressed))
        yield from _split(self._terms.get(kind, b"\n"))


def _pieces(reader: SectionReader) -> Iterator[tuple[tuple[str, int], memoryview]]:
    letters, lengths, sizes, content = reader.texts(), reader.numbers("I"), reader.numbers("I"), reader.bytes()
    at = 0
    for letter, length, size in zip(letters, lengths, sizes, strict=True):
        yield (letter, length), content[at : at + size]
        at += size


def _joined(terms: Iterable[str]) -> bytes:
    return b"\n%b\n" % "\n".join(terms).encode()


def _remove_line(terms: bytearray, term: str) -> bool:
    """Remove a term; return whether it was there."""
    line = b"\n%b\n" % term.encode()
    at = terms.find(line)
    if at >= 0:
        del terms[at : at + len(line) - 1]
    return at >= 0


def _split(terms: bytes | bytearray) -> list[str]:
    return terms.decode().split("\n")[1:-1]


def distance(left: str, right: str, max_edits: int) -> int:
    """Return the number of edits between two words (optimal string alignment), at most `max_edits` + 1."""
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    if abs(len(left) - len(right)) > max_edits:
        return max_edits + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(right, 1):
            edits = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                edits = min(edits, older[j - 2] + 1)
            row.append(edits)
        if min(row) > max_edits:
            return max_edits + 1
    return min(row[-1], max_edits + 1)
