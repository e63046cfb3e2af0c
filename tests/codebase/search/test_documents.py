"""Documents are found by path ending, folder and stem; totals are correct after removals."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search import worktree_documents as documents_module
from sidecar.codebase.search.postings import unit_of
from sidecar.codebase.search.shared_documents import definition_terms, folder_of
from sidecar.codebase.search.worktree_documents import Documents
from sidecar.codebase.summary.summarize import Summary, summarize
from sidecar.core.terms import count_terms
from tests.codebase.search.corpus import documents_of

_NAMES = [f"{folder}{name}" for folder in ("", "src/", "src/tests/") for name in ("a.py", "Tab.md")]
_LINES = ("def pelican(): pass", "walrus", "", "class HeronNest: pass")
_TERMS = count_terms(" ".join((*_NAMES, *_LINES))).keys()
_PATHS = st.sampled_from(_NAMES)
_TEXTS = st.lists(st.sampled_from(_LINES), max_size=90)
_STEPS = st.lists(st.tuples(_PATHS, st.none() | _TEXTS.map("\n".join), st.booleans()), max_size=14)


@given(_STEPS)
def test_totals_are_sums_over_the_present_files(steps: list[tuple[str, str | None, bool]]) -> None:
    documents, there = Documents(), dict[str, Summary]()
    for path, text, term_specificity in steps:
        if path in there and text is not None and term_specificity:
            held, there[path] = there[path], summarize(path, text.encode())
            documents.replace(path, held, there[path])
            continue
        if path in there:
            documents.remove(path, there.pop(path) if term_specificity else None)
            there.pop(path, None)
        if text is not None:
            there[path] = summarize(path, text.encode())
            documents.add(path, there[path])
    summaries = there.values()
    assert set(documents) == set(there)
    assert len(documents) == len(there)
    assert documents.passage_count == sum(len(summary.chunks) for summary in summaries)
    assert documents.text_total == sum(sum(chunk.values()) for summary in summaries for chunk in summary.chunks)
    assert documents.name_total == sum(sum(definition_terms(summary).values()) for summary in summaries)
    assert documents.path_total == sum(sum(count_terms(path).values()) for path in there)
    assert documents.source_share() == sum(path.endswith(".py") for path in there) / max(1, len(there))
    for path in there:
        first, end = documents.passages(documents.number(path))
        assert documents.text_lengths[documents.number(path)] == sum(documents.passage_lengths[first:end])
        assert {documents.owners[unit] for unit in range(first, end)} <= {documents.number(path)}
    assert _terms(documents) == _terms(documents_of_summaries(there))


def test_file_without_a_summary_has_only_its_path() -> None:
    documents = Documents()
    documents.add("src/cart.py", None)
    assert "src/cart.py" in documents
    assert (documents.passage_count, documents.text_total, documents.name_total) == (0, 0, 0)
    assert not documents.texts.in_range("cart", 0, 1)
    assert all(documents.paths.entries(term) for term in ("src", "cart", "py"))
    documents.remove("src/cart.py", None)
    assert len(documents) == 0
    assert not any(documents.paths.entries(term) for term in ("src", "cart", "py"))


def test_long_file_has_several_passages() -> None:
    documents = documents_of({"a.py": "\n".join(["pelican"] * 100), "b.py": "walrus"})
    first, end = documents.passages(documents.number("a.py"))
    assert end - first > 1
    units = [unit_of(entry) for entry in documents.texts.entries("pelican")]
    assert units == list(range(first, end))


def test_paths_are_found_by_their_last_components_only() -> None:
    paths = ("src/cart.py", "cart.py", "src/shopping_cart.py", "lib/src/cart.py", "src/cart.pyi", "cart.py/readme.md")
    documents = documents_of(dict.fromkeys(paths, ""))
    assert documents.ending_with("cart.py") == ["cart.py", "lib/src/cart.py", "src/cart.py"]
    assert documents.ending_with("src/cart.py") == ["lib/src/cart.py", "src/cart.py"]
    assert documents.ending_with("rt.py") == []
    assert documents.ending_with("") == []
    assert documents.ending_with("nowhere.py") == []


def test_paths_without_words_are_found() -> None:
    documents = documents_of({"++": "", "日本/größe.md": "", "a/größe.md": ""})
    assert documents.ending_with("++") == ["++"]
    assert documents.ending_with("größe.md") == ["a/größe.md", "日本/größe.md"]
    assert documents.ending_with("日本/größe.md") == ["日本/größe.md"]


def test_removed_file_is_not_found() -> None:
    documents = documents_of({"src/cart.py": "", "src/test_cart.py": ""})
    documents.remove("src/cart.py", None)
    assert documents.ending_with("cart.py") == []
    assert documents.in_folder("src") == ["src/test_cart.py"]
    assert documents.sharing_stem("cart") == ["src/test_cart.py"]
    documents.remove("src/test_cart.py", None)
    assert documents.in_folder("src") == []


def test_in_folder_returns_only_direct_files() -> None:
    documents = documents_of(dict.fromkeys(("b.py", "a.py", "src/b.py", "src/a.py", "src/in/c.py"), ""))
    assert documents.in_folder("") == ["a.py", "b.py"]
    assert documents.in_folder("src") == ["src/a.py", "src/b.py"]
    assert documents.in_folder("src/") == []
    assert documents.in_folder("nowhere") == []
    assert [folder_of(path) for path in ("a.py", "src/in/c.py")] == ["", "src/in"]


def test_file_and_its_tests_share_a_stem() -> None:
    paths = ("src/cart.py", "tests/test_cart.py", "web/Cart.test.ts", "src/carts.py", "src/cart_total.py", "cart/x.py")
    documents = documents_of(dict.fromkeys(paths, ""))
    assert documents.sharing_stem("cart") == ["src/cart.py", "tests/test_cart.py", "web/Cart.test.ts"]
    assert documents.sharing_stem("") == []


def test_word_in_very_many_paths_is_not_a_shared_stem() -> None:
    documents = Documents()
    for number in range(documents_module.MAX_NAMESAKES + 1):
        documents.add(f"{number}/index.ts", None)
    assert documents.sharing_stem("index") == []
    documents.remove("0/index.ts", None)
    assert len(documents.sharing_stem("index")) == documents_module.MAX_NAMESAKES


def documents_of_summaries(summaries: dict[str, Summary]) -> Documents:
    documents = Documents()
    for path, summary in summaries.items():
        documents.add(path, summary)
    return documents


def _terms(documents: Documents) -> list[set[str]]:
    postings = (documents.texts, documents.names, documents.paths)
    return [{term for term in _TERMS if held.entries(term)} for held in postings]


def test_resolved_imports_survive_an_edit_that_leaves_the_imports() -> None:
    text = "import heron\n\nwalrus = 1\n"
    documents = documents_of({"a.py": text, "heron.py": "otter = 1\n"})
    documents.resolved_imports["a.py"] = ["heron.py"]
    held = summarize("a.py", text.encode())
    edited = summarize("a.py", text.replace("walrus", "pelican").encode())
    documents.replace("a.py", held, edited)
    assert documents.resolved_imports == {"a.py": ["heron.py"]}
    documents.replace("a.py", edited, summarize("a.py", text.replace("heron", "stoat").encode()))
    assert documents.resolved_imports == {}


@pytest.mark.parametrize("seed", range(4))
def test_files_added_together_equal_files_added_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    folders = ("", "tests/", "naïve/ñandú/", *(f"{letter}lpha/beta/" for letter in "abcdefgh"))
    names = [f"{rng.choice('abcdefgh')}{number}_walrus.{rng.choice(('py', 'md'))}" for number in range(900)]
    paths = [rng.choice(folders) + name for name in names]
    hidden, shown, new = paths[:20], paths[20:40], paths[40:]

    def add_files(*, together: bool) -> Documents:
        documents = Documents()
        for path in (*hidden, *shown):
            documents.add(path, summarize(path, b"def pelican(): pass"), "content")
        other = documents.copy()
        for path in hidden:
            documents.remove(path, None, retained=True)
        for path in hidden[::2]:  # another worktree has them by their paths
            other.remove(path, None, retained=True)
            other.add_by_path(path)
        if together:
            documents.add_by_paths([*hidden, *new])
        else:
            for path in (*hidden, *new):
                documents.add_by_path(path)
        return documents

    together, singly = add_files(together=True), add_files(together=False)
    assert {path: together.number(path) for path in together} == {path: singly.number(path) for path in singly}
    assert len(together) == len(paths)
    for path in paths:
        assert together.kind(together.number(path)) == singly.kind(singly.number(path))
    for term in count_terms(" ".join(paths)):
        assert list(together.paths.entries(term)) == list(singly.paths.entries(term)) != []
    for folder in folders:
        assert together.in_folder(folder.rstrip("/")) == singly.in_folder(folder.rstrip("/")) != []
    assert all(together.ending_with(path) == singly.ending_with(path) for path in paths)
    assert together.known_forms("walruss") == singly.known_forms("walruss")
    for documents in (together, singly):
        assert documents.path_total == sum(sum(count_terms(path).values()) for path in paths)
    assert together.version == singly.version
    assert together.source_share() == singly.source_share()
    assert together.shared.holders == singly.shared.holders
    assert (together.shared.present, together.shared.unshown) == (singly.shared.present, singly.shared.unshown)
