"""`session/activate`, `session/route`, `session/status`, `session/exit`."""

from collections.abc import Iterable
from typing import cast

from sidecar.call import Call
from sidecar.core.errors import (
    Busy,
    Conflict,
    InvalidParams,
    PolicyDenied,
    StateDegraded,
    TooLarge,
    WorkspaceUnavailable,
)
from sidecar.core.ides import IdeName
from sidecar.core.secrets.redact import redact
from sidecar.memory import clean_session, grant, revoke
from sidecar.method import Lane, method
from sidecar.session import block_files, routing, store
from sidecar.session import exit as session_exit
from sidecar.session.block_files import Spot
from sidecar.session.managed_block import ACTIVE_TEXT
from sidecar.session.messages import HOW_TO_LEAVE, NOT_ACTIVE, SAVED
from sidecar.session.model import (
    SessionActivateParams,
    SessionActivateResult,
    SessionExitParams,
    SessionExitResult,
    SessionRouteParams,
    SessionRouteResult,
    SessionStatusParams,
    SessionStatusResult,
)
from sidecar.session.state import Asked, activated, agent_now, left
from sidecar.session.status import Standing, forget, language_of, noting, shown, standing
from sidecar.session.store import Lock, Written


def activate(call: Call, params: SessionActivateParams) -> SessionActivateResult:
    """Activates a project's session, or resumes it with its agent and progress, as a bare `/chati` does.

    Puts the managed block into the file that the IDE reads in `cwd`, and gives the agent's token for `memory/*`; a
    changed agent's former token is no more valid. It is the user's word, so it counts in passive mode too, which
    writes no file by itself; with `mode` off it is refused. Doing it twice is doing it once.
    """
    stands = standing(call, params)
    stands.workspace.require()
    settings = call.process.settings(stands.project)
    if settings.mode == "off":
        raise PolicyDenied("The sidecar is switched off for this project.", hint="Set `mode` to passive or active.")
    lock = activated(stands.lock, Asked(params.agent, params.ide, params.language), stands.told, call.now_ms())
    wants_rules = settings["sessionLockFile"] == "rules"
    spot = block_files.spot_for(stands.workspace.cwd, cast("IdeName", lock.ide), wants_rules=wants_rules)
    warnings = list(stands.problems)
    token = _activate(call, stands, lock, spot, force=params.force)
    if not stands.is_active:
        with noting(warnings):  # what was kept for the session before is over
            clean_session(call.process, stands.workspace)
    others = [one for one in block_files.spots(stands.files, [stands.workspace.cwd]) if one.path != spot.path]
    _follow(call, stands, others, lock, params.force, warnings)
    return SessionActivateResult(
        session=shown(lock),
        resumed=stands.lock is not None or bool(stands.told.agent),
        block=block_files.shown(spot),
        token=token,
        warnings=warnings,
    )


def _activate(call: Call, stands: Standing, lock: Lock, spot: Spot, *, force: bool) -> str:
    """Writes state and file; the file last in the transaction, so that a refusal of either leaves both as they were."""
    with call.database.write() as tx:
        if stands.lock is not None and stands.lock.agent != lock.agent:
            revoke(tx, stands.project, stands.lock.agent)
        token = grant(tx, call.process, stands.project, lock.agent)
        store.put_lock(tx, stands.project, lock)
        made = block_files.put(spot, ACTIVE_TEXT.format(agent=lock.agent), force=force)
        store.put_file(tx, stands.project, Written(str(spot.root), spot.place.file, made))
    return token


def _follow(call: Call, stands: Standing, others: Iterable[Spot], lock: Lock, force: bool, warnings: list[str]) -> None:
    """Takes the block out of the folder's other files, and names the agent in those of other worktrees."""
    for spot in others:
        with noting(warnings):
            if spot.root == stands.workspace.cwd:
                block_files.take_out(spot, force=force)
                forget(call, stands.project, spot)
            elif spot.root.is_dir():
                block_files.put(spot, ACTIVE_TEXT.format(agent=lock.agent), force=force)
            else:
                forget(call, stands.project, spot)


