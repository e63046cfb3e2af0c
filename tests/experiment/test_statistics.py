"""Tests and intervals that hold at every look, against their definitions."""

import itertools
import math
import random

import pytest

from sidecar.experiment.statistics import (
    MIN_PER_ARM,
    Regression,
    Scores,
    Survival,
    chats_needed,
    half_width,
    holm,
    log_rate_scores,
    odds_p_value,
    rho_squared,
)


def scored(values: list[float], alpha: float = 0.05) -> Scores:
    scores = Scores(alpha)
    for number, value in enumerate(values):
        scores.add(value, treated=number % 2 == 0)
    return scores


def test_the_interval_excludes_zero_exactly_when_the_p_value_is_below_its_level() -> None:
    source = random.Random(5)
    values = [source.gauss(0.5, 1) for _ in range(300)]
    for count in range(2 * MIN_PER_ARM, 300, 7):
        scores = scored(values[:count])
        interval = scores.interval()
        assert interval is not None
        deviation, mean, size = scores.deviation, scores.mean, count * rho_squared(0.05) + 1
        likelihood = math.exp(rho_squared(0.05) * (mean * count) ** 2 / (2 * deviation**2 * size)) / math.sqrt(size)
        assert (interval.low > 0) == (1 / likelihood < 0.05)
        assert scores.p_value <= min(1, 1 / likelihood) * 1.000001


def test_a_later_look_never_takes_a_decision_back() -> None:
    source = random.Random(6)
    values = [source.gauss(0.9, 1) for _ in range(120)] + [source.gauss(-0.5, 1) for _ in range(200)]
    p_values = [scored(values[:count]).p_value for count in range(len(values))]
    assert p_values == sorted(p_values, reverse=True)
    assert p_values[-1] < 0.01


def test_few_or_equal_scores_show_nothing() -> None:
    assert scored([1.0] * (2 * MIN_PER_ARM - 1)).interval() is None
    assert scored([5.0, 4.0] * 49).p_value == 1.0
    assert scored([1.0] * 100).p_value == 1.0, "without spread there is no scale"
    one_arm = Scores()
    for number in range(200):
        one_arm.add(random.Random(number).random(), treated=True)
    assert one_arm.interval() is None


def test_the_interval_narrows_to_what_is_needed() -> None:
    needed = chats_needed(0.16, 2.0)
    alpha = 0.05 / 3
    assert half_width(needed, 2.0, alpha) + 0.8416 * 2 / math.sqrt(needed) <= 0.16
    assert half_width(needed - 1, 2.0, alpha) + 0.8416 * 2 / math.sqrt(needed - 1) > 0.16


def test_false_alarms_are_rare_however_often_one_looks() -> None:
    source = random.Random(7)
    alarms = sum(scored([source.gauss(0, 1) for _ in range(250)]).p_value < 0.05 for _ in range(400))
    assert alarms <= 20


@pytest.mark.parametrize("probability", [0.2, 0.5])
def test_the_odds_test_is_exact(probability: float) -> None:
    total = 0.0
    for events in itertools.product((True, False), repeat=13):
        if odds_p_value([(treated, probability) for treated in events]) < 0.01:
            total += math.prod(probability if treated else 1 - probability for treated in events)
    assert 0 < total < 0.01


def test_the_regression_is_the_ridge_solution_and_ignores_what_was_not_measured() -> None:
    regression = Regression(2)
    for number, (group, value) in enumerate([(0, 1.0), (0, 3.0), (1, 8.0), (1, 10.0)] * 20):
        regression.learn([(0, 1.0), *([(1, 1.0)] if group else [])], [value, None if number % 2 else value])
    # Penalty 2 on the group: its coefficient is 7 * n1 / (n1 + 2 * 2) with 40 observations in each group.
    slope = 7 * 20 / (20 + 2)
    assert regression.predict(0, [(0, 1.0), (1, 1.0)]) - regression.predict(0, [(0, 1.0)]) == pytest.approx(slope, 1e-3)
    assert regression.predict(0, [(0, 1.0), (9, 1.0)]) == regression.predict(0, [(0, 1.0)])


def test_holm_stops_at_the_first_that_is_not_rejected() -> None:
    assert holm([0.01, 0.03, 0.02]) == [True, True, True]
    assert holm([0.02, 0.001, 0.9]) == [True, True, False]
    assert holm([0.03, 0.018, 0.9]) == [False, False, False]


def test_rates_are_compared_with_censored_times() -> None:
    values = log_rate_scores([Survival(1, True), Survival(2, False), Survival(3, True), Survival(3, False)])
    hazards = [1 / 4, 1 / 4, 1 / 4 + 1 / 2, 1 / 4 + 1 / 2]
    assert values == pytest.approx([2 * (d - h) for d, h in zip((1, 0, 1, 0), hazards, strict=True)])
    source, slow, fast = random.Random(8), [], []
    for _ in range(3_000):
        slow.append(Survival(source.expovariate(1), True))
        fast.append(Survival(source.expovariate(1.2), True))
    both = log_rate_scores([*slow, *fast])
    difference = sum(both[3_000:]) / 3_000 - sum(both[:3_000]) / 3_000
    assert math.exp(difference) == pytest.approx(1.2, abs=0.07)
