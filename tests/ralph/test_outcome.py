"""The outcome of an iteration, and whether the loop ends with it."""

from sidecar.ralph import Limits, LoopUsage
from sidecar.ralph.agent import AgentResult, EndedBy, UsageLimit
from sidecar.ralph.loop_policy import IterationSummary, Stall, ending_after, failure_reason, outcome_of
from sidecar.ralph.model import IterationOutcome
from tests.support.cases import together


def agent_result(
    exit_code: int | None = 0,
    *,
    ended_by: EndedBy = "exit",
    signal: str | None = None,
    error: str | None = None,
    limit: UsageLimit | None = None,
) -> AgentResult:
    return AgentResult(
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
        error=error,
    )


@together(
    ("run", "outcome", "failure"),
    [
        (agent_result(), "succeeded", None),
        (agent_result(None, ended_by="result", signal="SIGTERM"), "succeeded", None),
        (agent_result(3), "failed", "The agent ended with exit code 3."),
        (agent_result(None, signal="SIGKILL"), "failed", "The agent was killed by SIGKILL."),
        (agent_result(0, error="no key"), "failed", "The agent reported an error: no key"),
        (
            agent_result(None, ended_by="wall"),
            "timedOut",
            "The agent took too long (`iterationTimeoutMs`, `maxTimeMs`).",
        ),
        (agent_result(None, ended_by="stopped", signal="SIGTERM"), "interrupted", "It was interrupted."),
        (agent_result(1, limit=UsageLimit(None, "later")), "usageLimit", "The agent reported a usage limit: later"),
    ],
)  # fmt: skip
def test_outcome_follows_from_how_the_run_ended(
    run: AgentResult, outcome: IterationOutcome, failure: str | None
) -> None:
    assert outcome_of(run) == outcome
    assert failure_reason(run) == failure


def iteration(
    outcome: IterationOutcome = "succeeded", *, accepted: bool = False, abort: str | None = None, stall: int = 0
) -> IterationSummary:
    return IterationSummary(outcome, 4, accepted, abort, Stall(stall, frozenset()), "Why.")


SPENT = LoopUsage(iterations=4, failures_in_row=2)


@together(
    ("what", "limits", "status"),
    [
        (iteration(), Limits(), None),
        (iteration(accepted=True), Limits(max_iterations=4, stuck_after=2), 0),
        (iteration(abort="No."), Limits(), 4),
        (iteration(stall=5), Limits(), 4),
        (iteration(stall=4), Limits(), None),
        (iteration(), Limits(max_iterations=4), 3),
        (iteration("failed"), Limits(), None),
        (iteration("failed"), Limits(fail_fast=True), 1),
        (iteration("timedOut"), Limits(max_failures=2), 1),
        (iteration("failed"), Limits(max_failures=3), None),
        (iteration("failed"), Limits(max_failures=2, max_iterations=4), 1),
        (iteration("timedOut"), Limits(fail_fast=True, max_iterations=4), 3),
        (iteration("usageLimit"), Limits(fail_fast=True), 1),
        (iteration("usageLimit"), Limits(max_iterations=4), 3),
        (iteration("usageLimit"), Limits(), None),
    ],
)
def test_loop_ends_with_the_exit_code_of_the_reason(what: IterationSummary, limits: Limits, status: int | None) -> None:
    ended = ending_after(what, limits, SPENT, "COMPLETE")
    assert (None if ended is None else ended.exit_code) == status
    assert ended is None or ended.reason.endswith((".", "Why."))
