"""`ralph/start|stop|status|addContext|clearContext|reset`."""

from pathlib import Path

from sidecar.call import Call
from sidecar.core.errors import (
    Busy,
    Cancelled,
    Conflict,
    InvalidParams,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    WorkspaceUnavailable,
)
from sidecar.method import Lane, Notification, docstring, method
from sidecar.ralph.lock_and_stop import loop_status, request_stop, reset_loop
from sidecar.ralph.loop_folder import add_user_context, clear_user_context, loop_folder
from sidecar.ralph.model import (
    RalphChangeParams,
    RalphContextParams,
    RalphContextResult,
    RalphIterationNotice,
    RalphOutputNotice,
    RalphResetResult,
    RalphStartParams,
    RalphStartResult,
    RalphStatusParams,
    RalphStatusResult,
    RalphStopResult,
)


def start(call: Call, params: RalphStartParams) -> RalphStartResult:
    """Run a loop for a change and answer when it has ended; `ralph/iteration` reports its progress.

    Each iteration is a fresh run of the agent with the same task. The loop ends with the agent's promise, if the checks
    pass, at a limit, or by `ralph/stop`, a cancellation, or the end of the sidecar: these end the agent too. An agent
    that cannot be started yields status `failed` with the reason.
    """
    from sidecar.ralph.loop import (
        make_plan,
        preview_loop,
        run_loop,  # loads the process library, which no other method needs
    )

    plan = make_plan(call, params)
    return preview_loop(call, plan) if params.dry_run else run_loop(call, plan)


def stop(call: Call, params: RalphChangeParams) -> RalphStopResult:
    """Stop a change's loop in whatever process it runs; its agent is ended, and the iteration is recorded.

    An agent that outlived its loop is ended too.
    """
    folder = loop_folder(Path(params.cwd), params.change)
    outcome = request_stop(folder, call.process.clock)
    return RalphStopResult(was_running=outcome.was_running, ended_agent=outcome.ended_agent)


def status(call: Call, params: RalphStatusParams) -> RalphStatusResult:
    """Return the status of a change's loop: iteration count, the running iteration, and recent outcomes."""
    return loop_status(loop_folder(Path(params.cwd), params.change), params.limit, call.now_ms())


def add_context(_call: Call, params: RalphContextParams) -> RalphContextResult:
    """Add context for the agent from the next iteration on, until it is cleared."""
    folder = loop_folder(Path(params.cwd), params.change)
    return RalphContextResult(bytes=add_user_context(folder, params.text), path=folder.context)


def clear_context(_call: Call, params: RalphChangeParams) -> RalphContextResult:
    """Clear the added context."""
    folder = loop_folder(Path(params.cwd), params.change)
    return RalphContextResult(bytes=clear_user_context(folder), path=folder.context)


def reset(call: Call, params: RalphChangeParams) -> RalphResetResult:
    """Delete a change's state, history, prompts and outputs; the added context stays. Rejected while its loop runs.

    An agent that outlived its loop is ended.
    """
    folder = loop_folder(Path(params.cwd), params.change)
    outcome = reset_loop(folder, call.process.clock)
    return RalphResetResult(iterations=outcome.iterations, ended_agent=outcome.ended_agent)


_FOLDER: tuple[type[SidecarError], ...] = (InvalidParams, PolicyDenied, WorkspaceUnavailable)

METHODS = (
    method(
        "ralph/start",
        start,
        lane=Lane.LOOP,
        errors=(*_FOLDER, Conflict, StateDegraded, Busy, Cancelled),
    ),
    method("ralph/stop", stop, lane=Lane.SHARED, errors=_FOLDER),
    method("ralph/status", status, lane=Lane.SHARED, errors=_FOLDER),
    method("ralph/addContext", add_context, lane=Lane.SHARED, errors=(*_FOLDER, Busy)),
    method("ralph/clearContext", clear_context, lane=Lane.SHARED, errors=(*_FOLDER, Busy)),
    method("ralph/reset", reset, lane=Lane.SHARED, errors=(*_FOLDER, Conflict, StateDegraded)),
)

NOTIFICATIONS = (
    Notification("ralph/iteration", RalphIterationNotice, "server", docstring(RalphIterationNotice)),
    Notification("ralph/output", RalphOutputNotice, "server", docstring(RalphOutputNotice)),
)
