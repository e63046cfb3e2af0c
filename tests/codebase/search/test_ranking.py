"""A score is the sum of its parts; the parts are what is known, weighed; shares stay shares."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search import is_low_relevance, text_match
from sidecar.codebase.search.ranking import (
    ALWAYS_INCLUDED,
    DIGITS,
    MANUAL_WEIGHTS,
    MAX_ODDS_GAP,
    RANK_HALF,
    RELATED_TO_BEST_WEIGHTS,
    RELATED_TO_TOUCHED_WEIGHTS,
    TRAINED_WEIGHTS,
    RankedFile,
    best_first,
    by_rank,
    drop_unlikely,
    feature_parts,
    recency,
    related_parts,
    rounded_top,
    score_of,
    seed_shares,
)
from tests.codebase.search.corpus import ask, commit, history_of, index_of

_SCORES = st.floats(-50, 50)
_OWN = st.dictionaries(st.sampled_from([*TRAINED_WEIGHTS, *MANUAL_WEIGHTS]), st.just(0.0) | st.floats(0.01, 1))

TEXTS = {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return pelican\n",
    "shop/test_cart.py": "from cart import Cart\n",
    "shop/price.py": "pelican walrus\n",
    "readme.md": "# Cart\n",
    "package-lock.json": "cart",
}


def _ranked(parts: dict[str, float], *matched: str) -> RankedFile:
    return RankedFile("a.py", score_of(parts.values()), parts, matched, ())


@given(_OWN)
def test_a_score_is_the_sum_of_what_is_known_weighed(values: dict[str, float]) -> None:
    parts = feature_parts(values)
    weights = {**TRAINED_WEIGHTS, **MANUAL_WEIGHTS}
    assert parts.keys() == {name for name, value in values.items() if value}
    weighed = sum(weights[name] * value for name, value in values.items())
    assert score_of(parts.values()) == pytest.approx(weighed, abs=0.01)


def test_the_parts_of_every_found_file_add_up_to_its_score() -> None:
    history = history_of(commit(2, "Price the pelican", "shop/price.py", "shop/cart.py"))
    found = ask(
        index_of(TEXTS), "fix(shop): Cart.total of the pelican in price.py", changed=["shop/cart.py"],
        mentioned=["readme.md"], touched=["shop/price.py"], history=history, imports={"shop/price.py": ["cart"]},
    )  # fmt: skip
    named = {**TRAINED_WEIGHTS, **RELATED_TO_BEST_WEIGHTS, **RELATED_TO_TOUCHED_WEIGHTS, **MANUAL_WEIGHTS}.keys()
    assert len(found) == len(TEXTS)
    for one in found:
        assert one.score == pytest.approx(sum(one.parts.values()), abs=1e-3)
        assert one.parts.keys() <= named
        assert {kind for kind, _ in one.related} == one.parts.keys() & {
            *RELATED_TO_BEST_WEIGHTS,
            *RELATED_TO_TOUCHED_WEIGHTS,
        }
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_weights_of_different_kinds_share_no_name() -> None:
    kinds = (TRAINED_WEIGHTS, RELATED_TO_BEST_WEIGHTS, RELATED_TO_TOUCHED_WEIGHTS, MANUAL_WEIGHTS)
    assert len({name for weights in kinds for name in weights}) == sum(map(len, kinds))
    assert related_parts({"changedTogether": 1.0, "testPairTouched": 0.0}).keys() == {"changedTogether"}


def test_what_the_user_points_at_outweighs_all_that_is_known_of_another() -> None:
    everything = score_of(feature_parts(dict.fromkeys(TRAINED_WEIGHTS, 1.0)).values())
    assert MANUAL_WEIGHTS["mentioned"] > everything
    assert MANUAL_WEIGHTS["mentioned"] > MANUAL_WEIGHTS["namedPath"]


@given(st.lists(_SCORES, min_size=1, max_size=8))
def test_the_shares_of_seeds_add_up_to_the_whole(scores: list[float]) -> None:
    ordered = sorted(scores, reverse=True)
    shares = seed_shares(ordered)
    assert sum(shares) == pytest.approx(1.0)
    assert shares == sorted(shares, reverse=True)


def test_seeds_of_one_score_share_alike() -> None:
    assert seed_shares([3.0, 3.0]) == [0.5, 0.5]
    assert seed_shares([3.0]) == [1.0]
    assert seed_shares([]) == []


def test_shares_by_rank_fall_with_the_rank_whatever_the_distance() -> None:
    assert by_rank({"b": 5.0, "a": 5.0, "c": 900.0}) == {"c": 1.0, "a": RANK_HALF / 11, "b": RANK_HALF / 12}
    assert by_rank({str(number): -number for number in range(11)})["10"] == 0.5
    assert by_rank({}) == {}


def test_recency_falls_from_the_whole_to_nothing() -> None:
    assert [recency(age, 3.0) for age in (0, 3, None)] == [1.0, 0.5, 0.0]
    assert recency(1, 300.0) > recency(1, 3.0)


def test_the_share_of_words_counts_text_and_passage_only() -> None:
    best = feature_parts({"text": 1.0, "passage": 1.0, "path": 1.0, "mentioned": 1.0})
    assert text_match(_ranked(best)) == pytest.approx(1.0, abs=1e-3)
    assert 0 < text_match(_ranked(feature_parts({"text": 0.5}))) < 0.5
    assert text_match(_ranked(feature_parts({"path": 1.0, "nearestCommits": 1.0}))) == 0.0


def test_the_file_that_fits_the_words_best_has_the_whole_share() -> None:
    found = ask(index_of(TEXTS), "walrus pelican")
    assert max(map(text_match, found)) == pytest.approx(1.0, abs=1e-3)
    assert all(0 <= text_match(one) <= 1.001 for one in found)


@pytest.mark.parametrize(
    ("names", "matched", "faint"),
    [
        (("text", "passage"), ("pelican",), True),
        (("nearestCommits", "latest"), (), True),
        (("text", "passage"), ("pelican", "walrus"), False),
        (("namedPath",), (), False),
        (("mentioned",), (), False),
        (("identifiers",), ("pelican",), False),
    ],
)
def test_a_find_is_faint_when_hardly_a_word_speaks_for_it(
    names: tuple[str, ...], matched: tuple[str, ...], faint: bool
) -> None:
    assert is_low_relevance(_ranked(feature_parts(dict.fromkeys(names, 1.0)), *matched)) is faint


def test_what_is_beyond_long_odds_is_told_only_among_the_best_or_when_pointed_at() -> None:
    found = [RankedFile(f"{number}.py", 9.0, {"text": 9.0}, (), ()) for number in range(ALWAYS_INCLUDED)]
    near = RankedFile("near.py", 9.0 - MAX_ODDS_GAP, {"text": 9.0 - MAX_ODDS_GAP}, (), ())
    far = RankedFile("far.py", 8.9 - MAX_ODDS_GAP, {"text": 8.9 - MAX_ODDS_GAP}, (), ())
    assert drop_unlikely([*found, near, far]) == [*found, near]
    assert drop_unlikely([*found[1:], far]) == [*found[1:], far]


def test_a_file_that_is_pointed_at_makes_no_other_one_less_likely() -> None:
    named = feature_parts({"namedPath": 1.0})
    pointed = [
        RankedFile(f"{number}.py", score_of(named.values()), named, (), ()) for number in range(ALWAYS_INCLUDED + 1)
    ]
    other = RankedFile("other.py", 2.0, {"text": 2.0}, ("pelican",), ())
    assert drop_unlikely([*pointed, other]) == [*pointed, other]
    assert drop_unlikely([]) == []


@given(st.dictionaries(st.text("ab", max_size=3), st.sampled_from([0.5, 0.50004, 0.50006, -0.00001, 1.0, 2.5])))
def test_the_best_are_those_of_all_in_order(scores: dict[str, float]) -> None:
    for limit in (1, 3, len(scores) + 1):
        assert best_first(scores, limit) == sorted(scores, key=lambda path: (-scores[path], path))[:limit]
        told = sorted(scores, key=lambda path: (-round(scores[path], DIGITS), path))[:limit]
        assert rounded_top(scores, limit) == {path: round(scores[path], DIGITS) for path in told}
        assert list(rounded_top(scores, limit)) == told
