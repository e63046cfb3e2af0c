"""Where the worktree stood when a run began: its post-run tells by it what the run did."""

from concurrent.futures import wait
from typing import Any

from sidecar.call import Process
from sidecar.codebase import RepositoryState, StateFailed, may_show, repository_of
from sidecar.core.errors import SidecarError
from sidecar.runs import keys, records
from sidecar.workspace import Workspace


def stood(state: RepositoryState | None) -> dict[str, Any]:
    """Gives the head, and a digest of each file that differs from it; None for both where the state is not known."""
    if state is None:
        return {"head": None, "changed": None}
    changed = {file.path: keys.change_digest(file) for file in state.changed if may_show(file.path)}
    return {"head": state.head, "changed": changed}


def standing(process: Process, workspace: Workspace, wait_ms: int) -> dict[str, Any]:
    """Gives the same if it is known within `wait_ms`: a prompt that passes through is not kept waiting for it."""
    repository = repository_of(workspace, process)
    found = repository.at_once()
    if found is not None:
        return stood(found[0])
    if not wait_ms:
        return stood(None)
    look = process.background.submit(repository.state)
    if not wait((look,), timeout=wait_ms / 1000).done or look.exception() is not None:
        return stood(None)
    return stood(look.result())


def stand_later(process: Process, workspace: Workspace, token: str) -> None:
    """Has it added to a call's record once it is known, where the call could not wait for it."""
    try:
        process.background.submit(_stand, process, workspace, token)
    except RuntimeError:
        process.log.warning("packs.standing.unknown", kind="ending")


def _stand(process: Process, workspace: Workspace, token: str) -> None:
    """The run has begun meanwhile: `late` says that what it wrote first may count as having been there."""
    try:
        state = repository_of(workspace, process).state()
        with process.database.write(durable=False, aside=True) as tx:
            records.amend_call(tx, token, {**stood(state), "late": True})
    except (StateFailed, SidecarError, OSError) as error:
        process.log.warning("packs.standing.unknown", kind=type(error).__name__)
