"""`artifact/commit`: artifacts go to the memory branch by hand."""

from __future__ import annotations

from pydantic import Field

from sidecar.call import Call
from sidecar.capture.artifacts.committing import MAX_PER_COMMIT, commit
from sidecar.capture.artifacts.of_project import artifact_of
from sidecar.capture.artifacts.status import No, status_after
from sidecar.core.errors import Busy, Conflict, NotFound, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.core.wire import FolderPath, Identifier, WireModel
from sidecar.method import Lane, method
from sidecar.runs import Artifact, artifacts
from sidecar.runs.model import ArtifactType
from sidecar.workspace import Workspace


class ArtifactCommitParams(WireModel):
    """Which artifacts to commit, and to which project's repository."""

    project_path: FolderPath
    ids: list[Identifier] | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_PER_COMMIT,
        description="Drafts named here count as accepted. Absent: every accepted artifact of the project.",
    )


class CommittedArtifact(WireModel):
    """An artifact that is on the memory branch."""

    id: str
    type: ArtifactType
    commit: str = Field(description="The commit it came to the branch with.")


class ArtifactCommitResult(WireModel):
    """What is on the memory branch now."""

    branch: str
    commit: str | None = Field(description="The branch's commit that holds them; null when there was nothing to do.")
    artifacts: list[CommittedArtifact]


def commit_artifacts(call: Call, params: ArtifactCommitParams) -> ArtifactCommitResult:
    """Commits artifacts to the memory branch, the only ref that moves; HEAD, index, worktree and hooks are left alone.

    An artifact that is committed already stays as it is. A branch that is checked out, a remote's default or one that
    people work on is refused.
    """
    workspace = call.process.workspaces.get(params.project_path, None)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off":
        raise PolicyDenied("The sidecar is switched off for this project.", hint="Set `mode` to passive or active.")
    branch = str(settings["memoryBranch"])
    asked = _asked(call, workspace, params.ids)
    chosen = [one for one in asked if one.status != "committed"]
    done = commit(call.process, workspace, branch, chosen, accepts=True) if chosen else None
    return ArtifactCommitResult(
        branch=branch,
        commit=done.commit if done else None,
        artifacts=[
            CommittedArtifact(
                id=one.id,
                type=one.type,
                commit=done.commit if done and one in chosen else str(one.provenance["committed"]["commit"]),
            )
            for one in asked
        ],
    )


def _asked(call: Call, workspace: Workspace, ids: list[str] | None) -> list[Artifact]:
    with call.database.read() as tx:
        if ids is None:
            ids = [one.id for one, _ in artifacts.listed(tx, workspace.project_key, "accepted", None, MAX_PER_COMMIT)]
        asked = [artifact_of(tx, workspace.project_key, artifact_id) for artifact_id in dict.fromkeys(ids)]
    if any(status_after(one.status, "commit") is No.DISCARDED for one in asked):
        raise PolicyDenied("A discarded artifact is not committed.", hint="Accept it first.")
    return asked


ROW = method(
    "artifact/commit",
    commit_artifacts,
    lane=Lane.SHARED,
    errors=(NotFound, PolicyDenied, Conflict, WorkspaceUnavailable, StateDegraded, Busy),
)
