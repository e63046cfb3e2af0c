"""What became of an iteration, and whether the loop ends with it. Pure."""

from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.ralph import limits
from sidecar.ralph.agent.agent_result import Heard
from sidecar.ralph.limits import Limits, Spent
from sidecar.ralph.model import IterationOutcome, LoopStatus

# Whether a loop goes round in circles: iterations that change nothing and say the same. Pure.


ALIKE = 0.9
"""The share of words two outputs have in common, of all words they have, from which they count as alike."""

MAX_WORDS = 4_000

_WORD = regex(r"[^\W\d_]+")


class Circle(NamedTuple):
    """How often in a row the same came of nothing."""

    times: int = 0
    words: frozenset[str] | None = None
    """What the last of them said."""


def after_stuck(circle: Circle, text: str, *, changed: bool) -> Circle:
    """Gives the circle after an iteration that ended well; `changed` says whether anything is different now."""
    words = words_of(text)
    if changed:
        return Circle(0, None)
    if circle.words is not None and alike(circle.words, words):
        return Circle(circle.times + 1, words)
    return Circle(1, words)


def words_of(text: str) -> frozenset[str]:
    """Gives an output's words without its numbers, which tell times, ids and counts."""
    return frozenset(_WORD.findall(text.casefold())[-MAX_WORDS:])


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Says whether two outputs have nearly all of their words in common."""
    either = len(one | other)
    return either == 0 or len(one & other) / either >= ALIKE


def turns_the_prompt(circle: Circle, stuck_after: int) -> bool:
    """Says whether the next prompt has to be another one: from the half of what ends the loop."""
    return 0 < (stuck_after + 1) // 2 <= circle.times


def is_stuck(circle: Circle, stuck_after: int) -> bool:
    """Says whether the loop is to end."""
    return stuck_after > 0 and circle.times >= max(2, stuck_after)


COMPLETED, FAILED, USAGE, LIMIT, STUCK, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 130, 143
"""Exit statuses, as decisions.md has them."""


class Ending(NamedTuple):
    """Why the loop ends."""

    status: LoopStatus
    exit_code: int
    reason: str
    """One sentence."""


class Turn(NamedTuple):
    """All that counts for whether the loop goes on after an iteration."""

    outcome: IterationOutcome
    number: int
    accepted: bool
    abort: str | None
    circle: Circle
    failure: str | None
    """Why the iteration failed."""


def outcome_of(heard: Heard) -> IterationOutcome:
    """Names what became of a run of the agent."""
    if heard.ended_by == "stopped":
        return "interrupted"
    if heard.usage_limit is not None:
        return "usageLimit"
    if heard.ended_by in ("idle", "wall"):
        return "timedOut"
    return "succeeded" if heard.succeeded else "failed"


def failure_of(heard: Heard) -> str | None:
    """Says in a sentence why a run was no success; None where it was one, also where it lingered after its result."""
    if heard.succeeded:
        return None
    if heard.usage_limit is not None:
        return f"The agent reported a usage limit: {heard.usage_limit.text}"
    match heard.ended_by:
        case "stopped":
            return "It was interrupted."
        case "idle":
            return "The agent said nothing for too long (--idle-timeout)."
        case "wall":
            return "The agent took too long (--iteration-timeout, --max-time)."
        case "exit" | "result":
            pass
    if heard.failed is not None:
        return f"The agent reported an error: {heard.failed}"
    if heard.signal is not None:
        return f"The agent was ended by {heard.signal}."
    return f"The agent ended with exit code {heard.exit_code}."


def after(turn: Turn, limit: Limits, spent: Spent, promise: str) -> Ending | None:
    """Says whether the loop ends after an iteration; a promise that counts comes before every limit."""
    if turn.accepted:
        return Ending("completed", COMPLETED, f"The promise {promise} was accepted in iteration {turn.number}.")
    if turn.abort is not None:
        return Ending("aborted", STUCK, f"The agent ended the loop: {turn.abort}")
    reached = limits.reached(limit, spent)
    is_failure = turn.outcome in ("failed", "timedOut")
    if is_failure and not (turn.outcome == "timedOut" and reached):
        failed = limits.failed(limit, spent)
        if failed is not None:
            return Ending("failed", FAILED, f"{failed} {turn.failure or ''}".strip())
    if is_stuck(turn.circle, limit.stuck_after):
        return Ending("stuck", STUCK, f"The last {turn.circle.times} iterations changed nothing and said the same.")
    return Ending("limit", LIMIT, reached) if reached else None
