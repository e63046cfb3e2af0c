"""Figures from sums: latency by bounds, labels in names, savings."""

import random

import pytest

from sidecar.daily_metrics import (
    BOUNDS_MS,
    by_label,
    counts_of,
    figures_of,
    labelled,
    latency_bucket,
    name_and_labels,
    percentile,
)


def measured(durations: list[float]) -> dict[str, float]:
    counts: dict[str, float] = {}
    for duration in durations:
        counts[latency_bucket(duration)] = counts.get(latency_bucket(duration), 0) + 1
    return counts


@pytest.mark.parametrize("share", [0.5, 0.95, 0.99, 1.0])
def test_a_percentile_lies_between_the_bounds_around_the_true_one(share: float) -> None:
    chance = random.Random(4)
    for size in (*range(1, 60), 1_000, 4_321):
        durations = [min(2_000.0, chance.lognormvariate(2.5, 1.5)) for _ in range(size)]
        true = sorted(durations)[next(place for place in range(size) if place + 1 >= share * size)]
        high = next(bound for bound in BOUNDS_MS if true <= bound)
        low = max((bound for bound in BOUNDS_MS if bound < high), default=0.0)
        result = percentile(counts_of(measured(durations)), share)
        assert result is not None
        assert low <= result <= high


def test_durations_beyond_the_last_bound_count_as_it_and_none_has_no_percentile() -> None:
    assert percentile(counts_of(measured([60_000.0])), 0.5) == BOUNDS_MS[-1]
    assert percentile(counts_of({}), 0.5) is None


def test_labels_round_trip() -> None:
    name = labelled("error", method="continuity/preRun", code="-32603")
    assert name == "error{code=-32603,method=continuity/preRun}"
    assert name_and_labels(name) == ("error", {"code": "-32603", "method": "continuity/preRun"})
    assert name_and_labels("calls") == ("calls", {})
    result = {name: 2.0, "errors": 1.0, "error.cause{x=y}": 3.0, "error": 4.0}
    assert by_label(result, "error") == {"-32603 continuity/preRun": 2.0}


def test_savings_in_dollars_need_tokens_and_cost() -> None:
    sums = {"calls": 2.0, "wouldInjectBytes": 2_000.0, "baselineBytes": 10_000.0}
    figures = figures_of(sums)
    assert (figures.saved_bytes, figures.saved_tokens, figures.saved_usd) == (8_000, 2_000, None)
    assert figures_of({**sums, "costUsd": 1.0}).saved_usd is None
    priced = figures_of({**sums, "costUsd": 1.0, "inputTokens": 4_000.0, "outputTokens": 1_000.0})
    assert priced.saved_usd == pytest.approx(2_000 * 1.0 / 5_000)
