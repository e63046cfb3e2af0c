"""The index gives the same answer however it came to hold its files; the ranking says why."""

import random
import string
import threading
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.codebase.index import FileIndex
from sidecar.codebase.summary import Summary, summarise

WORDS = ("pelican", "walrus", "otter", "heron", "lynx", "stoat")
QUERY = "pelican walrus LynxStoat in b0.py"
Contents = dict[str, str]

_PATHS = st.sampled_from(
    [f"{folder}{letter}{number}.py" for folder in ("", "src/") for letter in "ab" for number in range(3)]
)
_TEXTS = st.lists(st.sampled_from(WORDS), max_size=5).map(lambda words: "def lynx_stoat(): " + " ".join(words))
_STEPS = st.lists(st.tuples(_PATHS, st.one_of(st.none(), _TEXTS), st.booleans()), max_size=25)


def _id(text: str) -> str:
    return f"{abs(hash(text)):x}"


def _listing(contents: Mapping[str, str]) -> dict[str, str]:
    return {path: _id(text) for path, text in contents.items()}


def _fill(index: FileIndex, contents: Mapping[str, str]) -> None:
    for path, content_id in index.pending():
        index.analysed(path, content_id, summarise(path, contents[path].encode()))


def _built(contents: Mapping[str, str]) -> FileIndex:
    index = FileIndex()
    index.update(_listing(contents))
    _fill(index, contents)
    return index


@given(_STEPS)
def test_following_changes_gives_the_same_as_starting_anew(steps: list[tuple[str, str | None, bool]]) -> None:
    index, contents = FileIndex(), Contents()
    for path, text, fill_now in steps:
        contents.pop(path, None)
        if text is not None:
            contents[path] = text
        index.update(_listing(contents))
        if fill_now:
            _fill(index, contents)
    _fill(index, contents)
    assert index.is_complete()
    assert len(index) == len(contents)
    assert index.find(QUERY, ["a0.py"]) == _built(contents).find(QUERY, ["a0.py"])


@given(st.dictionaries(_PATHS, _TEXTS), st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(contents: Contents, order: random.Random) -> None:
    shuffled = list(contents.items())
    order.shuffle(shuffled)
    assert _built(dict(shuffled)).find(QUERY, []) == _built(contents).find(QUERY, [])


@settings(max_examples=5)
@given(st.integers(0, 1_000))
def test_compaction_changes_no_answer(seed: int) -> None:
    chance = random.Random(seed)
    contents = {f"src/{number}.py": " ".join(chance.choices(WORDS, k=4)) for number in range(400)}
    index = _built(contents)
    for turn in range(9):
        for path in chance.sample(sorted(contents), 300):
            contents[path] = " ".join(chance.choices(WORDS, k=4)) + f" turn{turn}"
        index.update(_listing(contents))
        _fill(index, contents)
    assert len(index._documents) < 3_000
    assert index.find("pelican turn8 walrus", []) == _built(contents).find("pelican turn8 walrus", [])


def test_a_file_that_is_not_analysed_yet_is_found_by_its_path() -> None:
    index = FileIndex()
    assert index.update({"src/pelican.py": "1", "src/other.py": "2"}) == ["src/other.py", "src/pelican.py"]
    assert not index.is_complete()
    assert [one.path for one in index.find("the pelican", [])] == ["src/pelican.py"]


def test_a_summary_of_an_earlier_content_is_not_taken() -> None:
    index = FileIndex()
    index.update({"a.py": "1"})
    index.update({"a.py": "2"})
    index.analysed("a.py", "1", summarise("a.py", b"pelican"))
    assert index.find("pelican", []) == []
    assert index.pending() == [("a.py", "2")]


def test_committing_a_content_keeps_what_is_known_of_it() -> None:
    index = FileIndex()
    index.update({"a.py": "w:x:1"})
    index.analysed("a.py", "w:x:1", summarise("a.py", b"pelican"))
    assert index.update({"a.py": "1"}) == []
    assert [one.path for one in index.find("pelican", [])] == ["a.py"]


def test_the_same_listing_again_is_not_looked_through() -> None:
    index, files = FileIndex(), {"a.py": "1"}
    index.update(files)
    assert index.holds(files)
    assert not index.holds(dict(files))
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
def test_a_path_in_a_prompt_leads_to_the_file(prompt: str, found: str) -> None:
    paths = (
        "src/cart.py", "web/page.tsx", "app/[id]/page.tsx", ".github/workflows/ci.yml", "github/workflows/ci.yml",
        "Makefile", "größe/日本.md", "tests/test_cart.py", "srv/app/notes.txt",
    )  # fmt: skip
    first = _built(dict.fromkeys(paths, "plain text")).find(prompt, [])[0]
    assert (first.path, first.parts["namedPath"]) == (found, 2.0)


def test_a_name_that_many_files_have_names_none() -> None:
    index = _built({f"{folder}/index.ts": "x" for folder in "abcde"})
    assert all("namedPath" not in one.parts for one in index.find("fix index.ts", []))
    assert index.find("fix c/index.ts", [])[0].path == "c/index.ts"


def test_the_definition_of_a_named_thing_comes_first() -> None:
    index = _built({"a.py": "class LruCache:\n    pass\n", "b.py": "LruCache LruCache lru cache\n"})
    first = index.find("why does LruCache evict", [])[0]
    assert (first.path, first.parts["namedDefinition"]) == ("a.py", 0.6)
    assert index.find("修复LruCache的问题", [])[0].path == "a.py"


def test_code_comes_before_tests_and_documents_unless_they_are_asked_for() -> None:
    index = _built({"pelican.py": "pelican fly", "test_pelican.py": "pelican fly", "pelican.md": "pelican fly",
                    "pelican.lock": "x", "package-lock.json": "pelican fly pelican"})  # fmt: skip
    plain = [one.path for one in index.find("pelican fly", [])]
    assert plain[0] == "pelican.py"
    assert "package-lock.json" not in plain[:3]
    assert index.find("the test of pelican flying", [])[0].path == "test_pelican.py"
    assert index.find("document the pelican in the readme documentation", [])[0].parts["text"] == 1.0


def test_a_changed_file_comes_before_its_equal() -> None:
    index = _built({"a.py": "pelican", "b.py": "pelican"})
    assert [one.path for one in index.find("pelican", ["b.py"])] == ["b.py", "a.py"]
    assert [one.path for one in index.find("pelican", [])] == ["a.py", "b.py"]


def test_nothing_is_found_for_a_prompt_without_words() -> None:
    index = _built({"a.py": "pelican"})
    assert index.find("?! 12", []) == []
    assert FileIndex().find("pelican", []) == []


def test_a_prompt_of_thousands_of_paths_takes_bounded_time() -> None:
    index = FileIndex()
    index.update({f"src/{number % 100}/{number}.py": str(number) for number in range(20_000)})
    prompt = " ".join(f"/x/y/src/{number}/none{number}.py" for number in range(4_000))
    thread = threading.Thread(target=index.find, args=(prompt, []))
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_searching_while_files_come_and_go_never_fails() -> None:
    index, ending, failures = FileIndex(), threading.Event(), list[BaseException]()
    letters = string.ascii_lowercase

    def search() -> None:
        try:
            while not ending.is_set():
                index.find("pelican src a.py", ["src/a.py"])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    known: Summary = summarise("a.py", b"pelican")
    for turn in range(150):
        index.update({f"src/{letter}.py": str(turn) for letter in letters[turn % 20 :]})
        for path, content in index.pending():
            index.analysed(path, content, known)
    ending.set()
    for thread in threads:
        thread.join()
    assert failures == []