def route(call: Call, params: SessionRouteParams) -> SessionRouteResult:
    """Says where a message of the user's goes, in English, Portuguese, Spanish and French; does nothing about it.

    Exit: the host calls `session/exit`. A command is the orchestrator's, as is an off-topic message, for which it
    follows the deviation protocol; neither ends the session. Everything else is the agent's.
    """
    project = call.process.workspaces.get(params.cwd, params.project_path).project_key
    with call.database.read() as tx:
        lock = store.lock_of(tx, project)
    found = routing.route(params.message)
    is_active = lock is not None and lock.is_active
    return SessionRouteResult(
        status="active" if is_active else "inactive",
        intent=found.intent,
        command=found.command,
        agent=lock.agent if lock is not None and is_active and found.intent == "onTopic" else None,
        rule=found.rule,
        hint=HOW_TO_LEAVE[language_of(lock)] if is_active and found.speaks_of_leaving else None,
    )


def status(call: Call, params: SessionStatusParams) -> SessionStatusResult:
    """Shows a project's session and every file with its block, also after a restart or the loss of either."""
    stands = standing(call, params)
    found = [
        block_files.shown(spot)
        for spot in block_files.spots(stands.files, [stands.workspace.cwd, stands.workspace.project])
    ]
    fitting = ("active",) if stands.is_active else ("inactive", "none")
    warnings = [
        f"`{one.path}`: the session is {'active' if stands.is_active else 'inactive'}, and its block is {one.state};"
        " `session/activate` or `session/exit` brings both together."
        for one in found
        if one.state not in fitting
    ]
    if stands.is_active and stands.lock is not None and agent_now(stands.lock, stands.told) != stands.lock.agent:
        warnings.append(
            f"The project's session file names `{stands.told.agent}` by now; `session/activate` follows it."
        )
    return SessionStatusResult(
        session=shown(stands.lock),
        blocks=[one for one in found if one.state != "none" or stands.is_active],
        warnings=[*stands.problems, *warnings],
    )


def leave(call: Call, params: SessionExitParams) -> SessionExitResult:
    """Leaves a project's session: agent and progress are kept, and the block says `Status: INACTIVE` and how to resume.

    The session's digest goes to the memories: what waits of its runs, what is sent here, the progress.
    Works in every mode and always: a file that cannot be read or written is a warning. A block whose state was lost is
    found in the files of all six IDEs. What is not active is not left again, but its block is.
    """
    stands = standing(call, params)
    warnings = list(stands.problems)
    lock = stands.lock
    captured = None
    if lock is not None and lock.is_active:
        progress = None if params.progress is None else redact(params.progress)
        lock = left(lock, stands.told, progress, call.now_ms())
        session_exit.save(call, stands, lock, warnings)
        captured = session_exit.remember(call, stands, lock, params, warnings)
    found = list(session_exit.leave_files(call, stands, lock, params, warnings))
    session_exit.leave_state(call, stands, lock)
    return SessionExitResult(
        session=shown(lock),
        was_active=stands.is_active,
        confirmation=(SAVED if stands.is_active else NOT_ACTIVE)[language_of(lock)],
        blocks=found,
        captured=captured,
        warnings=list(dict.fromkeys(warnings)),
    )


_ERRORS = (WorkspaceUnavailable, StateDegraded, Busy)

METHODS = (
    method(
        "session/activate",
        activate,
        lane=Lane.WORKSPACE,
        errors=(*_ERRORS, PolicyDenied, Conflict, TooLarge, InvalidParams),
    ),
    method("session/route", route, lane=Lane.SHARED, errors=_ERRORS),
    method("session/status", status, lane=Lane.SHARED, errors=_ERRORS),
    method("session/exit", leave, lane=Lane.WORKSPACE, errors=_ERRORS),
)
