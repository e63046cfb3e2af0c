"""Terms that are nearly a misspelt one: one or two letters missing, added, replaced or swapped. Pure."""

from collections import defaultdict
from collections.abc import Iterator

MIN_LENGTH, LONG = 6, 9
"""Shorter words are too near to others; from LONG letters on two slips are forgiven instead of one."""


class Spellings:
    """Terms by first letter and length."""

    def __init__(self) -> None:
        self._terms: dict[tuple[str, int], set[str]] = defaultdict(set)

    def add(self, term: str) -> None:
        """Takes a term in."""
        if len(term) >= MIN_LENGTH - 1:
            self._terms[term[0], len(term)].add(term)

    def discard(self, term: str) -> None:
        """Forgets a term."""
        if len(term) >= MIN_LENGTH - 1:
            self._terms[term[0], len(term)].discard(term)

    def near(self, term: str) -> Iterator[tuple[int, str]]:
        """Yields the terms that a misspelt one may stand for, with the number of slips; their first letter is right."""
        if len(term) < MIN_LENGTH:
            return
        most = 2 if len(term) >= LONG else 1
        letters = set(term)
        for length in range(len(term) - most, len(term) + most + 1):
            for candidate in self._terms.get((term[0], length), ()):
                if len(letters.symmetric_difference(candidate)) > 2 * most:
                    continue
                slips = distance(term, candidate, most)
                if slips <= most:
                    yield slips, candidate


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
