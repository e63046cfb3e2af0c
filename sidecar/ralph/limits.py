"""When a loop has to end, and how long it may take till then. Pure."""

import math
from dataclasses import dataclass

from sidecar.core.lazy_regex import regex

MAX_ITERATIONS = 25
STUCK_AFTER = 5
IDLE_TIMEOUT_MS = 60 * 60_000
"""An agent that has not said a word for an hour hangs: tools of harnesses end after minutes."""
VERIFY_TIMEOUT_MS = 30 * 60_000

_DURATION = regex(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+|\d+(?:\.\d+)?")
_PART = regex(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")
_UNIT_MS = {"ms": 1, "s": 1_000, "": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a loop may use; None and 0 are no limit."""

    min_iterations: int = 1
    max_iterations: int = MAX_ITERATIONS
    max_time_ms: int | None = None
    max_cost_usd: float | None = None
    max_tokens: int | None = None
    idle_ms: int | None = IDLE_TIMEOUT_MS
    iteration_ms: int | None = None
    max_failures: int = 0
    fail_fast: bool = False
    stuck_after: int = STUCK_AFTER


@dataclass(frozen=True, slots=True)
class Spent:
    """What a loop has used so far."""

    iterations: int = 0
    """Those that a usage limit turned away are not counted."""
    elapsed_ms: float = 0
    tokens: int = 0
    cost_usd: float = 0
    failures_in_row: int = 0


def reached(limits: Limits, spent: Spent) -> str | None:
    """Names the limit that keeps another iteration from beginning, in a sentence."""
    if limits.max_iterations and spent.iterations >= limits.max_iterations:
        return f"{counted(limits.max_iterations, 'iteration')} without an accepted promise (--max-iterations)."
    if limits.max_time_ms is not None and spent.elapsed_ms >= limits.max_time_ms:
        return f"{shown_ms(limits.max_time_ms)} have passed (--max-time)."
    if limits.max_cost_usd is not None and spent.cost_usd >= limits.max_cost_usd:
        return f"{spent.cost_usd:.2f} of {limits.max_cost_usd:.2f} USD are spent (--max-cost)."
    if limits.max_tokens is not None and spent.tokens >= limits.max_tokens:
        return f"{spent.tokens} of {limits.max_tokens} tokens are used (--max-tokens)."
    return None


def failed(limits: Limits, spent: Spent) -> str | None:
    """Says in a sentence why failures end the loop."""
    if limits.fail_fast and spent.failures_in_row:
        return "The harness failed (--fail-fast)."
    if limits.max_failures and spent.failures_in_row >= limits.max_failures:
        return f"{counted(spent.failures_in_row, 'failure')} in a row (--max-failures)."
    return None


def wall_ms(limits: Limits, spent: Spent) -> int | None:
    """Gives how long the next iteration may take: its own limit, and what is left of the loop's time."""
    left = None if limits.max_time_ms is None else max(1, math.ceil(limits.max_time_ms - spent.elapsed_ms))
    own = limits.iteration_ms
    return own if left is None else left if own is None else min(own, left)


def duration_ms(text: str) -> int:
    """Reads `90`, `90s`, `1.5h`, `1h30m` as milliseconds, a bare number as seconds; raises ValueError."""
    if not _DURATION.fullmatch(text):
        raise ValueError(f"{text!r} is no duration, as in 90s, 45m, 1h30m")
    found = round(sum(float(number) * _UNIT_MS[unit or ""] for number, unit in _PART.findall(text)))
    if not 0 < found < 2**53:
        raise ValueError(f"{text!r} is no duration that could pass")
    return found


def shown_ms(duration: float) -> str:
    """Writes a duration for people: `350 ms`, `12.3 s`, `4 min 5 s`, `2 h 10 min`."""
    if duration < 1_000:
        return f"{duration:.0f} ms"
    if duration < 60_000:
        return f"{duration / 1_000:.1f} s"
    minutes, seconds = divmod(round(duration / 1_000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def counted(number: int, noun: str) -> str:
    """Writes a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# How long a loop waits before it goes on: after failures that come fast, and at a usage limit. Pure.


FAST_MS = 30_000
"""A failure after less than this came fast: nothing was worked on, and the next one is likely to be the same."""

FIRST_BACKOFF_MS, MAX_BACKOFF_MS = 500, 60_000

FIRST_PAUSE_MS, MAX_PAUSE_MS = 5 * 60_000, 60 * 60_000
"""Between asking again at a usage limit that does not say when it ends."""

RESET_MARGIN_MS = 2_000
"""Clocks differ: asking a moment too early would be turned away again."""

MAX_RESET_MS = 8 * 24 * 3_600_000
"""Weekly limits end within a week; what lies further off was misread."""


def backoff_ms(fast_failures_in_row: int) -> int:
    """Gives the wait after so many failures in a row that came fast: doubling from half a second to a minute."""
    if fast_failures_in_row < 1:
        return 0
    return min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS << min(16, fast_failures_in_row - 1))


def pause_ms(resets_at_ms: int | None, now_ms: int, pauses_in_row: int) -> int:
    """Gives the wait at a usage limit: until its reset, or doubling from five minutes to an hour where none is told.

    A reset that has passed already is tried once, and counts as not told when it is met again: it was misread.
    """
    if resets_at_ms is not None and resets_at_ms <= now_ms + MAX_RESET_MS:
        if resets_at_ms > now_ms:
            return resets_at_ms - now_ms + RESET_MARGIN_MS
        if pauses_in_row <= 1:
            return RESET_MARGIN_MS
    return min(MAX_PAUSE_MS, FIRST_PAUSE_MS << min(8, max(0, pauses_in_row - 1)))
