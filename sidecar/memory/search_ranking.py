"""Features and learned weights that rank memories for a query, and a score as a product of factors. Pure.

Entries of a group and stand-alone entries have separate weights.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import mul
from typing import NamedTuple

from sidecar.core.clock import DAY_MS
from sidecar.core.terms import inverse_frequency
from sidecar.memory.indexed_text import Trait
from sidecar.memory.question_parser import AnswerKind, MemoryQuery, TermWeights


class Saturation(NamedTuple):
    """BM25's k1 (how soon repetition adds nothing) and b (how much length counts against an entry)."""

    k1: float
    length: float


GROUP_ENTRY = Saturation(0.9, 0.4)
"""Group entries are short: their length says little."""
STANDALONE_ENTRY = Saturation(1.2, 0.75)

GROUP_SATURATION = 1.2
MENTION_DECAY_DAYS, MENTION_DAYS = 5.0, 15
"""An event is reported on its day or soon after."""
RANK_HALF = 10.0
NEIGHBORS = 2
"""Number of neighbors before and after an entry."""


class CandidateRow(NamedTuple):
    """The indexed columns of an entry that the ranking uses."""

    row_id: int
    group: str
    position: int
    author: str
    at_ms: int
    terms: str
    traits: int
    eligible: bool
    """Whether it passes the filters; others only serve as neighbors."""


class TermHits(NamedTuple):
    """The query terms an entry contains."""

    counts: Mapping[int, int]
    """Term index → number of occurrences."""
    mask: int
    own: float
    """BM25 as a share of the terms' weight, at most about 1."""
    forms: float
    """Share of weight covered only by other forms of the terms."""
    pairs: float
    length: int


HAS_QUESTION, ENDS_WITH_QUESTION = int(Trait.QUESTION), int(Trait.ENDS_WITH_QUESTION)
NO_HITS = TermHits({}, 0, 0.0, 0.0, 0.0, 0)
_NO_NEIGHBORS = (NO_HITS, NO_HITS, NO_HITS, NO_HITS, 0)

NAMES = (
    "words", "share", "around", "before", "after", "twoBefore", "twoAfter", "group", "pairs", "forms", "formsAround",
    "rank", "rankAround", "author", "inTime", "onDay", "soonAfter", "answers", "afterQuestion", "hasQuestion",
    "endsWithQuestion", "opens", "length", "hasTime", "hasNumber", "hasName", "hasManyNames", "hasTitle", "hasReason",
    "hasPlace",
)  # fmt: skip
"""The features, in vector order."""

_WORDS, _FORMS = NAMES.index("words"), NAMES.index("forms")

_ANSWER_TRAITS = (
    (AnswerKind.MOMENT, Trait.MOMENT),
    (AnswerKind.NUMBER, Trait.NUMBER),
    (AnswerKind.NAME, Trait.NAMES),
    (AnswerKind.NAME, Trait.MANY_NAMES),
    (AnswerKind.TITLE, Trait.QUOTES),
    (AnswerKind.CAUSE, Trait.CAUSE),
    (AnswerKind.PLACE, Trait.PLACE),
)


def query_share(values: Sequence[float]) -> float:
    """Return the share of the query's weight that the entry itself contains."""
    return values[_WORDS] + values[_FORMS]


def match_terms(terms: str, query: MemoryQuery, term_weights: TermWeights, saturation: Saturation) -> TermHits:
    """Match a query's terms against an entry's."""
    words = terms.split()
    matching = term_weights.search_terms.intersection(words)
    if not matching:
        return TermHits({}, 0, 0.0, 0.0, 0.0, len(words))
    places, forms = term_weights.places, term_weights.forms
    counts: dict[int, int] = {}
    form_credits: dict[int, float] = {}
    mask = 0
    for word in matching:
        place = places.get(word)
        if place is not None:
            counts[place] = words.count(word)
            mask |= 1 << place
        else:
            for at, credit in forms[word]:
                form_credits[at] = max(form_credits.get(at, 0.0), credit)
    weights, total = term_weights.weights, term_weights.total
    k1, length = saturation
    norm = k1 * (1 - length + length * len(words) / term_weights.average)
    own = math.fsum(weights[at] * count * (k1 + 1) / (count + norm) for at, count in counts.items())
    form_weight = math.fsum(weights[at] * credit for at, credit in form_credits.items() if at not in counts)
    has_pair = any(left in matching and right in matching for left, right in query.pairs)
    pairs = _pairs(words, query, term_weights) / total if has_pair else 0.0
    return TermHits(counts, mask, own / total, form_weight / total, min(1.0, pairs), len(words))


