"""How much of an intent an entity covers, 0 to 100. Pure.

    score = 100 × (0.6 × keywords + 0.4 × purpose)        intelligence-layer.md 5.2; decisions.md, Registry

The specification gives the weights and the thresholds (90, 60), not the measures. A cosine between TF-IDF vectors
cannot serve absolute thresholds: an intent of five words lies far from any purpose of ten. So both parts are shares of
the *intent's* TF-IDF weight that the entity covers, and 1 when it covers all of it:

    keywords = Σ weight(t) × strength(t) / Σ weight(t)    over the intent's terms t; strength by where t stands
    purpose  = the same, measured in name and purpose first, × focus

`focus` looks from the other side: which share of the entity the intent names, by its name, its keywords or most of its
purpose, whichever is largest. One shared word covers all of a one-word intent, but it does not name the entity. So an
intent that spells a name or a purpose out reaches 90, one that an entity has in its keywords alone reaches 60, and
what shares the lesser half of its words stays below.
"""

from bisect import insort
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop
from typing import NamedTuple

from sidecar.registry.index import ASIDE, KEYWORD, NAME, PURPOSE, Index
from sidecar.registry.stemming import compounds_of, is_faint, kinds_in, words_of
from sidecar.registry.synonyms import near

KEYWORDS_PART, PURPOSE_PART = 0.6, 0.4
"""intelligence-layer.md 5.2."""

_FOR_KEYWORDS = ((NAME, 1.0), (KEYWORD, 1.0), (PURPOSE, 0.95), (ASIDE, 0.75))
_FOR_PURPOSE = ((NAME, 1.0), (PURPOSE, 1.0), (KEYWORD, 0.85), (ASIDE, 0.55))
"""How far a term counts as covered, by the best place it stands in."""

NEAR = 0.8
"""What a word that means much the same counts beside the word itself."""

NAMED_PURPOSE = 0.5
"""An intent with this share of a purpose's words names all of it: nobody repeats a sentence word by word."""

WHOLE_PURPOSE = 0.9
"""The share that is needed of a comment where the name is not named."""

UNFOCUSED = 0.6
"""What the purpose's part keeps where nothing of the entity is named."""

FAINT, KIND, UNKNOWN = 0.25, 0.4, 0.4
"""Factors for a term that asks rather than describes, that names a kind of thing, that no entity has."""


_ROUNDING = 1e-9


def _strength(strengths: Sequence[tuple[int, float]], places: int) -> float:
    """How far a term counts as covered that stands in these places."""
    return next((value for where, value in strengths if places & where), 0.0)


_NEAR_BITS = ASIDE.bit_length()
"""By so many bits the places of near words stand above those of the word itself, in one number."""

_KEYWORD_STRENGTHS, _PURPOSE_STRENGTHS = (
    tuple(
        max(_strength(strengths, places % (2 * ASIDE)), NEAR * _strength(strengths, places >> _NEAR_BITS))
        for places in range(2 * ASIDE << _NEAR_BITS)
    )
    for strengths in (_FOR_KEYWORDS, _FOR_PURPOSE)
)
_BEST = tuple(
    KEYWORDS_PART * keywords + PURPOSE_PART * purpose
    for keywords, purpose in zip(_KEYWORD_STRENGTHS, _PURPOSE_STRENGTHS, strict=True)
)
"""The most a term adds to a score, in parts of its weight, by the places where it stands."""


class Term(NamedTuple):
    """A term of the intent."""

    root: str
    word: str
    """As it was written."""
    weight: float
    kinds: frozenset[str]
    """The types of entities it may name."""
    places: Mapping[int, int]
    """The numbers of the entities that hold it or a near word, each with the places of both."""


class Score(NamedTuple):
    """How well an entity fits; parts and score 0 to 100, unrounded."""

    number: int
    """The entity's place in the index."""
    score: float
    keywords: float
    purpose: float
    matched: tuple[str, ...]
    """The intent's words that it covers, in the intent's order."""
    missing: tuple[str, ...]
    """Those that it does not."""


def terms_of(intent: str, index: Index) -> list[Term]:
    """Gives the terms of an intent with their weights in a registry, in order."""
    words = words_of(intent)
    for whole, parts in compounds_of(intent).items():
        if whole in index.postings:  # `full-stack` where the registry says `fullstack`
            at = {part: words.pop(part) for part in parts if part in words and part not in index.postings}
            words.setdefault(whole, next(iter(at.values()), whole))
    kinds = kinds_in(words)
    return [_term(root, word, index, kinds.get(root, frozenset())) for root, word in words.items()]


