"""The loop: iteration after iteration until the promise is kept, a limit is reached, or somebody says stop."""

import os

from sidecar.call import Call
from sidecar.core.clock import Clock, rfc3339
from sidecar.core.errors import SidecarError
from sidecar.ralph import limits, outcome
from sidecar.ralph.files import history
from sidecar.ralph.files.folder import Folder, make, tidy
from sidecar.ralph.files.lock import Owner, held
from sidecar.ralph.files.stop_request import Stop, Watch, loops_of
from sidecar.ralph.iteration.run_iteration import Done, run_iteration
from sidecar.ralph.limits import backoff_ms, pause_ms
from sidecar.ralph.loop_plan import with_version
from sidecar.ralph.loop_state import Course, Plan
from sidecar.ralph.model import Phase, RalphIteration, RalphIterationNotice, RalphRunning, RalphStartResult
from sidecar.ralph.outcome import FAILED, LIMIT, Ending, Turn
from sidecar.system.process_tree import end_marked

# What a loop that was killed has left: its iteration is noted as lost, and its agent is ended.


def take_over(folder: Folder, clock: Clock) -> int:
    """Puts in order what the last loop left, and gives the number of the last iteration; raises StateDegraded.

    Called by the lock's holder, so that the loop whose state says `running` is known to be dead.
    """
    before = history.read_state(folder)
    known = history.read_history(folder).last_number
    if before is None or before.status != "running" or before.running is None:
        return max(known, before.iteration if before is not None else 0)
    running = before.running
    # An agent or a check that outlived its loop would work beside the next one's.
    for kept in (folder.output_of(running.number), folder.check_of(running.number)):
        end_marked(str(kept), clock)
    if running.number > known:
        history.append_iteration(folder, _lost(running, clock.now_ms()))
    return max(known, running.number)


def _lost(running: RalphRunning, now_ms: int) -> RalphIteration:
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
        reason=f"The loop's process died meanwhile; noted at {rfc3339(now_ms)} by the next one.",
        ended_loop="The loop's process died.",
        output_bytes=0,
        continuity=None,
        warnings=[],
    )


def run_loop(call: Call, plan: Plan) -> RalphStartResult:
    """Runs a loop to its end, and says how it ended.

    Raises Conflict while another one runs for the change, and what keeps its folder from being used.
    """
    make(plan.folder)
    loops = loops_of(call.process)
    with held(plan.folder, Owner(os.getpid(), call.now())):
        stop = loops.begin(plan.folder)
        try:
            with Watch(plan.folder, stop, call.process.ending, lambda: call.cancellation.is_set):
                return _run(call, plan, stop)
        finally:
            loops.end(plan.folder)


def _run(call: Call, plan: Plan, stop: Stop) -> RalphStartResult:
    clock = call.process.clock
    number = take_over(plan.folder, clock)
    course = Course(call, plan, stop, clock.now_ms(), clock.monotonic_ms(), os.getpid(), number)
    course.keep()
    try:
        course.plan = with_version(plan)
        ended = _iterate(course)
    except SidecarError as error:
        ended = Ending("failed", FAILED, f"{error.message} {error.hint or ''}".strip())
    except Exception as error:
        course.keep_ending(Ending("failed", FAILED, f"The loop failed unexpectedly ({type(error).__name__})."))
        raise
    course.keep_ending(ended)
    return RalphStartResult(
        change=plan.params.change,
        status=ended.status,
        exit_code=ended.exit_code,
        reason=ended.reason,
        iterations=course.totals.iterations,
        last_iteration=course.number,
        totals=course.totals,
        folder=str(plan.folder.path),
        dry_run=None,
    )


def _iterate(course: Course) -> Ending:
    while True:
        asked = course.stop.ending
        if asked is not None:
            return asked
        _notify(course, "started", course.number + 1)
        done = run_iteration(course)
        ended, wait_ms = _next(course, done)
        line = done.line.model_copy(update={"ended_loop": ended.reason if ended is not None else None})
        history.append_iteration(course.plan.folder, line)
        tidy(course.plan.folder, course.number)
        _notify(course, "finished", line.number, iteration=line, reason=line.reason)
        if ended is not None:
            return ended
        _pause(course, wait_ms, line.reason)


def _next(course: Course, done: Done) -> tuple[Ending | None, float]:
    """Says whether the loop ends with an iteration, and else how long it waits before the next one."""
    line, plan = done.line, course.plan
    asked = course.stop.ending
    if asked is not None and not line.promise_accepted:
        return asked, 0
    turn = Turn(line.outcome, line.number, line.promise_accepted, done.abort, course.circle, line.reason)
    ended = outcome.after(turn, plan.limits, course.spent, plan.params.completion_promise)
    if ended is not None:
        return ended, 0
    wait_ms = _wait_ms(course, done)
    most = plan.limits.max_time_ms
    if wait_ms and most is not None and course.elapsed_ms() + wait_ms >= most:
        why = f"{limits.shown_ms(most)} would be over before the loop may go on (--max-time). {line.reason or ''}"
        return Ending("limit", LIMIT, why.strip()), 0
    return None, wait_ms


def _wait_ms(course: Course, done: Done) -> float:
    limit = done.heard.usage_limit
    if done.line.outcome == "usageLimit" and limit is not None:
        return pause_ms(limit.resets_at_ms, course.call.process.clock.now_ms(), course.pauses)
    return backoff_ms(course.fast_failures)


def _pause(course: Course, wait_ms: float, reason: str | None) -> None:
    """Waits where it has to, and says so: people and programs that look on see until when."""
    if not wait_ms:
        course.keep()
        return
    course.paused_until_ms = course.call.process.clock.now_ms() + round(wait_ms)
    course.keep()
    _notify(course, "paused", course.number, until=rfc3339(course.paused_until_ms), reason=reason)
    course.wait(wait_ms)
    course.paused_until_ms = None


def _notify(
    course: Course,
    phase: Phase,
    number: int,
    *,
    iteration: RalphIteration | None = None,
    until: str | None = None,
    reason: str | None = None,
) -> None:
    notice = RalphIterationNotice(
        change=course.plan.params.change, number=number, phase=phase, iteration=iteration, until=until, reason=reason
    )
    course.call.notify("ralph/iteration", notice)
