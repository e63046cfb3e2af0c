"""A score is the sum of its weighted parts; shares add up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search import changes_with_work, text_match
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
    combine_rankings,
    drop_unlikely,
    feature_parts,
    recency,
    related_parts,
    rounded_top,
    score_of,
    seed_shares,
)
from tests.codebase.search.corpus import ask, commit, history_of, index_of, paths_of

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
def test_score_is_the_weighted_sum_of_features(values: dict[str, float]) -> None:
    parts = feature_parts(values)
    weights = {**TRAINED_WEIGHTS, **MANUAL_WEIGHTS}
    assert parts.keys() == {name for name, value in values.items() if value}
    weighed = sum(weights[name] * value for name, value in values.items())
    assert score_of(parts.values()) == pytest.approx(weighed, abs=0.01)


def test_parts_add_up_to_the_score() -> None:
    history = history_of(commit(2, "Price the pelican", "shop/price.py", "shop/cart.py"))
    results = ask(
        index_of(TEXTS), "fix(shop): Cart.total of the pelican in price.py", changed=["shop/cart.py"],
        mentioned=["readme.md"], touched=["shop/price.py"], history=history, imports={"shop/price.py": ["cart"]},
    )  # fmt: skip
    named = {**TRAINED_WEIGHTS, **RELATED_TO_BEST_WEIGHTS, **RELATED_TO_TOUCHED_WEIGHTS, **MANUAL_WEIGHTS}.keys()
    assert len(results) == len(TEXTS)
    for file in results:
        assert file.score == pytest.approx(sum(file.parts.values()), abs=1e-3)
        assert file.parts.keys() <= named
        assert {kind for kind, _ in file.related} == file.parts.keys() & {
            *RELATED_TO_BEST_WEIGHTS,
            *RELATED_TO_TOUCHED_WEIGHTS,
        }
    assert [file.score for file in results] == sorted((file.score for file in results), reverse=True)


def test_weight_tables_share_no_name() -> None:
    kinds = (TRAINED_WEIGHTS, RELATED_TO_BEST_WEIGHTS, RELATED_TO_TOUCHED_WEIGHTS, MANUAL_WEIGHTS)
    assert len({name for weights in kinds for name in weights}) == sum(map(len, kinds))
    assert related_parts({"changedTogether": 1.0, "testPairTouched": 0.0}).keys() == {"changedTogether"}


def test_mentioned_file_outweighs_every_other_feature() -> None:
    everything = score_of(feature_parts(dict.fromkeys(TRAINED_WEIGHTS, 1.0)).values())
    assert MANUAL_WEIGHTS["mentioned"] > everything
    assert MANUAL_WEIGHTS["mentioned"] > MANUAL_WEIGHTS["namedPath"]


@given(st.lists(_SCORES, min_size=1, max_size=8))
def test_seed_shares_add_up_to_one(scores: list[float]) -> None:
    ordered = sorted(scores, reverse=True)
    shares = seed_shares(ordered)
    assert sum(shares) == pytest.approx(1.0)
    assert shares == sorted(shares, reverse=True)


def test_seeds_of_equal_score_have_equal_shares() -> None:
    assert seed_shares([3.0, 3.0]) == [0.5, 0.5]
    assert seed_shares([3.0]) == [1.0]
    assert seed_shares([]) == []


def test_rank_shares_depend_on_the_rank_only() -> None:
    assert by_rank({"b": 5.0, "a": 5.0, "c": 900.0}) == {"c": 1.0, "a": RANK_HALF / 11, "b": RANK_HALF / 12}
    assert by_rank({str(number): -number for number in range(11)})["10"] == 0.5
    assert by_rank({}) == {}


def test_recency_falls_from_one_to_zero() -> None:
    assert [recency(age, 3.0) for age in (0, 3, None)] == [1.0, 0.5, 0.0]
    assert recency(1, 300.0) > recency(1, 3.0)


def test_text_match_counts_text_and_passage_only() -> None:
    best = feature_parts({"text": 1.0, "passage": 1.0, "path": 1.0, "mentioned": 1.0})
    assert text_match(_ranked(best)) == pytest.approx(1.0, abs=1e-3)
    assert 0 < text_match(_ranked(feature_parts({"text": 0.5}))) < 0.5
    assert text_match(_ranked(feature_parts({"path": 1.0, "nearestCommits": 1.0}))) == 0.0


def test_best_matching_file_has_a_text_match_of_one() -> None:
    results = ask(index_of(TEXTS), "walrus pelican")
    assert max(map(text_match, results)) == pytest.approx(1.0, abs=1e-3)
    assert all(0 <= text_match(file) <= 1.001 for file in results)


def test_file_belongs_to_the_work_if_it_nearly_always_changed_with_it() -> None:
    assert changes_with_work(_ranked({"changedWithTouched": 2.2}))
    assert not changes_with_work(_ranked({"changedWithTouched": 1.0}))
    assert not changes_with_work(_ranked({"text": 1.79}, "pelican"))


def test_unlikely_files_are_dropped_unless_among_the_best_or_mentioned() -> None:
    results = [RankedFile(f"{number}.py", 9.0, {"text": 9.0}, (), ()) for number in range(ALWAYS_INCLUDED)]
    near = RankedFile("near.py", 9.0 - MAX_ODDS_GAP, {"text": 9.0 - MAX_ODDS_GAP}, (), ())
    far = RankedFile("far.py", 8.9 - MAX_ODDS_GAP, {"text": 8.9 - MAX_ODDS_GAP}, (), ())
    assert drop_unlikely([*results, near, far]) == [*results, near]
    assert drop_unlikely([*results[1:], far]) == [*results[1:], far]


def test_mentioned_file_does_not_lower_the_odds_of_others() -> None:
    named = feature_parts({"namedPath": 1.0})
    pointed = [
        RankedFile(f"{number}.py", score_of(named.values()), named, (), ()) for number in range(ALWAYS_INCLUDED + 1)
    ]
    other = RankedFile("other.py", 2.0, {"text": 2.0}, ("pelican",), ())
    assert drop_unlikely([*pointed, other]) == [*pointed, other]
    assert drop_unlikely([]) == []


@given(st.dictionaries(st.text("ab", max_size=3), st.sampled_from([0.5, 0.50004, 0.50006, -0.00001, 1.0, 2.5])))
def test_best_first_equals_a_full_sort(scores: dict[str, float]) -> None:
    for limit in (1, 3, len(scores) + 1):
        assert best_first(scores, limit) == sorted(scores, key=lambda path: (-scores[path], path))[:limit]
        ordered = sorted(scores, key=lambda path: (-round(scores[path], DIGITS), path))[:limit]
        assert rounded_top(scores, limit) == {path: round(scores[path], DIGITS) for path in ordered}
        assert list(rounded_top(scores, limit)) == ordered


def test_the_rankings_of_a_long_prompt_ignore_length_and_sum_their_parts() -> None:
    whole = [RankedFile("long.py", 3.0, {"text": 1.0, "length": 2.0}, (), ()), RankedFile("a.py", 1.0, {}, (), ())]
    title = [RankedFile("named.py", 2.0, {"names": 2.0}, (), ()), RankedFile("a.py", 0.0, {}, (), ())]
    combined = combine_rankings([whole, title], 3)
    assert [file.path for file in combined] == ["named.py", "long.py", "a.py"]
    assert "length" not in combined[1].parts
    for file in combined:
        assert math.isclose(file.score, sum(file.parts.values()), abs_tol=0.001)


def test_a_long_text_that_mentions_a_document_and_tests_is_about_the_code_it_describes() -> None:
    described = RankedFile("src/cart.py", 4.5, {"text": 1.5, "passage": 1.5, "names": 1.5}, (), ())
    mentioned = RankedFile("CONTRIBUTORS.txt", 15.0, {"namedPath": 14.0, "text": 5.0, "document": -4.0}, (), ())
    tested = RankedFile("tests/test_cart.py", 5.0, {**described.parts, "test": -0.45, "testRequested": 1.16}, (), ())
    title = [tested, described]
    combined = combine_rankings([[mentioned, *title], title, [mentioned, *title]], 3)
    assert [file.path for file in combined] == ["src/cart.py", "tests/test_cart.py", "CONTRIBUTORS.txt"]
    assert combine_rankings([[mentioned, *title]] * 3, 3)[1].path == "CONTRIBUTORS.txt"
    source = mentioned._replace(path="src/till.py", parts={"namedPath": 14.0, "text": 1.0})
    assert combine_rankings([[source, *title], title, [source, *title]], 1)[0].path == "src/till.py"


def test_data_named_by_the_prompt_comes_before_code_that_only_has_the_words() -> None:
    texts = {f"src/part{number}.py": "walrus" for number in range(8)}
    texts |= {"deploy/compose.yaml": "pelican", "deploy/labels.yaml": "pelican", "src/cart.py": "# compose, pelican\n"}
    results = {file.path: file.parts for file in ask(index_of(texts), "compose the pelican")}
    assert results["deploy/compose.yaml"]["dataNamed"] == MANUAL_WEIGHTS["dataNamed"]
    assert "dataNamed" not in results["deploy/labels.yaml"]
    assert "dataNamed" not in results["src/cart.py"]


def test_words_about_a_screen_lead_to_what_is_seen_on_it() -> None:
    paths = ("app/services/Receipt.php", "resources/Receipt.vue", "resources/Receipt.spec.vue", "ui/ReceiptView.swift")
    documents = index_of(dict.fromkeys(paths, "pelican receipt overflow"))
    weight = MANUAL_WEIGHTS["view"]
    shown = {file.path: file.parts.get("view", 0.0) for file in ask(documents, "receipt lines overflow on mobile")}
    assert shown == dict(zip(paths, (0.0, weight, 0.0, weight), strict=True))
    assert {file.parts.get("view") for file in ask(documents, "receipt lines overflow")} == {None, weight / 2}
    assert not any("view" in file.parts for file in ask(documents, "sum the receipt"))


@pytest.mark.parametrize("prompt", ["why is the muted text of the table so pale", "the hover of muted", "css of muted"])
def test_a_stylesheet_counts_less_unless_the_prompt_may_be_about_looks(prompt: str) -> None:
    documents = index_of({"static/till.css": "muted " * 9, "src/till.py": "muted"})
    assert [file.path for file in ask(documents, "add a field muted")] == ["src/till.py", "static/till.css"]
    assert not any(file.parts.get("view", 0.0) < 0 for file in ask(documents, prompt))
    assert ask(documents, "why is muted in static/till.css")[0].path == "static/till.css"


def test_documents_count_as_much_as_code_where_there_is_little_code() -> None:
    manifests = {f"apps/{name}/release.yaml": "pelican" for name in ("cart", "stock", "price", "label")}
    penalty = MANUAL_WEIGHTS["document"]
    results = ask(index_of(manifests | {"src/cart.py": "pelican", "src/stock.py": "pelican"}), "pelican")
    assert {file.parts["document"] for file in results if file.path in manifests} == {penalty}
    assert not any("document" in file.parts for file in ask(index_of(manifests), "pelican"))


def test_a_file_without_the_words_is_found_only_behind_a_match_and_by_what_relates_them() -> None:
    locales = ("locales/en.json", "locales/es.json", "locales/fr.json")
    texts = dict.fromkeys(locales, '{"hello": "pelican"}') | {"locales/es.json": '{"hello": "hola"}'}
    texts |= {f"src/part{number}.py": "walrus\n" * 90 for number in range(6)} | {"src/editor.py": "walrus"}
    texts["src/cart.py"] = "zebra"
    changes = [commit(number, "Translate", *locales, *(["src/part0.py"] * (number % 2))) for number in range(30)]
    together = [commit(number, "Edit", "src/cart.py", "src/editor.py") for number in range(30, 34)]
    index, history = index_of(texts), history_of(*reversed([*changes, *together]))
    assert paths_of(ask(index, "hola", history=history)) == ["locales/es.json"]
    found = ask(index, "zebra", history=history)
    assert paths_of(found) == ["src/cart.py", "src/editor.py"]
    assert found[1].matched == ()
    assert paths_of(ask(index, "hola", touched=["src/cart.py"], history=history))[0] == "src/editor.py"


def test_file_whose_whole_name_the_prompt_has_comes_first() -> None:
    texts = {f"till/{name}.py": "pelican" for name in ("owner", "owner_form", "owner_list_view")}
    results = {file.path: file.parts for file in ask(index_of(texts), "email of the owner")}
    assert results["till/owner.py"]["fileName"] == MANUAL_WEIGHTS["fileName"]
    assert results["till/owner.py"]["fileName"] > results["till/owner_form.py"]["fileName"]
    assert "fileName" not in ask(index_of({"till/index.py": "pelican"}), "index of a pelican")[0].parts


def test_a_name_of_several_words_is_wholly_in_a_prompt_that_has_each_of_them() -> None:
    names = ("tag_cloud", "TagCloud", "tag-cloud", "tag_form")
    results = {
        file.path: file.parts for file in ask(index_of({f"{name}.py": "pelican" for name in names}), "tag cloud")
    }
    gains = {path: parts.get("fileName", 0.0) for path, parts in results.items()}
    assert gains == {f"{name}.py": MANUAL_WEIGHTS["fileName"] for name in names[:3]} | {"tag_form.py": 0.25}
