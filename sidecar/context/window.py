"""How much of a provider's context window remains: as reported by the host, otherwise estimated. Pure."""

from typing import Literal, NamedTuple

from sidecar.core.errors import InvalidParams
from sidecar.core.tokens import estimate_tokens

UsageSource = Literal["reported", "percent", "estimated"]


class ReportedUsage(NamedTuple):
    """What the host knows about its session's window; any of it may be missing."""

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

    Raise InvalidParams when even the estimate is impossible (intelligence-layer.md §3.4).
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
