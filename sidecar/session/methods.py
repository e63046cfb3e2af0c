"""`session/activate`, `session/route`, `session/status`, `session/exit`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import cast

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import (
    Busy,
    Conflict,
    InvalidParams,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    TooLarge,
    WorkspaceUnavailable,
)
from sidecar.core.redact import redact
from sidecar.memory import grant, revoke
from sidecar.method import Lane, method
from sidecar.session import blocks, store
from sidecar.session.block import ACTIVE_TEXT, INACTIVE_TEXT
from sidecar.session.blocks import Spot
from sidecar.session.ides import IdeName
from sidecar.session.locking import FIRST_LANGUAGE, Asked, Told, activated, left
from sidecar.session.model import (
    Language,
    SessionActivateParams,
    SessionActivateResult,
    SessionExitParams,
    SessionExitResult,
    SessionParams,
    SessionRouteParams,
    SessionRouteResult,
    SessionShown,
    SessionStatusParams,
    SessionStatusResult,
)
from sidecar.session.routing import route as decide
from sidecar.session.saying import HOW_TO_LEAVE, NOT_ACTIVE, SAVED
from sidecar.session.store import Lock, Written
from sidecar.workspace import Workspace


def activate(call: Call, params: SessionActivateParams) -> SessionActivateResult:
    """Activates a project's session, or resumes it with its agent and progress, as a bare `/chati` does.

    Puts the managed block into the file that the IDE reads in `cwd`, and gives the agent's token for `memory/*`; a
    changed agent's former token is no more valid. It is the user's word, so it counts in passive mode too, which
    writes no file by itself; with `mode` off it is refused. Doing it twice is doing it once.
    """
    workspace = _workspace(call, params)
    workspace.require()
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off":
        raise PolicyDenied("The sidecar is switched off for this project.", hint="Set `mode` to passive or active.")
    before, noted = _known(call, workspace)
    lock = activated(before, Asked(params.agent, params.ide, params.language), Told(), call.now_ms())
    spot = blocks.spot_for(workspace.cwd, cast("IdeName", lock.ide), wants_rules=settings["sessionLockFile"] == "rules")
    warnings: list[str] = []
    token = _activate(call, workspace, before, lock, spot, force=params.force)
    others = [one for one in blocks.spots(noted, [workspace.cwd]) if one.path != spot.path]
    _follow(call, workspace, others, lock, params.force, warnings)
    return SessionActivateResult(
        session=_shown(lock), resumed=before is not None, block=blocks.shown(spot), token=token, warnings=warnings
    )


def _activate(call: Call, workspace: Workspace, before: Lock | None, lock: Lock, spot: Spot, *, force: bool) -> str:
    """Writes state and file; the file last in the transaction, so that a refusal of either leaves both as they were."""
    project = workspace.project_key
    with call.database.write() as tx:
        if before is not None and before.agent != lock.agent:
            revoke(tx, project, before.agent)
        token = grant(tx, call.process, project, lock.agent)
        store.put_lock(tx, project, lock)
        made = blocks.put(spot, ACTIVE_TEXT.format(agent=lock.agent), force=force)
        store.put_file(tx, project, Written(str(spot.root), spot.place.file, made))
    return token


def _follow(
    call: Call, workspace: Workspace, others: Iterable[Spot], lock: Lock, force: bool, warnings: list[str]
) -> None:
    """Takes the block out of the folder's other files, and names the agent in those of other worktrees."""
    for spot in others:
        with _noting(warnings):
            if spot.root == workspace.cwd:
                blocks.take_out(spot, force=force)
                _forget(call, workspace, spot)
            elif spot.root.is_dir():
                blocks.put(spot, ACTIVE_TEXT.format(agent=lock.agent), force=force)
            else:
                _forget(call, workspace, spot)


def status(call: Call, params: SessionStatusParams) -> SessionStatusResult:
    """Shows a project's session and every file with its block, also after a restart or the loss of either."""
    workspace = _workspace(call, params)
    lock, noted = _known(call, workspace)
    shown = [blocks.shown(spot) for spot in blocks.spots(noted, [workspace.cwd, workspace.project])]
    wanted = "active" if lock is not None and lock.is_active else "inactive"
    warnings = [
        f"`{one.path}`: the session is {wanted}, and its block there is {one.state}."
        for one in shown
        if one.state not in (wanted, "none" if wanted == "inactive" else wanted)
    ]
    return SessionStatusResult(session=_shown(lock), blocks=shown, warnings=warnings)


