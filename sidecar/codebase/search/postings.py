"""Which units hold a term, and how often. A unit is a file, or a chunk of a file. Pure."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sidecar.codebase.search.spelling import Spellings

MAX_COUNT = 255
_COUNT_BITS = 8
_NOTHING: "array[int]" = array("I")

MAX_UNITS = 1 << (32 - _COUNT_BITS)
"""Units have numbers below this one."""


class Postings:
    """Terms → entries, in the order of their units; an entry is a unit's number and, in its last 8 bits, a count."""

    def __init__(self, spellings: Spellings | None = None) -> None:
        """Tells `spellings` of each term that comes and goes."""
        self._spellings = spellings
        # Most terms stand in one unit only: those have their entry here without an array around it.
        self._entries: dict[str, array[int] | int] = {}

    def __contains__(self, term: str) -> bool:
        return term in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, unit: int, counts: Mapping[str, int]) -> None:
        """Takes in a unit, whose number is higher than any before."""
        entries = self._entries
        for term, count in counts.items():
            entry = unit << _COUNT_BITS | (min(MAX_COUNT, count))
            known = entries.get(term)
            if known is None:
                entries[term] = entry
                if self._spellings is not None:
                    self._spellings.add(term)
            elif isinstance(known, int):
                entries[term] = array("I", (known, entry))
            else:
                known.append(entry)

    def remove(self, first: int, end: int, terms: Iterable[str] | None = None) -> None:
        """Forgets the units from `first` up to `end`; without their terms, every term is looked through."""
        for term in list(self._entries) if terms is None else terms:
            known = self._entries.get(term)
            if isinstance(known, int):
                if first <= known >> _COUNT_BITS < end:
                    self._forget(term)
            elif known is not None:
                cut = _between(known, first, end)
                del known[cut.start : cut.stop]
                if len(known) < 2:
                    self._shorten(term, known)

    def entries(self, term: str) -> Sequence[int]:
        """Gives a term's entries."""
        found = self._entries.get(term, _NOTHING)
        return (found,) if isinstance(found, int) else found

    def within(self, term: str, first: int, end: int) -> Sequence[int]:
        """Gives a term's entries in the units from `first` up to `end`."""
        entries = self.entries(term)
        cut = _between(entries, first, end)
        return entries[cut.start : cut.stop]

    def _shorten(self, term: str, entries: "array[int]") -> None:
        if entries:
            self._entries[term] = entries[0]
        else:
            self._forget(term)

    def _forget(self, term: str) -> None:
        del self._entries[term]
        if self._spellings is not None:
            self._spellings.discard(term)


def unit_of(entry: int) -> int:
    """Gives the unit of an entry."""
    return entry >> _COUNT_BITS


def count_of(entry: int) -> int:
    """Gives how often the term stands in an entry's unit."""
    return entry & MAX_COUNT


def _between(entries: Sequence[int], first: int, end: int) -> range:
    start = bisect_left(entries, first << _COUNT_BITS)
    return range(start, bisect_left(entries, end << _COUNT_BITS, start))
