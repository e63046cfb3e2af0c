"""`session/activate`, `session/route`, `session/status`, `session/exit`."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, cast

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
from sidecar.core.ide_rules_files import IdeName
from sidecar.core.redact import redact
from sidecar.memory import (
    AGENTS,
    SHARED_ONLY,
    CaptureContext,
    MemoryCaptureResult,
    capture_session_summary,
    clean_session,
    grant,
    revoke,
    to_capture_result,
    to_session_summary,
)
from sidecar.method import Lane, method
from sidecar.session import managed_block, message_kind, session_file, store
from sidecar.session.managed_block import ACTIVE_TEXT, INACTIVE_TEXT, BlockFile
from sidecar.session.model import (
    BlockInfo,
    SessionActivateParams,
    SessionActivateResult,
    SessionExitParams,
    SessionExitResult,
    SessionInfo,
    SessionParams,
    SessionRouteParams,
    SessionRouteResult,
    SessionStatusParams,
    SessionStatusResult,
)
from sidecar.session.session_file import (
    DEFAULT_AGENT,
    DEFAULT_LANGUAGE,
    HOW_TO_EXIT,
    NOT_ACTIVE,
    SESSION_SAVED,
    ActivationRequest,
    Language,
    SessionFileValues,
    activate_lock,
    current_agent,
    exited_lock,
    read_session_file,
    save_session_values,
)
from sidecar.session.store import Lock, RecordedFile
from sidecar.workspace import Workspace


class LockStatus(NamedTuple):
    """The state before an action."""

    workspace: Workspace
    lock: Lock | None
    """None when there never was a session."""
    files: list[RecordedFile]
    file_values: SessionFileValues
    problems: list[str]
    """Sentences about files that could not be read."""

    @property
    def project(self) -> str:
        """The key of the project's state."""
        return self.workspace.project_key

    @property
    def is_active(self) -> bool:
        """Whether the agent receives the messages."""
        return self.lock is not None and self.lock.is_active


def lock_status(call: Call, params: SessionParams) -> LockStatus:
    """Read the state and the project's own file. Raise WorkspaceUnavailable for a path that is not absolute."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    with call.database.read() as tx:
        lock, files = store.load_lock(tx, workspace.project_key), store.load_files(tx, workspace.project_key)
    session_file_read = read_session_file(workspace.project)
    file_values, problems = session_file_read.values, [session_file_read.problem] if session_file_read.problem else []
    if file_values.agent and file_values.agent not in AGENTS:
        problems.append(f"`{session_file.SESSION_FILE.file}` names an unknown agent, which is ignored.")
        file_values = file_values._replace(agent="")
    return LockStatus(workspace, lock, files, file_values, problems)


def forget_block_file(call: Call, project: str, file: BlockFile) -> None:
    """Delete the record of a file that has no block any more."""
    with call.database.write() as tx:
        store.delete_file(tx, project, str(file.root), file.rules_file.file)


@contextmanager
def errors_as_warnings(warnings: list[str]) -> Generator[None]:
    """Turn an error with one of several files into a warning."""
    try:
        yield
    except SidecarError as error:
        warnings.append(f"{error.message} {error.hint or ''}".strip())


def message_language(lock: Lock | None) -> Language:
    """Return the language of messages to the user."""
    return cast("Language", lock.language) if lock is not None else DEFAULT_LANGUAGE


def session_info(lock: Lock | None) -> SessionInfo:
    """Return a lock as its wire model."""
    if lock is None:
        return SessionInfo(
            status="inactive",
            agent=None,
            ide=None,
            language=DEFAULT_LANGUAGE,
            progress="",
            activated_at=None,
            exited_at=None,
        )
    return SessionInfo(
        status="active" if lock.is_active else "inactive",
        agent=lock.agent,
        ide=cast("IdeName", lock.ide),
        language=message_language(lock),
        progress=lock.progress,
        activated_at=rfc3339(lock.activated_at_ms),
        exited_at=None if lock.exited_at_ms is None else rfc3339(lock.exited_at_ms),
    )


def save_progress(call: Call, current: LockStatus, lock: Lock, warnings: list[str]) -> None:
    """Save agent and progress in the project's own session file, if there is one."""
    values = {session_file.AGENT: lock.agent, session_file.SAVED_AT: rfc3339(call.now_ms())}
    if lock.progress:
        values[session_file.PROGRESS] = lock.progress
    problem = save_session_values(current.workspace.project, values)
    if problem:
        warnings.append(problem)


