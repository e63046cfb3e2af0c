"""Updated cached scores equal those of a full search to the last bit."""

import random
from collections.abc import Iterator
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.codebase.search import bm25
from sidecar.codebase.search.bm25 import CACHED_SEARCHES, Matches, ScoreCache, corpus_statistics, score_all
from sidecar.codebase.search.worktree_documents import TRACKED_CHANGES, Documents
from sidecar.codebase.summary.summarize import Summary, summarize
from tests.codebase.search.corpus import Texts, documents_of
from tests.support.depth import examples

WORDS = ("pelican", "walrus", "otter", "heron", "lynx", "stoat", "newt", "puffin")
TERMS = ("pelican", "walrus", "otter", "nowhere")
PLAIN = "x = 1\n" * 30


@settings(max_examples=examples(30, 10))
@given(st.randoms(use_true_random=False), st.integers(1, 8), st.booleans())
def test_rescored_results_equal_a_full_search(chance: random.Random, edits: int, comes_back: bool) -> None:
    texts = {f"{chance.choice('ab')}/{number}.py": _text(chance) for number in range(30)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "READ_ENTRIES", chance.choice((0, 20, 3_000)))
        patch.setattr(bm25, "COMMON_TERM_FILES", chance.choice((2, 8, 200)))
        documents = documents_of(texts)
        searches = ScoreCache(documents)
        for _ in range(3):
            searches.match(TERMS, {})
            for _ in range(edits):
                _edit(documents, texts, chance, comes_back=comes_back)
            assert searches.match(TERMS, {}) == _of_all(documents)
            assert searches.match(TERMS[:2], {"pelican": 0.5}) == _of_all(documents, TERMS[:2], {"pelican": 0.5})


def test_only_the_edited_file_is_scored_while_statistics_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"{number}.py": f"pelican {WORDS[number % 8]}\n" + PLAIN for number in range(50)}
    documents = documents_of(texts)
    searches = ScoreCache(documents)
    searches.match(TERMS, {})
    monkeypatch.setattr(bm25, "score_all", _never)
    after = texts["7.py"].replace("pelican", "pelican pelican")
    documents.replace("7.py", _summary("7.py", texts["7.py"]), _summary("7.py", after))
    found = searches.match(TERMS, {})
    monkeypatch.undo()
    assert found == _of_all(documents)
    assert found.text[documents.number("7.py")] > found.text[documents.number("15.py")]


def test_cached_scores_are_not_modified_later() -> None:
    documents = documents_of({f"{number}.py": "pelican\n" + PLAIN for number in range(50)})
    searches = ScoreCache(documents)
    first = searches.match(TERMS, {})
    before = deepcopy(first)
    documents.replace("7.py", _summary("7.py", "pelican\n" + PLAIN), _summary("7.py", "pelican pelican\n" + PLAIN))
    assert searches.match(TERMS, {}) != before
    assert first == before


@pytest.mark.parametrize("edits", [TRACKED_CHANGES // 2, TRACKED_CHANGES])
def test_too_many_edits_cause_a_full_search(edits: int) -> None:
    texts = {f"{number}.py": "pelican\n" + PLAIN for number in range(edits + 1)}
    documents = documents_of(texts)
    searches = ScoreCache(documents)
    searches.match(TERMS, {})
    for number in range(edits):
        path = f"{number}.py"
        documents.replace(path, _summary(path, texts[path]), _summary(path, "pelican pelican\n" + PLAIN))
    assert searches.match(TERMS, {}) == _of_all(documents)


def test_only_the_last_searches_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = documents_of({f"{word}.py": word for word in WORDS})
    searches = ScoreCache(documents)
    for word in WORDS:
        searches.match([word], {})
    monkeypatch.setattr(bm25, "score_all", _never)
    for word in WORDS[-CACHED_SEARCHES:]:
        assert searches.match([word], {}).text
    with pytest.raises(AssertionError):
        searches.match(WORDS[:1], {})


def test_search_with_too_many_matches_is_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "MAX_CACHED_FILES", 2)
    documents = documents_of({f"{number}.py": "pelican" for number in range(3)})
    searches = ScoreCache(documents)
    searches.match(["pelican"], {})
    monkeypatch.setattr(bm25, "score_all", _never)
    with pytest.raises(AssertionError):
        searches.match(["pelican"], {})


def _of_all(documents: Documents, terms: tuple[str, ...] = TERMS, shares: dict[str, float] | None = None) -> Matches:
    return score_all(documents, corpus_statistics(documents, terms, shares or {})).matches


def _edit(documents: Documents, texts: Texts, chance: random.Random, *, comes_back: bool) -> None:
    """Edit a file in place, mostly without changing a statistic; or delete it, and add another or itself."""
    path = chance.choice(sorted(texts))
    held = _summary(path, texts[path])
    if chance.random() < 0.7:
        texts[path] = _text(chance) if chance.random() < 0.3 else _shuffled(texts[path], chance)
        documents.replace(path, held, _summary(path, texts[path]))
        return
    documents.remove(path, held if chance.random() < 0.5 else None)
    text = texts.pop(path)
    path = path if comes_back else f"{path.removesuffix('.py')}x.py"
    texts[path] = text
    documents.add(path, _summary(path, text))


def _text(chance: random.Random) -> str:
    words = (f"{chance.choice(WORDS)} {chance.choice(WORDS)}" for _ in range(chance.randrange(4)))
    return "\n".join((*words, "def heron_nest(): pass", PLAIN))


def _shuffled(text: str, chance: random.Random) -> str:
    """Return the words in another order, some repeated, some left out, so that most statistics stay equal."""
    return "\n".join(_twice(text.split("\n"), chance))


def _twice(lines: list[str], chance: random.Random) -> Iterator[str]:
    for line in lines:
        yield line if chance.random() < 0.8 or not line.strip() else f"{line.split()[0]} {line.split()[0]}"


def _summary(path: str, text: str) -> Summary:
    return summarize(path, text.encode())


def _never(*_: object) -> None:
    raise AssertionError("all files were scored")
