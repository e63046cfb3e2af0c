"""Reorder the best matches of an intent, and scale scores by the likelihood that the first is the answer. Pure."""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from sidecar.registry.entities import ADAPT_FROM, Entity
from sidecar.registry.scoring import (
    TOO_FEW_WORDS,
    RegistryIndex,
    Score,
    Term,
    display_name,
    is_held,
    named_share,
    own_terms,
    score,
    share_by_own_words,
    share_of_name,
    what_is_done,
)
from sidecar.registry.stemming_and_synonyms import QUESTIONS, intent_words, proper_names_in, root_of_word, word_forms

_ROUNDING = 1e-9

REORDERED = 30
"""Number of the best scores that are ordered."""

SAME_FORM, WHOLE_FILE, PRIVATE = 40.0, 30.0, 10.0
"""Points by which an entity moves up that contains all words of the intent as written, and by which a whole file, whose
definitions say more, and what only its package uses move down. They only order entities.
"""

SHARED_WORD, WHOLE_PURPOSE, WORD_PAIR, NAME_WORD = 8.0, 15.0, 4.0, 3.0
OTHER_KINDS = {"class": 7.0, "method": 10.0}
"""Points by which an entity moves up for each word that the intent shares with it, for the words of its purpose, and
for each pair of neighbouring words in both; and down for each word of its name, and for its kind if the intent does
not ask for one. They only order entities. In proportion to a listwise softmax regression on 29 packages, of which each
was ranked without itself; half of what that says, as more costs right answers among the packages known before.
"""

MAX_COUNTED = 5
"""Number of words that count one by one."""

MIN_LIKELIHOOD, MIN_TO_RAISE = 0.55, 0.7
"""Minimum likelihoods of code with a score from 60, which is below otherwise, and below 60, which is 60 then."""

MIN_BY_OWN_WORDS = 35.0
"""Minimum score of code that is suggested without the words that only describe its name."""

_PRIVATE_FOLDERS = frozenset(("internal", "internals", "private"))

Pair = tuple[str, str]


class Likelihood(NamedTuple):
    """Evidence that the first entity is the answer, each about 0 to 1; or the weight of each."""

    score: float
    margin: float
    """By how many points, of 100, it comes before the second one."""
    own: float
    """Share of the intent's words, by weight, that it contains itself."""
    shared: float
    """Number of words that it contains, a synonym of, or is described by, of `MANY_WORDS`."""
    named: float
    """Share of its name that the intent contains or describes."""


MANY_WORDS = 8
WEIGHTS, CONSTANT = Likelihood(score=1.98, margin=2.9, own=1.91, shared=2.57, named=0.91), -4.4
"""Logistic regression on the same packages: whether the first entity is right, with and without an answer."""


def likely_scores(best: Sequence[Score], intent: str, terms: Sequence[Term], index: RegistryIndex) -> list[Score]:
    """Return the best scores, the likeliest first, after what the intent spells out; none is above the one before it.

    `https` and `http` have one root, synonyms are inexact, and generic words weigh little in a score; the words as
    written and their order tell entities apart that cover an intent alike. If the first is code, all scores are below
    60 unless it is likely, and its own is raised to 60 where it is very likely.
    """
    points = _points(best, intent, terms, index)
    ordered: list[Score] = []
    spelled_out = {
        candidate.number for candidate in best if _is_complete(candidate) and _is_name_of(candidate, intent, index)
    }

    def order(candidate: Score) -> tuple[bool, float, int]:
        return candidate.number not in spelled_out, -points[candidate.number], candidate.number

    for candidate in sorted(best, key=order):
        is_above = bool(ordered) and candidate.score > ordered[-1].score
        ordered.append(_scaled(candidate, ordered[-1].score / candidate.score) if is_above else candidate)
    if not ordered or ordered[0].number in spelled_out or index.entities[ordered[0].number].origin != "code":
        return ordered
    first, *others = ordered
    own = own_terms(terms, first.number)
    probability = likelihood(first, points, terms, index)
    is_suggested = first.score >= ADAPT_FROM
    is_likely = probability >= (MIN_LIKELIHOOD if is_suggested else MIN_TO_RAISE)
    if not is_likely or score(first.number, own, index).score < MIN_BY_OWN_WORDS:
        return [_scaled(other, TOO_FEW_WORDS) for other in ordered] if is_suggested else ordered
    if is_suggested or is_held(first.number, own, index) or not _has_verb_and_names(first.number, intent, terms):
        return ordered
    factor = min(ADAPT_FROM / first.score, 100 / max(first.keywords, first.purpose))
    return [_scaled(first, factor), *others]


