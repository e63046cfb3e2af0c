"""Always-valid tests and intervals for the differences between two arms of chats. Pure.

A rollout is looked at whenever its owner likes, so ordinary p-values would find a difference in every experiment that
runs long enough. Everything here holds at all sample sizes at once.

- **Scores.** Chat i is treated (A = 1) with the known probability p. Its score
  `(A/p - (1-A)/(1-p)) (Y - m(x))` has the effect as its expectation for every prediction m that is made from earlier
  chats alone (regression adjustment as in augmented inverse-probability weighting; Robins, Rotnitzky and Zhao 1994).
  m is a ridge regression on what was known before the assignment, updated chat by chat.
- **Confidence sequence** for the mean of n scores with standard deviation s, by Robbins' normal mixture (Robbins 1970;
  Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, theorem 2.2):
  `mean +- s sqrt(2 (n r^2 + 1) / (n^2 r^2) log(sqrt(n r^2 + 1) / alpha))`; r makes it narrow at about `TUNED_FOR`.
- **Always-valid p-value**, its inversion, which is the mixture sequential probability ratio test (Johari, Koomen,
  Pekelis and Walsh 2022): `1 / max over n of exp(r^2 S^2 / (2 s^2 (n r^2 + 1))) / sqrt(n r^2 + 1)`, S the scores' sum.
- **Holm** (1979) over the primary outcomes. Running minima only fall, so a decision once made stays.
- **Odds test** for rare events, exact: among the chats in which the event happened, each is treated with odds
  p/(1-p) if packs change nothing. The mean of the likelihood ratios of a few larger odds is a test martingale
  (Ville 1939), and 1 over its maximum a one-sided p-value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

ALPHA = 0.05
TUNED_FOR = 800
"""Number of scores at which the confidence sequence is about as narrow as it can be."""

MIN_PER_ARM = 50
"""Scores in the smaller arm from which they are treated as nearly normal. With 10, at a share of 5 to 10 %, six of a
hundred simulated rollouts without a difference raised a false alarm, because corrections are rare and skewed.
"""

BURN_IN = 10
"""Number of first chats that only teach the regression."""

RIDGE = 2.0


class Interval(NamedTuple):
    """A confidence sequence at one moment."""

    effect: float
    low: float
    high: float


class Regression:
    """Ridge regression of several outcomes on the same features, updated observation by observation.

    Features are indices with values. A new index enlarges the regression.
    """

    def __init__(self, outcomes: int) -> None:
        self._inverse: list[list[float]] = []
        self._weights: list[list[float]] = [[] for _ in range(outcomes)]

    def predict(self, outcome: int, features: Sequence[tuple[int, float]]) -> float:
        """Return the prediction of an outcome; a feature that is new adds nothing."""
        weights = self._weights[outcome]
        return sum(weights[index] * value for index, value in features if index < len(weights))

    def learn(self, features: Sequence[tuple[int, float]], values: Sequence[float | None]) -> None:
        """Add an observation (Sherman and Morrison 1950); None is an outcome that was not measured."""
        self._enlarge(1 + max(index for index, _ in features))
        errors = [
            None if value is None else value - self.predict(outcome, features) for outcome, value in enumerate(values)
        ]
        gain = [sum(row[index] * value for index, value in features) for row in self._inverse]
        scale = 1 + sum(gain[index] * value for index, value in features)
        for row, step in zip(self._inverse, gain, strict=True):
            if step:
                factor = step / scale
                for column, other in enumerate(gain):
                    row[column] -= factor * other
        for weights, error in zip(self._weights, errors, strict=True):
            if error is not None:
                for index, step in enumerate(gain):
                    weights[index] += step / scale * error

    def _enlarge(self, size: int) -> None:
        for index in range(len(self._inverse), size):
            for row in self._inverse:
                row.append(0.0)
            # The first feature is the constant, which is not shrunk.
            self._inverse.append([0.0] * index + [1 / RIDGE if index else 1e6])
            for weights in self._weights:
                weights.append(0.0)


class Scores:
    """Scores of the chats that were seen so far: their mean, their spread, and the always-valid p-value."""

    def __init__(self, alpha: float = ALPHA / 3) -> None:
        self._alpha = alpha
        self._rho2 = rho_squared(alpha)
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0
        self._arms = [0, 0]
        self.p_value = 1.0

    def add(self, score: float, *, treated: bool) -> None:
        """Add the score of the next chat."""
        self.count += 1
        self._arms[treated] += 1
        step = score - self.mean
        self.mean += step / self.count
        self._squares += step * (score - self.mean)
        if self.is_enough and self._squares > 0:
            size = self.count * self._rho2 + 1
            statistic = self._rho2 * (self.mean * self.count) ** 2 / (2 * self.deviation**2 * size)
            self.p_value = min(self.p_value, math.exp(-statistic) * math.sqrt(size))

    @property
    def is_enough(self) -> bool:
        """Whether there are enough scores for an interval."""
        return min(self._arms) >= MIN_PER_ARM

    @property
    def deviation(self) -> float:
        """The standard deviation of the scores."""
        return math.sqrt(self._squares / (self.count - 1)) if self.count > 1 else 0.0

    def interval(self) -> Interval | None:
        """Return the interval at the level of the scores; None with too few of them."""
        if not self.is_enough:
            return None
        width = half_width(self.count, self.deviation, self._alpha)
        return Interval(self.mean, self.mean - width, self.mean + width)


def rho_squared(alpha: float) -> float:
    """Return the mixture's variance that is about best at `TUNED_FOR` scores."""
    return (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / TUNED_FOR


def half_width(count: int, deviation: float, alpha: float) -> float:
    """Return half the width of the confidence sequence at a number of scores."""
    rho2 = rho_squared(alpha)
    size = count * rho2 + 1
    return deviation * math.sqrt(2 * size / (count**2 * rho2) * math.log(math.sqrt(size) / alpha))


POWER_SHIFT = 0.8416
"""Normal quantile of a power of 80 %."""

MAX_CHATS = 1_000_000


def chats_needed(effect: float, deviation: float) -> int:
    """Return the number of scores with which an effect is found with a power of 80 %."""
    low, high = 2 * MIN_PER_ARM, MAX_CHATS
    while low < high:
        middle = (low + high) // 2
        reach = half_width(middle, deviation, ALPHA / 3) + POWER_SHIFT * deviation / math.sqrt(middle)
        low, high = (low, middle) if reach <= abs(effect) else (middle + 1, high)
    return low


def holm(p_values: Sequence[float]) -> list[bool]:
    """Return which hypotheses are rejected with a family-wise error of at most `ALPHA`."""
    rejected = [False] * len(p_values)
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[index] > ALPHA / (len(p_values) - rank):
            break
        rejected[index] = True
    return rejected


ODDS_RATIOS = (1.5, 2.0, 3.0, 5.0, 10.0)


def odds_p_value(events: Iterable[tuple[bool, float]]) -> float:
    """Return the one-sided p-value that an event is more frequent in treated chats.

    `events` are the chats in which it happened, in the order of its first time: whether each is treated, and the
    probability of that.
    """
    ratios, largest = [1.0] * len(ODDS_RATIOS), 1.0
    for treated, probability in events:
        for index, odds in enumerate(ODDS_RATIOS):
            ratios[index] *= (odds if treated else 1.0) / (odds * probability + 1 - probability)
        largest = max(largest, sum(ratios) / len(ratios))
    return 1 / largest


class Survival(NamedTuple):
    """Time until something happened, or until the chat was no longer observed."""

    time: float
    happened: bool


def log_rate_scores(chats: Sequence[Survival]) -> list[float]:
    """Return a value for each chat whose difference between arms is about the logarithm of the ratio of rates.

    It is the chat's martingale residual of the common Nelson-Aalen estimate, divided by the share of chats in which it
    happened (the one-step estimate of the log-rank test; Peto and Peto 1972, Therneau, Grambsch and Fleming 1990).
    """
    happened = sum(chat.happened for chat in chats)
    if not happened:
        return [0.0] * len(chats)
    order = sorted(range(len(chats)), key=lambda index: chats[index].time)
    values, hazard, start = [0.0] * len(chats), 0.0, 0
    while start < len(order):
        end = start
        while end < len(order) and chats[order[end]].time == chats[order[start]].time:
            end += 1
        tied = order[start:end]
        hazard += sum(chats[index].happened for index in tied) / (len(order) - start)
        for index in tied:
            values[index] = (chats[index].happened - hazard) * len(chats) / happened
        start = end
    return values
