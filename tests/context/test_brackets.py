"""Brackets follow from what remains of the context window alone."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.context import BRACKETS, BUDGET_SHARES, Bracket, bracket_of, bracket_with_hysteresis
from sidecar.core.errors import InvalidParams
from tests.support.cases import together


@together(
    ("remaining", "bracket"),
    [
        (100, "FRESH"), (60, "FRESH"), (59.999, "MODERATE"), (40, "MODERATE"), (39.9, "DEPLETED"), (25, "DEPLETED"),
        (24.999, "CRITICAL"), (0, "CRITICAL"), (-5, "CRITICAL"), (140, "FRESH"), (math.inf, "FRESH"),
        (-math.inf, "CRITICAL"),
    ],
)  # fmt: skip
def test_a_bracket_starts_at_its_lower_bound(remaining: float, bracket: str) -> None:
    assert bracket_of(remaining) == bracket


def test_nan_is_refused() -> None:
    with pytest.raises(InvalidParams):
        bracket_of(math.nan)


def test_a_tighter_bracket_has_a_smaller_budget() -> None:
    assert [BUDGET_SHARES[bracket] for bracket in BRACKETS] == [1.0, 0.8, 0.6, 0.32]


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_more_room_never_means_a_tighter_bracket(first: float, second: float) -> None:
    less, more = sorted((first, second))
    assert BUDGET_SHARES[bracket_of(less)] <= BUDGET_SHARES[bracket_of(more)]


@together(
    ("remaining", "previous", "margin", "bracket"),
    [
        (61.9, "MODERATE", 2, "MODERATE"), (62, "MODERATE", 2, "FRESH"), (60, "MODERATE", 0, "FRESH"),
        (59.9, "FRESH", 2, "MODERATE"), (60.5, "FRESH", 2, "FRESH"), (61, "CRITICAL", 2, "MODERATE"),
        (61, None, 2, "FRESH"),
    ],
)  # fmt: skip
def test_only_a_roomier_bracket_needs_a_margin(
    remaining: float, previous: Bracket | None, margin: float, bracket: str
) -> None:
    assert bracket_with_hysteresis(remaining, previous, margin) == bracket
