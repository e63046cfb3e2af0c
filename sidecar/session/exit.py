"""The steps of an exit: save agent and summary, mark the files INACTIVE, and store the state last and always."""

from collections.abc import Iterator

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.memory import (
    SHARED_ONLY,
    CaptureContext,
    MemoryCaptureResult,
    capture_session_summary,
    revoke,
    to_capture_result,
    to_session_summary,
)
from sidecar.session import block_files, session_file, store
from sidecar.session.block_files import BlockFile
from sidecar.session.managed_block import INACTIVE_TEXT
from sidecar.session.model import BlockInfo, SessionExitParams
from sidecar.session.state import DEFAULT_AGENT
from sidecar.session.status import LockStatus, errors_as_warnings, forget_block_file
from sidecar.session.store import Lock


def save_progress(call: Call, current: LockStatus, lock: Lock, warnings: list[str]) -> None:
    """Save agent and progress in the project's own session file, if there is one."""
    values = {session_file.AGENT: lock.agent, session_file.SAVED_AT: rfc3339(call.now_ms())}
    if lock.progress:
        values[session_file.PROGRESS] = lock.progress
    problem = session_file.save_session_values(current.workspace.project, values)
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
    digest = to_session_summary(session, source, params.summary, params.progress, call.now_ms())
    context = CaptureContext(call.process, current.workspace, SHARED_ONLY, "exit", automatic=True)
    with errors_as_warnings(warnings):
        return to_capture_result(capture_session_summary(context, digest))
    return None


def deactivate_blocks(
    call: Call, current: LockStatus, lock: Lock | None, params: SessionExitParams, warnings: list[str]
) -> Iterator[BlockInfo]:
    """Mark every block INACTIVE, or remove it; yield the files that still have one."""
    roots = [current.workspace.cwd, current.workspace.project]
    for file in list(block_files.block_files_of(current.files, roots)):
        with errors_as_warnings(warnings):
            _deactivate_block(call, current, file, lock, params)
        info = block_files.block_info(file)
        if info.state != "none":
            yield info


def _deactivate_block(
    call: Call, current: LockStatus, file: BlockFile, lock: Lock | None, params: SessionExitParams
) -> None:
    if params.remove_block:
        block_files.remove_block(file, force=params.force, overwrite_read_only=params.force)
        forget_block_file(call, current.project, file)
    elif block_files.block_info(file).state != "none":
        text = INACTIVE_TEXT.format(agent=lock.agent if lock else DEFAULT_AGENT)
        block_files.write_block(file, text, force=params.force, overwrite_read_only=params.force)


def save_state(call: Call, current: LockStatus, lock: Lock | None) -> None:
    """Store the lock and revoke all tokens of the session."""
    with call.database.write() as tx:
        revoke(tx, current.project)
        if lock is not None:
            store.save_lock(tx, current.project, lock)
