"""How telling each term of a question is, and which words of the memories are forms of it. Pure."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

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