def capture_summary(
    call: Call, current: LockStatus, lock: Lock, params: SessionExitParams, warnings: list[str]
) -> MemoryCaptureResult | None:
    """Capture the session summary: queued run results, what the host sends, and the progress.

    It counts as automatic, so a mode other than active suppresses it. None, with a warning, when it fails.
    """
    session = params.session_id or f"lock-{lock.activated_at_ms}"
    source = f"exit:{session}:{lock.activated_at_ms}"
    summary = to_session_summary(session, source, params.summary, params.progress, call.now_ms())
    context = CaptureContext(call.process, current.workspace, SHARED_ONLY, "exit", automatic=True)
    with errors_as_warnings(warnings):
        return to_capture_result(capture_session_summary(context, summary))
    return None


def deactivate_blocks(
    call: Call, current: LockStatus, lock: Lock | None, params: SessionExitParams, warnings: list[str]
) -> Iterator[BlockInfo]:
    """Mark every block INACTIVE, or remove it; yield the files that still have one."""
    roots = [current.workspace.cwd, current.workspace.project]
    for file in list(managed_block.block_files_of(current.files, roots)):
        with errors_as_warnings(warnings):
            _deactivate_block(call, current, file, lock, params)
        info = managed_block.block_info(file)
        if info.state != "none":
            yield info


def _deactivate_block(
    call: Call, current: LockStatus, file: BlockFile, lock: Lock | None, params: SessionExitParams
) -> None:
    if params.remove_block:
        managed_block.remove_block(file, force=params.force, overwrite_read_only=params.force)
        forget_block_file(call, current.project, file)
    elif managed_block.block_info(file).state != "none":
        text = INACTIVE_TEXT.format(agent=lock.agent if lock else DEFAULT_AGENT)
        managed_block.write_block(file, text, force=params.force, overwrite_read_only=params.force)


def save_state(call: Call, current: LockStatus, lock: Lock | None) -> None:
    """Store the lock and revoke all tokens of the session."""
    with call.database.write() as tx:
        revoke(tx, current.project)
        if lock is not None:
            store.save_lock(tx, current.project, lock)


def activate(call: Call, params: SessionActivateParams) -> SessionActivateResult:
    """Activate a project's session, or resume it with its agent and progress, as a bare `/chati` does.

    Writes the managed block into the file that the IDE reads in `cwd`, and returns the agent's token for `memory/*`.
    It is an explicit request of the user, so it also works in passive mode, which writes no file of its own accord;
    with `mode` off it is refused. Repeating the call changes nothing and returns another token.
    """
    current = lock_status(call, params)
    current.workspace.require()
    settings = call.process.settings(current.project)
    if settings.mode == "off":
        raise PolicyDenied(
            "The sidecar is switched off for this project.",
            hint="`settings/update` sets `mode`; `ONECODE_CONTINUITY_MODE=off` overrides it.",
        )
    lock = activate_lock(
        current.lock, ActivationRequest(params.agent, params.ide, params.language), current.file_values, call.now_ms()
    )
    use_rules_file = settings["sessionLockFile"] == "rules"
    file = managed_block.choose_block_file(
        current.workspace.cwd, cast("IdeName", lock.ide), use_rules_file=use_rules_file
    )
    warnings = list(current.problems)
    token = _activate(call, current, lock, file, force=params.force)
    if not current.is_active:
        with errors_as_warnings(warnings):  # data of the previous session is obsolete
            clean_session(call.process, current.workspace)
    others = [
        other
        for other in managed_block.block_files_of(current.files, [current.workspace.cwd])
        if other.path != file.path
    ]
    _update_other_blocks(call, current, others, lock, params.force, warnings)
    return SessionActivateResult(
        session=session_info(lock),
        resumed=current.lock is not None or bool(current.file_values.agent),
        block=managed_block.block_info(file),
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
        created_count = managed_block.write_block(file, ACTIVE_TEXT.format(agent=lock.agent), force=force)
        store.save_file(tx, current.project, RecordedFile(str(file.root), file.rules_file.file, created_count))
    return token


def _update_other_blocks(
    call: Call, current: LockStatus, others: Iterable[BlockFile], lock: Lock, force: bool, warnings: list[str]
) -> None:
    """Remove the block from the folder's other files, and update the agent in those of other worktrees."""
    for file in others:
        with errors_as_warnings(warnings):
            if file.root == current.workspace.cwd:
                managed_block.remove_block(file, force=force)
                forget_block_file(call, current.project, file)
            elif file.root.is_dir():
                managed_block.write_block(file, ACTIVE_TEXT.format(agent=lock.agent), force=force)
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
    decision = message_kind.route(params.message)
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
        managed_block.block_info(file)
        for file in managed_block.block_files_of(current.files, [current.workspace.cwd, current.workspace.project])
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