def scores(terms: Sequence[Term], index: Index, limit: int, type_: str | None = None) -> list[Score]:
    """Gives the best entities, the best first; those alike in the registry's order. Only ones that share a term."""
    total = sum(term.weight for term in terms)
    heap = [
        (-bound, number)
        for number, bound in _bounds(terms).items()
        if type_ is None or index.entities[number].type == type_
    ]
    heapify(heap)
    found: list[Score] = []
    while heap:
        bound, number = heappop(heap)
        if len(found) >= limit and -100 * bound / total < found[-1].score - _ROUNDING:
            break  # none that follows can be better
        insort(found, score(number, terms, index), key=_order)
        del found[limit:]
    return found


def score(number: int, terms: Sequence[Term], index: Index) -> Score:
    """Scores one entity."""
    total = sum(term.weight for term in terms)
    places = [_places(term, number) for term in terms]
    is_kind = [index.entities[number].type in term.kinds for term in terms]
    keywords = _share(terms, places, is_kind, _KEYWORD_STRENGTHS, total)
    purpose = _share(terms, places, is_kind, _PURPOSE_STRENGTHS, total) * focus(number, terms, index)
    has = [bool(place) or kind for place, kind in zip(places, is_kind, strict=True)]
    return Score(
        number,
        100 * (KEYWORDS_PART * keywords + PURPOSE_PART * purpose),
        100 * keywords,
        100 * purpose,
        tuple(term.word for term, is_there in zip(terms, has, strict=True) if is_there),
        tuple(term.word for term, is_there in zip(terms, has, strict=True) if not is_there),
    )


def focus(number: int, terms: Sequence[Term], index: Index) -> float:
    """Says how much of an entity an intent names, from `UNFOCUSED` to 1.

    Of code the name has to be among it, or all of the comment: that also tells what is done in passing.
    """
    words = index.words[number]
    asked = {other: NEAR for term in terms for other in near(term.root)} | {term.root: 1.0 for term in terms}
    name, purpose = _part(words.name, asked, index), _part(words.purpose, asked, index)
    if not name and purpose < WHOLE_PURPOSE and index.entities[number].origin == "code":
        return UNFOCUSED
    named = max(
        name,
        _part(words.keywords, asked, index),
        min(1.0, purpose / NAMED_PURPOSE),
    )
    return UNFOCUSED + (1 - UNFOCUSED) * named


def _term(root: str, word: str, index: Index, kinds: frozenset[str]) -> Term:
    """Makes a term; one that names a kind of thing is meant so, and has no near words."""
    places = index.places(root)
    if kinds:
        return Term(root, word, index.weight(root) * KIND, kinds, places)
    near_places = [index.places(other) for other in near(root)]
    if any(near_places):
        places = dict(places)
        for ones in near_places:
            for number, there in ones.items():
                places[number] = places.get(number, 0) | there << _NEAR_BITS
    weight = index.weight_of(len(places))
    if not places:
        weight *= UNKNOWN
    return Term(root, word, weight * FAINT if is_faint(root) else weight, kinds, places)


def _bounds(terms: Sequence[Term]) -> dict[int, float]:
    """For each entity that shares a term a bound that its share of the terms' weights does not exceed.

    A kind of thing counts for all of them, for many entities are of it; where nothing else is shared, for those alone
    that have its word.
    """
    covered: dict[int, float] = {}
    kinds = sum(term.weight for term in terms if term.kinds)
    for term in terms:
        if not term.kinds:
            gain = [term.weight * best for best in _BEST]
            for number, places in term.places.items():
                covered[number] = covered.get(number, kinds) + gain[places]
    return covered or {number: kinds for term in terms for number in term.places}


def _places(term: Term, number: int) -> int:
    """Where a term stands in an entity; what names a kind of thing is not meant as a keyword."""
    places = term.places.get(number, 0)
    return places & (NAME | PURPOSE) if term.kinds else places


def _share(
    terms: Sequence[Term],
    places: Sequence[int],
    is_kind: Sequence[bool],
    strengths: Sequence[float],
    total: float,
) -> float:
    covered = 0.0
    for term, place, kind in zip(terms, places, is_kind, strict=True):
        covered += term.weight * (1.0 if kind else strengths[place])
    return covered / total if total else 0.0


def _part(words: Sequence[str], asked: Mapping[str, float], index: Index) -> float:
    """The share of some words that is asked for, by their weights."""
    weights = [index.weight(word) * (FAINT if is_faint(word) else 1.0) for word in words]
    total = sum(weights)
    named = sum(weight * asked.get(word, 0.0) for word, weight in zip(words, weights, strict=True))
    return named / total if total else 0.0


def _order(score: Score) -> tuple[float, int]:
    return -score.score, score.number
