"""`ralph/start|stop|status|addContext|clearContext|reset`."""

from pathlib import Path

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import (
    AgentUnavailable,
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
from sidecar.ralph.files import context_file
from sidecar.ralph.files import status as change_status
from sidecar.ralph.files.folder import folder_of
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
    """Runs a loop for a change and answers when it has ended; `ralph/iteration` tells how it goes.

    Each iteration is a fresh run of the agent with the same task. The loop ends with the agent's promise, if the checks
    pass, at a limit, or by `ralph/stop`, a cancellation, or the end of the sidecar: these end the agent too. One that
    cannot be started is answered with status `failed` and the reason.
    """
    from sidecar.ralph.loop import run_loop  # with the process library, which nobody else of a sidecar needs
    from sidecar.ralph.loop_plan import plan_of, try_out

    plan = plan_of(call, params)
    return try_out(call, plan) if params.dry_run else run_loop(call, plan)


def stop(call: Call, params: RalphChangeParams) -> RalphStopResult:
    """Asks a change's loop to stop, in whatever process it runs; its agent is ended, and the iteration is kept."""
    folder = folder_of(Path(params.cwd), params.change)
    return RalphStopResult(was_running=change_status.ask_to_stop(folder, call.now()))


def status(_call: Call, params: RalphStatusParams) -> RalphStatusResult:
    """Tells how a change's loop stands: iteration count, the running one, and the recent outcomes."""
    return change_status.status_of(folder_of(Path(params.cwd), params.change), params.limit)


def add_context(_call: Call, params: RalphContextParams) -> RalphContextResult:
    """Adds to what the agent is told from the next iteration on, until it is cleared."""
    folder = folder_of(Path(params.cwd), params.change)
    return RalphContextResult(bytes=context_file.add(folder, params.text), path=folder.context)


def clear_context(_call: Call, params: RalphChangeParams) -> RalphContextResult:
    """Empties the context that was added."""
    folder = folder_of(Path(params.cwd), params.change)
    return RalphContextResult(bytes=context_file.clear(folder), path=folder.context)


def reset(call: Call, params: RalphChangeParams) -> RalphResetResult:
    """Forgets a change's state, history, prompts and outputs; the context stays. Refused while its loop runs."""
    folder = folder_of(Path(params.cwd), params.change)
    return RalphResetResult(iterations=change_status.reset(folder, rfc3339(call.now_ms())))


_FOLDER: tuple[type[SidecarError], ...] = (InvalidParams, PolicyDenied, WorkspaceUnavailable)

METHODS = (
    method(
        "ralph/start",
        start,
        lane=Lane.JOB,
        errors=(*_FOLDER, Conflict, StateDegraded, Busy, Cancelled, AgentUnavailable),
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
