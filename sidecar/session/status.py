"""What stands of a project's session: the lock, the files with its block, and what the project's own file tells."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, cast

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import SidecarError
from sidecar.core.ides import IdeName
from sidecar.memory import AGENTS
from sidecar.session import session_file, store
from sidecar.session.block_files import Spot
from sidecar.session.messages import Language
from sidecar.session.model import SessionParams, SessionShown
from sidecar.session.state import FIRST_LANGUAGE, Told
from sidecar.session.store import Lock, Written
from sidecar.workspace import Workspace


class Standing(NamedTuple):
    """What is known before anything is done."""

    workspace: Workspace
    lock: Lock | None
    """None where there never was a session."""
    files: list[Written]
    told: Told
    problems: list[str]
    """What could not be read, in sentences."""

    @property
    def project(self) -> str:
        """The key under which all is kept."""
        return self.workspace.project_key

    @property
    def is_active(self) -> bool:
        """Whether messages are the agent's."""
        return self.lock is not None and self.lock.is_active


def standing(call: Call, params: SessionParams) -> Standing:
    """Looks at the state and at the project's own file; raises WorkspaceUnavailable for a path that is not absolute."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    with call.database.read() as tx:
        lock, files = store.lock_of(tx, workspace.project_key), store.files_of(tx, workspace.project_key)
    kept = session_file.read(workspace.project)
    told, problems = kept.told, [kept.problem] if kept.problem else []
    if told.agent and told.agent not in AGENTS:
        problems.append(f"`{session_file.PLACE.file}` names an agent that is none; it is not counted.")
        told = told._replace(agent="")
    return Standing(workspace, lock, files, told, problems)


def forget(call: Call, project: str, spot: Spot) -> None:
    """Forgets a file that has no block any more."""
    with call.database.write() as tx:
        store.forget_file(tx, project, str(spot.root), spot.place.file)


@contextmanager
def noting(warnings: list[str]) -> Iterator[None]:
    """Turns a failure with one of several files into a warning."""
    try:
        yield
    except SidecarError as error:
        warnings.append(f"{error.message} {error.hint or ''}".strip())


def language_of(lock: Lock | None) -> Language:
    """Gives the language the user is answered in."""
    return cast("Language", lock.language) if lock is not None else FIRST_LANGUAGE


def shown(lock: Lock | None) -> SessionShown:
    """Shows a lock as it stands."""
    if lock is None:
        return SessionShown(
            status="inactive",
            agent=None,
            ide=None,
            language=FIRST_LANGUAGE,
            progress="",
            activated_at=None,
            exited_at=None,
        )
    return SessionShown(
        status="active" if lock.is_active else "inactive",
        agent=lock.agent,
        ide=cast("IdeName", lock.ide),
        language=language_of(lock),
        progress=lock.progress,
        activated_at=rfc3339(lock.activated_at_ms),
        exited_at=None if lock.exited_at_ms is None else rfc3339(lock.exited_at_ms),
    )
