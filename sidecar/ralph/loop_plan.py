"""The plan of a loop, made from the request, and its dry run."""

import os
from dataclasses import replace
from pathlib import Path

from sidecar.call import Call
from sidecar.codebase import common_dir_of
from sidecar.core.errors import InvalidParams, SidecarError
from sidecar.ralph.agent.agent_result import AgentOptions
from sidecar.ralph.agent.discovery import find_program, installed_version
from sidecar.ralph.agent.harnesses import agent_command
from sidecar.ralph.files import context_file, history
from sidecar.ralph.files.folder import loop_folder
from sidecar.ralph.files.stop_request import StopRequest
from sidecar.ralph.iteration import continuity
from sidecar.ralph.iteration.prompt import build_prompt
from sidecar.ralph.iteration.run_iteration import prompt_inputs, run_identity, task_text
from sidecar.ralph.limits import IDLE_TIMEOUT_MS, Limits
from sidecar.ralph.loop_state import LoopPlan, LoopState
from sidecar.ralph.model import RalphDryRun, RalphStartParams, RalphStartResult
from sidecar.system.environment import HOST_VARIABLE, for_child

COMMAND_VARIABLE = "ONECODE_RALPH_COMMAND"
"""Default for the command line of a `custom` harness."""


def make_plan(call: Call, params: RalphStartParams) -> LoopPlan:
    """Validate the request before anything runs; raise InvalidParams, PolicyDenied, WorkspaceUnavailable."""
    if not params.prompt.strip():
        raise InvalidParams("The prompt is empty.")
    if params.max_iterations and params.min_iterations > params.max_iterations:
        raise InvalidParams("--min-iterations is larger than --max-iterations.")
    cwd = Path(params.cwd)
    folder = loop_folder(cwd, params.change)
    if not all(command.strip() for command in params.verify):
        raise InvalidParams("A check is empty (--verify) and would always pass.")
    # The loop injects the packs, so the agent's own hooks stay silent.
    environment = for_child({HOST_VARIABLE: "ralph"})
    options = AgentOptions(
        harness=params.harness,
        model=params.model,
        allow_all=params.allow_all,
        extra=tuple(params.extra_arguments),
        command=params.harness_command or environment.get(COMMAND_VARIABLE),
    )
    project = params.project_path or _project_of(folder.root)
    workspace = call.process.workspaces.get(str(folder.root), project)
    plan = LoopPlan(params, folder, cwd, workspace, limits_of(params), options, environment)
    agent_command(options, "", cwd, environment, prompt_file=folder.prompt_path(1))
    return plan


def _project_of(root: Path) -> str:
    """Return the main worktree of the repository with this top: records of linked worktrees outlive them there."""
    common = common_dir_of(root)
    return str(common.parent if common is not None and common.name == ".git" else root)


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
    before = history.read_state(folder)
    number = max(history.read_history(folder).last_number, before.iteration if before is not None else 0) + 1
    loop = LoopState(call, plan, StopRequest(), clock.now_ms(), clock.monotonic_ms(), os.getpid(), number)
    context = context_file.read(folder)
    packs: tuple[str, ...] = ()
    if plan.params.continuity:
        packs = continuity.preview_packs(call, run_identity(loop), task_text(loop, context.text)).packs
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
        reason="Nothing was run (--dry-run).",
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
