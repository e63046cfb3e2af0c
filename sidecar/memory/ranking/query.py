"""What is asked, taken apart. Pure."""

import math
import re
from collections.abc import Iterable, Mapping
from enum import IntFlag
from itertools import pairwise
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.language.dates import Span, spans_in
from sidecar.memory.ranking.indexed_text import significant

MAX_TERMS = 32
"""A longer text is asked by its first terms: a task tells what it is about before it goes into details."""


class Wanted(IntFlag):
    """The kind of answer."""

    MOMENT = 1
    NUMBER = 2
    NAME = 4
    TITLE = 8
    CAUSE = 16
    PLACE = 32


class Asked(NamedTuple):
    """A question's terms, the pairs of them that stand side by side, the times it names, what it wants."""

    terms: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    spans: tuple[Span, ...]
    wanted: Wanted


_KINDS = (
    (Wanted.MOMENT, r"\b(?:when|what (?:date|day|month|year|time)|how long|since when|quando|cuándo|quand|wann)\b"),
    (Wanted.NUMBER, r"\b(?:how (?:many|much|often|long)|quant[oa]s?|cuánt[oa]s?|combien|wie viele?)\b"),
    (Wanted.NAME, r"\b(?:who|whom|whose|name|where|which|title|quem|quién|qui|wer|welche\w*)\b"),
    (Wanted.TITLE, r"\b(?:books?|movies?|songs?|games?|called|names?|commands?|flags?|options?|settings?)\b"),
    (Wanted.CAUSE, r"\b(?:why|reasons?|motivat\w*|inspire\w*|por que|por qué|pourquoi|warum)\b"),
    (Wanted.PLACE, r"\b(?:where|which (?:city|country|folder|file)|what (?:city|country)|onde|dónde|où|wo)\b"),
)
_PATTERNS = tuple((kind, regex(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)


def read(text: str, now_ms: int) -> Asked:
    """Takes a question apart; `now_ms` is what `yesterday` counts from."""
    terms = significant(text)[:MAX_TERMS]
    wanted = Wanted(0)
    for kind, pattern in _PATTERNS:
        if pattern.search(text) is not None:
            wanted |= kind
    return Asked(terms, frozenset(pairwise(terms)), spans_in(text, now_ms), wanted)


def without(asked: Asked, terms: frozenset[str]) -> Asked:
    """Takes terms out of a question, unless nothing would be left: the names of those who are asked about."""
    left = tuple(term for term in asked.terms if term not in terms)
    return asked._replace(terms=left, pairs=frozenset(pairwise(left))) if left else asked


# How telling each term of a question is, and which words of the memories are forms of it. Pure.


SHORTEST_FORM = 4
"""Words that share fewer letters at their beginning are not taken for forms of one another."""
LIKE_ENOUGH = 0.7
"""The share of a term's letters that a form of it begins with."""
MOST_FORMS = 16
"""So many are looked for; the likest. Each one costs full-text search as much as a term."""


class Vocabulary(NamedTuple):
    """What the memories within reach say of a question's terms."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    """Inverse document frequency, natural logarithm; the rarer the higher."""
    total: float
    """Of all weights; 1 where there is none."""
    average: float
    """Terms in an entry."""
    places: Mapping[str, int]
    """Term → its place among `terms`."""
    forms: Mapping[str, tuple[tuple[int, float], ...]]
    """Another form of a term → the term's place and how much of a match it is, below 1."""
    looked_for: frozenset[str]
    """The terms and their forms."""


def vocabulary(
    terms: tuple[str, ...], holding: Mapping[str, int], words: Iterable[str], entries: int, total_words: int
) -> Vocabulary:
    """Weighs terms by how many entries hold them; `words` are those of the memories that begin as the terms do."""
    weights = tuple(rarity(holding.get(term, 0), entries) for term in terms)
    places = {term: place for place, term in enumerate(terms)}
    forms: dict[str, list[tuple[int, float]]] = {}
    begins = [(place, term, begin) for term, place in places.items() if (begin := stump(term))]
    for word in sorted(set(words) - places.keys()):
        for place, term, begin in begins:
            if word.startswith(begin) and word.isalpha():
                forms.setdefault(word, []).append((place, _likeness(term, word, len(begin))))
    likest = sorted(forms, key=lambda word: (-max(credit for _, credit in forms[word]), word))
    kept = {word: tuple(forms[word]) for word in likest[:MOST_FORMS]}
    average = total_words / entries if entries else 1.0
    looked_for = frozenset((*places, *kept))
    return Vocabulary(terms, weights, sum(weights) or 1.0, average, places, kept, looked_for)


def parted(words: Iterable[str], holding: Mapping[str, int], enough: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parts words into the rarest that so many entries hold together, and the rest.

    What holds none of the rare ones says too little to stand among the best; the rest only tells those apart that do.
    """
    rare: list[str] = []
    rest: list[str] = []
    held = 0
    for word in sorted(words, key=lambda word: (holding.get(word, 0), word)):
        (rare if held < enough else rest).append(word)
        held += holding.get(word, 0)
    return tuple(rare), tuple(rest)


def rarity(holding: int, entries: int) -> float:
    """Gives BM25's inverse document frequency, which is never below zero."""
    return math.log(1 + (max(entries, holding) - holding + 0.5) / (holding + 0.5))


def stump(term: str) -> str:
    """Gives the letters that every form of a term begins with; empty where only the term itself counts."""
    if len(term) < SHORTEST_FORM or not term.isalpha():
        return ""
    return term[: max(SHORTEST_FORM, len(term) - 3, math.ceil(LIKE_ENOUGH * len(term)))]


def _likeness(term: str, word: str, shared: int) -> float:
    """Gives the share of letters that two words begin with alike, of which so many are known to be."""
    for left, right in zip(term[shared:], word[shared:], strict=False):
        if left != right:
            break
        shared += 1
    return shared / max(len(term), len(word))
