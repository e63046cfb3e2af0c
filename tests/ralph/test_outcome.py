"""What became of an iteration, and whether the loop ends with it."""

import pytest

from sidecar.ralph.agent.agent_result import EndedBy, Heard, UsageLimit
from sidecar.ralph.limits import Limits, Spent
from sidecar.ralph.model import IterationOutcome
from sidecar.ralph.outcome import Circle, Turn, after, failure_of, outcome_of


def heard(
    exit_code: int | None = 0,
    *,
    ended_by: EndedBy = "exit",
    signal: str | None = None,
    failed: str | None = None,
    limit: UsageLimit | None = None,
) -> Heard:
    return Heard(
        started_at_ms=0,
        duration_ms=1,
        exit_code=exit_code,
        signal=signal,
        ended_by=ended_by,
        promise=False,
        final_text="",
        output_bytes=0,
        output_truncated=False,
        input_tokens=None,
        output_tokens=None,
        cost_usd=None,
        session_id=None,
        usage_limit=limit,
        failed=failed,
    )


@pytest.mark.parametrize(
    ("run", "outcome", "failure"),
    [
        (heard(), "succeeded", None),
        (heard(None, ended_by="result", signal="SIGTERM"), "succeeded", None),
        (heard(3), "failed", "The agent ended with exit code 3."),
        (heard(None, signal="SIGKILL"), "failed", "The agent was ended by SIGKILL."),
        (heard(0, failed="no key"), "failed", "The agent reported an error: no key"),
        (heard(None, ended_by="wall"), "timedOut", "The agent took too long (--iteration-timeout, --max-time)."),
        (heard(None, ended_by="stopped", signal="SIGTERM"), "interrupted", "It was interrupted."),
        (heard(1, limit=UsageLimit(None, "later")), "usageLimit", "The agent reported a usage limit: later"),
    ],
)  # fmt: skip
def test_outcome_follows_from_how_the_run_ended(run: Heard, outcome: IterationOutcome, failure: str | None) -> None:
    assert outcome_of(run) == outcome
    assert failure_of(run) == failure


def turn(
    outcome: IterationOutcome = "succeeded", *, accepted: bool = False, abort: str | None = None, circle: int = 0
) -> Turn:
    return Turn(outcome, 4, accepted, abort, Circle(circle, frozenset()), "Why.")


SPENT = Spent(iterations=4, failures_in_row=2)


@pytest.mark.parametrize(
    ("what", "limits", "status"),
    [
        (turn(), Limits(), None),
        (turn(accepted=True), Limits(max_iterations=4, stuck_after=2), 0),
        (turn(abort="No."), Limits(), 4),
        (turn(circle=5), Limits(), 4),
        (turn(circle=4), Limits(), None),
        (turn(), Limits(max_iterations=4), 3),
        (turn("failed"), Limits(), None),
        (turn("failed"), Limits(fail_fast=True), 1),
        (turn("timedOut"), Limits(max_failures=2), 1),
        (turn("failed"), Limits(max_failures=3), None),
        (turn("failed"), Limits(max_failures=2, max_iterations=4), 1),
        (turn("timedOut"), Limits(fail_fast=True, max_iterations=4), 3),
        (turn("usageLimit"), Limits(fail_fast=True), None),
    ],
)
def test_loop_ends_with_the_exit_code_of_the_reason(what: Turn, limits: Limits, status: int | None) -> None:
    ended = after(what, limits, SPENT, "COMPLETE")
    assert (None if ended is None else ended.exit_code) == status
    assert ended is None or ended.reason.endswith((".", "Why."))