def route(call: Call, params: SessionRouteParams) -> SessionRouteResult:
    """Says where a message of the user's goes, in English, Portuguese, Spanish and French; does nothing about it.

    Exit: the host calls `session/exit`. A command is the orchestrator's, as is an off-topic message, for which it
    follows the deviation protocol; neither ends the session. Everything else is the agent's.
    """
    workspace = _workspace(call, params)
    with call.database.read() as tx:
        lock = store.lock_of(tx, workspace.project_key)
    found = decide(params.message)
    is_active = lock is not None and lock.is_active
    return SessionRouteResult(
        status="active" if is_active else "inactive",
        intent=found.intent,
        command=found.command,
        agent=lock.agent if lock is not None and is_active and found.intent == "onTopic" else None,
        rule=found.rule,
        hint=HOW_TO_LEAVE[_language(lock)] if is_active and found.speaks_of_leaving else None,
    )


def leave(call: Call, params: SessionExitParams) -> SessionExitResult:
    """Leaves a project's session: agent and progress are kept, and the block says `Status: INACTIVE` and how to resume.

    Works in every mode and always: a file that cannot be read or written is a warning. A block whose state was lost is
    found in the files of all six IDEs. What is not active is not left again, but its block is.
    """
    workspace = _workspace(call, params)
    before, noted = _known(call, workspace)
    warnings: list[str] = []
    lock = before
    if before is not None and before.is_active:
        progress = None if params.progress is None else redact(params.progress)
        lock = left(before, Told(), progress, call.now_ms())
    shown = []
    for spot in list(blocks.spots(noted, [workspace.cwd, workspace.project])):
        with _noting(warnings):
            _leave_file(call, workspace, spot, lock, params)
        shown.append(blocks.shown(spot))
    with call.database.write() as tx:
        revoke(tx, workspace.project_key)
        if lock is not None:
            store.put_lock(tx, workspace.project_key, lock)
    was_active = before is not None and before.is_active
    return SessionExitResult(
        session=_shown(lock),
        was_active=was_active,
        confirmation=(SAVED if was_active else NOT_ACTIVE)[_language(lock)],
        blocks=[one for one in shown if one.state != "none"],
        warnings=warnings,
    )


def _leave_file(call: Call, workspace: Workspace, spot: Spot, lock: Lock | None, params: SessionExitParams) -> None:
    if params.remove_block:
        blocks.take_out(spot, force=params.force)
        _forget(call, workspace, spot)
    elif blocks.shown(spot).state != "none":
        blocks.put(spot, INACTIVE_TEXT.format(agent=lock.agent if lock else "orchestrator"), force=params.force)


def _workspace(call: Call, params: SessionParams) -> Workspace:
    return call.process.workspaces.get(params.cwd, params.project_path)


def _known(call: Call, workspace: Workspace) -> tuple[Lock | None, list[Written]]:
    with call.database.read() as tx:
        return store.lock_of(tx, workspace.project_key), store.files_of(tx, workspace.project_key)


def _forget(call: Call, workspace: Workspace, spot: Spot) -> None:
    with call.database.write() as tx:
        store.forget_file(tx, workspace.project_key, str(spot.root), spot.place.file)


@contextmanager
def _noting(warnings: list[str]) -> Iterator[None]:
    """Turns a failure with one of several files into a warning."""
    try:
        yield
    except SidecarError as error:
        warnings.append(f"{error.message} {error.hint or ''}".strip())


def _language(lock: Lock | None) -> Language:
    return cast("Language", lock.language) if lock is not None else FIRST_LANGUAGE


def _shown(lock: Lock | None) -> SessionShown:
    if lock is None:
        return SessionShown(
            status="inactive", agent=None, ide=None, language="en", progress="", activated_at=None, exited_at=None
        )
    return SessionShown(
        status="active" if lock.is_active else "inactive",
        agent=lock.agent,
        ide=cast("IdeName", lock.ide),
        language=_language(lock),
        progress=lock.progress,
        activated_at=rfc3339(lock.activated_at_ms),
        exited_at=None if lock.exited_at_ms is None else rfc3339(lock.exited_at_ms),
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
