"""The index returns the same results however it was filled; scores have parts."""

import random
import string
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.codebase.search import index as index_module
from sidecar.codebase.search import shared_documents
from sidecar.codebase.search.index import FileIndex, SharedIndex, facts_of
from sidecar.codebase.search.postings import unit_of
from sidecar.codebase.search.shared_documents import definition_terms
from sidecar.codebase.summary.summarize import Summary, summarize
from tests.codebase.search.corpus import (
    Memory,
    Texts,
    ask,
    commit,
    fill,
    fill_words,
    forgetful,
    history_of,
    index_of,
    listing,
    parts_of,
    paths_of,
)
from tests.support.depth import examples

WORDS = ("pelican", "walrus", "otter", "heron", "lynx", "stoat")
QUERY = "pelican walrus LynxStoat in b0.py"
HISTORY = history_of(
    commit(2, "Feed the walrus", "src/a1.py", "b0.py"),
    commit(1, "Hatch a pelican", "a0.py", "src/b2.py", "gone.py"),
)

_PATHS = st.sampled_from(
    [f"{folder}{letter}{number}.py" for folder in ("", "src/") for letter in "ab" for number in range(3)]
)
_TEXTS = st.lists(st.sampled_from(WORDS), max_size=60).map(lambda words: "def lynx_stoat(): pass\n" + "\n".join(words))
_FILLS = st.sampled_from(("", "words", "all"))
_STEPS = st.lists(st.tuples(_PATHS, st.one_of(st.none(), _TEXTS), _FILLS), max_size=25)


def test_path_from_a_worker_is_not_stored_twice() -> None:
    files = listing({"src/walrus.py": "def feed_walrus(): ...\n"})
    index = FileIndex(forgetful)
    index.update(files)
    decoded = b"src/walrus.py".decode()
    index.add_summary(decoded, files[decoded], summarize(decoded, b"def feed_walrus(): ...\n"))
    (found,) = ask(index, "feed the walrus")
    assert (found.path is decoded, found.path is next(iter(files))) == (False, True)


@pytest.mark.parametrize("remembers", [True, False])
@given(steps=_STEPS)
def test_incremental_index_equals_a_rebuilt_one(remembers: bool, steps: list[tuple[str, str | None, str]]) -> None:
    _change_and_compare(FileIndex, steps, Memory(), remembers=remembers)


