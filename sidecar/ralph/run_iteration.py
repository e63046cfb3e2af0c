"""One iteration: its prompt, the agent, its changes, the checks of its promise, the history line."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from sidecar.core.clean_text import join_first, one_line, readable_name
from sidecar.core.clock import Clock, rfc3339
from sidecar.core.errors import SidecarError
from sidecar.core.redact import redact
from sidecar.ralph import iteration_changes as worktree
from sidecar.ralph import iteration_continuity
from sidecar.ralph.agent.harnesses import AgentCommand, AgentProcess, AgentResult, TimeLimits, agent_command
from sidecar.ralph.agent.runner import MAX_LOG_BYTES, run_agent
from sidecar.ralph.iteration_changes import IterationChanges, UnreadableWorktree, WorktreeState
from sidecar.ralph.iteration_continuity import OpenedRun, RunIdentity
from sidecar.ralph.iteration_prompt import FailedCheck, PromptInputs, abort_reason, build_prompt
from sidecar.ralph.lock_and_stop import other_loops
from sidecar.ralph.loop_folder import (
    UserContext,
    create_folder,
    preserve_user_context,
    read_user_context,
    write_prompt,
)
from sidecar.ralph.loop_policy import (
    FAILURES,
    FAST_FAILURE_MS,
    VERIFY_TIMEOUT_MS,
    failure_reason,
    must_change_prompt,
    outcome_of,
    update_stall,
    wall_ms,
)
from sidecar.ralph.loop_state import LoopState
from sidecar.ralph.model import (
    IterationOutcome,
    RalphContinuity,
    RalphIteration,
    RalphOutputNotice,
    RalphRunning,
    RalphVerification,
)
from sidecar.system.environment import environment
from sidecar.system.git import GitFailed
from sidecar.system.safe_open import read_regular

NO_PROMISE = "(checks have no promise)"

MAX_OUTPUT_CHARACTERS = 6_000
"""Maximum length of a check's output in the next prompt; the last lines show what failed."""

_MAX_GIT_CHARACTERS = 600
"""Maximum length of the words of git or a hook in a warning."""

MAX_FILES_IN_HISTORY = 100
"""Maximum number of changed files in a history line."""


@dataclass(frozen=True, slots=True)
class FinishedIteration:
    """A finished iteration."""

    line: RalphIteration
    agent_result: AgentResult
    abort: str | None


@dataclass(slots=True)
class _AgentRun:
    """An agent's run and its effects."""

    agent_result: AgentResult
    changes: IterationChanges
    commits: list[str]
    checks: list[RalphVerification] | None
    warnings: list[str]

    @property
    def outcome(self) -> IterationOutcome:
        return outcome_of(self.agent_result)


def run_iteration(loop: LoopState) -> FinishedIteration:
    """Run the next iteration; raise SidecarError if the agent cannot be started."""
    loop.number += 1
    context = _user_context(loop)
    opened = _open_run(loop, context.text)
    agent_run = _run_and_verify(loop, context, opened)
    summary = _close_run(loop, agent_run, opened)
    line = _line(loop, agent_run, summary, accepted=_promise_accepted(loop, agent_run))
    _update_totals(loop, agent_run)
    is_failure = line.reason and line.outcome != "usageLimit"
    loop.last_failure = f"Iteration {line.number}: {line.reason}" if is_failure else ""
    return FinishedIteration(
        line,
        agent_run.agent_result,
        abort_reason(agent_run.agent_result.last_message) if agent_run.outcome == "succeeded" else None,
    )


def _user_context(loop: LoopState) -> UserContext:
    """Return the added context, restored if the agent or a check deleted it."""
    try:
        restored = preserve_user_context(loop.plan.folder)
    except SidecarError as error:
        restored = error.message
    context = read_user_context(loop.plan.folder)
    return context._replace(problem=context.problem or restored)


