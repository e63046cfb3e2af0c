"""The loop: runs iterations until the promise is accepted, a limit is reached, or a stop is requested."""

import os

from sidecar.call import Call
from sidecar.core.clock import Clock, rfc3339
from sidecar.core.errors import SidecarError
from sidecar.ralph import limits, outcome
from sidecar.ralph.files import history
from sidecar.ralph.files.folder import LoopFolder, create_folder, prune_files
from sidecar.ralph.files.lock import LockOwner, hold_lock
from sidecar.ralph.files.stop_request import StopRequest, StopWatcher
from sidecar.ralph.iteration.run_iteration import FinishedIteration, run_iteration
from sidecar.ralph.limits import backoff_ms, pause_ms
from sidecar.ralph.loop_plan import with_version
from sidecar.ralph.loop_state import LoopPlan, LoopState
from sidecar.ralph.model import Phase, RalphIteration, RalphIterationNotice, RalphRunning, RalphStartResult
from sidecar.ralph.outcome import FAILED, LIMIT, Ending, IterationSummary
from sidecar.system.process_tree import end_marked


def recover_from_crash(folder: LoopFolder, clock: Clock) -> int:
    """Clean up after a killed loop and return the number of the last iteration; raise StateDegraded.

    The caller holds the lock, so a loop whose state is `running` is dead. Its iteration is recorded as lost and its
    agent is ended.
    """
    before = history.read_state(folder)
    last_number = history.read_history(folder).last_number
    if before is None or before.status != "running" or before.running is None:
        return max(last_number, before.iteration if before is not None else 0)
    running = before.running
    # An agent or check that outlived its loop would work next to the new one's.
    for path in (folder.output_path(running.number), folder.check_output_path(running.number)):
        end_marked(str(path), clock)
    if running.number > last_number:
        history.append_iteration(folder, _lost_iteration(running, clock.now_ms()))
    return max(last_number, running.number)


def _lost_iteration(running: RalphRunning, now_ms: int) -> RalphIteration:
    return RalphIteration(
        number=running.number,
        started_at=running.started_at,
        duration_ms=0,
        outcome="lost",
        exit_code=None,
        signal=None,
        promise_found=False,
        promise_accepted=False,
        verification=None,
        files_changed=None,
        files=[],
        commits=[],
        input_tokens=None,
        output_tokens=None,
        cost_usd=None,
        reason=f"The loop's process died; recorded at {rfc3339(now_ms)} by the next loop.",
        ended_loop="The loop's process died.",
        output_bytes=0,
        continuity=None,
        warnings=[],
    )


def run_loop(call: Call, plan: LoopPlan) -> RalphStartResult:
    """Run a loop to its end and return how it ended.

    Raise Conflict while another loop runs for the change, and the errors of an unusable folder.
    """
    create_folder(plan.folder)
    loops = call.process.slices.ralph_loops
    with hold_lock(plan.folder, LockOwner(os.getpid(), call.now())):
        stop = loops.register(plan.folder)
        try:
            with StopWatcher(plan.folder, stop, call.process.closing, lambda: call.cancellation.is_set):
                return _run(call, plan, stop)
        finally:
            loops.end(plan.folder)


def _run(call: Call, plan: LoopPlan, stop: StopRequest) -> RalphStartResult:
    clock = call.process.clock
    number = recover_from_crash(plan.folder, clock)
    loop = LoopState(call, plan, stop, clock.now_ms(), clock.monotonic_ms(), os.getpid(), number)
    loop.save_state()
    try:
        loop.plan = with_version(plan)
        ended = _iterate(loop)
    except SidecarError as error:
        ended = Ending("failed", FAILED, f"{error.message} {error.hint or ''}".strip())
    except Exception as error:
        loop.save_ending(Ending("failed", FAILED, f"The loop failed unexpectedly ({type(error).__name__})."))
        raise
    loop.save_ending(ended)
    return RalphStartResult(
        change=plan.params.change,
        status=ended.status,
        exit_code=ended.exit_code,
        reason=ended.reason,
        iterations=loop.totals.iterations,
        last_iteration=loop.number,
        totals=loop.totals,
        folder=str(plan.folder.path),
        dry_run=None,
    )


def _iterate(loop: LoopState) -> Ending:
    while True:
        requested = loop.stop.ending
        if requested is not None:
            return requested
        _notify(loop, "started", loop.number + 1)
        finished = run_iteration(loop)
        ended, wait_ms = _ending_or_wait(loop, finished)
        line = finished.line.model_copy(update={"ended_loop": ended.reason if ended is not None else None})
        history.append_iteration(loop.plan.folder, line)
        prune_files(loop.plan.folder, loop.number)
        _notify(loop, "finished", line.number, iteration=line, reason=line.reason)
        if ended is not None:
            return ended
        _pause(loop, wait_ms, line.reason)


def _ending_or_wait(loop: LoopState, finished: FinishedIteration) -> tuple[Ending | None, float]:
    """Return whether the loop ends with an iteration, or the wait before the next one."""
    line, plan = finished.line, loop.plan
    requested = loop.stop.ending
    if requested is not None and not line.promise_accepted:
        return requested, 0
    turn = IterationSummary(line.outcome, line.number, line.promise_accepted, finished.abort, loop.stall, line.reason)
    ended = outcome.ending_after(turn, plan.limits, loop.usage, plan.params.completion_promise)
    if ended is not None:
        return ended, 0
    wait_ms = _wait_ms(loop, finished)
    max_time_ms = plan.limits.max_time_ms
    if wait_ms and max_time_ms is not None and loop.elapsed_ms() + wait_ms >= max_time_ms:
        reason = f"{limits.format_duration(max_time_ms)} would pass before the loop may continue (--max-time)."
        return Ending("limit", LIMIT, f"{reason} {line.reason or ''}".strip()), 0
    return None, wait_ms


def _wait_ms(loop: LoopState, finished: FinishedIteration) -> float:
    limit = finished.agent_result.usage_limit
    if finished.line.outcome == "usageLimit" and limit is not None:
        return pause_ms(limit.resets_at_ms, loop.call.process.clock.now_ms(), loop.pauses)
    return backoff_ms(loop.fast_failures)


def _pause(loop: LoopState, wait_ms: float, reason: str | None) -> None:
    """Wait if necessary, and publish until when."""
    if not wait_ms:
        loop.save_state()
        return
    loop.paused_until_ms = loop.call.process.clock.now_ms() + round(wait_ms)
    loop.save_state()
    _notify(loop, "paused", loop.number, until=rfc3339(loop.paused_until_ms), reason=reason)
    loop.wait(wait_ms)
    loop.paused_until_ms = None


def _notify(
    loop: LoopState,
    phase: Phase,
    number: int,
    *,
    iteration: RalphIteration | None = None,
    until: str | None = None,
    reason: str | None = None,
) -> None:
    notice = RalphIterationNotice(
        change=loop.plan.params.change, number=number, phase=phase, iteration=iteration, until=until, reason=reason
    )
    loop.call.notify("ralph/iteration", notice)
