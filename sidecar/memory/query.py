"""Parse a query about memories, and weigh its terms. Pure."""

import math
import re
from collections.abc import Iterable, Mapping
from enum import IntFlag
from itertools import pairwise
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.dates import Span, date_spans
from sidecar.memory.indexed_text import significant_terms

MAX_TERMS = 32
"""Longer texts are cut to their first terms: a task states its subject before its details."""


class AnswerKind(IntFlag):
    """Kinds of answer."""

    MOMENT = 1
    NUMBER = 2
    NAME = 4
    TITLE = 8
    CAUSE = 16
    PLACE = 32


class MemoryQuery(NamedTuple):
    """A query's terms, adjacent term pairs, named times, and kinds of answer."""

    terms: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    spans: tuple[Span, ...]
    answer_kinds: AnswerKind


_KINDS = (
    (AnswerKind.MOMENT, r"\b(?:when|what (?:date|day|month|year|time)|how long|since when|quando|cuándo|quand|wann)\b"),
    (AnswerKind.NUMBER, r"\b(?:how (?:many|much|often|long)|quant[oa]s?|cuánt[oa]s?|combien|wie viele?)\b"),
    (AnswerKind.NAME, r"\b(?:who|whom|whose|name|where|which|title|quem|quién|qui|wer|welche\w*)\b"),
    (AnswerKind.TITLE, r"\b(?:books?|movies?|songs?|games?|called|names?|commands?|flags?|options?|settings?)\b"),
    (AnswerKind.CAUSE, r"\b(?:why|reasons?|motivat\w*|inspire\w*|por que|por qué|pourquoi|warum)\b"),
    (AnswerKind.PLACE, r"\b(?:where|which (?:city|country|folder|file)|what (?:city|country)|onde|dónde|où|wo)\b"),
)
_PATTERNS = tuple((kind, lazy_regex(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)


def parse_query(text: str, now_ms: int) -> MemoryQuery:
    """Parse a query; `now_ms` is the reference for `yesterday`."""
    terms = significant_terms(text)[:MAX_TERMS]
    answer_kinds = AnswerKind(0)
    for kind, pattern in _PATTERNS:
        if pattern.search(text) is not None:
            answer_kinds |= kind
    return MemoryQuery(terms, frozenset(pairwise(terms)), date_spans(text, now_ms), answer_kinds)


def without_terms(query: MemoryQuery, terms: frozenset[str]) -> MemoryQuery:
    """Remove terms, the names of the people asked about, unless nothing would remain."""
    remaining = tuple(term for term in query.terms if term not in terms)
    return query._replace(terms=remaining, pairs=frozenset(pairwise(remaining))) if remaining else query


MIN_FORM_LETTERS = 4
"""Words with a shorter common prefix do not count as forms of each other."""
MIN_SIMILARITY = 0.7
"""Minimum share of a term's letters in the common prefix."""
MAX_FORMS = 16
"""Maximum number of word forms, the most similar; each costs full-text search as much as a term."""


class TermWeights(NamedTuple):
    """Statistics of a query's terms over the memories within reach."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    """Inverse document frequency (natural logarithm)."""
    total: float
    """Sum of the weights; 1 if there are none."""
    average: float
    """Average terms per entry."""
    places: Mapping[str, int]
    """Term → its index in `terms`."""
    forms: Mapping[str, tuple[tuple[int, float], ...]]
    """Word form → the term's index and the credit of the match, below 1."""
    search_terms: frozenset[str]
    """The terms and their forms."""


def weigh_terms(
    terms: tuple[str, ...], document_frequency: Mapping[str, int], words: Iterable[str], entries: int, total_words: int
) -> TermWeights:
    """Weigh terms by document frequency; `words` are the indexed words that share a prefix with a term."""
    weights = tuple(inverse_document_frequency(document_frequency.get(term, 0), entries) for term in terms)
    places = {term: place for place, term in enumerate(terms)}
    forms: dict[str, list[tuple[int, float]]] = {}
    prefixes = [(place, term, prefix) for term, place in places.items() if (prefix := stem_prefix(term))]
    for word in sorted(set(words) - places.keys()):
        for place, term, prefix in prefixes:
            if word.startswith(prefix) and word.isalpha():
                forms.setdefault(word, []).append((place, _similarity(term, word, len(prefix))))
    likest = sorted(forms, key=lambda word: (-max(credit for _, credit in forms[word]), word))
    chosen_forms = {word: tuple(forms[word]) for word in likest[:MAX_FORMS]}
    average = total_words / entries if entries else 1.0
    search_terms = frozenset((*places, *chosen_forms))
    return TermWeights(terms, weights, sum(weights) or 1.0, average, places, chosen_forms, search_terms)


def split_rarest(
    words: Iterable[str], document_frequency: Mapping[str, int], enough: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split words into the rarest, which together occur in `enough` entries, and the rest.

    An entry without a rare word cannot be among the best; the rest only orders those that have one.
    """
    rare: list[str] = []
    rest: list[str] = []
    matching = 0
    for word in sorted(words, key=lambda word: (document_frequency.get(word, 0), word)):
        (rare if matching < enough else rest).append(word)
        matching += document_frequency.get(word, 0)
    return tuple(rare), tuple(rest)


def inverse_document_frequency(document_frequency: int, entries: int) -> float:
    """Return BM25's inverse document frequency, which is never negative."""
    return math.log(1 + (max(entries, document_frequency) - document_frequency + 0.5) / (document_frequency + 0.5))


def stem_prefix(term: str) -> str:
    """Return the prefix shared by every form of a term; empty if only the term itself counts."""
    if len(term) < MIN_FORM_LETTERS or not term.isalpha():
        return ""
    return term[: max(MIN_FORM_LETTERS, len(term) - 3, math.ceil(MIN_SIMILARITY * len(term)))]


def _similarity(term: str, word: str, shared: int) -> float:
    """Return the share of letters in the common prefix, of which `shared` are known."""
    for left, right in zip(term[shared:], word[shared:], strict=False):
        if left != right:
            break
        shared += 1
    return shared / max(len(term), len(word))
