"""The weights of the features, by how memories are kept: as entries of a group, or each by itself. Pure."""

import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import NamedTuple

from sidecar.memory.ranking.features import NAMES


class Profile(NamedTuple):
    """The weight of each feature, in the order of `NAMES`, and what is added to their sum."""

    weights: tuple[float, ...]
    bias: float


class Profiles(NamedTuple):
    """An entry that stands among others of its file is weighed by the first, one that stands alone by the second."""

    grouped: Profile
    alone: Profile


def profile(weights: Mapping[str, float], bias: float) -> Profile:
    """Makes a profile of weights by name; a feature that is not named weighs nothing."""
    unknown = weights.keys() - set(NAMES)
    if unknown:
        raise KeyError(f"no such feature: {', '.join(sorted(unknown))}")
    return Profile(tuple(float(weights.get(name, 0.0)) for name in NAMES), bias)


GROUPED_WEIGHTS: Mapping[str, float] = {
    "words": -1.85,         # BM25 of the entry by itself; beside what follows it only favours repetition
    "share": 3.19,          # share of the question's terms that it holds
    "around": 4.23,         # share of their weight that it and the two entries on either side hold together
    "before": -1.83, "after": -0.53, "twoBefore": 1.12, "twoAfter": -0.05,  # BM25 of the entries around it
    "group": 3.32,          # how much its group speaks of what is asked, beside other groups
    "pairs": 0.39,          # terms side by side as in the question
    "forms": 6.86,          # other forms of the question's words, where the words themselves are missing
    "formsAround": 2.34,
    "rank": 0.96, "rankAround": 1.6,
    "author": 1.1,          # said by the one whom the question names
    "inTime": 3.06, "onDay": 2.08, "soonAfter": 2.04,  # of the time that the question names
    "answers": 3.03,        # the entry before asks, and holds the question's words
    "afterQuestion": 0.5, "asks": -0.19, "endsAsking": -0.67,
    "opens": 0.86,          # the first of its group: what is new is told first
    "length": 0.55,
    "tellsWhen": 1.98, "tellsNumber": 1.29, "tellsName": 1.09, "tellsNames": 0.59, "tellsTitle": 1.61,
    "tellsWhy": 0.91, "tellsWhere": 1.66,  # it tells what the question wants to know
}  # fmt: skip
"""Learnt from the 1,982 questions of LoCoMo's ten conversations: listwise softmax regression, L2 1e-3. The benchmark
`recall.py` learns them anew without the conversation that it asks about, and `--learn` from all of them."""

ALONE_WEIGHTS: Mapping[str, float] = {
    "words": 5.9, "share": 2.7, "pairs": 0.8, "forms": 8.0, "rank": 2.8, "length": -2.8,
    "inTime": 1.5, "onDay": 1.0, "soonAfter": 1.0, "author": 0.5,
}  # fmt: skip
"""The first six learnt in the same way from 1,872 public engineering notes, title → note; the last four set: notes
name no author, and a time that is asked for counts for them too."""

SHIPPED = Profiles(profile(GROUPED_WEIGHTS, -11.56), profile(ALONE_WEIGHTS, -10.74))
"""What is added makes relevance a probability: over all questions learnt from it adds up to the number of right
entries. So entries of both kinds, in one store, can be put in one order."""


# From what is known of an entry to its score, which is the product of named factors. Pure.


RECENCY_FLOOR = 0.7
"""Relevance leads: an old memory keeps so much of its score (decisions.md, Memory Layer)."""
CONFIDENCE_FLOOR = 0.5
EXPLAINED = 4
"""So many of the reasons for a score are told."""


class Factors(NamedTuple):
    """What a score is the product of, each above 0 and at most 1."""

    relevance: float
    recency: float
    sector: float
    confidence: float

    @property
    def score(self) -> float:
        """Their product."""
        return math.prod(self)


def relevance(values: Sequence[float], profile: Profile) -> float:
    """Gives how likely an entry is what was asked for, between 0 and 1: a logistic function of its weighed values."""
    odds = profile.bias + sum(map(mul, profile.weights, values))
    return 1 / (1 + math.exp(-odds)) if odds > -700 else math.exp(-700)


def reasons(values: Sequence[float], profile: Profile) -> dict[str, float]:
    """Gives what speaks most for and against an entry: a feature's share of the odds, the strongest first."""
    parts = {name: weight * value for name, weight, value in zip(NAMES, profile.weights, values, strict=True)}
    strongest = sorted((name for name in NAMES if parts[name]), key=lambda name: (-abs(parts[name]), name))
    return {name: round(parts[name], 2) for name in strongest[:EXPLAINED]}


def factors(relevance: float, left: float, preference: float, confidence: float, *, names_a_time: bool) -> Factors:
    """Tilts relevance by what time has left, 0 to 1, and by confidence; not by time where the question names one."""
    recency = 1.0 if names_a_time else RECENCY_FLOOR + (1 - RECENCY_FLOOR) * left
    return Factors(relevance, recency, preference, CONFIDENCE_FLOOR + (1 - CONFIDENCE_FLOOR) * confidence)


def told(factors: Factors) -> Mapping[str, float]:
    """Gives the factors by name."""
    return factors._asdict()
