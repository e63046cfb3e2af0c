"""Which files a prompt is about: BM25 over contents, definitions and paths, and what the prompt names. Pure."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

RANKING_VERSION = 2
"""Part of the search cache's key: a change of the order makes old results invalid."""

K1 = 1.2
B = 0.75
"""BM25's usual parameters (Robertson and Zaragoza 2009)."""

PATH_WEIGHT = 4
DEFINITION_WEIGHT = 3
"""How many occurrences in the text one in the path, or in a definition's name, is worth (BM25F)."""

NAMED_PATH_BONUS = 2.0
NAMED_DEFINITION_BONUS = 0.6
CHANGED_BONUS = 0.15
TEST_FACTOR = 0.8
DOCS_FACTOR = 0.7
GENERATED_FACTOR = 0.3
"""Shares of the best BM25 score that are added, and factors on a file's own."""

RELEVANCE_FLOOR = 0.25
"""A file below this share of the best score is not worth its bytes."""


class Candidate(NamedTuple):
    """What the index knows of a file that shares a term with the prompt."""

    path: str
    length: int
    """Weighted number of terms."""
    frequencies: Mapping[str, int]
    """Weighted occurrences of each of the prompt's terms."""


class Signals(NamedTuple):
    """What the prompt and the worktree say beside the terms."""

    named_paths: frozenset[str]
    named_definitions: frozenset[str]
    """Paths of the files that define a name the prompt spells out."""
    changed: frozenset[str]
    generated: frozenset[str]
    wants_tests: bool
    wants_docs: bool


class Ranked(NamedTuple):
    """A file with its score, the score's parts, and the prompt's terms it holds."""

    path: str
    score: float
    parts: dict[str, float]
    matched: tuple[str, ...]


class Corpus(NamedTuple):
    """What BM25 has to know of all files together."""

    document_count: int
    average_length: float
    document_frequency: Mapping[str, int]
    """In how many files each of the prompt's terms is."""


def rank(
    terms: Sequence[str], candidates: Sequence[Candidate], corpus: Corpus, signals: Signals, limit: int
) -> list[Ranked]:
    """Orders candidates by score, ties by path, and ends the list at the relevance floor."""
    idf = {term: _idf(corpus, found) for term in terms if (found := corpus.document_frequency.get(term))}
    texts = [_bm25(candidate, idf, corpus.average_length) for candidate in candidates]
    best = max(texts, default=0.0) or 1.0
    scored = [_scored(candidate, text / best, idf, signals) for candidate, text in zip(candidates, texts, strict=True)]
    scored.sort(key=lambda ranked: (-ranked.score, ranked.path))
    floor = scored[0].score * RELEVANCE_FLOOR if scored else 0.0
    return [ranked for ranked in scored[:limit] if ranked.score > 0 and ranked.score >= floor]


def _idf(corpus: Corpus, frequency: int) -> float:
    return math.log(1 + (corpus.document_count - frequency + 0.5) / (frequency + 0.5))


def _bm25(candidate: Candidate, idf: Mapping[str, float], average_length: float) -> float:
    norm = K1 * (1 - B + B * candidate.length / (average_length or 1.0))
    return sum(
        weight * frequency * (K1 + 1) / (frequency + norm)
        for term, weight in idf.items()
        if (frequency := candidate.frequencies.get(term, 0))
    )


def _scored(candidate: Candidate, text: float, idf: Mapping[str, float], signals: Signals) -> Ranked:
    path = candidate.path
    parts = {"text": text * _factor(path, signals)}
    if path in signals.named_paths:
        parts["namedPath"] = NAMED_PATH_BONUS
    if path in signals.named_definitions:
        parts["namedDefinition"] = NAMED_DEFINITION_BONUS
    if path in signals.changed and text > 0:
        parts["changed"] = CHANGED_BONUS
    matched = sorted((term for term in idf if candidate.frequencies.get(term)), key=lambda term: (-idf[term], term))
    rounded = {name: round(part, 4) for name, part in parts.items()}
    return Ranked(path, round(sum(rounded.values()), 4), rounded, tuple(matched))


def _factor(path: str, signals: Signals) -> float:
    if path in signals.generated:
        return GENERATED_FACTOR
    if is_test(path) and not signals.wants_tests:
        return TEST_FACTOR
    if is_document(path) and not signals.wants_docs:
        return DOCS_FACTOR
    return 1.0


def is_test(path: str) -> bool:
    """Says whether a file is a test by its name or folder."""
    name = path.rsplit("/", 1)[-1].lower()
    folders = path.lower().split("/")[:-1]
    return (
        any(folder in ("test", "tests", "__tests__", "spec", "specs", "e2e") for folder in folders)
        or name.startswith("test_")
        or any(mark in name for mark in (".test.", ".spec.", "_test.", "_spec."))
    )


def is_document(path: str) -> bool:
    """Says whether a file is prose or plain data rather than code."""
    return path.lower().endswith((".md", ".mdx", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".csv", ".html"))
