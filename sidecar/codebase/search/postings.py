"""The entries of a term that stands in very many units, two bytes each. Pure.

Half of all entries of a large repository are those of a few thousand terms. Where units lie so close, the first bits of
their numbers say little: they are told once for a run of units. A count that does not fit is kept apart.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sidecar.codebase.search.spelling import Spellings

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


# Which units hold a term, and how often. A unit is a file, or a chunk of a file. Pure.
#
# Most terms of a repository stand in a few units only: their names would take far more room than where they stand. So
# a term is known by 45 bits of its hash alone, and the rare ones lie side by side, sorted, in a few thousand arrays.
# Two terms of the same bits count as one, which among a million rare ones happens to one search in ten million. The
# few that stand in very many units are packed.


MAX_COUNT = (1 << COUNT_BITS) - 1

MAX_UNITS = 1 << (32 - COUNT_BITS)
"""Units have numbers below this one."""

FEW = 32
"""A term of more entries has an array of its own."""

PACKED_FROM = 512
"""That of so many entries is packed, which takes some hundred bytes besides."""

_LOW = (1 << 32) - 1


class Postings:
    """Terms → entries, in the order of their units; an entry is a unit's number and, in its last 8 bits, a count."""

    def __init__(self, shards: int = 1 << 13, spellings: Spellings | None = None) -> None:
        """Takes how many arrays the rare terms are shared among, a power of two: about one for some hundred of them.

        Tells `spellings` of each term that comes and goes.
        """
        self._spellings = spellings
        self._keys = (shards << 32) - 1
        # By the key's first bits, the other 32 with an entry after them.
        self._few: list[array[int] | None] = [None] * shards
        self._many: dict[int, array[int] | Packed] = {}

    def __contains__(self, term: str) -> bool:
        return self.stands(term, 0, MAX_UNITS)

    def add(self, unit: int, counts: Mapping[str, int]) -> None:
        """Takes in a unit, whose number is higher than any before."""
        if unit >= MAX_UNITS:
            raise OverflowError("there are no numbers left for units")
        many, keys, base = self._many, self._keys, unit << COUNT_BITS
        for term, count in counts.items():
            key = hash(term) & keys
            known = many.get(key)
            entry = base | (min(MAX_COUNT, count))
            if isinstance(known, Packed):
                known.append(entry)
            elif known is not None:
                known.append(entry)
                if len(known) > PACKED_FROM:
                    many[key] = Packed(known)
            elif self._add_to_few(key, entry) and self._spellings is not None:
                self._spellings.add(term)

    def remove(self, first: int, end: int, terms: Iterable[str] | None = None) -> None:
        """Forgets the units from `first` up to `end`; without their terms, every term is looked through."""
        if terms is None:
            self._remove_from_all(first, end)
            return
        for term in terms:
            key = hash(term) & self._keys
            known = self._many.get(key)
            if known is not None:
                self._cut(key, known, first, end)
            elif (shard := self._few[key >> 32]) is not None:
                found = _run(shard, key, first, end)
                del shard[found.start : found.stop]
            if self._spellings is not None and term not in self:
                self._spellings.discard(term)

    def change(self, unit: int, before: Mapping[str, int], after: Mapping[str, int]) -> None:
        """Makes a unit that was added with some counts hold others; costs what differs between them."""
        gone = before.keys() - after.keys()
        if gone:
            self.remove(unit, unit + 1, gone)
        for term, count in after.items():
            if before.get(term) != count:
                self._put(unit, term, min(MAX_COUNT, count))

    def count(self, term: str) -> int:
        """Counts the units that hold a term."""
        key = hash(term) & self._keys
        known = self._many.get(key)
        if known is not None:
            return len(known)
        shard = self._few[key >> 32]
        return len(_run(shard, key, 0, MAX_UNITS)) if shard is not None else 0

    def entries(self, term: str) -> Sequence[int]:
        """Gives a term's entries."""
        known = self._many.get(hash(term) & self._keys)
        if known is None:
            return self.within(term, 0, MAX_UNITS)
        return list(known) if isinstance(known, Packed) else known

    def within(self, term: str, first: int, end: int) -> Sequence[int]:
        """Gives a term's entries in the units from `first` up to `end`."""
        key = hash(term) & self._keys
        known = self._many.get(key)
        if isinstance(known, Packed):
            return known.between(first, end)
        if known is not None:
            found = _between(known, first, end)
            return known[found.start : found.stop]
        shard = self._few[key >> 32]
        if shard is None:
            return ()
        found = _run(shard, key, first, end)
        return [one & _LOW for one in shard[found.start : found.stop]]

    def stands(self, term: str, first: int, end: int) -> bool:
        """Says whether a term stands in the units from `first` up to `end`."""
        key, from_ = hash(term) & self._keys, first << COUNT_BITS
        known: Packed | Sequence[int] | None = self._many.get(key)
        low = 0
        if isinstance(known, Packed):
            return known.stands(first, end)
        if known is None:
            known, low = self._few[key >> 32], (key & _LOW) << 32
        if known is None:
            return False
        at = bisect_left(known, low + from_)
        return at < len(known) and known[at] < low + (end << COUNT_BITS)

    def within_all(self, term: str, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """Gives a term's entries in several runs of units, which come in order and do not overlap."""
        known = self._many.get(hash(term) & self._keys)
        if isinstance(known, Packed):
            return known.between_all(ranges)
        entries, end = known if known is not None else self.entries(term), 0
        found: list[int] = []
        for first, after in ranges:
            start = bisect_left(entries, first << COUNT_BITS, end)
            end = bisect_left(entries, after << COUNT_BITS, start)
            found.extend(entries[start:end])
        return found

    def _put(self, unit: int, term: str, count: int) -> None:
        """Gives a term's entry for a unit, of any number, its count."""
        entry, known = unit << COUNT_BITS | count, self._many.get(hash(term) & self._keys)
        if isinstance(known, Packed):
            known.put(entry)
        elif known is not None:
            found = _between(known, unit, unit + 1)
            known[found.start : found.stop] = array("I", [entry])
        elif self._put_into_few(hash(term) & self._keys, unit, entry) and self._spellings is not None:
            self._spellings.add(term)

    def _put_into_few(self, key: int, unit: int, entry: int) -> bool:
        """Says whether it is the term's first entry."""
        shard = self._few[key >> 32]
        if shard is None:
            shard = self._few[key >> 32] = array("Q")
        found, low = _run(shard, key, 0, MAX_UNITS), key & _LOW
        entries = sorted(
            [*(one & _LOW for one in shard[found.start : found.stop] if unit_of(one & _LOW) != unit), entry]
        )
        if len(entries) <= FEW:
            shard[found.start : found.stop] = array("Q", [low << 32 | one for one in entries])
        else:
            self._many[key] = array("I", entries)
            del shard[found.start : found.stop]
        return not found

    def _add_to_few(self, key: int, entry: int) -> bool:
        """Says whether it is the term's first entry."""
        shard = self._few[key >> 32]
        if shard is None:
            shard = self._few[key >> 32] = array("Q")
        low = key & _LOW
        end = bisect_left(shard, (low + 1) << 32)
        if end < FEW or shard[end - FEW] >> 32 != low:
            shard.insert(end, low << 32 | entry)
            return end == 0 or shard[end - 1] >> 32 != low
        self._many[key] = array("I", [*(one & _LOW for one in shard[end - FEW : end]), entry])
        del shard[end - FEW : end]
        return False

    def _remove_from_all(self, first: int, end: int) -> None:
        for key, known in list(self._many.items()):
            self._cut(key, known, first, end)
        from_, to = first << COUNT_BITS, end << COUNT_BITS
        for shard in self._few:
            if shard is not None:
                leaving = [at for at, one in enumerate(shard) if from_ <= one & _LOW < to]
                for at in reversed(leaving):
                    del shard[at]
        if self._spellings is not None:
            for term in [term for term in self._spellings if term not in self]:
                self._spellings.discard(term)

    def _cut(self, key: int, known: "array[int] | Packed", first: int, end: int) -> None:
        if isinstance(known, Packed):
            known.cut(first, end)
        else:
            found = _between(known, first, end)
            del known[found.start : found.stop]
        if not known:
            del self._many[key]


def unit_of(entry: int) -> int:
    """Gives the unit of an entry."""
    return entry >> COUNT_BITS


def count_of(entry: int) -> int:
    """Gives how often the term stands in an entry's unit."""
    return entry & MAX_COUNT


def _between(entries: Sequence[int], first: int, end: int) -> range:
    start = bisect_left(entries, first << COUNT_BITS)
    return range(start, bisect_left(entries, end << COUNT_BITS, start))


def _run(shard: Sequence[int], key: int, first: int, end: int) -> range:
    """Where one key's entries in some units lie among the rare ones."""
    low = (key & _LOW) << 32
    start = bisect_left(shard, low + (first << COUNT_BITS))
    return range(start, bisect_left(shard, low + (end << COUNT_BITS), start))