def _scaled(score: Score, factor: float) -> Score:
    """Return a score with its parts times a factor."""
    return score._replace(score=score.score * factor, keywords=score.keywords * factor, purpose=score.purpose * factor)


def _is_complete(score: Score) -> bool:
    """Whether an intent consists of an entity's own words."""
    return score.score > 100 - _ROUNDING


def _is_name_of(candidate: Score, intent: str, index: RegistryIndex) -> bool:
    """Whether an intent is the name of an entity, word by word."""
    return word_forms([intent]) == word_forms([display_name(index.entities[candidate.number])])


def _has_verb_and_names(number: int, intent: str, terms: Sequence[Term]) -> bool:
    """Whether an entity has what the intent does and the proper names in it."""
    names, done = proper_names_in(intent), what_is_done(terms)
    return all(term.fields.get(number) for term in terms if term is done or term.root in names)


def likelihood(first: Score, points: Mapping[int, float], terms: Sequence[Term], index: RegistryIndex) -> float:
    """Return how likely the first entity is the answer, 0 to 1, by a logistic regression."""
    values = evidence(first, points, terms, index)
    log_odds = CONSTANT + sum(weight * value for weight, value in zip(WEIGHTS, values, strict=True))
    return 1 / (1 + math.exp(-log_odds))


def evidence(first: Score, points: Mapping[int, float], terms: Sequence[Term], index: RegistryIndex) -> Likelihood:
    """Return the evidence that the first entity is the answer."""
    second = max((other for number, other in points.items() if number != first.number), default=0.0)
    shared = sum(bool(term.weight and term.fields.get(first.number)) for term in terms)
    return Likelihood(
        score=first.score / 100,
        margin=(points[first.number] - second) / 100,
        own=share_by_own_words(first.number, terms),
        shared=shared / MANY_WORDS,
        named=share_of_name(first.number, terms, index),
    )


def _points(best: Sequence[Score], intent: str, terms: Sequence[Term], index: RegistryIndex) -> Mapping[int, float]:
    """Return the points by which entities are ordered, by their numbers."""
    roots = {word: root_of_word(word) for word in word_forms([intent])}
    weights = {word: index.weight(root) for word, root in roots.items() if root not in QUESTIONS}
    pairs = _word_pairs_in(intent)
    points: dict[int, float] = {}
    for candidate in best:
        entity = index.entities[candidate.number]
        is_file = entity.origin == "code" and "#" not in entity.key and not any(entity.type in t.kinds for t in terms)
        points[candidate.number] = (
            candidate.score
            + SAME_FORM * _share_as_written(entity, weights)
            + _points_for_words(candidate.number, terms, pairs, index)
            - WHOLE_FILE * is_file
            - PRIVATE * _is_private(entity)
        )
    return points


def _points_for_words(number: int, terms: Sequence[Term], pairs: AbstractSet[Pair], index: RegistryIndex) -> float:
    """Return by how many points an entity moves up for its words that an intent contains, and down for the others."""
    entity, words = index.entities[number], index.words[number]
    is_kind = any(entity.type in term.kinds for term in terms)
    shared = sum(bool(term.weight) and (bool(term.fields.get(number)) or entity.type in term.kinds) for term in terms)
    covered = named_share(words.purpose, {term.root: 1.0 for term in terms}, index)
    up = SHARED_WORD * min(shared, MAX_COUNTED) + WHOLE_PURPOSE * covered
    up += WORD_PAIR * len(pairs & _word_pairs_in(entity.purpose))
    down = NAME_WORD * min(len(words.name), MAX_COUNTED) + (0 if is_kind else OTHER_KINDS.get(entity.type, 0))
    return up - down


def _word_pairs_in(text: str) -> frozenset[Pair]:
    """Return the pairs of neighbouring words of a text, as roots."""
    return frozenset(pairwise(intent_words(text)))


def _share_as_written(entity: Entity, weights: Mapping[str, float]) -> float:
    """Return the share of an intent's words, by weight, that an entity contains as written."""
    forms = frozenset(word_forms((display_name(entity), entity.purpose, *entity.keywords)))
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in forms) / total if total else 0.0


def _is_private(entity: Entity) -> bool:
    """Whether an entity is code in a folder or a file that only its own package uses."""
    *folders, name = entity.path.split("/")
    is_hidden = any(folder.startswith("_") or folder in _PRIVATE_FOLDERS for folder in folders)
    return entity.origin == "code" and (is_hidden or (name.startswith("_") and not name.startswith("__")))
