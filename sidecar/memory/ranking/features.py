"""What is known of each entry for a question: its own words, those around it, who said it and when. Pure.

Every value is 0 where nothing speaks for the entry, and about 1 at most.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from sidecar.memory.ranking.indexed_text import Trait
from sidecar.memory.ranking.query import Asked, Vocabulary, Wanted, rarity

DAY_MS = 86_400_000


class Saturation(NamedTuple):
    """BM25's k1 and b: how soon a word said again says nothing new, and how much length counts against an entry."""

    often: float
    length: float


IN_GROUP = Saturation(0.9, 0.4)
"""Entries of a group are short: how long one is says little."""
ALONE = Saturation(1.2, 0.75)

GROUP_SATURATION = 1.2
FADES_DAYS, SOON_DAYS = 5.0, 15
"""What happened on a day is told on that day or soon after."""
RANK_HALF = 10.0
NEAR = 2
"""So many entries before and after one are what it stands among."""


class Row(NamedTuple):
    """An entry as the index has it, as far as the ranking looks."""

    row_id: int
    group: str
    position: int
    author: str
    at_ms: int
    terms: str
    traits: int
    eligible: bool
    """It passes the filters; another one only says what stands around those that do."""


class Hits(NamedTuple):
    """Which of the question's terms an entry holds."""

    counts: Mapping[int, int]
    """A term's place → how often."""
    mask: int
    own: float
    """BM25, not above about 1: the share of the terms' weight."""
    forms: float
    """The share of weight that other forms of terms stand for, where the term itself is not there."""
    pairs: float
    length: int


ASKS, ENDS_ASKING = int(Trait.QUESTION), int(Trait.ENDS_ASKING)
NOTHING = Hits({}, 0, 0.0, 0.0, 0.0, 0)

NAMES = (
    "words", "share", "around", "before", "after", "twoBefore", "twoAfter", "group", "pairs", "forms", "formsAround",
    "rank", "rankAround", "author", "inTime", "onDay", "soonAfter", "answers", "afterQuestion", "asks", "endsAsking",
    "opens", "length", "tellsWhen", "tellsNumber", "tellsName", "tellsNames", "tellsTitle", "tellsWhy", "tellsWhere",
)  # fmt: skip
"""The features, in the order of a row's values."""

_WORDS, _FORMS = NAMES.index("words"), NAMES.index("forms")

_TELLING = (
    (Wanted.MOMENT, Trait.MOMENT),
    (Wanted.NUMBER, Trait.NUMBER),
    (Wanted.NAME, Trait.NAMES),
    (Wanted.NAME, Trait.MANY_NAMES),
    (Wanted.TITLE, Trait.QUOTES),
    (Wanted.CAUSE, Trait.CAUSE),
    (Wanted.PLACE, Trait.PLACE),
)


def said(values: Sequence[float]) -> float:
    """Gives, of an entry's values, the share of the question's weight that the entry itself holds."""
    return values[_WORDS] + values[_FORMS]


def hits_of(terms: str, asked: Asked, vocabulary: Vocabulary, saturation: Saturation) -> Hits:
    """Finds a question's terms in an entry's."""
    words = terms.split()
    found = vocabulary.looked_for.intersection(words)
    if not found:
        return Hits({}, 0, 0.0, 0.0, 0.0, len(words))
    places, forms = vocabulary.places, vocabulary.forms
    counts: dict[int, int] = {}
    formed: dict[int, float] = {}
    mask = 0
    for word in found:
        place = places.get(word)
        if place is not None:
            counts[place] = words.count(word)
            mask |= 1 << place
        else:
            for at, credit in forms[word]:
                formed[at] = max(formed.get(at, 0.0), credit)
    weights, total = vocabulary.weights, vocabulary.total
    often, length = saturation
    norm = often * (1 - length + length * len(words) / vocabulary.average)
    own = math.fsum(weights[at] * count * (often + 1) / (count + norm) for at, count in counts.items())
    soft = math.fsum(weights[at] * credit for at, credit in formed.items() if at not in counts)
    pairs = _pairs(words, asked, vocabulary) / total if len(counts) > 1 else 0.0
    return Hits(counts, mask, own / total, soft / total, min(1.0, pairs), len(words))


def _pairs(words: Sequence[str], asked: Asked, vocabulary: Vocabulary) -> float:
    """Gives the weight of the question's pairs that an entry holds side by side."""
    places, weights = vocabulary.places, vocabulary.weights
    together = (pair for pair in pairwise(words) if pair in asked.pairs)
    return sum(weights[places[left]] + weights[places[right]] for left, right in together)


