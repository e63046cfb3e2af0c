"""Brackets: how full the provider's context window is, and how much may therefore be told. Pure."""

import math
from typing import Literal, NamedTuple

from sidecar.core.errors import InvalidParams

Bracket = Literal["FRESH", "MODERATE", "DEPLETED", "CRITICAL"]


class Bounds(NamedTuple):
    """Where a bracket begins, in percent of the window that remain (inclusive), and its tokens for the block."""

    least_percent: float
    tokens: int


BRACKETS: dict[Bracket, Bounds] = {
    "FRESH": Bounds(60.0, 2_500),
    "MODERATE": Bounds(40.0, 2_000),
    "DEPLETED": Bounds(25.0, 1_500),
    "CRITICAL": Bounds(0.0, 800),
}
"""The Context Engine's table, the roomiest first."""


def bracket_of(remaining_percent: float) -> Bracket:
    """Gives the bracket of what remains, in percent, clamped to 0–100; raises InvalidParams for what is no number."""
    if math.isnan(remaining_percent):
        raise InvalidParams("What remains of the context is a number of percent.")
    remaining = min(100.0, max(0.0, remaining_percent))
    return next(bracket for bracket, bounds in BRACKETS.items() if remaining >= bounds.least_percent)


def share_of(bracket: Bracket) -> float:
    """Gives what may be told in a bracket, as a share of what may be told in a fresh window."""
    return BRACKETS[bracket].tokens / BRACKETS["FRESH"].tokens
