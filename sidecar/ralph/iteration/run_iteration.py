"""One iteration: the prompt, the agent, what it changed, its promise, and the line of history."""

from dataclasses import dataclass, replace

from sidecar.core.clock import rfc3339
from sidecar.ralph.outcome import after_stuck, failure_of, outcome_of, turns_the_prompt
from sidecar.ralph.agent.agent_result import Bounds, Command, Heard
from sidecar.ralph.agent.harnesses import command_of
from sidecar.ralph.agent.runner import run_agent
from sidecar.ralph.files import context_file
from sidecar.ralph.files.context_file import Context
from sidecar.ralph.files.folder import whole_prompt
from sidecar.ralph.iteration import changes as worktree
from sidecar.ralph.iteration import continuity
from sidecar.ralph.iteration.changes import Changes
from sidecar.ralph.iteration.continuity import Opened, Place
from sidecar.ralph.iteration.prompt import Asked, aborted, build
from sidecar.ralph.iteration.verify import as_told, passed, verify
from sidecar.ralph.limits import FAST_MS, VERIFY_TIMEOUT_MS, wall_ms
from sidecar.ralph.loop_state import Course
from sidecar.ralph.model import (
    IterationOutcome,
    RalphContinuity,
    RalphIteration,
    RalphOutputNotice,
    RalphRunning,
    RalphVerification,
)
from sidecar.system.git import GitFailed

SHOWN_FILES = 100
"""So many changed files a line of history names."""


@dataclass(frozen=True, slots=True)
class Done:
    """An iteration that is over."""

    line: RalphIteration
    heard: Heard
    abort: str | None


@dataclass(slots=True)
class _Ran:
    """An agent's run and what came of it."""

    heard: Heard
    changes: Changes
    commits: list[str]
    checks: list[RalphVerification] | None
    warnings: list[str]

    @property
    def outcome(self) -> IterationOutcome:
        return outcome_of(self.heard)


def run_iteration(course: Course) -> Done:
    """Runs the next iteration; raises SidecarError where the agent cannot be started at all."""
    course.number += 1
    context = context_file.read(course.plan.folder)
    opened = _open_run(course, context.text)
    ran = _ran(course, context, opened)
    told = _close_run(course, ran, opened)
    line = _line(course, ran, told, accepted=_accepted(course, ran))
    _count(course, ran)
    course.last = _last(line)
    return Done(line, ran.heard, aborted(ran.heard.final_text) if ran.outcome == "succeeded" else None)


def _ran(course: Course, context: Context, opened: Opened | None) -> _Ran:
    """Runs the agent, looks at what it changed, commits that, and checks its promise."""
    process, workspace = course.call.process, course.plan.workspace
    prompt = build(asked_of(course, context.text, opened.packs if opened is not None else ()))
    command = _command(course, prompt)
    before = worktree.see(process, workspace)
    heard = _heard(course, command, prompt)
    changes = worktree.changes(before, worktree.see(process, workspace))
    warnings = [text for text in (context.problem, changes.problem) if text]
    commits = [*changes.commits, *_committed(course, changes, warnings)]
    return _Ran(heard, changes, commits, _verified(course, heard), warnings)


def _line(course: Course, ran: _Ran, told: RalphContinuity | None, *, accepted: bool) -> RalphIteration:
    heard, files = ran.heard, ran.changes.files
    return RalphIteration(
        number=course.number,
        started_at=rfc3339(heard.started_at_ms),
        duration_ms=heard.duration_ms,
        outcome=ran.outcome,
        exit_code=heard.exit_code,
        signal=heard.signal,
        promise_found=heard.promise,
        promise_accepted=accepted,
        verification=ran.checks,
        files_changed=None if files is None else len(files),
        files=[_shown(path) for path in (files or ())[:SHOWN_FILES]],
        commits=ran.commits,
        input_tokens=heard.input_tokens,
        output_tokens=heard.output_tokens,
        cost_usd=heard.cost_usd,
        reason=failure_of(heard),
        ended_loop=None,
        output_bytes=heard.output_bytes,
        continuity=told,
        warnings=ran.warnings,
    )


def asked_of(course: Course, context: str, packs: tuple[str, ...]) -> Asked:
    """Gathers what the next prompt is made of."""
    params, limits = course.plan.params, course.plan.limits
    turns = turns_the_prompt(course.circle, limits.stuck_after)
    spent = replace(course.spent, elapsed_ms=course.elapsed_ms())
    return Asked(
        params.change, course.number, limits, spent, params.completion_promise, params.prompt, context,
        packs, course.failed_checks, course.last, course.circle.times if turns else 0,
    )  # fmt: skip


def place_of(course: Course) -> Place:
    """Says where and as whom continuity knows the loop's runs."""
    workspace = course.plan.workspace
    project = None if workspace.project == workspace.cwd else str(workspace.project)
    return Place(course.plan.params.change, str(workspace.cwd), project, course.plan.params.harness)


def task_with(course: Course, context: str) -> str:
    """Gives what the next run is about."""
    task = course.plan.params.prompt
    return f"{task}\n\n{context}" if context else task


def _open_run(course: Course, context: str) -> Opened | None:
    if not course.plan.params.continuity:
        return None
    return continuity.open_run(course.call, place_of(course), task_with(course, context))


