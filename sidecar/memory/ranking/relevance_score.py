"""Learned feature weights, and the score of a memory as a product of factors. Pure.

Entries of a group and stand-alone entries have separate weights.
"""

import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import NamedTuple

from sidecar.memory.ranking.features import NAMES


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
    "words": -1.85,  # BM25 of the entry itself; beside the others it only favours repetition
    "share": 3.19,  # share of the query's terms in the entry
    "around": 4.23,  # share of their weight in it and its two neighbours on either side
    "before": -1.83, "after": -0.53, "twoBefore": 1.12, "twoAfter": -0.05,  # BM25 of its neighbours
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


# From what is known of an entry to its score, which is the product of named factors. Pure.


RECENCY_FLOOR = 0.7
"""Relevance dominates: an old memory retains this share of its score (decisions.md, Memory Layer)."""
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


def told(factors: Factors) -> Mapping[str, float]:
    """Gives the factors by name."""
    return factors._asdict()
