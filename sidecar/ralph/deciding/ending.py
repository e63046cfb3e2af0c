"""What became of an iteration, and whether the loop ends with it. Pure."""

from typing import NamedTuple

from sidecar.ralph.agent.heard import Heard
from sidecar.ralph.deciding import limits, stuck
from sidecar.ralph.deciding.limits import Limits, Spent
from sidecar.ralph.deciding.stuck import Circle
from sidecar.ralph.model import IterationOutcome, LoopStatus

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
    if stuck.is_stuck(turn.circle, limit.stuck_after):
        return Ending("stuck", STUCK, f"The last {turn.circle.times} iterations changed nothing and said the same.")
    return Ending("limit", LIMIT, reached) if reached else None
