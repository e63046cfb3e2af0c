"""Scores equal a plain BM25 computation; common terms match no file on their own."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search import bm25
from sidecar.codebase.search.bm25 import (
    K1,
    MAX_TERMS,
    SHORT_B,
    B,
    Matches,
    average_length,
    corpus_statistics,
    matched_terms,
    score_all,
)
from sidecar.codebase.search.shared_documents import definition_terms
from sidecar.codebase.search.worktree_documents import Documents
from sidecar.codebase.summary.summarize import summarize
from sidecar.core.terms import count_terms, inverse_frequency
from tests.codebase.search.corpus import Texts, documents_of

WORDS = ("pelican", "walrus", "otter", "heron")

_PATHS = st.sampled_from([f"{folder}/{name}.py" for folder in ("walrus", "src") for name in ("otter", "a", "b", "c")])
_LINES = st.sampled_from((*WORDS, "def heron_nest(): pass", "", "def pelican(): otter"))
_TEXTS = st.lists(_LINES, max_size=100).map("\n".join)
_TERMS = st.lists(st.sampled_from((*WORDS, "nowhere")), unique=True)
Scores = dict[str, float]


@given(texts=st.dictionaries(_PATHS, _TEXTS, max_size=6), terms=_TERMS, removed=st.sets(_PATHS, max_size=2))
def test_scores_equal_a_plain_computation(texts: Texts, terms: list[str], removed: set[str]) -> None:
    documents = documents_of(texts)
    for path in removed & texts.keys():
        documents.remove(path, None)
    remaining = {path: text for path, text in texts.items() if path not in removed}
    found = _match(documents, terms)
    body, chunk = _plain_texts(remaining, terms)
    assert _by_path(documents, found.text) == pytest.approx(body)
    assert _by_path(documents, found.passage) == pytest.approx(chunk)
    names = {path: definition_terms(summarize(path, text.encode())) for path, text in remaining.items()}
    assert _by_path(documents, found.names) == pytest.approx(_bm25(names, list(found.weights), SHORT_B))
    words = {path: count_terms(path) for path in remaining}
    assert _by_path(documents, found.path) == pytest.approx(_bm25(words, list(found.weights), SHORT_B))


def test_weights_are_sorted_and_without_absent_terms() -> None:
    documents = documents_of(
        {"a.py": "pelican walrus", "b.py": "walrus heron", "c.py": "walrus pelican", "otter.py": ""}
    )
    found = _match(documents, ["walrus", "nowhere", "pelican", "otter", "heron"])
    assert list(found.weights) == ["otter", "heron", "pelican", "walrus"]
    assert list(found.weights.values()) == sorted(found.weights.values(), reverse=True)


def test_only_the_rarest_terms_of_a_long_prompt_count() -> None:
    texts = {f"{number}.py": " ".join(f"w{letter}x" for letter in _letters(number)) for number in range(80)}
    documents = documents_of(texts)
    found = _match(documents, [f"w{letter}x" for letter in _letters(80)])
    assert len(found.weights) == MAX_TERMS
    assert "w" + _letters(80)[79] + "x" not in found.weights
    assert "w" + _letters(80)[78] + "x" in found.weights


def test_common_terms_only_add_to_files_matched_by_rarer_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"{number:02}.py": "walrus" for number in range(40)} | {"07.py": "walrus pelican", "09.py": "pelican"}
    documents = documents_of(texts)
    whole = _match(documents, ["walrus", "pelican"])
    assert len(whole.text) == 40
    monkeypatch.setattr(bm25, "READ_ENTRIES", 10)
    cut = _match(documents, ["walrus", "pelican"])
    assert _by_path(documents, cut.text).keys() == {"07.py", "09.py"}
    for number, score in cut.text.items():
        assert score == pytest.approx(whole.text[number])
        assert cut.passage[number] == pytest.approx(whole.passage[number])


def test_common_terms_are_scored_in_the_best_files_only(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"{number}.py": "walrus pelican\n" + "x\n" * number for number in range(6)}
    documents = documents_of(texts | {f"z{number}.py": "walrus" for number in range(20)})
    alone = _match(documents, ["pelican"])
    monkeypatch.setattr(bm25, "READ_ENTRIES", 8)
    monkeypatch.setattr(bm25, "COMMON_TERM_FILES", 2)
    found = _match(documents, ["walrus", "pelican"])
    gained = {documents.path(number) for number in found.text if found.text[number] > alone.text[number] + 1e-9}
    assert gained == {"0.py", "1.py"}


def test_single_common_term_is_read_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "READ_ENTRIES", 3)
    documents = documents_of({f"{number}.py": "walrus" for number in range(9)})
    assert len(_match(documents, ["walrus"]).text) == 9


def test_folder_name_in_most_paths_matches_none(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = documents_of({f"walrus/{number}.py": "x" for number in range(9)})
    assert len(_match(documents, ["walrus"]).path) == 9
    monkeypatch.setattr(bm25, "READ_ENTRIES", 8)
    assert _match(documents, ["walrus"]).path == {}


def test_matched_terms_come_from_text_names_and_path() -> None:
    documents = documents_of({"src/otter.py": "walrus\ndef heron_nest(): pass\n", "b.py": "pelican"})
    number = documents.number("src/otter.py")
    assert matched_terms(documents, number, ("pelican", "walrus", "otter", "nest")) == ("walrus", "otter", "nest")


def test_best_passage_is_where_the_terms_are_close_together() -> None:
    apart = "pelican\n" + "x = 1\n" * 80 + "walrus\n"
    together = "x = 1\n" * 80 + "pelican\nwalrus\n"
    documents = documents_of({"apart.py": apart, "together.py": together})
    found = _match(documents, ["pelican", "walrus"])
    chunk, body = _by_path(documents, found.passage), _by_path(documents, found.text)
    assert chunk["together.py"] > chunk["apart.py"]
    assert body["together.py"] == pytest.approx(body["apart.py"])


def test_empty_index_matches_nothing() -> None:
    assert _match(Documents(), ["pelican"]).text == {}
    assert _match(documents_of({"a.py": "pelican"}), []).weights == {}


@given(st.integers(1, 10**9), st.integers(1, 10**6))
def test_rounded_length_is_near_the_average(total: int, count: int) -> None:
    assert average_length(total, count) == pytest.approx(total / count, rel=1 / 64)


def test_rounded_length_is_stable_under_a_small_edit() -> None:
    assert average_length(300_000, 1_000) == average_length(300_009, 1_000)
    assert average_length(0, 0) == average_length(0, 7) == 1.0


def test_term_in_every_unit_has_a_positive_weight() -> None:
    assert inverse_frequency(10, 10) > 0
    assert inverse_frequency(1, 10) > inverse_frequency(2, 10)
    assert inverse_frequency(1, 10) == pytest.approx(math.log(1 + 9.5 / 1.5))


def _match(documents: Documents, terms: Sequence[str]) -> Matches:
    return score_all(documents, corpus_statistics(documents, terms, {})).matches


def _by_path(documents: Documents, scores: Mapping[int, float]) -> Scores:
    return {documents.path(number): score for number, score in scores.items()}


def _letters(count: int) -> list[str]:
    return [chr(97 + number // 26) + chr(97 + number % 26) + "q" for number in range(count)]


def _bm25(counted: Mapping[str, Mapping[str, int]], terms: list[str], b: float) -> Scores:
    """Robertson and Zaragoza's formula as in their paper, unit by unit."""
    average = average_length(sum(sum(counts.values()) for counts in counted.values()), len(counted))
    scores: Counter[str] = Counter()
    for term in terms:
        holding = [unit for unit, counts in counted.items() if term in counts]
        for unit in holding:
            count, length = counted[unit][term], sum(counted[unit].values())
            saturated = count * (K1 + 1) / (count + K1 * (1 - b + b * length / average))
            scores[unit] += inverse_frequency(len(holding), len(counted)) * saturated  # pyrefly: ignore[unsupported-operation]
    return dict(scores)


def _plain_texts(texts: Texts, terms: list[str]) -> tuple[Scores, Scores]:
    """Return the whole file's score, with the weights of terms among passages, and that of the best passage."""
    chunks = {
        f"{path}#{number}": chunk
        for path, text in texts.items()
        for number, chunk in enumerate(summarize(path, text.encode()).chunks)
    }
    best: Scores = {}
    for unit, score in _bm25(chunks, terms, B).items():
        path = unit.partition("#")[0]
        best[path] = max(score, best.get(path, 0.0))
    files = {path: _sum(chunk for unit, chunk in chunks.items() if unit.startswith(f"{path}#")) for path in texts}
    average = average_length(sum(files[path].total() for path in files), len(files))
    body: Counter[str] = Counter()
    for term in terms:
        weight = inverse_frequency(sum(term in chunk for chunk in chunks.values()), len(chunks))
        for path, counts in files.items():
            if counts[term]:
                norm = K1 * (1 - B + B * counts.total() / average)
                body[path] += weight * counts[term] * (K1 + 1) / (counts[term] + norm)  # pyrefly: ignore[unsupported-operation]
    return dict(body), best


def _sum(chunks: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for chunk in chunks:
        total.update(chunk)
    return total