def features(
    asked: Asked, rows: Sequence[Row], hits: Sequence[Hits], vocabulary: Vocabulary, named: frozenset[str]
) -> list[list[float]]:
    """Gives each row's values, as `NAMES` has them; `named` are the authors that the question names."""
    at = {(row.group, row.position): index for index, row in enumerate(rows)}
    share = _Shares(vocabulary)
    groups = _group_scores(rows, hits, len(vocabulary.terms))
    telling = [int(trait) if wanted in asked.wanted else 0 for wanted, trait in _TELLING]
    around: list[tuple[Hits, Hits, Hits, Hits, int]] = []
    for row in rows:
        near = [at.get((row.group, row.position + step)) for step in (-1, 1, -2, 2)]
        one, two, three, four = (NOTHING if index is None else hits[index] for index in near)
        is_answer = 0 if near[0] is None else rows[near[0]].traits & (ASKS | ENDS_ASKING)
        around.append((one, two, three, four, is_answer))
    own_rank = _rank_shares([one.own for one in hits])
    near_rank = _rank_shares(
        [_window(own, near[0], near[1], vocabulary) for own, near in zip(hits, around, strict=True)]
    )
    terms = max(1, len(vocabulary.terms))
    found: list[list[float]] = []
    for index, row in enumerate(rows):
        own = hits[index]
        before, after, two_before, two_after, is_answer = around[index]
        traits = row.traits
        in_time, on_day, soon = _times(asked, row.at_ms)
        window = own.mask | before.mask | after.mask | two_before.mask | two_after.mask
        found.append([
            own.own, own.mask.bit_count() / terms, share[window], before.own, after.own, two_before.own, two_after.own,
            groups[row.group], own.pairs, own.forms, before.forms + after.forms,
            own_rank[index], near_rank[index], 1.0 if row.author in named else 0.0,
            in_time, on_day, soon,
            before.own if is_answer else 0.0, 1.0 if is_answer & ENDS_ASKING else 0.0,
            1.0 if traits & ASKS else 0.0, 1.0 if traits & ENDS_ASKING else 0.0,
            1.0 if row.position == 0 else 0.0, math.log(own.length + 1) / 4,
            *[1.0 if traits & trait else 0.0 for trait in telling],
        ])  # fmt: skip
    return found


def _window(own: Hits, before: Hits, after: Hits, vocabulary: Vocabulary) -> float:
    """Gives BM25 of an entry and the two beside it, taken as one text of three entries' usual length."""
    counts = own.counts
    if before.counts or after.counts:
        merged = dict(own.counts)
        for beside in (before.counts, after.counts):
            for at, count in beside.items():
                merged[at] = merged.get(at, 0) + count
        counts = merged
    length = (own.length + before.length + after.length) / (3 * vocabulary.average)
    norm = IN_GROUP.often * (1 - IN_GROUP.length + IN_GROUP.length * length)
    return math.fsum(vocabulary.weights[at] * count / (count + norm) for at, count in counts.items())


class _Shares(dict[int, float]):
    """Sets of terms, as bits → their share of the weight."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.vocabulary = vocabulary

    def __missing__(self, mask: int) -> float:
        weights = self.vocabulary.weights
        value = math.fsum(weight for place, weight in enumerate(weights) if mask >> place & 1) / self.vocabulary.total
        self[mask] = value
        return value


def _group_scores(rows: Sequence[Row], hits: Sequence[Hits], places: int) -> dict[str, float]:
    """Gives for each group how much of the question it speaks of: BM25 of what few other groups speak of; 0 to 1."""
    counts: dict[str, dict[int, int]] = {}
    for row, one in zip(rows, hits, strict=True):
        group = counts.setdefault(row.group, {})
        for place, count in one.counts.items():
            group[place] = group.get(place, 0) + count
    holding = [0] * places
    for group in counts.values():
        for place in group:
            holding[place] += 1
    weights = [rarity(number, len(counts)) for number in holding]
    total = math.fsum(weights) or 1.0
    return {
        key: math.fsum(weights[at] * count / (count + GROUP_SATURATION) for at, count in group.items()) / total
        for key, group in counts.items()
    }


def _rank_shares(values: Sequence[float]) -> list[float]:
    """Turns values into shares that fall with the rank only, the same for equal ones; 0 for 0."""
    order = sorted(range(len(values)), key=lambda index: -values[index])
    shares = [0.0] * len(values)
    place, last = 0, math.inf
    for rank, index in enumerate(order):
        if values[index] < last:
            place, last = rank, values[index]
        if values[index] > 0:
            shares[index] = RANK_HALF / (RANK_HALF + place)
    return shares


def _times(asked: Asked, at_ms: int) -> tuple[float, float, float]:
    """Says whether an entry is of a time that was named, of that very day, and how soon after it."""
    if not asked.spans:
        return 0.0, 0.0, 0.0
    day = at_ms // DAY_MS
    in_time = on_day = soon = 0.0
    for span in asked.spans:
        late = day - span.first
        if span.first <= day <= span.last:
            on_day = max(on_day, float(span.is_day))
        if span.month_first <= day <= span.month_last:
            in_time = 1.0
        if span.is_day and 0 <= late <= SOON_DAYS:
            soon = max(soon, math.exp(-late / FADES_DAYS))
    return in_time, on_day, soon
