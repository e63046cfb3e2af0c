"""Looks whether artifacts can be committed to the memory branch, and whether what is on it can be read."""

from __future__ import annotations

from collections.abc import Iterator

from sidecar.call import Process
from sidecar.capture.artifacts.committing import POLICY
from sidecar.capture.artifacts.protection import refusal
from sidecar.core.errors import SidecarError
from sidecar.core.findings import Finding
from sidecar.runs import artifacts
from sidecar.system.branches import is_readable, lock_of
from sidecar.system.refs import place_of, uses_of
from sidecar.workspace import Workspace

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
