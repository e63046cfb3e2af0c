"""A misspelled name finds its files; a correct or too short word is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search import misspelled_words
from sidecar.codebase.search.misspelled_words import Spellings, distance
from tests.codebase.search.corpus import ask, index_of, paths_of
from tests.support.cases import together

FILES = {
    "src/redirects.py": "def follow_redirect(response): ...\n",
    "src/timeouts.py": "class TransportTimeout: ...\n",
    "src/plain.py": "value = 1\n",
}


@together(
    ("prompt", "found"),
    [
        ("the redirct is wrong", "src/redirects.py"),
        ("the rediretc is wrong", "src/redirects.py"),
        ("folow_redirect fails", "src/redirects.py"),
        ("TransprotTimeout is too short", "src/timeouts.py"),
        ("TransportTimeuot is too short", "src/timeouts.py"),
    ],
)
def test_misspelled_name_finds_its_file(prompt: str, found: str) -> None:
    assert paths_of(ask(index_of(FILES), prompt))[0] == found


@pytest.mark.parametrize("prompt", ["the ralue", "velua", "an unrelated sentence"])
def test_too_short_or_too_different_words_are_not_corrected(prompt: str) -> None:
    assert paths_of(ask(index_of(FILES), prompt)) == []


def test_known_word_is_not_corrected() -> None:
    files = FILES | {"notes.py": "# a redirert, for want of a better word\n"}
    assert paths_of(ask(index_of(files), "redirert"))[0] == "notes.py"


def test_unknown_word_finds_what_it_is_derived_from_or_consists_of() -> None:
    files = FILES | {"app/SideNav.tsx": "collapse", "app/Bar.tsx": "value"}
    assert paths_of(ask(index_of(files), "collapsible"))[0] == "app/SideNav.tsx"
    assert set(paths_of(ask(index_of(files), "the sidebar"))) == {"app/SideNav.tsx", "app/Bar.tsx"}
    assert paths_of(ask(index_of(files), "the sideways")) == []


def test_word_that_a_prompt_derives_is_specific() -> None:
    index = index_of(FILES | {"app/nav.tsx": "collapse"})
    assert index.specific_terms(["collapsibl", "unheard"]) == {"collaps"}


def test_common_word_is_of_the_subject_only_where_it_names_a_file_or_folder() -> None:
    text = "the remaining options of a page are open"
    index = index_of(FILES | {"web/options.js": text, "web/search/index.js": text, "web/openPageInNewWindow.js": text})
    assert index.subject_terms(["option", "remain"]) == {"option"}
    assert index.subject_terms(["search"]) == {"search"}
    assert index.subject_terms(["open"]) == frozenset()


def test_everyday_word_or_tool_is_of_the_subject_only_as_a_name() -> None:
    index = index_of(
        FILES | {"web/nav.js": "dark ahead npm git", "web/night.js": "function dark() {}", "npm/nav.sh": "x"}
    )
    assert index.subject_terms(["ahead", "git"]) == frozenset()
    assert index.subject_terms(["ahead", "dark"]) == {"dark"}
    assert index.subject_terms(["npm"]) == {"npm"}
    assert index.subject_terms(["dark", "git"]) == {"dark", "git"}


def test_distinctive_word_is_of_the_subject_wherever_it_is_but_a_failure_is_not() -> None:
    index = index_of(FILES | {"web/nav.js": "voucher broken"})
    assert index.subject_terms(["broken", "voucher"]) == {"voucher"}


def test_several_common_words_together_are_of_the_subject() -> None:
    words = ["method", "rul", "stor", "validation"]
    index = index_of(FILES | {"web/nav.js": "validation rules in a store method"})
    assert index.subject_terms(words[:3]) == frozenset()
    assert index.subject_terms(words) == set(words)


def test_removed_name_is_no_correction() -> None:
    index = index_of(FILES)
    index.update({"src/plain.py": "1"})
    assert paths_of(ask(index, "the redirct is wrong")) == []


def test_terms_can_be_added_and_removed() -> None:
    spellings = Spellings()
    spellings.add("redirect")
    assert list(spellings.similar("redirct")) == [(1, "redirect")]
    spellings.discard("redirect")
    assert list(spellings.similar("redirct")) == []


_NAMES = st.text("abé\u4fee", min_size=5, max_size=10)


@given(steps=st.lists(st.tuples(_NAMES, st.booleans()), max_size=60), word=_NAMES)
def test_spellings_match_a_set_however_much_is_compressed(steps: list[tuple[str, bool]], word: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(misspelled_words, "COMPRESS_BYTES", 40)
        spellings, held = Spellings(), set[str]()
        for name, stays in steps:
            if stays and name not in held:
                spellings.add(name)
                held.add(name)
            elif not stays:
                spellings.discard(name)
                held.discard(name)
        assert sorted(spellings) == sorted(held)
        most = 2 if len(word) >= misspelled_words.LONG_LENGTH else 1
        similar = {name for name in held if name[0] == word[0] and distance(word, name, most) <= most}
        assert {name for _, name in spellings.similar(word)} == (
            similar if len(word) >= misspelled_words.MIN_LENGTH else set()
        )


_WORDS = st.text("abc", max_size=7)


@given(_WORDS, _WORDS, st.integers(0, 3))
def test_distance_is_the_smallest_number_of_edits(left: str, right: str, most: int) -> None:
    assert distance(left, right, most) == min(_plain_distance(left, right), most + 1)


def _plain_distance(left: str, right: str) -> int:
    table = [[i + j if i * j == 0 else 0 for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            changed = left[i - 1] != right[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + changed)
            if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]
