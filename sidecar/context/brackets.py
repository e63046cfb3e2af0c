"""Brackets: how much of the provider's context window remains, and how much may be injected. Pure."""

import math
from typing import Literal, NamedTuple

from sidecar.core.errors import InvalidParams
from sidecar.core.token_estimate import estimate_tokens

Bracket = Literal["FRESH", "MODERATE", "DEPLETED", "CRITICAL"]
LayerName = Literal["L0", "L1", "L2", "L3", "L4"]
PartLayer = Literal["L0", "L1", "L2", "L3", "L4", "memory"]
MemoryLevel = Literal["none", "metadata", "chunks", "full"]


class BracketLimits(NamedTuple):
    """A bracket's lower bound, in percent of the window remaining (inclusive), and its limits."""

    min_percent: float
    tokens: int
    """Maximum size of the context block, in tokens."""
    layers: tuple[LayerName, ...]
    memory: MemoryLevel
    behavior: str


_ALL: tuple[LayerName, ...] = ("L0", "L1", "L2", "L3", "L4")

BRACKETS: dict[Bracket, BracketLimits] = {
    "FRESH": BracketLimits(60.0, 2_500, _ALL, "none", "All protocols are active; little is injected."),
    "MODERATE": BracketLimits(40.0, 2_000, _ALL, "metadata", "Normal protocols; long outputs are summarized."),
    "DEPLETED": BracketLimits(
        25.0, 1_500, _ALL[:3], "chunks", "Constitution and agent scope only; context is recovered from memory."
    ),
    "CRITICAL": BracketLimits(0.0, 800, _ALL[:2], "full", "Constitution and mode only; hand over to a new session."),
}
"""The Context Engine's table, the roomiest bracket first."""

BUDGET_SHARES: dict[Bracket, float] = {
    bracket: limits.tokens / BRACKETS["FRESH"].tokens for bracket, limits in BRACKETS.items()
}
"""Each bracket's token budget relative to FRESH."""

_ORDER = tuple(BRACKETS)


def bracket_of(remaining_percent: float) -> Bracket:
    """Return the bracket for the remaining percentage, clamped to 0–100. Raise InvalidParams for NaN."""
    if math.isnan(remaining_percent):
        raise InvalidParams("The remaining context is not a number.")
    remaining = min(100.0, max(0.0, remaining_percent))
    return next(bracket for bracket, bounds in BRACKETS.items() if remaining >= bounds.min_percent)


def bracket_with_hysteresis(remaining_percent: float, previous: Bracket | None, margin_percent: float) -> Bracket:
    """Return the bracket; a roomier one than before only when the remainder exceeds its lower bound by the margin.

    Without the margin, an estimate that fluctuates around a bound would change the content with every prompt. A tighter
    bracket applies at once. A margin of 0 has no effect.
    """
    bracket = bracket_of(remaining_percent)
    if previous is None or _ORDER.index(bracket) >= _ORDER.index(previous):
        return bracket
    return min(previous, bracket_of(remaining_percent - margin_percent), key=_ORDER.index)


UsageSource = Literal["reported", "percent", "estimated"]


class ReportedUsage(NamedTuple):
    """The host's report of its session's window; any part of it may be missing."""

    used_tokens: int | None = None
    max_tokens: int | None = None
    remaining_percent: float | None = None
    prompt_count: int | None = None
    average_tokens: float | None = None
    sample_text: str | None = None


class RemainingContext(NamedTuple):
    """Percentage of the window that remains, 0–100, and its source."""

    percent: float
    source: UsageSource
    used_tokens: int | None


def remaining_context(usage: ReportedUsage) -> RemainingContext:
    """Return what remains, from the best source: reported tokens, then a percentage, then prompts × average tokens.

    Raise InvalidParams when even the estimate is impossible.
    """
    if usage.used_tokens is not None and usage.max_tokens is not None:
        return _of_tokens(usage.used_tokens, usage.max_tokens, "reported")
    if usage.remaining_percent is not None:
        return RemainingContext(min(100.0, max(0.0, usage.remaining_percent)), "percent", None)
    average = _average_tokens(usage)
    if usage.prompt_count is not None and average is not None and usage.max_tokens is not None:
        return _of_tokens(round(usage.prompt_count * average), usage.max_tokens, "estimated")
    raise InvalidParams(
        "The usage of the context window is unknown.",
        hint="Send `usedTokens` with `maxTokens`, or `remainingPercent`, or `promptCount` with `averageTokens` (or"
        " `sampleText`) and `maxTokens`.",
    )


def _average_tokens(usage: ReportedUsage) -> float | None:
    if usage.average_tokens is not None:
        return usage.average_tokens
    return float(estimate_tokens(usage.sample_text)) if usage.sample_text is not None else None


def _of_tokens(used: int, max_tokens: int, source: UsageSource) -> RemainingContext:
    return RemainingContext(min(100.0, max(0.0, 100.0 - used / max_tokens * 100.0)), source, used)
