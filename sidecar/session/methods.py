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
from sidecar.session.block_files import BlockFile
from sidecar.session.exit import capture_summary, deactivate_blocks, save_progress, save_state
from sidecar.session.managed_block import ACTIVE_TEXT
from sidecar.session.messages import HOW_TO_EXIT, NOT_ACTIVE, SESSION_SAVED
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
from sidecar.session.state import ActivationRequest, activate_lock, current_agent, exited_lock
from sidecar.session.status import (
    LockStatus,
    errors_as_warnings,
    forget_block_file,
    lock_status,
    message_language,
    session_info,
)
from sidecar.session.store import Lock, RecordedFile


def activate(call: Call, params: SessionActivateParams) -> SessionActivateResult:
    """Activate a project's session, or resume it with its agent and progress, as a bare `/chati` does.

    Writes the managed block into the file that the IDE reads in `cwd`, and returns the agent's token for `memory/*`; a
    changed agent's former token becomes invalid. It is an explicit request of the user, so it also works in passive
    mode, which otherwise writes no files; with `mode` off it is refused. The call is idempotent.
    """
    current = lock_status(call, params)
    current.workspace.require()
    settings = call.process.settings(current.project)
    if settings.mode == "off":
        raise PolicyDenied("The sidecar is switched off for this project.", hint="Set `mode` to passive or active.")
    lock = activate_lock(
        current.lock, ActivationRequest(params.agent, params.ide, params.language), current.file_values, call.now_ms()
    )
    use_rules_file = settings["sessionLockFile"] == "rules"
    file = block_files.choose_block_file(
        current.workspace.cwd, cast("IdeName", lock.ide), use_rules_file=use_rules_file
    )
    warnings = list(current.problems)
    token = _activate(call, current, lock, file, force=params.force)
    if not current.is_active:
        with errors_as_warnings(warnings):  # data of the previous session is obsolete
            clean_session(call.process, current.workspace)
    others = [
        other for other in block_files.block_files_of(current.files, [current.workspace.cwd]) if other.path != file.path
    ]
    _update_other_blocks(call, current, others, lock, params.force, warnings)
    return SessionActivateResult(
        session=session_info(lock),
        resumed=current.lock is not None or bool(current.file_values.agent),
        block=block_files.block_info(file),
        token=token,
        warnings=warnings,
    )


def _activate(call: Call, current: LockStatus, lock: Lock, file: BlockFile, *, force: bool) -> str:
    """Write state and file; the file last in the transaction, so that a failure of either leaves both unchanged."""
    with call.database.write() as tx:
        if current.lock is not None and current.lock.agent != lock.agent:
            revoke(tx, current.project, current.lock.agent)
        token = grant(tx, call.process, current.project, lock.agent)
        store.save_lock(tx, current.project, lock)
        created_count = block_files.write_block(file, ACTIVE_TEXT.format(agent=lock.agent), force=force)
        store.save_file(tx, current.project, RecordedFile(str(file.root), file.rules_file.file, created_count))
    return token


def _update_other_blocks(
    call: Call, current: LockStatus, others: Iterable[BlockFile], lock: Lock, force: bool, warnings: list[str]
) -> None:
    """Remove the block from the folder's other files, and update the agent in those of other worktrees."""
    for file in others:
        with errors_as_warnings(warnings):
            if file.root == current.workspace.cwd:
                block_files.remove_block(file, force=force)
                forget_block_file(call, current.project, file)
            elif file.root.is_dir():
                block_files.write_block(file, ACTIVE_TEXT.format(agent=lock.agent), force=force)
            else:
                forget_block_file(call, current.project, file)


def route(call: Call, params: SessionRouteParams) -> SessionRouteResult:
    """Classify a message of the user, in English, Portuguese, Spanish and French. Nothing is changed.

    Exit: the host calls `session/exit`. A command goes to the orchestrator, and so does an off-topic message, for which
    it follows the deviation protocol; neither ends the session. Everything else goes to the agent.
    """
    project = call.process.workspaces.get(params.cwd, params.project_path).project_key
    with call.database.read() as tx:
        lock = store.load_lock(tx, project)
    decision = routing.route(params.message)
    is_active = lock is not None and lock.is_active
    return SessionRouteResult(
        status="active" if is_active else "inactive",
        intent=decision.intent,
        command=decision.command,
        agent=lock.agent if lock is not None and is_active and decision.intent == "onTopic" else None,
        rule=decision.rule,
        hint=HOW_TO_EXIT[message_language(lock)] if is_active and decision.mentions_exit else None,
    )


def status(call: Call, params: SessionStatusParams) -> SessionStatusResult:
    """Return a project's session and every file with its block, also after a restart or the loss of either."""
    current = lock_status(call, params)
    blocks = [
        block_files.block_info(file)
        for file in block_files.block_files_of(current.files, [current.workspace.cwd, current.workspace.project])
    ]
    expected = ("active",) if current.is_active else ("inactive", "none")
    warnings = [
        f"`{info.path}`: the session is {'active' if current.is_active else 'inactive'}, and its block is {info.state};"
        " `session/activate` or `session/exit` brings them in line."
        for info in blocks
        if info.state not in expected
    ]
    if (
        current.is_active
        and current.lock is not None
        and current_agent(current.lock, current.file_values) != current.lock.agent
    ):
        warnings.append(
            f"The project's session file names `{current.file_values.agent}` now; `session/activate` switches to it."
        )
    return SessionStatusResult(
        session=session_info(current.lock),
        blocks=[info for info in blocks if info.state != "none" or current.is_active],
        warnings=[*current.problems, *warnings],
    )


def exit_session(call: Call, params: SessionExitParams) -> SessionExitResult:
    """Exit a project's session. Agent and progress are saved; the block shows `Status: INACTIVE` and how to resume.

    The session summary is captured as memories: queued run results, what the host sends, the progress. Works always and
    in every mode: a file that cannot be read or written is a warning. A block whose state was lost is found in the
    files of all IDEs. An inactive session is not exited again, but its blocks are updated.
    """
    current = lock_status(call, params)
    warnings = list(current.problems)
    lock = current.lock
    captured = None
    if lock is not None and lock.is_active:
        progress = None if params.progress is None else redact(params.progress)
        lock = exited_lock(lock, current.file_values, progress, call.now_ms())
        save_progress(call, current, lock, warnings)
        captured = capture_summary(call, current, lock, params, warnings)
    blocks = list(deactivate_blocks(call, current, lock, params, warnings))
    save_state(call, current, lock)
    return SessionExitResult(
        session=session_info(lock),
        was_active=current.is_active,
        confirmation=(SESSION_SAVED if current.is_active else NOT_ACTIVE)[message_language(lock)],
        blocks=blocks,
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
    method("session/exit", exit_session, lane=Lane.WORKSPACE, errors=_ERRORS),
)
