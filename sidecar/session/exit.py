"""An exit's parts: agent and digest are kept, the files say INACTIVE, the state is left last and always."""

from collections.abc import Iterator

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.memory import SHARED_ONLY, Asking, MemoryCaptureResult, answer_of, capture_digest, digest_of, revoke
from sidecar.session import block_files, session_file, store
from sidecar.session.block_files import Spot
from sidecar.session.managed_block import INACTIVE_TEXT
from sidecar.session.model import BlockShown, SessionExitParams
from sidecar.session.state import FIRST_AGENT
from sidecar.session.status import Standing, forget, noting
from sidecar.session.store import Lock


def save(call: Call, stands: Standing, lock: Lock, warnings: list[str]) -> None:
    """Saves agent and progress in the project's own session file, where there is one."""
    values = {session_file.AGENT: lock.agent, session_file.SAVED_AT: rfc3339(call.now_ms())}
    if lock.progress:
        values[session_file.PROGRESS] = lock.progress
    problem = session_file.save(stands.workspace.project, values)
    if problem:
        warnings.append(problem)


def remember(
    call: Call, stands: Standing, lock: Lock, params: SessionExitParams, warnings: list[str]
) -> MemoryCaptureResult | None:
    """Captures the session's digest: what waits of its runs, what the host sends, and the progress it tells of.

    It happens by itself, so that a mode other than active withholds it. None, with a warning, where it cannot be done.
    """
    session = params.session_id or f"lock-{lock.activated_at_ms}"
    source = f"exit:{session}:{lock.activated_at_ms}"
    digest = digest_of(session, source, params.digest, params.progress, call.now_ms())
    asking = Asking(call.process, stands.workspace, SHARED_ONLY, "exit", automatic=True)
    with noting(warnings):
        return answer_of(capture_digest(asking, digest))
    return None


def leave_files(
    call: Call, stands: Standing, lock: Lock | None, params: SessionExitParams, warnings: list[str]
) -> Iterator[BlockShown]:
    """Says INACTIVE in every file with a block, or takes it out; gives those that have one still."""
    roots = [stands.workspace.cwd, stands.workspace.project]
    for spot in list(block_files.spots(stands.files, roots)):
        with noting(warnings):
            _leave(call, stands, spot, lock, params)
        shown = block_files.shown(spot)
        if shown.state != "none":
            yield shown


def _leave(call: Call, stands: Standing, spot: Spot, lock: Lock | None, params: SessionExitParams) -> None:
    if params.remove_block:
        block_files.take_out(spot, force=params.force, even_read_only=params.force)
        forget(call, stands.project, spot)
    elif block_files.shown(spot).state != "none":
        text = INACTIVE_TEXT.format(agent=lock.agent if lock else FIRST_AGENT)
        block_files.put(spot, text, force=params.force, even_read_only=params.force)


def leave_state(call: Call, stands: Standing, lock: Lock | None) -> None:
    """Keeps the lock as left; no token of the session is valid any more."""
    with call.database.write() as tx:
        revoke(tx, stands.project)
        if lock is not None:
            store.put_lock(tx, stands.project, lock)
