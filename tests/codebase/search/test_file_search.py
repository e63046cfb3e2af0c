"""Files related to the best ones, or to those the conversation touched, are found without a common word."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.codebase.search import ranking
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.query import SearchQuery
from sidecar.codebase.search.ranking import SEEDS
from tests.codebase.search.corpus import (
    NO_COMMITS,
    Memory,
    Texts,
    ask,
    commit,
    fill,
    history_of,
    index_of,
    listing,
    parts_of,
    paths_of,
)
from tests.support.depth import examples

OTHER = "walrus\n"


def test_file_that_changes_with_the_best_is_found() -> None:
    index = index_of({"cart.py": "pelican", "stock.py": OTHER, "zebra.py": OTHER})
    history = history_of(commit(2, "Feed", "cart.py", "stock.py"), commit(1, "Clean", "zebra.py"))
    results = ask(index, "pelican", history=history)
    assert paths_of(results) == ["cart.py", "stock.py"]
    assert "changedTogether" in results[1].parts
    assert results[1].related == (("changedTogether", "cart.py"),)
    assert results[1].matched == ()


def test_file_imported_by_the_best_is_found() -> None:
    index = index_of({"cart.py": "pelican", "stock.py": OTHER, "zebra.py": OTHER})
    results = ask(index, "pelican", imports={"cart.py": ["stock", "os"], "zebra.py": ["cart"]})
    assert paths_of(results) == ["cart.py", "stock.py"]
    assert results[1].related == (("imports", "cart.py"),)


@pytest.mark.parametrize(
    ("best", "pair"),
    [
        ("src/cart.py", "tests/test_cart.py"),
        ("tests/test_cart.py", "src/cart.py"),
        ("a/cart.ts", "b/cart.test.ts"),
        ("a/utils.test.ts", "a/utils.ts"),
    ],
)
def test_test_and_subject_find_each_other(best: str, pair: str) -> None:
    results = ask(index_of({best: "pelican", pair: OTHER, "src/zebra.py": OTHER}), "pelican")
    assert paths_of(results) == [best, pair]
    assert results[1].related == (("testPair", best),)


def test_file_of_the_same_name_elsewhere_counts_half() -> None:
    results = ask(index_of({"a/cart.py": "pelican", "b/cart.py": OTHER, "a/test_cart.py": OTHER}), "pelican")
    assert 0 < parts_of(results, "b/cart.py")["testPair"] < parts_of(results, "a/test_cart.py")["testPair"]


def test_common_names_are_not_pairs() -> None:
    others = dict.fromkeys(("a/index.css", "b/index.ts", "b/index.test.ts"), OTHER)
    assert paths_of(ask(index_of({"a/index.ts": "pelican", **others}), "pelican")) == ["a/index.ts"]


def test_files_related_to_touched_ones_are_found() -> None:
    index = index_of(
        {"x.py": "pelican", "src/cart.py": OTHER, "src/beside.py": OTHER, "test_cart.py": OTHER, "lib/stock.py": OTHER,
         "lib/price.py": OTHER, "zebra.py": OTHER}
    )  # fmt: skip
    history = history_of(commit(1, "Feed", "src/cart.py", "lib/price.py"))
    results = ask(index, "pelican", touched=["src/cart.py"], history=history)
    kinds = {
        file.path: [kind for kind, seed in file.related if seed == "src/cart.py" and "Touched" in kind]
        for file in results
    }
    assert kinds.pop("src/cart.py", []) == []
    assert kinds == {
        "x.py": [],
        "src/beside.py": ["folderTouched"],
        "test_cart.py": ["testPairTouched"],
        "lib/price.py": ["changedWithTouched"],
    }


def test_deleted_touched_file_is_ignored() -> None:
    index = index_of({"src/a.py": "pelican", "src/b.py": OTHER})
    assert paths_of(ask(index, "pelican", touched=["src/gone.py", "/etc/passwd", ""])) == ["src/a.py"]


def test_large_folder_relates_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of({f"src/{number}.py": OTHER for number in range(5)} | {"x.py": "pelican"})
    assert len(ask(index, "pelican", touched=["src/0.py"])) == 5
    monkeypatch.setattr(ranking, "MAX_CANDIDATES", 4)
    assert paths_of(ask(index, "pelican", touched=["src/0.py"])) == ["x.py"]


def test_related_names_the_closest_seed() -> None:
    texts = {"best.py": "pelican heron", "other.py": "pelican\n" + "x = 1\n" * 30, "stock.py": OTHER}
    results = ask(index_of(texts), "pelican heron", imports={"best.py": ["stock"], "other.py": ["stock"]})
    assert results[0].path == "best.py"
    assert next(file.related for file in results if file.path == "stock.py") == (("imports", "best.py"),)
    alone = ask(index_of(texts), "pelican heron", imports={"best.py": ["stock"]})
    assert parts_of(alone, "stock.py")["imports"] < parts_of(results, "stock.py")["imports"]


def test_tiny_relatedness_is_ignored() -> None:
    index = index_of({"best.py": "walrus", "other.py": "pelican", "stock.py": OTHER.replace("walrus", "heron")})
    results = ask(index, "pelican walrus", mentioned=["best.py"], imports={"other.py": ["stock"]})
    assert paths_of(results) == ["best.py", "other.py"]


def test_only_the_best_files_are_seeds() -> None:
    texts = {f"{number}.py": "pelican\n" + "x = 1\n" * number for number in range(SEEDS + 1)}
    index = index_of(texts | {"near.py": OTHER, "far.py": OTHER})
    results = paths_of(ask(index, "pelican", imports={"0.py": ["near"], f"{SEEDS}.py": ["far"]}))
    assert "near.py" in results
    assert "far.py" not in results


def test_imports_of_the_best_files_only_are_read() -> None:
    requested: list[str] = []

    def imports_of(paths: Sequence[str]) -> dict[str, Sequence[str]]:
        requested.extend(paths)
        return {}

    index = index_of({f"{number:02}.py": "pelican" for number in range(30)})
    query = SearchQuery("pelican", touched=frozenset(("29.py", "gone.py")))
    index.find(query, NO_COMMITS, imports_of, 5)
    assert requested == [*(f"{number:02}.py" for number in range(SEEDS))]


def test_deleted_files_are_not_found_by_history() -> None:
    history = history_of(commit(2, "Feed the pelican", "cart.py", "gone.py"), commit(1, "pelican", "gone_too.py"))
    results = ask(index_of({"cart.py": "x", "a.py": "pelican"}), "pelican", history=history)
    assert set(paths_of(results)) == {"cart.py", "a.py"}


def test_file_is_found_by_commit_subjects() -> None:
    history = history_of(commit(2, "Night theme of the pelican", "style.py"), commit(1, "Clean", "zebra.py"))
    index = index_of({"style.py": "colour", "pelican.py": "x", "zebra.py": OTHER})
    results = ask(index, "night theme of the pelican", history=history)
    assert "style.py" in paths_of(results)
    assert {"nearestCommits", "similarCommits"} <= parts_of(results, "style.py").keys()
    assert "zebra.py" not in paths_of(results)


def test_words_only_in_commit_subjects_find_a_file() -> None:
    history = history_of(commit(2, "Night theme", "style.py"), commit(1, "Clean", "zebra.py"))
    results = ask(index_of({"style.py": "colour", "zebra.py": OTHER}), "night theme", history=history)
    assert paths_of(results) == ["style.py"]


def test_recently_changed_file_comes_before_its_equal() -> None:
    index = index_of({"a.py": "pelican", "b.py": "pelican"})
    history = history_of(commit(2, "x", "b.py"), commit(1, "x", "a.py"))
    assert paths_of(ask(index, "pelican", history=history)) == ["b.py", "a.py"]


def test_recent_change_alone_is_not_enough() -> None:
    index = index_of({"a.py": "pelican", "b.py": OTHER})
    assert paths_of(ask(index, "pelican", history=history_of(commit(1, "x", "b.py")), changed=["b.py"])) == ["a.py"]


def test_recently_changed_files_alone_are_not_seeds() -> None:
    index = index_of({"a.py": "pelican", "b.py": OTHER, "c.py": OTHER, "test_c.py": OTHER})
    history = history_of(commit(2, "x", "b.py", "c.py"), commit(1, "x", "a.py"))
    assert paths_of(ask(index, "pelican", history=history)) == ["a.py"]


SNIPPET = """