def _pairs(words: Sequence[str], query: MemoryQuery, term_weights: TermWeights) -> float:
    """Return the weight of the query's term pairs that are adjacent in an entry."""
    places, weights = term_weights.places, term_weights.weights
    adjacent = (pair for pair in pairwise(words) if pair in query.pairs)
    return sum(weights[places[left]] + weights[places[right]] for left, right in adjacent)


def features(
    query: MemoryQuery,
    rows: Sequence[CandidateRow],
    hits: Sequence[TermHits],
    weights: TermWeights,
    named_authors: frozenset[str],
) -> list[list[float]]:
    """Return each row's feature vector in the order of `NAMES`; `named_authors` are the authors the query names."""
    at = {(row.group, row.position): index for index, row in enumerate(rows)}
    sizes = Counter(row.group for row in rows)
    shares = _Shares(weights)
    groups = _group_scores(rows, hits, len(weights.terms))
    answer_traits = [int(trait) if kind in query.answer_kinds else 0 for kind, trait in _ANSWER_TRAITS]
    neighbors: list[tuple[TermHits, TermHits, TermHits, TermHits, int]] = []
    for row in rows:
        if sizes[row.group] == 1:
            neighbors.append(_NO_NEIGHBORS)
            continue
        nearby = [at.get((row.group, row.position + step)) for step in (-1, 1, -2, 2)]
        before, after, two_before, two_after = (NO_HITS if index is None else hits[index] for index in nearby)
        is_answer = 0 if nearby[0] is None else rows[nearby[0]].traits & (HAS_QUESTION | ENDS_WITH_QUESTION)
        neighbors.append((before, after, two_before, two_after, is_answer))
    own_rank = _rank_shares([before.own for before in hits])
    near_rank = _rank_shares(
        [_window(own, nearby[0], nearby[1], weights) for own, nearby in zip(hits, neighbors, strict=True)]
    )
    terms = max(1, len(weights.terms))
    answering: dict[int, list[float]] = {}
    vectors: list[list[float]] = []
    for index, row in enumerate(rows):
        own = hits[index]
        before, after, two_before, two_after, is_answer = neighbors[index]
        traits = row.traits
        if traits not in answering:
            answering[traits] = [1.0 if traits & trait else 0.0 for trait in answer_traits]
        in_time, on_day, soon = _times(query, row.at_ms) if query.spans else _NO_TIMES
        window = own.mask | before.mask | after.mask | two_before.mask | two_after.mask
        vectors.append([
            own.own, own.mask.bit_count() / terms, shares[window], before.own, after.own, two_before.own, two_after.own,
            groups[row.group], own.pairs, own.forms, before.forms + after.forms,
            own_rank[index], near_rank[index], 1.0 if row.author in named_authors else 0.0,
            in_time, on_day, soon,
            before.own if is_answer else 0.0, 1.0 if is_answer & ENDS_WITH_QUESTION else 0.0,
            1.0 if traits & HAS_QUESTION else 0.0, 1.0 if traits & ENDS_WITH_QUESTION else 0.0,
            1.0 if row.position == 0 else 0.0, math.log(own.length + 1) / 4,
            *answering[traits],
        ])  # fmt: skip
    return vectors


