"""A loop: its plan, its dry run, recovery after a crash, and its iterations.

Iterations run until the promise is accepted, a limit is reached, or a stop is requested.
"""

import os
from dataclasses import replace
from pathlib import Path

from sidecar.call import Call
from sidecar.core.clock import Clock, rfc3339
from sidecar.core.errors import InvalidParams, SidecarError
from sidecar.ralph import iteration_continuity, loop_policy
from sidecar.ralph.agent.harnesses import (
    REPORT_COST,
    REPORT_TOKENS,
    AgentOptions,
    agent_command,
    find_program,
    installed_version,
)
from sidecar.ralph.iteration_prompt import build_prompt
from sidecar.ralph.lock_and_stop import HeldLock, LockOwner, StopRequest, StopWatcher, hold_lock
from sidecar.ralph.loop_folder import (
    LoopFolder,
    append_iteration,
    create_folder,
    loop_folder,
    prune_files,
    read_history,
    read_state,
    read_user_context,
)
from sidecar.ralph.loop_policy import (
    FAILED,
    IDLE_TIMEOUT_MS,
    LIMIT,
    Ending,
    IterationSummary,
    Limits,
    backoff_ms,
    ending_after,
    format_duration,
    pause_ms,
)
from sidecar.ralph.loop_state import LoopPlan, LoopState
from sidecar.ralph.model import (
    Phase,
    RalphDryRun,
    RalphIteration,
    RalphIterationNotice,
    RalphRunning,
    RalphStartParams,
    RalphStartResult,
)
from sidecar.ralph.run_iteration import FinishedIteration, prompt_inputs, run_identity, run_iteration, task_text
from sidecar.system.atomic_write import remove_abandoned_files
from sidecar.system.environment import HOST_VARIABLE, child_environment
from sidecar.system.git import main_worktree

COMMAND_VARIABLE = "ONECODE_RALPH_COMMAND"
"""Default for the command line of a `custom` harness."""


def make_plan(call: Call, params: RalphStartParams) -> LoopPlan:
    """Validate the request before anything runs; raise InvalidParams, PolicyDenied, WorkspaceUnavailable."""
    if not params.prompt.strip():
        raise InvalidParams("The prompt is empty.")
    if not params.completion_promise.strip():
        raise InvalidParams("`completionPromise` has no visible character.")
    if params.max_iterations and params.min_iterations > params.max_iterations:
        raise InvalidParams("`minIterations` is larger than `maxIterations`.")
    cwd = Path(params.cwd)
    folder = loop_folder(cwd, params.change)
    if not all(command.strip() for command in params.verify):
        raise InvalidParams("A check is empty and would always pass.")
    _refuse_unreported_limits(params)
    # The loop injects the packs, so the agent's own hooks stay silent.
    environment = child_environment({HOST_VARIABLE: "ralph"})
    options = AgentOptions(
        harness=params.harness,
        model=params.model,
        allow_all=params.allow_all,
        extra=tuple(params.extra_arguments),
        command=params.harness_command or environment.get(COMMAND_VARIABLE),
    )
    project = params.project_path or str(main_worktree(folder.root))
    workspace = call.process.workspaces.get(str(folder.root), project)
    plan = LoopPlan(
        params=params,
        folder=folder,
        cwd=cwd,
        workspace=workspace,
        limits=limits_of(params),
        options=options,
        environment=environment,
    )
    agent_command(options, "", cwd, environment, prompt_file=folder.prompt_path(1))
    return plan


def _refuse_unreported_limits(params: RalphStartParams) -> None:
    """Refuse a limit on what the harness does not report: it would never be reached."""
    if params.max_cost_usd is not None and params.harness not in REPORT_COST:
        raise InvalidParams(
            f"The harness `{params.harness}` reports no cost, so `maxCostUsd` would never be reached.",
            hint="Use `maxTimeMs`, `maxIterations` or, where the harness reports tokens, `maxTokens`.",
        )
    if params.max_tokens is not None and params.harness not in REPORT_TOKENS:
        raise InvalidParams(
            f"The harness `{params.harness}` reports no tokens, so `maxTokens` would never be reached.",
            hint="Use `maxTimeMs` or `maxIterations`.",
        )


def with_version(plan: LoopPlan) -> LoopPlan:
    """Return the plan for the installed agent; raise AgentUnavailable if there is none."""
    if plan.options.harness == "custom":
        command = agent_command(plan.options, "", plan.cwd, plan.environment, prompt_file=plan.folder.prompt_path(1))
        find_program(command.argv[0], plan.cwd, plan.environment)
        return plan
    version = installed_version(plan.options.harness, plan.cwd, plan.environment)
    return replace(plan, options=replace(plan.options, version=version))


