"""From what the user asked to what is done: the plan of a loop, and what its first iteration would be."""

import os
from dataclasses import replace
from pathlib import Path

from sidecar.call import Call
from sidecar.codebase import common_dir_of
from sidecar.core.errors import InvalidParams, SidecarError
from sidecar.ralph.agent.agent_result import Wanted
from sidecar.ralph.agent.discovery import find_program, version_of
from sidecar.ralph.agent.harnesses import command_of
from sidecar.ralph.files import context_file, history
from sidecar.ralph.files.folder import folder_of
from sidecar.ralph.files.stop_request import Stop
from sidecar.ralph.iteration import continuity
from sidecar.ralph.iteration.prompt import build
from sidecar.ralph.iteration.run_iteration import asked_of, place_of, task_with
from sidecar.ralph.limits import IDLE_TIMEOUT_MS, Limits
from sidecar.ralph.loop_state import Course, Plan
from sidecar.ralph.model import RalphDryRun, RalphStartParams, RalphStartResult
from sidecar.system.environment import HOST_VARIABLE, for_child

COMMAND_VARIABLE = "ONECODE_RALPH_COMMAND"
"""The command line of a `custom` harness where none is given."""


def plan_of(call: Call, params: RalphStartParams) -> Plan:
    """Checks what was asked before anything runs; raises InvalidParams, PolicyDenied, WorkspaceUnavailable."""
    if not params.prompt.strip():
        raise InvalidParams("The prompt is empty.")
    if params.max_iterations and params.min_iterations > params.max_iterations:
        raise InvalidParams("There are to be more iterations than there may be (--min-iterations, --max-iterations).")
    cwd = Path(params.cwd)
    folder = folder_of(cwd, params.change)
    if not all(command.strip() for command in params.verify):
        raise InvalidParams("A check is empty (--verify): it would always pass.")
    environment = for_child({HOST_VARIABLE: "ralph"})  # the loop gives the packs: hooks of the agent's stay silent
    wanted = Wanted(
        params.harness, params.model, params.allow_all, tuple(params.extra_arguments),
        params.harness_command or environment.get(COMMAND_VARIABLE),
    )  # fmt: skip
    project = params.project_path or _project_of(folder.root)
    workspace = call.process.workspaces.get(str(folder.root), project)
    plan = Plan(params, folder, cwd, workspace, limits_of(params), wanted, environment)
    command_of(wanted, "", cwd, environment, prompt_file=folder.prompt_of(1))
    return plan


def _project_of(root: Path) -> str:
    """Gives the main worktree of the repository a folder is the top of: what linked worktrees leave there stays."""
    common = common_dir_of(root)
    return str(common.parent if common is not None and common.name == ".git" else root)


def with_version(plan: Plan) -> Plan:
    """Gives the plan for the agent that is installed; raises AgentUnavailable where there is none to be run."""
    if plan.wanted.harness == "custom":
        command = command_of(plan.wanted, "", plan.cwd, plan.environment, prompt_file=plan.folder.prompt_of(1))
        find_program(command.argv[0], plan.cwd, plan.environment)
        return plan
    version = version_of(plan.wanted.harness, plan.cwd, plan.environment)
    return replace(plan, wanted=replace(plan.wanted, version=version))


def limits_of(params: RalphStartParams) -> Limits:
    """Gives the limits that were asked for."""
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


def try_out(call: Call, plan: Plan) -> RalphStartResult:
    """Shows the prompt and the command line of the next iteration; runs and writes nothing."""
    clock, folder = call.process.clock, plan.folder
    before = history.read_state(folder)
    number = max(history.read_history(folder).last_number, before.iteration if before is not None else 0) + 1
    course = Course(call, plan, Stop(), clock.now_ms(), clock.monotonic_ms(), os.getpid(), number)
    context = context_file.read(folder)
    packs: tuple[str, ...] = ()
    if plan.params.continuity:
        packs = continuity.preview(call, place_of(course), task_with(course, context.text)).packs
    prompt = build(asked_of(course, context.text, packs))
    warnings = [context.problem] if context.problem else []
    try:
        plan = with_version(plan)
    except SidecarError as error:
        warnings.append(f"{error.message} {error.hint or ''}".strip())
    command = command_of(plan.wanted, prompt, plan.cwd, plan.environment, prompt_file=folder.prompt_of(number))
    return RalphStartResult(
        change=plan.params.change,
        status="completed",
        exit_code=0,
        reason="Nothing was run (--dry-run).",
        iterations=0,
        last_iteration=number - 1,
        totals=course.totals,
        folder=str(folder.path),
        dry_run=RalphDryRun(
            prompt=prompt,
            argv=list(command.argv),
            given_by="stdin" if command.stdin else "file",
            warnings=warnings,
        ),
    )