def _window(own: TermHits, before: TermHits, after: TermHits, term_weights: TermWeights) -> float:
    """Return BM25 of an entry and its two neighbors as one text of three average entries."""
    counts = own.counts
    if before.counts or after.counts:
        merged = dict(counts)
        for neighbor in (before.counts, after.counts):
            for at, count in neighbor.items():
                merged[at] = merged.get(at, 0) + count
        counts = merged
    elif not counts:
        return 0.0
    length = (own.length + before.length + after.length) / (3 * term_weights.average)
    norm = GROUP_ENTRY.k1 * (1 - GROUP_ENTRY.length + GROUP_ENTRY.length * length)
    return math.fsum(term_weights.weights[at] * count / (count + norm) for at, count in counts.items())


class _Shares(dict[int, float]):
    """Term sets as bit masks → their share of the weight."""

    def __init__(self, term_weights: TermWeights) -> None:
        super().__init__()
        self.term_weights = term_weights

    def __missing__(self, mask: int) -> float:
        weights = self.term_weights.weights
        value = math.fsum(weight for place, weight in enumerate(weights) if mask >> place & 1) / self.term_weights.total
        self[mask] = value
        return value


def _group_scores(rows: Sequence[CandidateRow], hits: Sequence[TermHits], places: int) -> dict[str, float]:
    """Return each group's coverage of the query, 0 to 1: BM25 over groups."""
    counts: dict[str, dict[int, int]] = {}
    for row, hit in zip(rows, hits, strict=True):
        group = counts.setdefault(row.group, {})
        if hit.counts:
            for place, count in hit.counts.items():
                group[place] = group.get(place, 0) + count
    groups_with_term = [0] * places
    for group in counts.values():
        for place in group:
            groups_with_term[place] += 1
    weights = [inverse_frequency(number, len(counts)) for number in groups_with_term]
    total = math.fsum(weights) or 1.0
    return {
        key: math.fsum(weights[at] * count / (count + GROUP_SATURATION) for at, count in group.items()) / total
        for key, group in counts.items()
    }


def _rank_shares(values: Sequence[float]) -> list[float]:
    """Turn values into shares that depend only on rank, equal for equal values; 0 for 0."""
    order = sorted(range(len(values)), key=lambda index: -values[index])
    shares = [0.0] * len(values)
    place, last = 0, math.inf
    for rank, index in enumerate(order):
        if values[index] < last:
            place, last = rank, values[index]
        if values[index] > 0:
            shares[index] = RANK_HALF / (RANK_HALF + place)
    return shares


_NO_TIMES = (0.0, 0.0, 0.0)


def _times(query: MemoryQuery, at_ms: int) -> tuple[float, float, float]:
    """Return whether an entry falls in a named time, on a named day, and how soon after it."""
    day = at_ms // DAY_MS
    in_time = on_day = soon = 0.0
    for span in query.spans:
        late = day - span.first
        if span.first <= day <= span.last:
            on_day = max(on_day, float(span.is_day))
        if span.month_first <= day <= span.month_last:
            in_time = 1.0
        if span.is_day and 0 <= late <= MENTION_DAYS:
            soon = max(soon, math.exp(-late / MENTION_DECAY_DAYS))
    return in_time, on_day, soon


class Profile(NamedTuple):
    """The weight of each feature, in the order of `NAMES`, and the bias."""

    weights: tuple[float, ...]
    bias: float


class Profiles(NamedTuple):
    """Profiles for entries of a group and for stand-alone entries."""

    grouped: Profile
    alone: Profile


def profile(weights: Mapping[str, float], bias: float) -> Profile:
    """Build a profile from weights by name; features without a weight count 0."""
    unknown = weights.keys() - set(NAMES)
    if unknown:
        raise KeyError(f"no such feature: {', '.join(sorted(unknown))}")
    return Profile(tuple(float(weights.get(name, 0.0)) for name in NAMES), bias)


