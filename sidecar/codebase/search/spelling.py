"""Terms that are nearly a misspelt one: one or two letters missing, added, replaced or swapped. Pure."""

import zlib
from collections.abc import Iterable, Iterator

MIN_LENGTH, LONG = 6, 9
"""Shorter words are too near to others; from LONG letters on two slips are forgiven instead of one."""

PACKED_BYTES = 16 * 1024
"""So much of one kind is compressed; a letter's pieces are unpacked when a word that begins with it is not known."""


class Spellings:
    """Terms by first letter and length."""

    def __init__(self) -> None:
        # In UTF-8, a line end before and after each: a set of strings would take eight times the room.
        self._terms: dict[tuple[str, int], bytearray] = {}
        """The last ones of each kind."""
        self._packed: dict[tuple[str, int], list[bytes]] = {}
        """Those before them, sorted and compressed to two fifths."""

    def __iter__(self) -> Iterator[str]:
        for kind in self._terms:
            yield from self._of(kind)

    def add(self, term: str) -> None:
        """Takes in a term that is not there yet."""
        if len(term) < MIN_LENGTH - 1:
            return
        kind = (term[0], len(term))
        terms = self._terms.setdefault(kind, bytearray(b"\n"))
        terms.extend(b"%b\n" % term.encode())
        if len(terms) > PACKED_BYTES:
            self._packed.setdefault(kind, []).append(zlib.compress(_joined(sorted(_split(terms)))))
            self._terms[kind] = bytearray(b"\n")

    def discard(self, term: str) -> None:
        """Forgets a term."""
        kind = (term[:1], len(term))
        terms = self._terms.get(kind)
        if terms is None or _taken_out(terms, term):
            return
        for at, packed in enumerate(self._packed.get(kind, ())):
            unpacked = bytearray(zlib.decompress(packed))
            if _taken_out(unpacked, term):
                self._packed[kind][at] = zlib.compress(unpacked)
                return

    def near(self, term: str) -> Iterator[tuple[int, str]]:
        """Yields the terms that a misspelt one may stand for, with the number of slips; their first letter is right."""
        if len(term) < MIN_LENGTH:
            return
        most = 2 if len(term) >= LONG else 1
        letters = set(term)
        for length in range(len(term) - most, len(term) + most + 1):
            for candidate in self._of((term[0], length)):
                if len(letters.symmetric_difference(candidate)) > 2 * most:
                    continue
                slips = distance(term, candidate, most)
                if slips <= most:
                    yield slips, candidate

    def _of(self, kind: tuple[str, int]) -> Iterator[str]:
        """The terms of a first letter and length."""
        for packed in self._packed.get(kind, ()):
            yield from _split(zlib.decompress(packed))
        yield from _split(self._terms.get(kind, b"\n"))


def _joined(terms: Iterable[str]) -> bytes:
    return b"\n%b\n" % "\n".join(terms).encode()


def _taken_out(terms: bytearray, term: str) -> bool:
    """Takes a term out of some; says whether it was there."""
    line = b"\n%b\n" % term.encode()
    at = terms.find(line)
    if at >= 0:
        del terms[at : at + len(line) - 1]
    return at >= 0


def _split(terms: bytes | bytearray) -> list[str]:
    return terms.decode().split("\n")[1:-1]


def distance(left: str, right: str, most: int) -> int:
    """Counts the slips between two words (optimal string alignment); more than `most` are given as `most` + 1."""
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(right, 1):
            slips = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                slips = min(slips, older[j - 2] + 1)
            row.append(slips)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
