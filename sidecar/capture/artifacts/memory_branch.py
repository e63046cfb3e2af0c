"""Commits artifacts to the memory branch, by hand or after a run, and marks them committed.

First the commit, then the mark: a process that dies between the two finds its files on the branch the next time, and
only marks them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import NamedTuple

import apsw

from sidecar.call import Process
from sidecar.capture.artifacts.artifact_text import file_of, message_of, path_of, with_status
from sidecar.core.errors import Conflict, PolicyDenied, SidecarError
from sidecar.core.findings import Finding
from sidecar.runs import Artifact, artifacts
from sidecar.settings.kinds import is_memory_branch
from sidecar.settings.resolve import Settings
from sidecar.system.branches import add_once, is_readable, lock_of
from sidecar.system.refs import Addition, Place, Tip, Uses, place_of, uses_of
from sidecar.workspace import Workspace

# Which branches artifacts are never committed to. Pure.


_OTHER = "Name a branch no one works on in the setting `memoryBranch`."


class Refusal(NamedTuple):
    """Why nothing is committed, and what to do about it."""

    sentence: str
    hint: str


def refusal(branch: str, uses: Uses) -> Refusal | None:
    """Says why a branch must not be written; None where it may be.

    Names are compared without case: on many disks `Memory` is the same branch as `memory`.
    """
    if not is_memory_branch(branch):
        return Refusal(f"`{branch}` is a branch that people work on or release from.", _OTHER)
    folded = branch.casefold()
    if folded in {name.casefold() for name in uses.remote_defaults}:
        return Refusal(f"`{branch}` is a remote's default branch.", _OTHER)
    if folded in {name.casefold() for name in uses.checked_out}:
        return Refusal(
            f"`{branch}` is checked out in a worktree, or a rebase or bisection goes back to it.",
            "Switch that worktree to another branch; `git worktree list` shows them.",
        )
    if uses.points_at is not None:
        return Refusal(f"`{branch}` is only another name for `{uses.points_at}`.", _OTHER)
    return None


POLICY = "auto-write-memory-branch"
MAX_PER_COMMIT = 100
ATTEMPTS = 12
"""So often a branch is tried that others move meanwhile; the waits between double, from 1 to 64 ms, 0.4 s in all."""


class Committed(NamedTuple):
    """What a commit came to: the branch, its commit that holds the files, and the artifacts with their paths."""

    branch: str
    commit: str
    paths: tuple[tuple[Artifact, str], ...]


def commit_later(process: Process, workspace: Workspace, settings: Settings) -> None:
    """Has what is ready committed in the background, where the settings say so; never in passive mode."""
    if settings["artifactPolicy"] != POLICY or settings.mode != "active":
        return
    try:
        begun = process.background.submit(_commit_pending, process, workspace, str(settings["memoryBranch"]))
    except RuntimeError:
        process.log.warning("capture.commit.put_off")  # the process is ending; the next run's commit takes them
    else:
        begun.add_done_callback(lambda done: _tell_if_broken(process, done))


def _tell_if_broken(process: Process, done: Future[None]) -> None:
    error = None if done.cancelled() else done.exception()
    if error is not None:
        process.log.error("capture.commit.broke", kind=type(error).__name__)


def commit(
    process: Process, workspace: Workspace, branch: str, chosen: Sequence[Artifact], *, accepts: bool = False
) -> Committed:
    """Commits artifacts and marks them, as accepted too where the user commits them himself (`accepts`).

    Raises PolicyDenied, WorkspaceUnavailable or Conflict; then those that were not changed meanwhile are marked.
    """
    place = place_of(workspace.project)
    paths = tuple(_with_paths(chosen))
    now_ms = process.clock.now_ms()
    files = {path: file_of(_accepted(artifact) if accepts else artifact) for artifact, path in paths}
    tip = _added(place, branch, Addition(files, message_of(chosen, process.version), now_ms // 1000))
    with process.database.write() as tx:
        changed = [
            one
            for one, path in paths
            if not _mark(tx, one, {"branch": branch, "commit": tip.commit, "path": path}, now_ms, accepts=accepts)
        ]
    if changed:
        raise Conflict("An artifact was changed while it was committed.", hint="Commit it again.")
    return Committed(branch, tip.commit, paths)


def _commit_pending(process: Process, workspace: Workspace, branch: str) -> None:
    """Commits what is ready; what cannot be is said in the log, and is tried again after the next run."""
    try:
        with process.database.read() as tx:
            found = artifacts.uncommitted(tx, workspace.project_key, MAX_PER_COMMIT)
        chosen = [artifact for artifact, is_whole in found if is_whole and path_of(artifact) is not None]
        if len(chosen) < len(found):
            process.log.warning("capture.commit.damaged", artifacts=len(found) - len(chosen))
        if chosen:
            done = commit(process, workspace, branch, chosen)
            process.log.info("capture.commit.done", artifacts=len(chosen), commit=done.commit)
    except SidecarError as error:
        process.log.warning("capture.commit.failed", kind=error.kind, text=error.message)


def _with_paths(chosen: Sequence[Artifact]) -> Iterator[tuple[Artifact, str]]:
    for artifact in chosen:
        path = path_of(artifact)
        if path is None:
            raise PolicyDenied("The artifact's id cannot be a file's name.")
        yield artifact, path


def _added(place: Place, branch: str, addition: Addition) -> Tip:
    """Adds to the branch, again as long as others move it meanwhile; what it is used for is looked at each time."""
    for attempt in range(ATTEMPTS):
        refused = refusal(branch, uses_of(place, branch))
        if refused is not None:
            raise PolicyDenied(refused.sentence, hint=refused.hint)
        tip = add_once(place, branch, addition)
        if tip is not None:
            return tip
        time.sleep(min(2**attempt, 64) / 1000)
    if lock_of(place, branch) is not None:
        raise Conflict(
            f"The branch `{branch}` is locked.",
            hint=f"If no git command runs, delete `{branch}.lock` below refs/heads.",
        )
    raise Conflict(f"The branch `{branch}` is moved by others all the time.", hint="Try again.")


def _accepted(artifact: Artifact) -> Artifact:
    return artifact._replace(body=with_status(artifact.body, "accepted"))


def _mark(tx: apsw.Connection, artifact: Artifact, where: dict[str, str], now_ms: int, *, accepts: bool) -> bool:
    """Marks an artifact committed; False where it no longer is what was committed, or was discarded meanwhile."""
    found = artifacts.get(tx, artifact.id)
    if found is None:
        return False
    now, _ = found
    if now.status == "committed":
        return True
    if now.status == "discarded" or file_of(now) != file_of(artifact):
        return False
    now, accepted = _accepted(now) if accepts else now, accepts or now.status == "accepted"
    provenance = {**now.provenance, "committed": {**where, "accepted": accepted}}
    artifacts.put(tx, now._replace(status="committed", provenance=provenance, updated_at_ms=now_ms))
    return True


# Looks whether artifacts can be committed to the memory branch, and whether what is on it can be read.


MANY = 50
"""So many artifacts never wait for a commit, unless none succeeds."""


def memory_branch(process: Process, workspace: Workspace) -> Iterator[Finding]:
    """Looks at the branch of a project's settings; where nothing is committed by itself, only at what is there."""
    settings = process.settings(workspace.project_key)
    branch, commits = str(settings["memoryBranch"]), settings["artifactPolicy"] == POLICY
    try:
        place = place_of(workspace.project)
    except SidecarError as error:
        if commits:
            yield Finding("warning", error.message, f"{error.hint} Or set `artifactPolicy` to its default.")
        return
    refused = refusal(branch, uses_of(place, branch))
    if refused is not None and commits:
        yield Finding("error", f"Nothing is committed: {refused.sentence}", refused.hint)
    lock = lock_of(place, branch)
    if lock is not None:
        told = f"`{lock.name}` keeps the memory branch from being moved."
        yield Finding("error", told, f"Unless git is at work there, remove {lock}.")
    if not is_readable(place, branch):
        told = f"The commit that `{branch}` names, or its files, cannot be read."
        yield Finding("error", told, f"Run `git fsck`; `git branch -D {branch}` has it begin anew, from the artifacts.")
    with process.database.read() as tx:
        waiting = len(artifacts.uncommitted(tx, workspace.project_key, MANY)) if commits else 0
    if waiting >= MANY and settings.mode == "active":
        yield Finding("warning", f"{waiting} artifacts or more wait to be committed.", "`artifacts commit` says why.")