GROUPED_WEIGHTS: Mapping[str, float] = {
    "words": -1.85,  # BM25 of the entry itself; beside the others it only favors repetition
    "share": 3.19,  # share of the query's terms in the entry
    "around": 4.23,  # share of their weight in it and its two neighbors on either side
    "before": -1.83, "after": -0.53, "twoBefore": 1.12, "twoAfter": -0.05,  # BM25 of its neighbors
    "group": 3.32,  # coverage of the query by its group, compared with other groups
    "pairs": 0.39,  # terms adjacent as in the query
    "forms": 6.86,  # other forms of the query's words, where the words themselves are missing
    "formsAround": 2.34,
    "rank": 0.96, "rankAround": 1.6,
    "author": 1.1,  # written by the author whom the query names
    "inTime": 3.06, "onDay": 2.08, "soonAfter": 2.04,  # in the time that the query names
    "answers": 3.03,  # the previous entry is a question with the query's words
    "afterQuestion": 0.5, "hasQuestion": -0.19, "endsWithQuestion": -0.67,
    "opens": 0.86,  # the first of its group: news comes first
    "length": 0.55,
    "hasTime": 1.98, "hasNumber": 1.29, "hasName": 1.09, "hasManyNames": 0.59, "hasTitle": 1.61,
    "hasReason": 0.91, "hasPlace": 1.66,  # it contains the kind of answer the query asks for
}  # fmt: skip
"""Learned from the 1,982 questions of LoCoMo's ten conversations: listwise softmax regression, L2 1e-3. The benchmark
`recall.py` learns them again without the conversation under test, and with `--learn` from all of them.
"""

ALONE_WEIGHTS: Mapping[str, float] = {
    "words": 5.9, "share": 2.7, "pairs": 0.8, "forms": 8.0, "rank": 2.8, "length": -2.8,
    "inTime": 1.5, "onDay": 1.0, "soonAfter": 1.0, "author": 0.5,
}  # fmt: skip
"""The first six are learned in the same way from 1,872 public engineering notes, title → note; the last four are set:
notes name no author, and a named time matters for them too.
"""

DEFAULT_PROFILES = Profiles(profile(GROUPED_WEIGHTS, -11.56), profile(ALONE_WEIGHTS, -10.74))
"""The biases are calibrated so that summed relevance over the training questions equals the number of correct entries.
Entries of both kinds, in one store, are therefore comparable.
"""


RECENCY_FLOOR = 0.7
"""Relevance dominates: an old memory retains this share of its score."""
CONFIDENCE_FLOOR = 0.5
MAX_REASONS = 4
"""Maximum number of reasons returned for a score."""


class Factors(NamedTuple):
    """The factors of a score, each above 0 and at most 1."""

    relevance: float
    recency: float
    sector: float
    confidence: float

    @property
    def score(self) -> float:
        """The product of the factors."""
        return math.prod(self)


def relevance(values: Sequence[float], profile: Profile) -> float:
    """Return the probability that an entry is the answer: a logistic function of its weighted features."""
    log_odds = profile.bias + sum(map(mul, profile.weights, values))
    return 1 / (1 + math.exp(-log_odds)) if log_odds > -700 else math.exp(-700)


def reasons(values: Sequence[float], profile: Profile) -> dict[str, float]:
    """Return the features with the largest share of the log odds, strongest first."""
    parts = {name: weight * value for name, weight, value in zip(NAMES, profile.weights, values, strict=True)}
    strongest = sorted((name for name in NAMES if parts[name]), key=lambda name: (-abs(parts[name]), name))
    return {name: round(parts[name], 2) for name in strongest[:MAX_REASONS]}


def factors(
    relevance: float, age_factor: float, sector_factor: float, confidence: float, *, names_a_time: bool
) -> Factors:
    """Adjust relevance by age (0 to 1) and confidence; not by age if the query names a time."""
    recency = 1.0 if names_a_time else RECENCY_FLOOR + (1 - RECENCY_FLOOR) * age_factor
    return Factors(relevance, recency, sector_factor, CONFIDENCE_FLOOR + (1 - CONFIDENCE_FLOOR) * confidence)