def _close_run(course: Course, ran: _Ran, opened: Opened | None) -> RalphContinuity | None:
    if opened is None:
        return None
    files = [_shown(path) for path in ran.changes.files or ()]
    parts = continuity.parts_of(course.plan.workspace.cwd, files, ran.commits, ran.checks or ())
    return continuity.close_run(course.call, opened, ran.heard, ran.outcome, parts)


def _command(course: Course, prompt: str) -> Command:
    plan = course.plan
    kept = plan.folder.prompt_of(course.number)
    whole_prompt(kept, prompt)
    return command_of(plan.wanted, prompt, plan.cwd, plan.environment, prompt_file=kept)


def _heard(course: Course, command: Command, prompt: str) -> Heard:
    plan, call, number = course.plan, course.call, course.number

    def stream(text: str) -> None:
        call.notify("ralph/output", RalphOutputNotice(change=plan.params.change, number=number, text=text))

    course.running = RalphRunning(number=number, started_at=call.now())
    course.save_state()
    spent = replace(course.spent, elapsed_ms=course.elapsed_ms())
    bounds = Bounds(idle_ms=plan.limits.idle_ms, wall_ms=wall_ms(plan.limits, spent))
    heard = run_agent(
        command,
        promise=plan.params.completion_promise,
        prompt=prompt,
        bounds=bounds,
        stop=course.stop.asked,
        at_once=course.stop.at_once,
        clock=call.process.clock,
        keep=plan.folder.output_of(number),
        stream=stream if plan.params.stream else None,
    )
    course.running = None
    return heard


def _verified(course: Course, heard: Heard) -> list[RalphVerification] | None:
    """Runs the checks where a promise would count if they pass."""
    plan = course.plan
    if not plan.params.verify or not _may_count(course, heard):
        return None
    spent = replace(course.spent, elapsed_ms=course.elapsed_ms())
    left = wall_ms(plan.limits, spent)
    bounds = Bounds(idle_ms=None, wall_ms=VERIFY_TIMEOUT_MS if left is None else min(left, VERIFY_TIMEOUT_MS))
    return verify(
        plan.params.verify, plan.cwd, plan.environment, bounds, stop=course.stop.asked, at_once=course.stop.at_once,
        clock=course.call.process.clock, keep=plan.folder.check_of(course.number),
    )  # fmt: skip


def _may_count(course: Course, heard: Heard) -> bool:
    turn = course.spent.iterations + 1
    return heard.promise and outcome_of(heard) == "succeeded" and turn >= course.plan.limits.min_iterations


def _accepted(course: Course, ran: _Ran) -> bool:
    if not _may_count(course, ran.heard):
        return False
    checks = ran.checks or []
    return len(checks) == len(course.plan.params.verify) and all(passed(one) for one in checks)


def _committed(course: Course, done: Changes, warnings: list[str]) -> list[str]:
    """Commits what is the iteration's alone, where the user asked for it."""
    params = course.plan.params
    if not params.commit or done.files is None:
        return []
    if done.shared:
        names = ", ".join(_shown(path) for path in done.shared[:5])
        warnings.append(f"Not committed, because they had uncommitted changes before the iteration: {names}.")
    if not done.own:
        return []
    message = f"ralph: {params.change}, iteration {course.number}"
    try:
        return [worktree.commit(course.plan.workspace.cwd, done.own, message)]
    except GitFailed as error:
        warnings.append(f"What the iteration changed could not be committed: {error.reason}.")
        return []


def _count(course: Course, ran: _Ran) -> None:
    """Counts the iteration; one that a usage limit turned away is not one of those that are allowed."""
    heard, outcome = ran.heard, ran.outcome
    spent, totals = course.spent, course.totals
    is_failure = outcome in ("failed", "timedOut")
    in_tokens, out_tokens, cost = heard.input_tokens or 0, heard.output_tokens or 0, heard.cost_usd or 0.0
    failures = spent.failures_in_row + 1 if is_failure else 0 if outcome == "succeeded" else spent.failures_in_row
    course.spent = replace(
        spent,
        iterations=spent.iterations + (outcome != "usageLimit"),
        elapsed_ms=course.elapsed_ms(),
        tokens=spent.tokens + in_tokens + out_tokens,
        cost_usd=spent.cost_usd + cost,
        failures_in_row=failures,
    )
    course.totals = totals.model_copy(
        update={
            "iterations": totals.iterations + 1,
            "failures": totals.failures + is_failure,
            "input_tokens": totals.input_tokens + in_tokens,
            "output_tokens": totals.output_tokens + out_tokens,
            "cost_usd": totals.cost_usd + cost,
            "duration_ms": round(course.elapsed_ms()),
        }
    )
    course.fast_failures = course.fast_failures + 1 if is_failure and heard.duration_ms < FAST_MS else 0
    course.pauses = course.pauses + 1 if outcome == "usageLimit" else 0
    if outcome == "succeeded":
        course.circle = after_stuck(course.circle, heard.final_text, changed=bool(ran.changes.is_other))
        course.failed_checks = [as_told(one) for one in ran.checks or () if not passed(one)]


def _last(line: RalphIteration) -> str:
    """Says of an iteration that came to no good end how it ended, for the next one."""
    return f"Iteration {line.number}: {line.reason}" if line.reason and line.outcome != "usageLimit" else ""


def _shown(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