def _run_and_verify(loop: LoopState, context: UserContext, opened: OpenedRun | None) -> _AgentRun:
    """Run the agent, collect its changes, commit them if requested, and verify its promise."""
    workspace = loop.plan.workspace
    prompt = build_prompt(prompt_inputs(loop, context.text, opened.packs if opened is not None else ()))
    command = _command(loop, prompt)
    before = worktree.take_snapshot(workspace)
    agent_result = _run_command(loop, command, prompt)
    changes = worktree.compare(before, worktree.take_snapshot(workspace))
    warnings = [text for text in (context.problem, changes.problem) if text]
    commits = [*changes.commits, *_commit_changes(loop, before, changes, agent_result, warnings)]
    checks = _run_checks(loop, agent_result)
    if checks is not None:  # a check may change files too
        changes = worktree.compare(before, worktree.take_snapshot(workspace))
        commits = [*changes.commits, *_commit_changes(loop, before, changes, agent_result, warnings, ", checks")]
    return _AgentRun(agent_result, changes, commits, checks, list(dict.fromkeys(warnings)))


def _line(loop: LoopState, agent_run: _AgentRun, summary: RalphContinuity | None, *, accepted: bool) -> RalphIteration:
    agent_result, files = agent_run.agent_result, agent_run.changes.files
    return RalphIteration(
        number=loop.number,
        started_at=rfc3339(agent_result.started_at_ms),
        duration_ms=agent_result.duration_ms,
        outcome=agent_run.outcome,
        exit_code=agent_result.exit_code,
        signal=agent_result.signal,
        promise_found=agent_result.promise,
        promise_accepted=accepted,
        verification=agent_run.checks,
        files_changed=None if files is None else len(files),
        files=[readable_name(path) for path in (files or ())[:MAX_FILES_IN_HISTORY]],
        commits=agent_run.commits,
        input_tokens=agent_result.input_tokens,
        output_tokens=agent_result.output_tokens,
        cost_usd=agent_result.cost_usd,
        reason=failure_reason(agent_result),
        ended_loop=None,
        output_bytes=agent_result.output_bytes,
        continuity=summary,
        warnings=agent_run.warnings,
    )


def prompt_inputs(loop: LoopState, context: str, packs: tuple[str, ...]) -> PromptInputs:
    """Return the inputs of the next prompt."""
    params, limits = loop.plan.params, loop.plan.limits
    must_change = must_change_prompt(loop.stall, limits.stuck_after)
    usage = replace(loop.usage, elapsed_ms=loop.elapsed_ms())
    return PromptInputs(
        change=params.change,
        number=loop.number,
        limits=limits,
        usage=usage,
        promise=params.completion_promise,
        task=params.prompt,
        context=context,
        packs=packs,
        failed_checks=loop.failed_checks,
        last_failure=loop.last_failure,
        stalled_iterations=loop.stall.times if must_change else 0,
    )


def run_identity(loop: LoopState) -> RunIdentity:
    """Return the identity of the loop's runs in continuity."""
    workspace = loop.plan.workspace
    project = None if workspace.project == workspace.cwd else str(workspace.project)
    return RunIdentity(loop.plan.params.change, str(workspace.cwd), project, loop.plan.params.harness)


def task_text(loop: LoopState, context: str) -> str:
    """Return the task with the added context."""
    task = loop.plan.params.prompt
    return f"{task}\n\n{context}" if context else task


def _open_run(loop: LoopState, context: str) -> OpenedRun | None:
    if not loop.plan.params.continuity:
        return None
    return iteration_continuity.open_run(loop.call, run_identity(loop), task_text(loop, context))


def _close_run(loop: LoopState, agent_run: _AgentRun, opened: OpenedRun | None) -> RalphContinuity | None:
    if opened is None:
        return None
    files = [readable_name(path) for path in agent_run.changes.files or ()]
    parts = iteration_continuity.message_parts(
        loop.plan.workspace.cwd, files, agent_run.commits, agent_run.checks or ()
    )
    return iteration_continuity.close_run(loop.call, opened, agent_run.agent_result, agent_run.outcome, parts)


def _command(loop: LoopState, prompt: str) -> AgentCommand:
    plan = loop.plan
    path = plan.folder.prompt_path(loop.number)
    create_folder(plan.folder)
    write_prompt(path, prompt)
    return agent_command(plan.options, prompt, plan.cwd, plan.environment, prompt_file=path)


