"""Outcome of an iteration, and whether the loop ends with it: success, failure, a limit, or a stall. Pure."""

from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.ralph import limits
from sidecar.ralph.agent.agent_run import AgentResult
from sidecar.ralph.limits import Limits, LoopUsage
from sidecar.ralph.model import IterationOutcome, LoopStatus

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
    either = len(first | second)
    return either == 0 or len(first & second) / either >= MIN_SIMILARITY


def must_change_prompt(stall: Stall, stuck_after: int) -> bool:
    """Whether the next prompt must change: from half of `stuck_after` on."""
    return 0 < (stuck_after + 1) // 2 <= stall.times


def is_stuck(stall: Stall, stuck_after: int) -> bool:
    """Whether the loop ends because of a stall."""
    return stuck_after > 0 and stall.times >= max(2, stuck_after)


COMPLETED, FAILED, USAGE, LIMIT, STUCK, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 130, 143
"""Exit codes, as specified in decisions.md."""


FAILURES: tuple[IterationOutcome, ...] = ("failed", "timedOut", "usageLimit")
"""Outcomes that --fail-fast and --max-failures count."""


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
            return "The agent printed nothing for too long (--idle-timeout)."
        case "wall":
            return "The agent took too long (--iteration-timeout, --max-time)."
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
    limit_reached = limits.limit_reached(limit, usage)
    if iteration.outcome in FAILURES and not (iteration.outcome == "timedOut" and limit_reached):
        failed = limits.failure_limit_reached(limit, usage)
        if failed is not None:
            return Ending("failed", FAILED, f"{failed} {iteration.failure or ''}".strip())
    if is_stuck(iteration.stall, limit.stuck_after):
        return Ending(
            "stuck", STUCK, f"The last {iteration.stall.times} iterations changed nothing and printed nearly the same."
        )
    return Ending("limit", LIMIT, limit_reached) if limit_reached else None
