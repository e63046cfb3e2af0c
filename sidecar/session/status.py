"""The status of a project's session: the lock, the files with its block, and the project's own session file."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, cast

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import SidecarError
from sidecar.core.ides import IdeName
from sidecar.memory import AGENTS
from sidecar.session import session_file, store
from sidecar.session.block_files import BlockFile
from sidecar.session.messages import Language
from sidecar.session.model import SessionInfo, SessionParams
from sidecar.session.state import DEFAULT_LANGUAGE, SessionFileValues
from sidecar.session.store import Lock, RecordedFile
from sidecar.workspace import Workspace


class LockStatus(NamedTuple):
    """What is known before an action."""

    workspace: Workspace
    lock: Lock | None
    """None when there never was a session."""
    files: list[RecordedFile]
    file_values: SessionFileValues
    problems: list[str]
    """What could not be read, in sentences."""

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
    session_file_read = session_file.read(workspace.project)
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
def errors_as_warnings(warnings: list[str]) -> Iterator[None]:
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
