"""Postings: the units that contain a term, with counts. A unit is a file or a chunk of one. Pure.

Most terms occur in a few units only, and their names would take far more memory than their positions. So a term is
identified by 45 bits of a hash (42 or 44 in paths and names); rare terms share a few thousand sorted arrays. Two terms
with the same bits count as one, which affects one search in ten million among a million rare terms. Very common terms
are packed.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from sidecar.codebase.search.misspelled_words import Spellings
from sidecar.core.binary_sections import BinarySection, SectionReader, of_bytes

COUNT_BITS = 8
"""An entry is a unit's number followed by this many bits of count."""

_RUN_BITS, _SMALL_BITS = 13, 3
_IN_RUN, _SMALL = (1 << _RUN_BITS) - 1, (1 << _SMALL_BITS) - 1
_UNIT_OF_CELL = _IN_RUN << _SMALL_BITS
_COUNT = (1 << COUNT_BITS) - 1
_RUN_SHIFT, _CLOSER = COUNT_BITS + _RUN_BITS, COUNT_BITS - _SMALL_BITS
_BLOCK = 512
_WIDENING = (1 << _CLOSER) - 1
"""Adding a cell's unit this many times shifts it to its position in an entry."""


class PackedEntries:
    """Entries of a very common term in the order of units, two bytes each.

    Half of all entries of a large repository belong to a few thousand terms. Their units are so close together that the
    leading bits are stored once for a run of units. A count that does not fit is stored separately.
    """

    __slots__ = ("_cells", "_large", "_starts")

    def __init__(self, entries: Sequence[int]) -> None:
        """`entries` are in the order of their units."""
        self._cells = array("H")
        """A unit within its run and a small count; 0 if the count is stored separately."""
        self._starts = array("I")
        """Position of each run's first cell, up to the last run that has cells."""
        self._large = array("I")
        self.extend(entries)

    def restore(self, cells: "array[int]", starts: "array[int]", large: "array[int]") -> "PackedEntries":
        """Take the place of the entries that `arrays` returned these of."""
        self._cells, self._starts, self._large = cells, starts, large
        return self

    def arrays(self) -> tuple["array[int]", "array[int]", "array[int]"]:
        """Return everything that is stored."""
        return self._cells, self._starts, self._large

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[int]:
        return iter(self._entries(0, len(self._cells), 0))

    def blocks(self) -> Iterator[list[int]]:
        """Yield the entries in parts, so that whoever needs the first ones decodes no more."""
        for start in range(0, len(self._cells), _BLOCK):
            run = max(0, bisect_right(self._starts, start) - 1)
            yield self._entries(start, min(start + _BLOCK, len(self._cells)), run)

    def append(self, entry: int) -> None:
        """Add the entry of a unit after all others."""
        run, small, starts = entry >> _RUN_SHIFT, entry & _COUNT, self._starts
        if run >= len(starts):
            starts.extend([len(self._cells)] * (run + 1 - len(starts)))
        if small > _SMALL:
            self._large.append(entry)
            small = 0
        self._cells.append(entry >> _CLOSER & _UNIT_OF_CELL | small)

    def extend(self, entries: Sequence[int]) -> None:
        """Add entries of units after all others."""
        at = 0
        while at < len(entries):
            run, starts = entries[at] >> _RUN_SHIFT, self._starts
            end = bisect_left(entries, (run + 1) << _RUN_SHIFT, at)
            if run >= len(starts):
                starts.extend([len(self._cells)] * (run + 1 - len(starts)))
            self._append_cells(entries[at:end])
            at = end

    def _append_cells(self, entries: Sequence[int]) -> None:
        """Append the cells of entries of one run."""
        cells = [entry >> _CLOSER & _UNIT_OF_CELL | entry & _COUNT for entry in entries]
        large = [at for at, entry in enumerate(entries) if entry & _COUNT > _SMALL]
        for at in large:
            cells[at] = entries[at] >> _CLOSER & _UNIT_OF_CELL
        self._large.extend([entries[at] for at in large])
        self._cells.extend(cells)

    def in_range(self, first: int, end: int) -> list[int]:
        """Return the entries of the units from `first` to before `end`."""
        return self.in_ranges(((first, end),))

    def in_ranges(self, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """Return the entries of several ranges of units."""
        entries: list[int] = []
        cells, starts, runs = self._cells, self._starts, len(self._starts) - 1
        for first, end in ranges:
            run = first >> _RUN_BITS
            if run < runs and run == end >> _RUN_BITS:  # the usual case; written out, it takes half the time
                start = bisect_left(cells, first << _SMALL_BITS & _UNIT_OF_CELL, starts[run], starts[run + 1])
                after = bisect_left(cells, end << _SMALL_BITS & _UNIT_OF_CELL, start, starts[run + 1])
            else:
                start, after = self._position(first), self._position(end)
            if start < after:
                entries += self._entries(start, after, run)
        return entries

    def count_in_ranges(self, ranges: Iterable[tuple[int, int]]) -> int:
        """Return the number of entries in several ranges of units."""
        return sum(self._position(end) - self._position(first) for first, end in ranges)

    def contains(self, first: int, end: int) -> bool:
        """Whether any unit from `first` to before `end` has an entry."""
        return self._position(first) < self._position(end)

    def remove(self, first: int, end: int) -> None:
        """Remove the units from `first` to before `end`."""
        start, after = self._position(first), self._position(end)
        del self._cells[start:after]
        self._shift_runs(first >> _RUN_BITS, start, start - after)
        low, high = (bisect_left(self._large, unit << COUNT_BITS) for unit in (first, end))
        del self._large[low:high]

    def put(self, entry: int) -> None:
        """Set the entry of any unit."""
        unit = entry >> COUNT_BITS
        self.remove(unit, unit + 1)
        run, at = unit >> _RUN_BITS, self._position(unit)
        if run >= len(self._starts):
            self._starts.extend([at] * (run + 1 - len(self._starts)))
        self._cells.insert(at, self._cell(entry, bisect_left(self._large, entry)))
        for later in range(run + 1, len(self._starts)):
            self._starts[later] += 1

    def _cell(self, entry: int, at: int) -> int:
        """Return an entry's cell; a large count is stored separately, at position `at`."""
        small = entry & _COUNT
        if small > _SMALL:
            self._large.insert(at, entry)
            small = 0
        return entry >> _CLOSER & _UNIT_OF_CELL | small

    def _position(self, unit: int) -> int:
        """Return the position of a unit's cell, or where it would be inserted."""
        run, starts = unit >> _RUN_BITS, self._starts
        if run >= len(starts):
            return len(self._cells)
        end = starts[run + 1] if run + 1 < len(starts) else len(self._cells)
        return bisect_left(self._cells, (unit & _IN_RUN) << _SMALL_BITS, starts[run], end)

    def _entries(self, start: int, end: int, run: int) -> list[int]:
        """Return the entries of some cells; the first cell is in `run` or a later run."""
        entries: list[int] = []
        starts, cells = self._starts, self._cells
        while start < end:
            after = starts[run + 1] if run + 1 < len(starts) else end
            base = run << _RUN_SHIFT
            if after > start:
                entries += [base + (cell & _UNIT_OF_CELL) * _WIDENING + cell for cell in cells[start : min(after, end)]]
                start = after
            run += 1
        large = self._large
        if large:
            return [entry if entry & _SMALL else large[bisect_left(large, entry)] for entry in entries]
        return entries

    def _shift_runs(self, run: int, at: int, by: int) -> None:
        """Shift the starts of later runs after cells were removed at `at`."""
        starts = self._starts
        for later in range(run + 1, len(starts)):
            starts[later] = max(at, starts[later] + by)
        while starts and starts[-1] == len(self._cells):
            starts.pop()


MAX_COUNT = (1 << COUNT_BITS) - 1

MAX_UNITS = 1 << (32 - COUNT_BITS)
"""Unit numbers are below this one."""

MAX_RARE = 32
"""A term with more entries has an array of its own."""

MAX_CACHED_KEYS = 1 << 16


class _TermKeys(dict[str, int]):
    """Cache of terms and their keys, which are the same in every process; emptied when it is full."""

    def __missing__(self, term: str) -> int:
        # Unlike that of a text, the hash of a tuple of numbers is not secret.
        key = hash((int.from_bytes(term.encode("utf-8", "surrogatepass"), "little"),))
        if len(self) >= MAX_CACHED_KEYS:
            self.clear()
        self[term] = key
        return key


_TERM_KEYS = _TermKeys()
term_key = _TERM_KEYS.__getitem__


def clear_key_cache() -> None:
    """Empty the cache of terms and their keys: after indexing many files, few are needed again."""
    _TERM_KEYS.clear()


PACKED_FROM = 512
"""A term with more entries is packed, which costs some hundred bytes itself."""

_STEP_SHARDS, _STEP_KEYS = 64, 16
"""Numbers of shards and of common terms that are handled in one step, in about two milliseconds."""

_LOW = (1 << 32) - 1
_NO_ENTRIES = array("Q")


SHARDS = 1 << 13
"""Number of arrays for the terms of texts."""

_KEYS = (SHARDS << 32) - 1


class InvertedUnits(NamedTuple):
    """The terms of some units by term, so that another process can add them at once; its units count from 0."""

    keys: "array[int]"
    """Keys of the terms, each once."""
    sizes: "array[int]"
    """Number of entries of each term."""
    entries: "array[int]"
    """The entries of one term after another, each in the order of units."""
    lengths: "array[int]"
    """Sum of each unit's counts."""


def invert(units: Iterable[Mapping[str, int]], keys: int = _KEYS) -> InvertedUnits:
    """Return the terms of units in their order; `keys` masks the bits of a key that count."""
    entries_of: defaultdict[str, list[int]] = defaultdict(list)
    lengths = array("I")
    for unit, counts in enumerate(units):
        lengths.append(sum(counts.values()))
        capped = counts.values() if lengths[-1] <= MAX_COUNT else [min(MAX_COUNT, count) for count in counts.values()]
        for term, entry in zip(counts, map((unit << COUNT_BITS).__or__, capped), strict=True):
            entries_of[term].append(entry)
    by_key: dict[int, list[int]] = {}
    for term, entries in entries_of.items():
        key = term_key(term) & keys
        by_key[key] = sorted((*by_key[key], *entries)) if key in by_key else entries
    joined = array("I", chain.from_iterable(by_key.values()))
    return InvertedUnits(array("Q", by_key), array("I", map(len, by_key.values())), joined, lengths)


class Postings:
    """Terms → entries in the order of units; an entry is a unit's number and, in its last 8 bits, a count."""

    def __init__(self, shards: int = SHARDS, spellings: Spellings | None = None) -> None:
        """`shards` arrays share the rare terms, a power of two: about one for some hundred terms.

        `spellings` is updated with each term that is added or removed.
        """
        self._spellings = spellings
        self._keys = (shards << 32) - 1
        # Indexed by the key's leading bits; an element is the other 32 bits followed by an entry.
        self._rare: list[array[int] | None] = [None] * shards
        self._common: dict[int, array[int] | PackedEntries] = {}

    def __contains__(self, term: str) -> bool:
        return self.contains(term, 0, MAX_UNITS)

    def add(self, unit: int, counts: Mapping[str, int]) -> None:
        """Add a unit, whose number is higher than any before."""
        if unit >= MAX_UNITS:
            raise OverflowError("there are no numbers left for units")
        common, keys, base = self._common, self._keys, unit << COUNT_BITS
        for term, count in counts.items():
            key = term_key(term) & keys
            entries = common.get(key)
            entry = base | (min(MAX_COUNT, count))
            if isinstance(entries, PackedEntries):
                entries.append(entry)
            elif entries is not None:
                entries.append(entry)
                if len(entries) > PACKED_FROM:
                    common[key] = PackedEntries(entries)
            elif self._add_rare(key, entry) and self._spellings is not None:
                self._spellings.add(term)

    def add_many(self, first: int, units: Sequence[Mapping[str, int]]) -> None:
        """Add units as `add` does one after another, the first of which is `first`, in a third of the time."""
        if self._spellings is not None:
            for term in dict.fromkeys(chain.from_iterable(units)):
                if term not in self:
                    self._spellings.add(term)
        self.add_all(first, invert(units, self._keys))

    def add_all(self, first: int, units: InvertedUnits) -> None:
        """Add units whose keys have as many bits as these, the first with a number higher than any before."""
        if first + len(units.lengths) > MAX_UNITS:
            raise OverflowError("there are no numbers left for units")
        base, common, rare, start = first << COUNT_BITS, self._common, self._rare, 0
        entries = array("I", [base + entry for entry in units.entries])
        for key, size in zip(units.keys, units.sizes, strict=True):
            end = start + size
            known = common.get(key)
            if known is not None:
                known.extend(entries[start:end])
                if len(known) > PACKED_FROM and not isinstance(known, PackedEntries):
                    common[key] = PackedEntries(known)
            elif size > 1:
                self._add_rare_entries(key, entries[start:end])
            else:  # most terms; written out, it takes a third of the time
                shard, low = rare[key >> 32], key & _LOW
                if shard is None:
                    shard = rare[key >> 32] = array("Q")
                at = bisect_left(shard, (low + 1) << 32)
                if at < MAX_RARE or shard[at - MAX_RARE] >> 32 != low:
                    shard.insert(at, low << 32 | entries[start])
                else:
                    self._add_rare_entries(key, entries[start:end])
            start = end

    def remove(self, first: int, end: int, terms: Iterable[str] | None = None) -> None:
        """Remove the units from `first` to before `end`; without their terms, all terms are scanned."""
        if terms is None:
            self._remove_from_all(first, end)
            return
        for term in terms:
            key = term_key(term) & self._keys
            common = self._common.get(key)
            if common is not None:
                self._remove_range(key, common, first, end)
            elif (shard := self._rare[key >> 32]) is not None:
                positions = _shard_range(shard, key, first, end)
                del shard[positions.start : positions.stop]
            if self._spellings is not None and term not in self:
                self._spellings.discard(term)

    def remove_marked(self, marked: bytearray) -> Iterator[None]:
        """Remove the marked units, in steps between which the postings can be used."""
        for start in range(0, len(self._rare), _STEP_SHARDS):
            for number in range(start, min(start + _STEP_SHARDS, len(self._rare))):
                shard = self._rare[number] or ()
                left = [element for element in shard if not marked[(element & _LOW) >> COUNT_BITS]]
                if len(left) < len(shard):
                    self._rare[number] = array("Q", left)
            yield
        keys = list(self._common)
        for start in range(0, len(keys), _STEP_KEYS):
            for key in keys[start : start + _STEP_KEYS]:
                self._remove_marked(key, marked)
            yield

    def _remove_marked(self, key: int, marked: bytearray) -> None:
        entries = self._common.get(key, ())
        left = [entry for entry in entries if not marked[entry >> COUNT_BITS]]
        if not left:
            self._common.pop(key, None)
        elif len(left) < len(entries):
            self._common[key] = PackedEntries(left) if isinstance(entries, PackedEntries) else array("I", left)

    def change(self, unit: int, before: Mapping[str, int], after: Mapping[str, int]) -> None:
        """Replace a unit's counts; only the differences cost time."""
        removed = before.keys() - after.keys()
        if removed:
            self.remove(unit, unit + 1, removed)
        for term, count in after.items():
            if before.get(term) != count:
                self._put(unit, term, min(MAX_COUNT, count))

    def count(self, term: str) -> int:
        """Return the number of units that contain a term."""
        key = term_key(term) & self._keys
        common = self._common.get(key)
        if common is not None:
            return len(common)
        shard = self._rare[key >> 32]
        return len(_shard_range(shard, key, 0, MAX_UNITS)) if shard is not None else 0

    def entries(self, term: str) -> Sequence[int]:
        """Return a term's entries."""
        common = self._common.get(term_key(term) & self._keys)
        if common is None:
            return self.in_range(term, 0, MAX_UNITS)
        return list(common) if isinstance(common, PackedEntries) else common

    def blocks(self, term: str) -> Iterable[Sequence[int]]:
        """Return a term's entries in parts."""
        common = self._common.get(term_key(term) & self._keys)
        return common.blocks() if isinstance(common, PackedEntries) else (self.entries(term),)

    def in_range(self, term: str, first: int, end: int) -> Sequence[int]:
        """Return a term's entries in the units from `first` to before `end`."""
        key = term_key(term) & self._keys
        common = self._common.get(key)
        if isinstance(common, PackedEntries):
            return common.in_range(first, end)
        if common is not None:
            positions = _entry_range(common, first, end)
            return common[positions.start : positions.stop]
        shard = self._rare[key >> 32]
        if shard is None:
            return ()
        positions = _shard_range(shard, key, first, end)
        return [element & _LOW for element in shard[positions.start : positions.stop]]

    def contains(self, term: str, first: int, end: int) -> bool:
        """Whether a term occurs in the units from `first` to before `end`."""
        key, start = term_key(term) & self._keys, first << COUNT_BITS
        common: PackedEntries | Sequence[int] | None = self._common.get(key)
        low = 0
        if isinstance(common, PackedEntries):
            return common.contains(first, end)
        if common is None:
            common, low = self._rare[key >> 32], (key & _LOW) << 32
        if common is None:
            return False
        at = bisect_left(common, low + start)
        return at < len(common) and common[at] < low + (end << COUNT_BITS)

    def in_ranges(self, term: str, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """Return a term's entries in several ranges of units, which are sorted and disjoint."""
        common = self._common.get(term_key(term) & self._keys)
        if isinstance(common, PackedEntries):
            return common.in_ranges(ranges)
        entries, end = common if common is not None else self.entries(term), 0
        matches: list[int] = []
        for first, after in ranges:
            start = bisect_left(entries, first << COUNT_BITS, end)
            end = bisect_left(entries, after << COUNT_BITS, start)
            matches.extend(entries[start:end])
        return matches

    def count_in_ranges(self, term: str, ranges: Iterable[tuple[int, int]]) -> int:
        """Return the number of a term's entries in several ranges of units, which are sorted and disjoint."""
        common = self._common.get(term_key(term) & self._keys)
        if isinstance(common, PackedEntries):
            return common.count_in_ranges(ranges)
        entries, end, count = common if common is not None else self.entries(term), 0, 0
        for first, after in ranges:
            start = bisect_left(entries, first << COUNT_BITS, end)
            end = bisect_left(entries, after << COUNT_BITS, start)
            count += end - start
        return count

    def dump(self) -> Iterator[BinarySection]:
        """Yield sections from which `load` restores the terms."""
        shards = [shard if shard is not None else _NO_ENTRIES for shard in self._rare]
        sizes = array("I", map(len, shards))
        yield of_bytes(sizes.tobytes())
        yield sum(sizes) * 8, (b"".join(shards[at : at + _STEP_SHARDS]) for at in range(0, len(shards), _STEP_SHARDS))
        plain = {key: entries for key, entries in self._common.items() if not isinstance(entries, PackedEntries)}
        yield of_bytes(array("Q", plain).tobytes())
        yield of_bytes(array("I", map(len, plain.values())).tobytes())
        yield of_bytes(b"".join(plain.values()))
        packed = {key: entries.arrays() for key, entries in self._common.items() if isinstance(entries, PackedEntries)}
        yield of_bytes(array("Q", packed).tobytes())
        for arrays in zip(*packed.values(), strict=True) if packed else ((), (), ()):
            yield of_bytes(array("I", map(len, arrays)).tobytes())
            yield of_bytes(b"".join(arrays))

    def load(self, reader: SectionReader) -> None:
        """Restore the terms of a dump. Raise ValueError if it is another one."""
        shards = reader.lazy_arrays("Q", reader.numbers("I"))
        if len(shards) != len(self._rare):
            raise ValueError("another number of shards")
        self._rare = shards
        keys = reader.numbers("Q")
        self._common = dict(zip(keys, reader.arrays("I", reader.numbers("I")), strict=True))
        keys = reader.numbers("Q")
        parts = [reader.arrays(code, reader.numbers("I")) for code in ("H", "I", "I")]
        packed = (PackedEntries(()).restore(*arrays) for arrays in zip(*parts, strict=True))
        self._common.update(zip(keys, packed, strict=True))

    def _put(self, unit: int, term: str, count: int) -> None:
        """Set a term's count in any unit."""
        entry, common = unit << COUNT_BITS | count, self._common.get(term_key(term) & self._keys)
        if isinstance(common, PackedEntries):
            common.put(entry)
        elif common is not None:
            positions = _entry_range(common, unit, unit + 1)
            common[positions.start : positions.stop] = array("I", [entry])
        elif self._put_rare(term_key(term) & self._keys, unit, entry) and self._spellings is not None:
            self._spellings.add(term)

    def _put_rare(self, key: int, unit: int, entry: int) -> bool:
        """Set an entry of a rare term; return whether it is the term's first."""
        shard = self._rare[key >> 32]
        if shard is None:
            shard = self._rare[key >> 32] = array("Q")
        low = (key & _LOW) << 32
        start = bisect_left(shard, low)
        at = bisect_left(shard, low | unit << COUNT_BITS, start)
        end = bisect_left(shard, low + (1 << 32), at)
        if at < end and unit_of(shard[at] & _LOW) == unit:
            shard[at] = low | entry
        elif end - start < MAX_RARE:
            shard.insert(at, low | entry)
        else:
            before, after = ([element & _LOW for element in part] for part in (shard[start:at], shard[at:end]))
            self._common[key] = array("I", [*before, entry, *after])
            del shard[start:end]
        return start == end

    def _add_rare(self, key: int, entry: int) -> bool:
        """Append an entry to a rare term; return whether it is the term's first."""
        shard = self._rare[key >> 32]
        if shard is None:
            shard = self._rare[key >> 32] = array("Q")
        low = key & _LOW
        end = bisect_left(shard, (low + 1) << 32)
        if end < MAX_RARE or shard[end - MAX_RARE] >> 32 != low:
            shard.insert(end, low << 32 | entry)
            return end == 0 or shard[end - 1] >> 32 != low
        self._common[key] = array("I", [*(element & _LOW for element in shard[end - MAX_RARE : end]), entry])
        del shard[end - MAX_RARE : end]
        return False

    def _add_rare_entries(self, key: int, entries: Sequence[int]) -> None:
        """Append entries to a term that is not common so far."""
        shard = self._rare[key >> 32]
        if shard is None:
            shard = self._rare[key >> 32] = array("Q")
        low = key & _LOW
        end = bisect_left(shard, (low + 1) << 32)
        start = bisect_left(shard, low << 32, 0, end)
        if end - start + len(entries) <= MAX_RARE:
            shard[end:end] = array("Q", [low << 32 | entry for entry in entries])
            return
        joined = array("I", [*(element & _LOW for element in shard[start:end]), *entries])
        self._common[key] = PackedEntries(joined) if len(joined) > PACKED_FROM else joined
        del shard[start:end]

    def _remove_from_all(self, first: int, end: int) -> None:
        for key, common in list(self._common.items()):
            self._remove_range(key, common, first, end)
        start, to = first << COUNT_BITS, end << COUNT_BITS
        for shard in self._rare:
            if shard is not None:
                removed = [at for at, element in enumerate(shard) if start <= element & _LOW < to]
                for at in reversed(removed):
                    del shard[at]
        if self._spellings is not None:
            for term in [term for term in self._spellings if term not in self]:
                self._spellings.discard(term)

    def _remove_range(self, key: int, common: "array[int] | PackedEntries", first: int, end: int) -> None:
        if isinstance(common, PackedEntries):
            common.remove(first, end)
        else:
            positions = _entry_range(common, first, end)
            del common[positions.start : positions.stop]
        if not common:
            del self._common[key]


def unit_of(entry: int) -> int:
    """Return the unit of an entry."""
    return entry >> COUNT_BITS


def count_of(entry: int) -> int:
    """Return how often the term occurs in an entry's unit."""
    return entry & MAX_COUNT


def _entry_range(entries: Sequence[int], first: int, end: int) -> range:
    start = bisect_left(entries, first << COUNT_BITS)
    return range(start, bisect_left(entries, end << COUNT_BITS, start))


def _shard_range(shard: Sequence[int], key: int, first: int, end: int) -> range:
    """Return the positions of a key's entries for some units in a shard."""
    low = (key & _LOW) << 32
    start = bisect_left(shard, low + (first << COUNT_BITS))
    return range(start, bisect_left(shard, low + (end << COUNT_BITS), start))
