"""Indexes of several worktrees share their documents, and each answers like an index built for it alone."""

import gc
import random
from collections.abc import Mapping, Sequence

import pytest

from sidecar.codebase.search import shared_documents
from sidecar.codebase.search.import_graph import PackageNames
from sidecar.codebase.search.index import FileIndex, SharedIndex
from sidecar.codebase.search.query import SearchQuery
from sidecar.codebase.search.shared_documents import SharedDocuments
from sidecar.codebase.summary.summarize import summarize
from tests.codebase.search.corpus import NO_COMMITS, Memory, Texts, ask, fill, forgetful, index_of, listing, paths_of
from tests.support.depth import examples

WORDS = ("pelican", "walrus", "otter", "heron", "lynx", "stoat", "newt", "puffin", "marmot", "badger")
FOLDERS = ("", "src/", "src/zoo/", "tests/", "docs/")
QUERIES = (
    "pelican walrus in the zoo", "feed the heron", "stoat newt LynxStoat", "tests of the otter", "where is marmott",
    "src/zoo/pelican.py", "badger",
)  # fmt: skip
STEPS = examples(500, 35)


def test_worktree_with_the_same_files_needs_no_analysis() -> None:
    texts = {"src/pelican.py": "def feed_pelican(): ...\n", "walrus.md": "The walrus.\n"}
    shared = SharedIndex()
    first, second = FileIndex(forgetful, shared), FileIndex(forgetful, shared)
    first.update(listing(texts))
    fill(first, texts)
    assert second.update(listing(texts)) == []
    assert ask(second, "feed the pelican") == ask(first, "feed the pelican")
    assert shared.documents.present == 2


def test_edit_in_one_worktree_does_not_reach_another() -> None:
    texts = {"a.py": "pelican = 1\n", "b.py": "walrus = 1\n"}
    shared, memory = SharedIndex(), Memory()
    first, second = FileIndex(memory.known, shared), FileIndex(memory.known, shared)
    for index in (first, second):
        index.update(listing(texts))
        fill(index, texts, memory)
    edited = texts | {"a.py": "otter = 1\n"}
    assert second.update(listing(edited)) == ["a.py"]
    fill(second, edited, memory)
    assert paths_of(ask(first, "pelican")) == ["a.py"]
    assert ask(first, "otter") == []
    assert paths_of(ask(second, "otter")) == ["a.py"]
    assert ask(second, "pelican") == []


def test_file_restored_before_its_analysis_is_found_as_before() -> None:
    texts, memory = {"a.py": "pelican = 1\n"}, Memory()
    index = FileIndex(memory.known)
    index.update(listing(texts))
    fill(index, texts, memory)
    assert index.update(listing({"a.py": "otter = 1\n"})) == ["a.py"]
    assert index.update(listing(texts)) == []
    assert paths_of(ask(index, "pelican")) == ["a.py"]


def test_checkout_of_a_commit_seen_before_needs_no_analysis() -> None:
    first = {f"{number}.py": f"pelican = {number}\n" for number in range(80)}
    other = {path: text.replace("pelican", "walrus") for path, text in first.items()}
    index = FileIndex(forgetful)
    for texts in (first, other):
        index.update(listing(texts))
        fill(index, texts)
    assert index.update(listing(first)) == []
    assert ask(index, "walrus") == []
    assert len(ask(index, "pelican", limit=100)) == 80
    assert index.update(listing(other)) == []


def test_contents_that_no_worktree_shows_are_removed_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_documents, "MIN_UNSHOWN", 10)
    shared = SharedIndex()
    index = FileIndex(forgetful, shared)
    for word in ("pelican", "walrus", "otter"):
        texts = {f"{number}.py": f"{word} = {number}\n" for number in range(80)}
        index.update(listing(texts))
        fill(index, texts)
    assert shared.has_excess()
    shared.remove_excess()
    assert not shared.has_excess()
    assert shared.documents.present < 3 * 80
    assert answers_of(index, texts) == answers_of(index_of(texts), texts)


def test_documents_of_a_closed_worktree_are_not_held() -> None:
    texts, shared = {"a.py": "pelican = 1\n"}, SharedIndex()
    first, second = FileIndex(forgetful, shared), FileIndex(forgetful, shared)
    for index in (first, second):
        index.update(listing(texts))
        fill(index, texts)
    del second, index
    gc.collect()
    assert not shared.has_excess()
    assert list(shared.documents.holders) == [0, 1]
    assert isinstance(shared.documents, SharedDocuments)


