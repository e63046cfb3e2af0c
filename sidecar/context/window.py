"""What remains of a provider's context window: as the host reported it, else estimated. Pure."""

from typing import Literal, NamedTuple

from sidecar.core.errors import InvalidParams
from sidecar.core.tokens import estimate_tokens

Source = Literal["reported", "percent", "estimated"]


class Said(NamedTuple):
    """What the host knows of its session's window; any of it may be missing."""

    used_tokens: int | None = None
    max_tokens: int | None = None
    remaining_percent: float | None = None
    prompt_count: int | None = None
    average_tokens: float | None = None
    sample_text: str | None = None


class Remaining(NamedTuple):
    """Percent of the window that remain, 0–100, and what that was taken from."""

    percent: float
    source: Source
    used_tokens: int | None


def remaining_of(said: Said) -> Remaining:
    """Gives what remains, by the best there is: reported tokens, then a percentage, then prompts × average tokens.

    Raises InvalidParams where not even the estimate can be made (intelligence-layer.md §3.4).
    """
    if said.used_tokens is not None and said.max_tokens is not None:
        return _of_tokens(said.used_tokens, said.max_tokens, "reported")
    if said.remaining_percent is not None:
        return Remaining(min(100.0, max(0.0, said.remaining_percent)), "percent", None)
    average = _average(said)
    if said.prompt_count is not None and average is not None and said.max_tokens is not None:
        return _of_tokens(round(said.prompt_count * average), said.max_tokens, "estimated")
    raise InvalidParams(
        "How full the context window is was not said.",
        hint="Send `usedTokens` with `maxTokens`, or `remainingPercent`, or `promptCount` with `averageTokens` (or"
        " `sampleText`) and `maxTokens`.",
    )


def _average(said: Said) -> float | None:
    if said.average_tokens is not None:
        return said.average_tokens
    return float(estimate_tokens(said.sample_text)) if said.sample_text is not None else None


def _of_tokens(used: int, most: int, source: Source) -> Remaining:
    return Remaining(min(100.0, max(0.0, 100.0 - used / most * 100.0)), source, used)