@pytest.mark.parametrize("remembers", [True, False])
@given(steps=_STEPS)
def test_index_after_checkouts_equals_a_rebuilt_one(remembers: bool, steps: list[tuple[str, str | None, str]]) -> None:
    """Each change counts as a checkout of many files, and another worktree shows what this one showed before."""
    memory, shared = Memory(), SharedIndex()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "MAX_EDITED", -1)
        for half in (steps[: len(steps) // 2], steps):
            _change_and_compare(lambda known: FileIndex(known, shared), half, memory, remembers=remembers)


def _change_and_compare(
    create: Callable[..., FileIndex], steps: list[tuple[str, str | None, str]], memory: Memory, *, remembers: bool
) -> None:
    texts = Texts()
    index = create(memory.known if remembers else forgetful)
    for path, text, filled in steps:
        before = {path: texts.pop(path)} if path in texts else {}
        if text is not None:
            texts[path] = text
        index.update(listing(texts))
        if filled == "all":
            fill(index, texts, memory)
        elif filled:
            fill_words(index, texts, {} if before == texts else before)
    fill(index, texts, memory)
    assert index.is_complete()
    assert len(index) == len(texts)
    for touched in ((), ("a1.py",)):
        found = ask(index, QUERY, changed=["a0.py"], touched=touched, history=HISTORY)
        assert found == ask(index_of(texts), QUERY, changed=["a0.py"], touched=touched, history=HISTORY)


@given(st.dictionaries(_PATHS, _TEXTS), st.randoms(use_true_random=False))
def test_order_of_files_does_not_matter(texts: Texts, order: random.Random) -> None:
    shuffled = list(texts.items())
    order.shuffle(shuffled)
    assert ask(index_of(dict(shuffled)), QUERY, history=HISTORY) == ask(index_of(texts), QUERY, history=HISTORY)


@settings(max_examples=examples(5, 3))
@given(st.integers(0, 1_000), st.booleans())
def test_thousands_of_changes_leave_no_remains(seed: int, remembers: bool) -> None:
    chance, memory = random.Random(seed), Memory()
    texts = {f"src/{number}.py": " ".join(chance.choices(WORDS, k=4)) for number in range(200)}
    index = FileIndex(memory.known if remembers else forgetful)
    index.update(listing(texts))
    fill(index, texts, memory)
    turns = examples(9, 5)
    for turn in range(turns):
        for path in chance.sample(sorted(texts), 150):
            texts[path] = " ".join(chance.choices(WORDS, k=4)) + f" turn{turn}"
        index.update(listing(texts))
        fill(index, texts, memory)
    query = f"pelican turn{turns - 1} walrus"
    assert ask(index, query) == ask(index_of(texts), query)


def test_removal_with_another_summary_leaves_no_remains() -> None:
    """The same content can be parsed by its grammar once and, on a busy machine, by patterns another time."""
    memory = Memory()
    index = FileIndex(memory.known)
    index.update({"a.py": "1", "b.py": "2"})
    index.add_summary("a.py", "1", summarize("a.py", b"def pelican(): walrus()\n"))
    memory.keep("a.py", "1", summarize("a.py", b"otter\n"))
    index.update({"b.py": "2"})
    assert ask(index, "pelican walrus") == []


def test_index_is_rebuilt_when_numbers_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_documents, "MAX_UNITS", 20)
    texts = {f"{number}.py": f"pelican = {number}\n" for number in range(19)}
    index = index_of(texts)
    assert index.is_complete()
    texts["0.py"] = "walrus = 1\n"
    assert sorted(index.update(listing(texts))) == sorted(texts)
    fill(index, texts)
    assert index.is_complete()
    assert ask(index, "pelican walrus") == ask(index_of(texts), "pelican walrus")


def test_passage_numbers_of_small_files_do_not_run_out_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared_documents, "MAX_UNITS", 20)
    index = FileIndex(forgetful)
    for turn in range(20):
        texts = {"a.py": f"pelican = {turn}\n"}
        index.update(listing(texts))
        fill(index, texts)
        assert all(unit_of(entry) < 20 for entry in index._documents.paths.entries("py"))


def test_file_is_found_by_its_words_before_it_is_analysed() -> None:
    texts = {"a.py": "def feed_walrus(): ...\n", "b.py": "otter = 1\n", "c.py": "heron = 1\n"}
    index = FileIndex(forgetful)
    index.update(listing(texts))
    fill_words(index, texts)
    (found,) = ask(index, "feed the walrus")
    assert (found.path, "text" in found.parts, "names" in found.parts) == ("a.py", True, False)
    assert (index.is_complete(), len(index.pending()), index.landmines()) == (False, 3, None)
    complete(index, "b.py", "another content", "lynx = 1\n")
    assert len(index.pending()) == 3
    for path, content in index.pending():
        complete(index, path, content, texts[path])
    assert index.is_complete()
    assert ask(index, "feed the walrus") == ask(index_of(texts), "feed the walrus")


def complete(index: FileIndex, path: str, content: str, text: str) -> None:
    """Complete a file that has its words, as with what a worker sends."""
    file = summarize(path, text.encode(), with_words=False)
    facts = facts_of(path, file.language, file.imports, file.landmines)
    index.complete(path, content, definition_terms(file), facts)


def test_copied_libraries_have_no_landmines() -> None:
    warned = "// WARNING: not reentrant.\nint pay(void) { return 1; }\n"
    paths = ("src/till.c", "third_party/till/till.c", "lib/vendor/till.c", "src/vendors.c", "external/till.c")
    found = index_of(dict.fromkeys(paths, warned)).landmines()
    assert found is not None
    assert [path for path, _ in found] == ["src/till.c", "src/vendors.c"]