def limits_of(params: RalphStartParams) -> Limits:
    """Return the requested limits."""
    return Limits(
        min_iterations=params.min_iterations,
        max_iterations=params.max_iterations,
        max_time_ms=params.max_time_ms,
        max_cost_usd=params.max_cost_usd,
        max_tokens=params.max_tokens,
        idle_ms=params.idle_timeout_ms or IDLE_TIMEOUT_MS,
        iteration_ms=params.iteration_timeout_ms,
        max_failures=params.max_failures,
        fail_fast=params.fail_fast,
        stuck_after=params.stuck_after,
    )


def preview_loop(call: Call, plan: LoopPlan) -> RalphStartResult:
    """Return the prompt and the command line of the next iteration; run and write nothing."""
    clock, folder = call.process.clock, plan.folder
    before = read_state(folder)
    number = max(read_history(folder).last_number, before.iteration if before is not None else 0) + 1
    loop = LoopState(
        call=call,
        plan=plan,
        stop=StopRequest(),
        started_at_ms=clock.now_ms(),
        started_ms=clock.monotonic_ms(),
        pid=os.getpid(),
        number=number,
    )
    context = read_user_context(folder)
    packs: tuple[str, ...] = ()
    if plan.params.continuity:
        packs = iteration_continuity.preview_packs(call, run_identity(loop), task_text(loop, context.text)).packs
    prompt = build_prompt(prompt_inputs(loop, context.text, packs))
    warnings = [context.problem] if context.problem else []
    try:
        plan = with_version(plan)
    except SidecarError as error:
        warnings.append(f"{error.message} {error.hint or ''}".strip())
    command = agent_command(plan.options, prompt, plan.cwd, plan.environment, prompt_file=folder.prompt_path(number))
    return RalphStartResult(
        change=plan.params.change,
        status="completed",
        exit_code=0,
        reason="Nothing was run (`dryRun`).",
        iterations=0,
        last_iteration=number - 1,
        totals=loop.totals,
        folder=str(folder.path),
        dry_run=RalphDryRun(
            prompt=prompt,
            argv=list(command.argv),
            prompt_via="stdin" if command.stdin else "file",
            warnings=warnings,
        ),
    )


def recover_from_crash(folder: LoopFolder, clock: Clock) -> int:
    """Record the iteration of a killed loop as lost, and return the number of the last iteration; raise StateDegraded.

    The caller holds the lock, so a loop whose state is `running` is dead.
    """
    before = read_state(folder)
    last_number = read_history(folder).last_number
    if before is None or before.status != "running" or before.running is None:
        return max(last_number, before.iteration if before is not None else 0)
    running = before.running
    if running.number > last_number:
        append_iteration(folder, _lost_iteration(running, clock.now_ms()))
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
    with hold_lock(plan.folder, LockOwner(os.getpid(), call.now()), call.process.clock) as lock:
        stop = loops.register(plan.folder)
        try:
            with StopWatcher(plan.folder, stop, call.process.closing, lambda: call.cancellation.is_set):
                return _run(call, plan, stop, lock)
        finally:
            loops.end(plan.folder)


def _run(call: Call, plan: LoopPlan, stop: StopRequest, lock: HeldLock) -> RalphStartResult:
    clock = call.process.clock
    remove_abandoned_files(str(plan.folder.path))
    number = recover_from_crash(plan.folder, clock)
    loop = LoopState(
        call=call,
        plan=plan,
        stop=stop,
        started_at_ms=clock.now_ms(),
        started_ms=clock.monotonic_ms(),
        pid=os.getpid(),
        number=number,
        lock=lock,
    )
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
        append_iteration(loop.plan.folder, line)
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
    iteration = IterationSummary(
        outcome=line.outcome,
        number=line.number,
        accepted=line.promise_accepted,
        abort=finished.abort,
        stall=loop.stall,
        failure=line.reason,
    )
    ended = ending_after(iteration, plan.limits, loop.usage, plan.params.completion_promise)
    if ended is not None:
        return ended, 0
    if loop.pauses > loop_policy.MAX_PAUSES:
        reason = f"{loop_policy.MAX_PAUSES} pauses in a row did not end the usage limit. {line.reason or ''}"
        return Ending("limit", LIMIT, reason.strip()), 0
    wait_ms = _wait_ms(loop, finished)
    max_time_ms = plan.limits.max_time_ms
    if wait_ms and max_time_ms is not None and loop.elapsed_ms() + wait_ms >= max_time_ms:
        reason = f"{format_duration(max_time_ms)} would pass before the loop may continue (`maxTimeMs`)."
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
