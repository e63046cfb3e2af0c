"""Policy of a loop: its limits, the wait after failures and at usage limits, and whether an iteration ends it. Pure."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from sidecar.core.clean_text import count_noun
from sidecar.core.clock import DAY_MS, HOUR_MS, MINUTE_MS
from sidecar.core.lazy_regex import lazy_regex
from sidecar.ralph.agent.harnesses import AgentResult
from sidecar.ralph.model import MAX_ITERATIONS, STUCK_AFTER, IterationOutcome, LoopStatus

IDLE_TIMEOUT_MS = HOUR_MS
"""An agent without output for an hour hangs: the harnesses' tools time out after minutes."""
VERIFY_TIMEOUT_MS = 30 * MINUTE_MS

_DURATION = lazy_regex(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+|\d+(?:\.\d+)?")
_PART = lazy_regex(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")
_UNIT_MS = {"ms": 1, "s": 1_000, "": 1_000, "m": MINUTE_MS, "h": HOUR_MS, "d": DAY_MS}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a loop; None and 0 mean no limit."""

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
class LoopUsage:
    """Resources used by a loop so far."""

    iterations: int = 0
    elapsed_ms: float = 0
    tokens: int = 0
    cost_usd: float = 0
    failures_in_row: int = 0


def limit_reached(limits: Limits, usage: LoopUsage) -> str | None:
    """Return a sentence that names the limit preventing another iteration."""
    if limits.max_iterations and usage.iterations >= limits.max_iterations:
        return f"{count_noun(limits.max_iterations, 'iteration')} without an accepted promise (`maxIterations`)."
    if limits.max_time_ms is not None and usage.elapsed_ms >= limits.max_time_ms:
        return f"{format_duration(limits.max_time_ms)} have passed (`maxTimeMs`)."
    if limits.max_cost_usd is not None and usage.cost_usd >= limits.max_cost_usd:
        return f"{usage.cost_usd:.2f} of {limits.max_cost_usd:.2f} USD are spent (`maxCostUsd`)."
    if limits.max_tokens is not None and usage.tokens >= limits.max_tokens:
        return f"{usage.tokens:,} of {count_noun(limits.max_tokens, 'token')} are used (`maxTokens`)."
    return None


def failure_limit_reached(limits: Limits, usage: LoopUsage) -> str | None:
    """Return a sentence that says why failures end the loop."""
    if limits.fail_fast and usage.failures_in_row:
        return "The harness failed (`failFast`)."
    if limits.max_failures and usage.failures_in_row >= limits.max_failures:
        return f"{count_noun(usage.failures_in_row, 'failure')} in a row (`maxFailures`)."
    return None


def wall_ms(limits: Limits, usage: LoopUsage) -> int | None:
    """Return the maximum duration of the next iteration: its own limit and the loop's remaining time."""
    remaining_ms = None if limits.max_time_ms is None else max(1, math.ceil(limits.max_time_ms - usage.elapsed_ms))
    own_limit_ms = limits.iteration_ms
    return (
        own_limit_ms
        if remaining_ms is None
        else remaining_ms
        if own_limit_ms is None
        else min(own_limit_ms, remaining_ms)
    )


def parse_duration_ms(text: str) -> int:
    """Parse `90`, `90s`, `1.5h`, `1h30m` as milliseconds, a bare number as seconds; raise ValueError."""
    if not _DURATION.fullmatch(text):
        raise ValueError(f"{text!r} is not a duration such as 90s, 45m, 1h30m")
    duration = round(sum(float(number) * _UNIT_MS[unit or ""] for number, unit in _PART.findall(text)))
    if not 0 < duration < 2**53:
        raise ValueError(f"{text!r} is not a valid duration")
    return duration


def format_duration(duration: float) -> str:
    """Format a duration for people: `350 ms`, `12.3 s`, `4 min 5 s`, `2 h 10 min`."""
    if duration < 1_000:
        return f"{duration:.0f} ms"
    if duration < MINUTE_MS:
        return f"{duration / 1_000:.1f} s"
    minutes, seconds = divmod(round(duration / 1_000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


FAST_FAILURE_MS = 30_000
"""A failure within this time is a fast one: nothing was worked on, and the next attempt is likely to fail the same way.
"""

FIRST_BACKOFF_MS, MAX_BACKOFF_MS = 500, MINUTE_MS

FIRST_PAUSE_MS, MAX_PAUSE_MS = 5 * MINUTE_MS, HOUR_MS
"""Pause between attempts at a usage limit without a reset time."""

MAX_PAUSES = 24
"""Maximum number of pauses in a row: almost a day of those without a reset time."""

RESET_MARGIN_MS = 2_000
"""Clocks differ: an attempt a moment too early would be rejected again."""

MAX_RESET_MS = 8 * DAY_MS
"""Weekly limits end within a week; a later time was misread."""


def backoff_ms(fast_failures_in_row: int) -> int:
    """Return the wait after consecutive fast failures: doubling from half a second to a minute."""
    if fast_failures_in_row < 1:
        return 0
    return min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS << min(16, fast_failures_in_row - 1))


def pause_ms(resets_at_ms: int | None, now_ms: int, pauses_in_row: int) -> int:
    """Return the wait at a usage limit: until its reset, or doubling from five minutes to an hour if it is unknown.

    A reset time in the past is tried once; seen again, it was misread and counts as unknown.
    """
    if resets_at_ms is not None and resets_at_ms <= now_ms + MAX_RESET_MS:
        if resets_at_ms > now_ms:
            return resets_at_ms - now_ms + RESET_MARGIN_MS
        if pauses_in_row <= 1:
            return RESET_MARGIN_MS
    return min(MAX_PAUSE_MS, FIRST_PAUSE_MS << min(8, max(0, pauses_in_row - 1)))


MIN_SIMILARITY = 0.9
"""Minimum Jaccard similarity of two outputs' words for them to count as alike."""

MAX_WORDS = 4_000

_WORD = lazy_regex(r"[^\W\d_]+")


class Stall(NamedTuple):
    """Consecutive iterations without changes and with similar output."""

    times: int = 0
    words: frozenset[str] | None = None
    """Words of the last output."""


def update_stall(stall: Stall, text: str, *, changed: bool) -> Stall:
    """Return the stall after a successful iteration; `changed` is whether it changed anything."""
    words = output_words(text)
    if changed:
        return Stall(0, None)
    if stall.words is not None and are_similar(stall.words, words):
        return Stall(stall.times + 1, words)
    return Stall(1, words)


def output_words(text: str) -> frozenset[str]:
    """Return the words of an output without numbers, which are times, ids and counts."""
    return frozenset(_WORD.findall(text.casefold())[-MAX_WORDS:])


def are_similar(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether two outputs share nearly all of their words."""
    total = len(first | second)
    return total == 0 or len(first & second) / total >= MIN_SIMILARITY


def must_change_prompt(stall: Stall, stuck_after: int) -> bool:
    """Whether the next prompt must change: from half of `stuck_after` on."""
    return 0 < (stuck_after + 1) // 2 <= stall.times


def is_stuck(stall: Stall, stuck_after: int) -> bool:
    """Whether the loop ends because of a stall."""
    return stuck_after > 0 and stall.times >= max(2, stuck_after)


COMPLETED, FAILED, USAGE, LIMIT, STUCK, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 130, 143
"""Exit codes of the command."""


FAILURES: tuple[IterationOutcome, ...] = ("failed", "timedOut", "usageLimit")
"""Outcomes that `failFast` and `maxFailures` count."""


class Ending(NamedTuple):
    """Reason why the loop ends."""

    status: LoopStatus
    exit_code: int
    reason: str
    """One sentence."""


class IterationSummary(NamedTuple):
    """The facts that decide whether the loop continues after an iteration."""

    outcome: IterationOutcome
    number: int
    accepted: bool
    abort: str | None
    stall: Stall
    failure: str | None
    """Reason why the iteration failed."""


def outcome_of(agent_result: AgentResult) -> IterationOutcome:
    """Return the outcome of an agent run."""
    if agent_result.ended_by == "stopped":
        return "interrupted"
    if agent_result.usage_limit is not None:
        return "usageLimit"
    if agent_result.ended_by in ("idle", "wall"):
        return "timedOut"
    return "succeeded" if agent_result.succeeded else "failed"


def failure_reason(agent_result: AgentResult) -> str | None:
    """Return why a run failed, in a sentence; None for a success, including one that lingered after its result."""
    if agent_result.succeeded:
        return None
    if agent_result.usage_limit is not None:
        return f"The agent reported a usage limit: {agent_result.usage_limit.text}"
    match agent_result.ended_by:
        case "stopped":
            return "It was interrupted."
        case "idle":
            return "The agent printed nothing for too long (`idleTimeoutMs`)."
        case "wall":
            return "The agent took too long (`iterationTimeoutMs`, `maxTimeMs`)."
        case "exit" | "result":
            pass
    if agent_result.error is not None:
        return f"The agent reported an error: {agent_result.error}"
    if agent_result.signal is not None:
        return f"The agent was killed by {agent_result.signal}."
    return f"The agent ended with exit code {agent_result.exit_code}."


def ending_after(iteration: IterationSummary, limit: Limits, usage: LoopUsage, promise: str) -> Ending | None:
    """Return the ending if the loop ends after an iteration; an accepted promise precedes every limit."""
    if iteration.accepted:
        return Ending("completed", COMPLETED, f"The promise {promise} was accepted in iteration {iteration.number}.")
    if iteration.abort is not None:
        return Ending("aborted", STUCK, f"The agent ended the loop: {iteration.abort}")
    reached = limit_reached(limit, usage)
    if iteration.outcome in FAILURES and not (iteration.outcome == "timedOut" and reached):
        failed = failure_limit_reached(limit, usage)
        if failed is not None:
            return Ending("failed", FAILED, f"{failed} {iteration.failure or ''}".strip())
    if is_stuck(iteration.stall, limit.stuck_after):
        return Ending(
            "stuck", STUCK, f"The last {iteration.stall.times} iterations changed nothing and printed similar output."
        )
    return Ending("limit", LIMIT, reached) if reached else None
