"""Ranking looks no further than it must, and gives what looking at everything would give."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.ranking import (
    COMMON_FILES,
    Candidate,
    Corpus,
    Posting,
    Signals,
    Traits,
    is_document,
    is_test,
    rank,
    text_scores,
    weights_of,
)

_TRAITS = st.builds(Traits, st.booleans(), st.booleans(), st.booleans())
_TEXTS = st.sampled_from((0.0, 0.5, 1.0, 2.0, 2.0, 7.25))
_PATHS = st.sampled_from([f"{letter}{number}" for letter in "abcd" for number in range(9)])


@given(
    found=st.dictionaries(_PATHS, st.tuples(_TEXTS, _TRAITS), max_size=30),
    raised=st.tuples(st.sets(_PATHS, max_size=3), st.sets(_PATHS, max_size=3), st.sets(_PATHS, max_size=3)),
    wants=st.tuples(st.booleans(), st.booleans()),
    limit=st.integers(1, 12),
)
def test_stopping_early_changes_no_answer(
    found: dict[str, tuple[float, Traits]],
    raised: tuple[set[str], set[str], set[str]],
    wants: tuple[bool, bool],
    limit: int,
) -> None:
    signals = Signals(*raised, *wants)
    candidates = [Candidate(path, text, traits) for path, (text, traits) in found.items()]
    special = [one for one in candidates if any(one.path in paths for paths in raised)]
    plain = sorted((one for one in candidates if one not in special), key=lambda one: -one.text)
    assert rank(special, plain, signals, limit) == rank(candidates, [], signals, limit)


def test_the_end_of_a_long_list_is_never_looked_at() -> None:
    looked_at: list[int] = []

    def endless() -> Iterator[Candidate]:
        for number in range(1_000_000):
            looked_at.append(number)
            yield Candidate(f"{number:07}", 1.0 / (number + 1), Traits(generated=False, test=False, document=False))

    signals = Signals(frozenset(), frozenset(), frozenset(), wants_tests=False, wants_docs=False)
    assert len(rank([], endless(), signals, 3)) == 3
    assert len(looked_at) == 4


def test_a_term_in_most_files_finds_none_that_a_rarer_one_does_not_find() -> None:
    count = COMMON_FILES * 2
    everywhere = Posting([number << 8 | 1 for number in range(count)], count)
    rare = Posting([7 << 8 | 1], 1)
    corpus = Corpus(count, 10.0, [10] * count)
    both = {"everywhere": everywhere, "rare": rare}
    assert list(weights_of(both, count)) == ["rare", "everywhere"]
    assert set(text_scores(both, weights_of(both, count), corpus)) == {7}
    alone = {"everywhere": everywhere}
    assert len(text_scores(alone, weights_of(alone, count), corpus)) == count


def test_tests_and_documents_are_known_by_their_paths() -> None:
    assert all(map(is_test, ("tests/a.py", "src/test_a.py", "a.test.ts", "a_test.go", "e2e/x.ts", "spec/a.rb")))
    assert not any(map(is_test, ("src/latest.py", "contest/a.py", "attest.go")))
    assert is_document("README.md")
    assert not is_document("src/readme.py")
