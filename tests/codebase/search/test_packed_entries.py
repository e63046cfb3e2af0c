"""Packed entries are read back unchanged, for any units and counts."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search import COUNT_BITS, MAX_COUNT, PackedEntries

_UNITS = st.one_of(st.integers(0, 40), st.integers(8_180, 8_200), st.integers(60_000, 70_000), st.just(400_000))
_COUNTS = st.one_of(st.integers(1, 9), st.integers(1, MAX_COUNT))
_HELD = st.dictionaries(_UNITS, _COUNTS, max_size=60)
_RANGES = st.tuples(_UNITS, _UNITS).map(lambda pair: (min(pair), max(pair) + 1))


@given(held=_HELD, ranges=st.lists(_RANGES, max_size=6))
def test_entries_of_a_range_of_units(held: dict[int, int], ranges: list[tuple[int, int]]) -> None:
    packed = PackedEntries(_entries(held))
    assert list(packed) == _entries(held)
    assert len(packed) == len(held)
    for first, end in ranges:
        inside = _entries({unit: count for unit, count in held.items() if first <= unit < end})
        assert packed.in_range(first, end) == inside
        assert packed.contains(first, end) == bool(inside)


@given(held=_HELD, changes=st.lists(st.tuples(_RANGES, _COUNTS, st.booleans()), max_size=12), last=_COUNTS)
def test_put_and_remove_match_a_dict(
    held: dict[int, int], changes: list[tuple[tuple[int, int], int, bool]], last: int
) -> None:
    packed = PackedEntries(_entries(held))
    for (first, end), count, is_put in changes:
        if is_put:
            packed.put(first << COUNT_BITS | count)
            held = {**held, first: count}
        else:
            packed.remove(first, end)
            held = {unit: count for unit, count in held.items() if not first <= unit < end}
        assert list(packed) == _entries(held)
        assert all(packed.in_range(unit, unit + 1) == _entries({unit: count}) for unit, count in held.items())
    after = max(held, default=-1) + 1
    packed.append(after << COUNT_BITS | last)
    assert list(packed) == _entries({**held, after: last})


def test_ten_thousand_entries_take_two_bytes_each() -> None:
    packed = PackedEntries([unit << COUNT_BITS | 1 + unit % 5 for unit in range(0, 50_000, 5)])
    sizes = [len(getattr(packed, part)) * getattr(packed, part).itemsize for part in PackedEntries.__slots__]
    assert sum(sizes) < 2.1 * len(packed)


def _entries(held: dict[int, int]) -> list[int]:
    return sorted(unit << COUNT_BITS | count for unit, count in held.items())
