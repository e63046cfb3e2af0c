"""From what is known of an entry to its score, which is the product of named factors. Pure."""

import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import NamedTuple

from sidecar.memory.ranking.features import NAMES
from sidecar.memory.ranking.weights import Profile

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
