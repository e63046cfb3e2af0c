"""Brackets: how full the provider's context window is, and how much may therefore be told. Pure."""

import math
from typing import Literal, NamedTuple

from sidecar.core.errors import InvalidParams

Bracket = Literal["FRESH", "MODERATE", "DEPLETED", "CRITICAL"]
LayerName = Literal["L0", "L1", "L2", "L3", "L4"]
PartLayer = Literal["L0", "L1", "L2", "L3", "L4", "memory"]
MemoryLevel = Literal["none", "metadata", "chunks", "full"]


class Bounds(NamedTuple):
    """Where a bracket begins, in percent of the window that remain (inclusive), and what is told in it."""

    least_percent: float
    tokens: int
    """The most that the context block takes."""
    layers: tuple[LayerName, ...]
    memory: MemoryLevel
    behavior: str


_ALL: tuple[LayerName, ...] = ("L0", "L1", "L2", "L3", "L4")

BRACKETS: dict[Bracket, Bounds] = {
    "FRESH": Bounds(60.0, 2_500, _ALL, "none", "All protocols are active; little is injected."),
    "MODERATE": Bounds(40.0, 2_000, _ALL, "metadata", "Normal protocols; long outputs are summarised."),
    "DEPLETED": Bounds(
        25.0, 1_500, _ALL[:3], "chunks", "Constitution and agent scope only; context is recovered from memory."
    ),
    "CRITICAL": Bounds(0.0, 800, _ALL[:2], "full", "Constitution and mode only; hand over to a new session."),
}
"""The Context Engine's table, the roomiest first (intelligence-layer.md §3.1, §3.2, §4.7, Article XII)."""

_ORDER = tuple(BRACKETS)


def bracket_of(remaining_percent: float) -> Bracket:
    """Gives the bracket of what remains, in percent, clamped to 0–100; raises InvalidParams for what is no number."""
    if math.isnan(remaining_percent):
        raise InvalidParams("What remains of the context is a number of percent.")
    remaining = min(100.0, max(0.0, remaining_percent))
    return next(bracket for bracket, bounds in BRACKETS.items() if remaining >= bounds.least_percent)


def settled(remaining_percent: float, previous: Bracket | None, margin_percent: float) -> Bracket:
    """Gives the bracket, but a roomier one than before only when what remains is a margin beyond its lower bound.

    So an estimate that wavers around a bound does not change what is told at every turn. A tighter one holds at once;
    a margin of 0 changes nothing.
    """
    found = bracket_of(remaining_percent)
    if previous is None or _ORDER.index(found) >= _ORDER.index(previous):
        return found
    return min(previous, bracket_of(remaining_percent - margin_percent), key=_ORDER.index)


def share_of(bracket: Bracket) -> float:
    """Gives what may be told in a bracket, as a share of what may be told in a fresh window."""
    return BRACKETS[bracket].tokens / BRACKETS["FRESH"].tokens
