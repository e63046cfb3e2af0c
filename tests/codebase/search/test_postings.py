"""Postings contain exactly what was added and not removed, in any order of operations."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search import postings as module
from sidecar.codebase.search.misspelled_words import Spellings
from sidecar.codebase.search.postings import MAX_COUNT, MAX_RARE, MAX_UNITS, Postings, count_of, unit_of

TERMS = ("pelican", "walrus", "otter", "heron")
Model = dict[int, dict[str, int]]

_SOME = st.lists(st.dictionaries(st.sampled_from(TERMS), st.integers(1, 300)), max_size=12)
_UNITS = st.builds(lambda units, times: units * times, _SOME, st.integers(1, 7))
"""Few enough for terms that are rare, and enough for some that are not."""

_RANGES = st.lists(st.tuples(st.integers(0, 84), st.integers(0, 40)), max_size=8)


@pytest.fixture(autouse=True, scope="module", params=[module.PACKED_FROM, MAX_RARE + 4])
def packed_from(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the properties with several thresholds for packing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "PACKED_FROM", request.param)
        yield


@given(units=_UNITS, removed=_RANGES, more=_UNITS, passes_terms=st.booleans())
def test_postings_match_a_dict(
    units: list[dict[str, int]], removed: list[tuple[int, int]], more: list[dict[str, int]], passes_terms: bool
) -> None:
    postings, model = Postings(), Model()
    for counts in units:
        _add(postings, model, counts)
    for first, length in removed:
        _remove(postings, model, first, first + length, passes_terms)
        _agree(postings, model)
    for number, counts in enumerate(more, 100):
        postings.add(number, counts)
        model[number] = counts
    _agree(postings, model)


@given(units=_UNITS, first=st.integers(0, 84), length=st.integers(0, 84))
def test_removal_with_and_without_terms_is_equal(units: list[dict[str, int]], first: int, length: int) -> None:
    with_terms, without_terms = Postings(), Postings()
    for number, counts in enumerate(units):
        with_terms.add(number, counts)
        without_terms.add(number, counts)
    with_terms.remove(first, first + length, {term for counts in units[first : first + length] for term in counts})
    without_terms.remove(first, first + length)
    assert {term: list(with_terms.entries(term)) for term in TERMS} == {
        term: list(without_terms.entries(term)) for term in TERMS
    }


@given(
    units=_UNITS,
    changes=st.lists(st.tuples(st.integers(0, 83), st.dictionaries(st.sampled_from(TERMS), st.integers(1, 300)))),
)
def test_changed_unit_has_its_new_counts(
    units: list[dict[str, int]], changes: list[tuple[int, dict[str, int]]]
) -> None:
    spellings = Spellings()
    postings, model = Postings(spellings=spellings), Model()
    for counts in units:
        _add(postings, model, counts)
    for unit, counts in changes:
        if unit in model:
            postings.change(unit, model[unit], counts)
            model[unit] = counts
            _agree(postings, model)
    assert set(spellings) == {term for counts in model.values() for term in counts}


def test_term_without_units_is_removed() -> None:
    postings = Postings()
    postings.add(0, {"pelican": 1, "walrus": 2})
    postings.add(1, {"pelican": 1})
    postings.remove(0, 1)
    assert list(postings.entries("walrus")) == []
    assert [unit_of(entry) for entry in postings.entries("pelican")] == [1]
    postings.remove(1, 2, ["pelican"])
    assert list(postings.entries("pelican")) == []


def test_common_term_can_become_rare_again() -> None:
    postings = Postings()
    for unit in range(MAX_RARE * 2):
        postings.add(unit, {"pelican": 1})
    postings.remove(0, MAX_RARE * 2 - 1, ["pelican"])
    assert [unit_of(entry) for entry in postings.entries("pelican")] == [MAX_RARE * 2 - 1]
    postings.remove(0, MAX_RARE * 2)
    postings.add(MAX_RARE * 2, {"pelican": 3})
    assert [(unit_of(entry), count_of(entry)) for entry in postings.entries("pelican")] == [(MAX_RARE * 2, 3)]


def test_thousands_of_rare_terms_stay_distinct() -> None:
    postings = Postings()
    for unit in range(300):
        postings.add(unit, {f"{term}{number}": 1 for term in TERMS for number in range(unit, unit + 20)})
    for term in TERMS:
        for number in range(320):
            units = [unit_of(entry) for entry in postings.entries(f"{term}{number}")]
            assert units == [unit for unit in range(300) if unit <= number < unit + 20]


def test_removing_absent_terms_is_harmless() -> None:
    postings = Postings()
    postings.add(3, {"pelican": 1})
    postings.remove(3, 4, ["walrus"])
    postings.remove(0, 3, ["pelican"])
    assert [unit_of(entry) for entry in postings.entries("pelican")] == [3]


def test_large_count_does_not_overflow_into_the_unit() -> None:
    postings = Postings()
    postings.add(7, {"pelican": 100_000})
    (entry,) = postings.entries("pelican")
    assert (unit_of(entry), count_of(entry)) == (7, MAX_COUNT)


def test_unit_beyond_the_last_is_refused() -> None:
    postings = Postings()
    postings.add(0, {"pelican": 1})
    postings.add(MAX_UNITS - 1, {"pelican": MAX_COUNT})
    assert [unit_of(entry) for entry in postings.entries("pelican")] == [0, MAX_UNITS - 1]
    with pytest.raises(OverflowError):
        postings.add(MAX_UNITS, {"pelican": 1})


def _add(postings: Postings, model: Model, counts: dict[str, int]) -> None:
    model[len(model)] = counts
    postings.add(len(model) - 1, counts)


def _remove(postings: Postings, model: Model, first: int, end: int, passes_terms: bool) -> None:
    held = {term for unit in range(first, end) for term in model.get(unit, ())}
    postings.remove(first, end, held if passes_terms else None)
    for unit in range(first, end):
        if unit in model:
            model[unit] = {}


def _agree(postings: Postings, model: Model) -> None:
    expected = {
        term: [(unit, min(MAX_COUNT, counts[term])) for unit, counts in sorted(model.items()) if term in counts]
        for term in TERMS
    }
    for term, entries in expected.items():
        assert [(unit_of(entry), count_of(entry)) for entry in postings.entries(term)] == entries
        for first in range(0, 90, 3):
            within = [(unit_of(entry), count_of(entry)) for entry in postings.in_range(term, first, first + 3)]
            assert within == [entry for entry in entries if first <= entry[0] < first + 3]
            assert postings.contains(term, first, first + 3) == bool(within)
        ranges = [(first, first + 2) for first in range(0, 90, 5)]
        assert [unit_of(entry) for entry in postings.in_ranges(term, ranges)] == [
            unit for unit, _ in entries if any(first <= unit < end for first, end in ranges)
        ]