```python
from shop import Cart, Till, open_drawer, print_receipt

cart = Cart()
till = Till(cart)
open_drawer(till)
print_receipt(cart)
```
"""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("The voucher is redeemed twice", "voucher.py"),
        ("`redeem` is slow", "voucher.py"),
        ("Fix this:", "till.py"),
        ("Why does it not work?", "till.py"),
        ("¿por qué no funciona?", "till.py"),
        ("", "till.py"),
    ],
)
def test_a_fenced_block_outweighs_only_a_question_that_names_nothing(question: str, first: str) -> None:
    names = ("Cart", "Till", "open_drawer", "print_receipt")
    texts = {f"zebra{number}.py": f"# {OTHER}" for number in range(6)}
    texts |= {"till.py": "".join(f"def {name}(): pass\n" for name in names)}
    texts |= {"voucher.py": "def redeem(voucher):\n    voucher.redeemed = True\n"}
    assert paths_of(ask(index_of(texts), question + SNIPPET))[0] == first


def test_conventional_commit_scope_matches_its_folder() -> None:
    index = index_of({"router/tree.py": "pelican", "cart/tree.py": "pelican"})
    results = ask(index, "fix(router): pelican")
    assert results[0].path == "router/tree.py"
    assert "scope" in results[0].parts
    assert "scope" not in parts_of(results, "cart/tree.py")


def test_matched_terms_are_sorted_rarest_first() -> None:
    index = index_of({"a.py": "pelican walrus", "b.py": "walrus", "c.py": "walrus"})
    assert ask(index, "walrus pelican otter")[0].matched == ("pelican", "walrus")


@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_results_are_deterministic_and_a_lower_limit_returns_a_prefix(chance: random.Random, limit: int) -> None:
    words = ("pelican", "walrus", "otter", "heron")
    texts: Texts = {f"{chance.choice('ab')}/{number}.py": " ".join(chance.choices(words, k=3)) for number in range(9)}
    paths = sorted(texts)
    history = history_of(*(commit(9 - n, chance.choice(words), *chance.sample(paths, 2)) for n in range(9)))
    imports = {path: [str(chance.randrange(9))] for path in paths}
    touched = chance.sample(paths, 2)
    index = index_of(texts)
    results = ask(index, "pelican otter", history=history, imports=imports, touched=touched, limit=99)
    shuffled = dict(chance.sample(sorted(texts.items()), len(texts)))
    again = ask(index_of(shuffled), "pelican otter", history=history, imports=imports, touched=touched[::-1], limit=99)
    assert again == results
    assert (
        ask(index, "pelican otter", history=history, imports=imports, touched=touched, limit=limit) == results[:limit]
    )


@settings(max_examples=examples(20, 6))
@given(st.randoms(use_true_random=False))
def test_incremental_results_equal_those_of_a_rebuilt_index(chance: random.Random) -> None:
    words, memory, history = ("pelican", "walrus", "otter", "heron"), Memory(), NO_COMMITS
    texts = {f"{folder}/{word}.py": f"{word}\n" + OTHER * 30 for folder in ("a", "test") for word in words}
    paths = sorted(texts)
    # Nothing beats this file, so that edits leave the best scores unchanged.
    texts["pelican/otter/walrus/heron.py"] = "".join(f"class {word}:\n    {word}\n" for word in words * 9)
    changed, mentioned = paths[:2], paths[3:4]
    index = FileIndex(memory.known)
    for _ in range(10):
        for path in chance.sample(paths, chance.randint(1, 2)):
            named = chance.choice((f"def {chance.choice(words)}():", f"xyz {chance.choice(words)}"))
            texts[path] = f"{named}\n    return '{chance.choice(words)}'\n" + "newt\n" * chance.choice((30, 50))
        if chance.random() < 0.2:
            texts.pop(chance.choice(sorted(texts)))
        if chance.random() < 0.2:
            history = history_of(commit(1, chance.choice(("Feed the heron", "Tidy")), *chance.sample(paths, 2)))
        if chance.random() < 0.2:
            changed, mentioned = chance.sample(paths, 3), chance.sample(paths, 1)
        index.update(listing(texts))
        fill(index, texts, memory)
        for text in ("fix(test): the pelican and `otter()`", "walrus heron"):
            known = ask(index, text, changed=changed, mentioned=mentioned, history=history)
            assert known == ask(index_of(texts), text, changed=changed, mentioned=mentioned, history=history)