def _run_command(loop: LoopState, command: AgentCommand, prompt: str) -> AgentResult:
    plan, call, number = loop.plan, loop.call, loop.number

    def stream(text: str) -> None:
        call.notify("ralph/output", RalphOutputNotice(change=plan.params.change, number=number, text=text))

    loop.running = RalphRunning(number=number, started_at=call.now())
    loop.save_state()
    usage = replace(loop.usage, elapsed_ms=loop.elapsed_ms())
    time_limits = TimeLimits(idle_ms=plan.limits.idle_ms, wall_ms=wall_ms(plan.limits, usage))
    agent_result = run_agent(
        command,
        promise=plan.params.completion_promise,
        prompt=prompt,
        time_limits=time_limits,
        stop=loop.stop.requested,
        no_grace=loop.stop.no_grace,
        clock=call.process.clock,
        log_path=plan.folder.output_path(number),
        stream=stream if plan.params.stream else None,
        on_start=loop.record_agent,
    )
    loop.running = None
    return agent_result


def _run_checks(loop: LoopState, agent_result: AgentResult) -> list[RalphVerification] | None:
    """Run the checks if a promise would count once they pass."""
    plan = loop.plan
    if not plan.params.verify or not _promise_may_count(loop, agent_result):
        return None
    create_folder(plan.folder)
    usage = replace(loop.usage, elapsed_ms=loop.elapsed_ms())
    remaining_ms = wall_ms(plan.limits, usage)
    time_limits = TimeLimits(
        idle_ms=None, wall_ms=VERIFY_TIMEOUT_MS if remaining_ms is None else min(remaining_ms, VERIFY_TIMEOUT_MS)
    )
    return verify(
        plan.params.verify,
        plan.cwd,
        plan.environment,
        time_limits,
        stop=loop.stop.requested,
        no_grace=loop.stop.no_grace,
        clock=loop.call.process.clock,
        log_path=plan.folder.check_output_path(loop.number),
        on_start=loop.record_agent,
    )


def _promise_may_count(loop: LoopState, agent_result: AgentResult) -> bool:
    number_in_loop = loop.usage.iterations + 1
    return (
        agent_result.promise
        and outcome_of(agent_result) == "succeeded"
        and number_in_loop >= loop.plan.limits.min_iterations
    )


def _promise_accepted(loop: LoopState, agent_run: _AgentRun) -> bool:
    if not _promise_may_count(loop, agent_run.agent_result):
        return False
    checks = agent_run.checks or []
    return len(checks) == len(loop.plan.params.verify) and all(passed(check) for check in checks)


def _commit_changes(
    loop: LoopState,
    before: WorktreeState | UnreadableWorktree,
    changes: IterationChanges,
    agent_result: AgentResult,
    warnings: list[str],
    suffix: str = "",
) -> list[str]:
    """Commit the files that only the iteration changed, if the user asked for commits."""
    params, root = loop.plan.params, loop.plan.workspace.cwd
    if not params.commit or isinstance(before, UnreadableWorktree):
        return []
    if changes.files is None:
        if not changes.problem:
            warnings.append("Nothing was committed: the working folder is not in a git repository.")
        return []
    _warn_not_committed(warnings, "they had uncommitted changes before the iteration", changes.shared)
    if not changes.own:
        return []
    try:
        excluded = worktree.excluded_files(root, changes.own, before.snapshot.head)
        _warn_not_committed(warnings, "they are secret by name or ignored by git", excluded)
        files = [name for name in changes.own if name not in excluded]
        others = other_loops(loop.plan.folder, agent_result.started_at_ms)
        if others:
            edited = worktree.relative_paths(root, loop.plan.cwd, agent_result.edited_files)
            reason = f"another loop ({', '.join(others)}) worked in this worktree and may have written them"
            _warn_not_committed(warnings, reason, [name for name in files if name not in edited])
            files = [name for name in files if name in edited]
        if not files:
            return []
        return [worktree.commit(root, files, f"ralph: {params.change}, iteration {loop.number}{suffix}")]
    except GitFailed as error:
        output = one_line(redact(error.output[-_MAX_GIT_CHARACTERS:]), _MAX_GIT_CHARACTERS)
        warnings.append(f"The iteration's changes could not be committed: {output or error.reason}")
        return []


def _warn_not_committed(warnings: list[str], reason: str, files: Sequence[str]) -> None:
    if files:
        warnings.append(f"Not committed, because {reason}: {join_first(list(map(readable_name, files)), 5)}.")


