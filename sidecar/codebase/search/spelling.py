"""Terms that are nearly a misspelt one: one or two letters missing, added, replaced or swapped. Pure."""

from collections.abc import Iterator

MIN_LENGTH, LONG = 6, 9
"""Shorter words are too near to others; from LONG letters on two slips are forgiven instead of one."""


class Spellings:
    """Terms by first letter and length."""

    def __init__(self) -> None:
        # In UTF-8, a line end before and after each: a set of strings would take eight times the room.
        self._terms: dict[tuple[str, int], bytearray] = {}

    def __iter__(self) -> Iterator[str]:
        for terms in self._terms.values():
            yield from _split(terms)

    def add(self, term: str) -> None:
        """Takes in a term that is not there yet."""
        if len(term) >= MIN_LENGTH - 1:
            self._terms.setdefault((term[0], len(term)), bytearray(b"\n")).extend(b"%b\n" % term.encode())

    def discard(self, term: str) -> None:
        """Forgets a term."""
        terms = self._terms.get((term[:1], len(term)))
        at = terms.find(b"\n%b\n" % term.encode()) if terms is not None else -1
        if terms is not None and at >= 0:
            del terms[at : at + len(term.encode()) + 1]

    def near(self, term: str) -> Iterator[tuple[int, str]]:
        """Yields the terms that a misspelt one may stand for, with the number of slips; their first letter is right."""
        if len(term) < MIN_LENGTH:
            return
        most = 2 if len(term) >= LONG else 1
        letters = set(term)
        for length in range(len(term) - most, len(term) + most + 1):
            for candidate in _split(self._terms.get((term[0], length), b"\n")):
                if len(letters.symmetric_difference(candidate)) > 2 * most:
                    continue
                slips = distance(term, candidate, most)
                if slips <= most:
                    yield slips, candidate


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