def test_summary_without_words_does_not_end_the_analysis_of_a_file() -> None:
    index = FileIndex(forgetful)
    index.update({"a.py": "1"})
    complete(index, "a.py", "1", "walrus = 1\n")
    assert index.pending() == [("a.py", "1")]


def test_words_of_two_worktrees_that_are_read_at_once_leave_no_remains() -> None:
    shared, texts = SharedIndex(), {"a.py": "def feed_walrus(): ...\n", "b.py": "otter = 1\n"}
    indexes = [FileIndex(forgetful, shared) for _ in range(2)]
    for index in indexes:
        index.update(listing(texts))
    for index in indexes:
        fill_words(index, texts)
    for index in indexes:
        fill(index, texts)
    expected = ask(index_of(texts), "feed the walrus otter")
    assert [ask(index, "feed the walrus otter") for index in indexes] == [expected, expected]


def test_file_not_analysed_yet_is_found_by_path() -> None:
    index = FileIndex(forgetful)
    assert index.update({"src/pelican.py": "1", "src/other.py": "2"}) == ["src/other.py", "src/pelican.py"]
    assert not index.is_complete()
    assert paths_of(ask(index, "the pelican")) == ["src/pelican.py"]


def test_edited_file_is_found_by_previous_content_until_analysed() -> None:
    memory, texts = Memory(), {"a.py": "pelican", "b.py": "otter"}
    index = FileIndex(memory.known)
    index.update(listing(texts))
    fill(index, texts, memory)
    for words in ("walrus", "heron"):
        texts["a.py"] = words
        assert index.update(listing(texts)) == ["a.py"]
        assert paths_of(ask(index, "pelican")) == ["a.py"]
    fill(index, texts, memory)
    assert ask(index, "pelican walrus") == []
    assert paths_of(ask(index, "heron")) == ["a.py"]
    texts["a.py"] = "stoat"
    index.update(listing(texts))
    index.update(listing({"b.py": "otter"}))
    assert ask(index, "heron stoat") == []


def test_files_of_another_commit_are_found_by_previous_contents_until_analysed() -> None:
    memory, shared = Memory(), SharedIndex()
    texts = {f"{number}.py": f"pelican_{number} = 1\n" for number in range(90)}
    index, other = FileIndex(memory.known, shared), FileIndex(memory.known, shared)
    index.update(listing(texts))
    fill(index, texts, memory)
    other.update(listing(texts))
    changed = {path: text.replace("pelican", "walrus") for path, text in texts.items()}
    index.update(listing(changed))
    assert (len(index.pending_paths), len(index)) == (90, 90)
    assert paths_of(ask(index, "pelican_7"))[0] == "7.py"
    assert ask(index, "walrus_7") == []
    fill_words(index, changed, {})
    assert paths_of(ask(index, "walrus_7"))[0] == "7.py"
    fill(index, changed, memory)
    assert index.is_complete()
    assert ask(index, "pelican_7") == []
    assert ask(index, "walrus_7") == ask(index_of(changed), "walrus_7")
    assert ask(other, "pelican_7") == ask(index_of(texts), "pelican_7")
    index.update(listing(texts))
    assert index.is_complete(), "the contents are shared"


def test_summary_of_an_earlier_content_is_ignored() -> None:
    index = FileIndex(forgetful)
    index.update({"a.py": "1"})
    index.update({"a.py": "2"})
    index.add_summary("a.py", "1", summarize("a.py", b"pelican"))
    assert ask(index, "pelican") == []
    assert index.pending() == [("a.py", "2")]


def test_commit_does_not_invalidate_the_content() -> None:
    index = FileIndex(forgetful)
    index.update({"a.py": "w:x:1"})
    index.add_summary("a.py", "w:x:1", summarize("a.py", b"pelican"))
    assert index.update({"a.py": "1"}) == []
    assert paths_of(ask(index, "pelican")) == ["a.py"]