def _update_totals(loop: LoopState, agent_run: _AgentRun) -> None:
    """Update the totals; an iteration stopped by a usage limit counts as a failure."""
    agent_result, outcome = agent_run.agent_result, agent_run.outcome
    usage, totals = loop.usage, loop.totals
    is_failure = outcome in FAILURES
    in_tokens, out_tokens, cost = (
        agent_result.input_tokens or 0,
        agent_result.output_tokens or 0,
        agent_result.cost_usd or 0.0,
    )
    failures = usage.failures_in_row + 1 if is_failure else 0 if outcome == "succeeded" else usage.failures_in_row
    loop.usage = replace(
        usage,
        iterations=usage.iterations + 1,
        elapsed_ms=loop.elapsed_ms(),
        tokens=usage.tokens + in_tokens + out_tokens,
        cost_usd=usage.cost_usd + cost,
        failures_in_row=failures,
    )
    loop.totals = totals.model_copy(
        update={
            "iterations": totals.iterations + 1,
            "failures": totals.failures + is_failure,
            "input_tokens": totals.input_tokens + in_tokens,
            "output_tokens": totals.output_tokens + out_tokens,
            "cost_usd": totals.cost_usd + cost,
            "duration_ms": round(loop.elapsed_ms()),
        }
    )
    is_fast_failure = is_failure and outcome != "usageLimit" and agent_result.duration_ms < FAST_FAILURE_MS
    loop.fast_failures = loop.fast_failures + 1 if is_fast_failure else 0
    loop.pauses = loop.pauses + 1 if outcome == "usageLimit" else 0
    if outcome == "succeeded":
        loop.stall = update_stall(loop.stall, agent_result.final_text, changed=bool(agent_run.changes.any_change))
        loop.failed_checks = [failed_check(check) for check in agent_run.checks or () if not passed(check)]


def verify(
    commands: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    time_limits: TimeLimits,
    *,
    stop: Event,
    no_grace: Event,
    clock: Clock,
    log_path: Path,
    on_start: Callable[[AgentProcess | None], None] | None = None,
) -> list[RalphVerification]:
    """Run the commands in order until one fails; `log_path` is the file for the last one's output."""
    results: list[RalphVerification] = []
    for command in commands:
        if stop.is_set():
            break
        run = AgentCommand(shell_command(command, is_windows=IS_WINDOWS), b"", cwd, environment, "plain", IS_WINDOWS)
        agent_result = run_agent(
            run,
            promise=NO_PROMISE,
            prompt="",
            time_limits=time_limits,
            stop=stop,
            clock=clock,
            log_path=log_path,
            stream=None,
            no_grace=no_grace,
            on_start=on_start,
        )
        results.append(_verification(command, agent_result, _output_tail(log_path)))
        if not passed(results[-1]):
            break
    return results


def passed(verification: RalphVerification) -> bool:
    """Whether a command passed."""
    return verification.exit_code == 0


IS_WINDOWS = sys.platform == "win32"


def shell_command(command: str, *, is_windows: bool) -> tuple[str, ...]:
    """Return the program and arguments that run a command line, as if the user typed it.

    On Windows they are joined verbatim: with `/s` the command prompt drops the outer quotes and reads the rest itself.
    """
    if is_windows:
        return (environment().get("COMSPEC", "cmd"), "/d", "/s", "/c", f'"{command}"')
    return ("/bin/sh", "-c", f"exec 2>&1\n{command}")


def failed_check(verification: RalphVerification) -> FailedCheck:
    """Return a failed command in the form of the next prompt."""
    exit_text = (
        "no exit code because it was stopped"
        if verification.exit_code is None
        else f"exit code {verification.exit_code}"
    )
    return FailedCheck(verification.command, exit_text, verification.output)


def _verification(command: str, agent_result: AgentResult, output: str) -> RalphVerification:
    ended = agent_result.ended_by == "exit"
    return RalphVerification(
        command=command,
        exit_code=agent_result.exit_code if ended else None,
        duration_ms=agent_result.duration_ms,
        output=output,
    )


def _output_tail(path: Path) -> str:
    try:
        content = read_regular(str(path), MAX_LOG_BYTES, follow_links=False)
    except OSError:
        return ""
    text = content[-4 * MAX_OUTPUT_CHARACTERS :].decode("utf-8", "replace")
    return text if len(text) <= MAX_OUTPUT_CHARACTERS else "…" + text[-MAX_OUTPUT_CHARACTERS:]