@pytest.mark.parametrize("seed", range(examples(2, 1)))
def test_derived_indexes_answer_like_ones_built_from_scratch(seed: int) -> None:
    """Random edits, checkouts, new and removed worktrees; every answer equals that of an index of its own."""
    chance, memory, shared = random.Random(seed), Memory(), SharedIndex()
    trees: list[Texts] = [_tree(chance)]
    worktrees: list[tuple[FileIndex, Texts]] = []
    for step in range(STEPS):
        if not worktrees or chance.random() < 0.08:
            worktrees.append((FileIndex(chance.choice((memory.known, forgetful)), shared), Texts()))
            del worktrees[: max(0, len(worktrees) - 4)]
        number = chance.randrange(len(worktrees))
        index, texts = worktrees[number]
        texts = _next_tree(texts, trees, chance)
        worktrees[number] = (index, texts)
        index.update(listing(texts))
        if chance.random() < 0.9:
            fill(index, texts, memory)
        if chance.random() < 0.05:
            shared.remove_excess()
        if step % 5 == 0:
            fill(index, texts, memory)
            assert answers_of(index, texts) == answers_of(index_of(texts), texts)


def answers_of(index: FileIndex, texts: Texts) -> list[object]:
    """Everything an index says about its files, apart from the order in which it numbers them."""

    def imports_of(paths: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        return {path: summarize(path, texts[path].encode()).imports for path in paths}

    terms = (*WORDS, "py", "zoo", "import")
    files = sorted(f"{folder}{word}.py" for folder in FOLDERS for word in WORDS[:3])
    return [
        [index.find(SearchQuery(text), NO_COMMITS, imports_of, 12) for text in QUERIES],
        index.term_weights(terms),
        index.specific_terms(terms),
        index.rare_terms(terms),
        index.named_here("see src/zoo/pelican.py", ("LynxStoat", "Pelican"), ()),
        index.dependencies(frozenset(("src/", "src/zoo/", "tests/")), PackageNames(modules=(("zoo", "src/zoo/"),))),
        index.landmines(),
        [index.importers(path, imports_of, 40) for path in files],
        len(index),
    ]


def _next_tree(texts: Texts, trees: list[Texts], chance: random.Random) -> Texts:
    """Return a tree after an edit of some files, or another commit's."""
    if not texts or chance.random() < 0.25:
        return dict(chance.choice(trees))
    edited = dict(texts)
    for _ in range(chance.choice((1, 1, 2, 5, 70))):
        path = chance.choice((*edited, _path(chance)))
        if chance.random() < 0.2:
            edited.pop(path, None)
        else:
            edited[path] = _text(chance)
    if chance.random() < 0.4:
        trees.append(edited)
    return edited


def _tree(chance: random.Random) -> Texts:
    return {_path(chance): _text(chance) for _ in range(120)}


def _path(chance: random.Random) -> str:
    folder, name = chance.choice(FOLDERS), "_".join(chance.choices(WORDS, k=chance.choice((1, 2))))
    return f"{folder}{name}{chance.choice(('.py', '.py', '.md', '.ts'))}"


def _text(chance: random.Random) -> str:
    words = chance.choices(WORDS, k=chance.randint(0, 60))
    comment = "# HACK: never feed it twice\n" if chance.random() < 0.2 else ""
    head = f"import zoo.{chance.choice(WORDS)}\n\n\n{comment}def feed_{chance.choice(WORDS)}():\n    return 1\n"
    return head + "\n".join(words)


def test_summary_of_shared_content_is_not_needed_again() -> None:
    texts = {"a.py": "pelican = 1\n"}
    shared = SharedIndex()
    first, second = FileIndex(forgetful, shared), FileIndex(forgetful, shared)
    for index in (first, second):
        index.update(listing(texts))
    fill(first, texts)
    path, content = next(iter(listing(texts).items()))
    second.add_summary(path, content, summarize(path, texts[path].encode()))
    assert shared.documents.present == 1
    assert ask(first, "pelican") == ask(second, "pelican")