def test_restored_content_is_found_again() -> None:
    memory, first, second = Memory(), {"a.py": "pelican"}, {"a.py": "walrus"}
    index = FileIndex(memory.known)
    for texts in (first, second, first):
        index.update(listing(texts))
        fill(index, texts, memory)
    assert paths_of(ask(index, "pelican")) == ["a.py"]
    assert ask(index, "walrus") == []


def test_contents_that_an_update_would_not_know_are_counted() -> None:
    texts = {"a.py": "pelican", "b.py": "walrus", "c.py": "otter"}
    index = index_of(texts)
    assert not index.has_unknown(listing(texts), 1)
    changed = listing({"a.py": "heron", "b.py": "walrus", "d.py": "lynx"})
    assert index.has_unknown(changed, 2)
    assert not index.has_unknown(changed, 3)
    assert not FileIndex(forgetful).has_unknown(changed, 1), "no checkout"


def test_same_listing_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    index, files = FileIndex(forgetful), {"a.py": "1"}
    index.update(files)
    monkeypatch.setattr(index, "_synchronize", None)
    assert index.update(files) == ["a.py"]


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("look at src/cart.py", "src/cart.py"),
        ("look at cart.py", "src/cart.py"),
        ('File "/srv/app/src/cart.py", line 3', "src/cart.py"),
        ("at total (webpack:///./web/page.tsx:3:1)", "web/page.tsx"),
        (r"C:\app\src\cart.py", "src/cart.py"),
        ("in .github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("in app/[id]/page.tsx please", "app/[id]/page.tsx"),
        ("the Makefile", "Makefile"),
        ("see größe/日本.md", "größe/日本.md"),
    ],
)
def test_path_in_a_prompt_finds_the_file(prompt: str, found: str) -> None:
    paths = (
        "src/cart.py", "web/page.tsx", "app/[id]/page.tsx", ".github/workflows/ci.yml", "github/workflows/ci.yml",
        "Makefile", "größe/日本.md", "tests/test_cart.py", "srv/app/notes.txt",
    )  # fmt: skip
    first = ask(index_of(dict.fromkeys(paths, "plain text")), prompt)[0]
    assert first.path == found
    assert "namedPath" in first.parts


def test_name_of_many_files_mentions_none() -> None:
    index = index_of({f"{folder}/index.ts": "x" for folder in "abcde"})
    assert all("namedPath" not in file.parts for file in ask(index, "fix index.ts"))
    assert ask(index, "fix c/index.ts")[0].path == "c/index.ts"


def test_definition_of_an_identifier_comes_first() -> None:
    index = index_of({"a.py": "class LruCache:\n    pass\n", "b.py": "LruCache LruCache lru cache\n"})
    found = ask(index, "why does LruCache evict")
    assert found[0].path == "a.py"
    assert "identifiers" in found[0].parts
    assert "identifiers" not in parts_of(found, "b.py")
    assert ask(index, "修复LruCache的问题")[0].path == "a.py"


def test_code_comes_before_tests_and_documents_unless_requested() -> None:
    index = index_of({"pelican.py": "pelican fly", "test_pelican.py": "pelican fly", "pelican.md": "pelican fly",
                      "pelican.lock": "x", "package-lock.json": "pelican fly pelican"})  # fmt: skip
    plain = paths_of(ask(index, "pelican fly"))
    assert plain[0] == "pelican.py"
    assert plain.index("test_pelican.py") < plain.index("pelican.md")
    assert "package-lock.json" not in plain[:3]
    assert ask(index, "the test of pelican flying")[0].path == "test_pelican.py"
    results = ask(index, "document the pelican in the readme documentation")
    assert all("document" not in file.parts for file in results)
    assert "document" in parts_of(ask(index, "pelican fly"), "pelican.md")


def test_script_without_a_suffix_counts_as_code() -> None:
    script = "#!/bin/sh\npelican_start() {\n  echo pelican\n}\n"
    found = ask(index_of({"bin/pelican": script, "NOTES": "pelican\n" * 3}), "pelican")
    assert "unknownLanguage" not in parts_of(found, "bin/pelican")
    assert "unknownLanguage" in parts_of(found, "NOTES")


