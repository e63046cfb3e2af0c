"""The entries of a term that stands in very many units, two bytes each. Pure.

Half of all entries of a large repository are those of a few thousand terms. Where units lie so close, the first bits of
their numbers say little: they are told once for a run of units. A count that does not fit is kept apart.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator

COUNT_BITS = 8
"""An entry is a unit's number and, in so many last bits, a count."""

_RUN_BITS, _SMALL_BITS = 13, 3
_IN_RUN, _SMALL = (1 << _RUN_BITS) - 1, (1 << _SMALL_BITS) - 1
_UNIT_OF_CELL = _IN_RUN << _SMALL_BITS
_COUNT = (1 << COUNT_BITS) - 1
_RUN_SHIFT, _CLOSER = COUNT_BITS + _RUN_BITS, COUNT_BITS - _SMALL_BITS
_WIDER = (1 << _CLOSER) - 1
"""A cell's unit comes to stand where an entry's does when it is added so many times."""


class Packed:
    """Entries in the order of their units."""

    __slots__ = ("_cells", "_large", "_starts")

    def __init__(self, entries: Iterable[int]) -> None:
        """Takes entries in the order of their units."""
        self._cells = array("H")
        """A unit within its run and a small count; 0 for one that is kept apart."""
        self._starts = array("I")
        """Where the cells of each run begin, up to the last run that has some."""
        self._large = array("I")
        for entry in entries:
            self.append(entry)

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[int]:
        return iter(self._entries(0, len(self._cells), 0))

    def append(self, entry: int) -> None:
        """Takes in the entry of a unit that comes after all others."""
        run, small, starts = entry >> _RUN_SHIFT, entry & _COUNT, self._starts
        if run >= len(starts):
            starts.extend([len(self._cells)] * (run + 1 - len(starts)))
        if small > _SMALL:
            self._large.append(entry)
            small = 0
        self._cells.append(entry >> _CLOSER & _UNIT_OF_CELL | small)

    def between(self, first: int, end: int) -> list[int]:
        """Gives the entries of the units from `first` up to `end`."""
        return self.between_all(((first, end),))

    def between_all(self, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """Gives the entries of several ranges of units."""
        found: list[int] = []
        cells, starts, runs = self._cells, self._starts, len(self._starts) - 1
        for first, end in ranges:
            run = first >> _RUN_BITS
            if run < runs and run == end >> _RUN_BITS:  # as nearly all are; the steps in one place take half the time
                start = bisect_left(cells, first << _SMALL_BITS & _UNIT_OF_CELL, starts[run], starts[run + 1])
                after = bisect_left(cells, end << _SMALL_BITS & _UNIT_OF_CELL, start, starts[run + 1])
            else:
                start, after = self._position(first), self._position(end)
            if start < after:
                found += self._entries(start, after, run)
        return found

    def stands(self, first: int, end: int) -> bool:
        """Says whether any of the units from `first` up to `end` has an entry."""
        return self._position(first) < self._position(end)

    def cut(self, first: int, end: int) -> None:
        """Forgets the units from `first` up to `end`."""
        start, after = self._position(first), self._position(end)
        del self._cells[start:after]
        self._move(first >> _RUN_BITS, start, start - after)
        low, high = (bisect_left(self._large, unit << COUNT_BITS) for unit in (first, end))
        del self._large[low:high]

    def put(self, entry: int) -> None:
        """Gives a unit, of any number, its entry."""
        unit = entry >> COUNT_BITS
        self.cut(unit, unit + 1)
        run, at = unit >> _RUN_BITS, self._position(unit)
        if run >= len(self._starts):
            self._starts.extend([at] * (run + 1 - len(self._starts)))
        self._cells.insert(at, self._cell(entry, bisect_left(self._large, entry)))
        for later in range(run + 1, len(self._starts)):
            self._starts[later] += 1

    def _cell(self, entry: int, at: int) -> int:
        """Makes an entry's cell; keeps a large count apart, at its place there."""
        small = entry & _COUNT
        if small > _SMALL:
            self._large.insert(at, entry)
            small = 0
        return entry >> _CLOSER & _UNIT_OF_CELL | small

    def _position(self, unit: int) -> int:
        """Where a unit's cell is, or would be."""
        run, starts = unit >> _RUN_BITS, self._starts
        if run >= len(starts):
            return len(self._cells)
        end = starts[run + 1] if run + 1 < len(starts) else len(self._cells)
        return bisect_left(self._cells, (unit & _IN_RUN) << _SMALL_BITS, starts[run], end)

    def _entries(self, start: int, end: int, run: int) -> list[int]:
        """The entries of some cells, the first of which lies in a run or after it."""
        found: list[int] = []
        starts, cells = self._starts, self._cells
        while start < end:
            after = starts[run + 1] if run + 1 < len(starts) else end
            base = run << _RUN_SHIFT
            if after > start:
                found += [base + (cell & _UNIT_OF_CELL) * _WIDER + cell for cell in cells[start : min(after, end)]]
                start = after
            run += 1
        large = self._large
        if large:
            return [entry if entry & _SMALL else large[bisect_left(large, entry)] for entry in found]
        return found

    def _move(self, run: int, at: int, by: int) -> None:
        """Moves the beginnings of later runs after cells went at a place; of those between, to that place."""
        starts = self._starts
        for later in range(run + 1, len(starts)):
            starts[later] = max(at, starts[later] + by)
        while starts and starts[-1] == len(self._cells):
            starts.pop()