def test_documents_count_like_code_in_a_query_about_documents() -> None:
    index = index_of({"pelican.py": "pelican fly", "docs/birds.md": "pelican fly fly", "birds.json": "pelican fly"})
    found = ask(index, "docs: pelican fly")
    assert {"document", "documentRequested"}.isdisjoint(parts_of(found, "docs/birds.md"))
    assert "documentRequested" in parts_of(found, "birds.json")
    assert "document" in parts_of(ask(index, "pelican fly"), "docs/birds.md")


def test_changed_file_comes_before_its_equal() -> None:
    index = index_of({"a.py": "pelican", "b.py": "pelican"})
    assert paths_of(ask(index, "pelican", changed=["b.py"])) == ["b.py", "a.py"]
    assert paths_of(ask(index, "pelican")) == ["a.py", "b.py"]


def test_mentioned_file_comes_first_without_a_common_word() -> None:
    index = index_of({"a.py": "pelican", "b.py": "walrus"})
    assert paths_of(ask(index, "pelican", mentioned=["b.py", "gone.py"])) == ["b.py", "a.py"]
    assert paths_of(ask(index, "?!", mentioned=["b.py"])) == ["b.py"]


def test_prompt_without_words_has_no_results() -> None:
    index = index_of({"a.py": "pelican"})
    assert ask(index, "?! 12") == []
    assert ask(index, "?! 12", history=history_of(commit(1, "pelican", "a.py"))) == []
    assert ask(FileIndex(forgetful), "pelican") == []


def test_search_respects_the_limit() -> None:
    index = index_of({f"{number}.py": "pelican" for number in range(9)})
    assert paths_of(ask(index, "pelican", limit=3)) == ["0.py", "1.py", "2.py"]


def test_a_word_in_more_files_than_its_limit_finds_none() -> None:
    index = index_of({f"src/w{number}.py": "walrus = 1\n" for number in range(4)} | {"src/otter.py": "otter = 1\n"})
    assert len(index.with_words("walrus", 9, len, 4)) == 4
    assert index.with_words("walrus", 9, len, 3) == []
    assert index.with_words("otter", 9, len, 3) == ["src/otter.py"]


def test_prompt_of_thousands_of_paths_takes_bounded_time() -> None:
    index = FileIndex(forgetful)
    index.update({f"src/{number % 100}/{number}.py": str(number) for number in range(20_000)})
    prompt = " ".join(f"/x/y/src/{number}/none{number}.py" for number in range(4_000))
    _ends_within(10, lambda: ask(index, prompt))


def test_very_long_prompt_takes_bounded_time() -> None:
    words = [f"w{letter}{other}" for letter in string.ascii_lowercase for other in string.ascii_lowercase]
    summary = Summary("text", 1, 1, "", (), (dict.fromkeys(words, 1),))
    index = FileIndex(forgetful)
    index.update({f"src/{number}.py": str(number) for number in range(examples(4_000, 1_500))})
    for path, content in index.pending():
        index.add_summary(path, content, summary)
    _ends_within(10, lambda: ask(index, " ".join(words)))


def test_search_during_changes_never_fails() -> None:
    memory, ending, failures = Memory(), threading.Event(), list[BaseException]()
    index, letters = FileIndex(memory.known), string.ascii_lowercase

    def search() -> None:
        try:
            while not ending.is_set():
                ask(index, "pelican src a.py", changed=["src/a.py"], touched=["src/z.py"])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    known: Summary = summarize("a.py", b"pelican")
    for turn in range(150):
        index.update({f"src/{letter}.py": str(turn) for letter in letters[turn % 20 :]})
        for path, content in index.pending():
            index.add_summary(path, content, known)
            memory.keep(path, content, known)
    ending.set()
    for thread in threads:
        thread.join()
    assert failures == []


def _ends_within(seconds: float, work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive()
