"""`artifact/list`, `get`, `update`, `accept`, `discard`: what runs left for the user to decide on."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Any, Literal

import apsw
from pydantic import Field

from sidecar.call import Call
from sidecar.capture.artifacts.artifact_text import Text, revised, with_status
from sidecar.capture.artifacts.memory_branch import MAX_PER_COMMIT, commit
from sidecar.capture.artifacts.model import (
    MAX_TITLE,
    ArtifactGetResult,
    ArtifactListParams,
    ArtifactListResult,
    ArtifactParams,
    ArtifactSummary,
    ArtifactUpdateParams,
    Provenance,
)
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, Conflict, NotFound, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.core.wire import FolderPath, Identifier, WireModel
from sidecar.method import Lane, method
from sidecar.runs import Artifact, artifacts
from sidecar.runs.model import ArtifactStatus, ArtifactType
from sidecar.workspace import Workspace

# One artifact of a project, or why there is none to be had.


def artifact_of(tx: apsw.Connection, project: str, artifact_id: str) -> Artifact:
    """Gives an artifact of a project; raises NotFound for another project's too, StateDegraded for a damaged one."""
    found = artifacts.get(tx, artifact_id)
    if found is None or found[0].project != project:
        raise NotFound("There is no artifact of that id.", hint="`artifact/list` shows a project's artifacts.")
    artifact, is_whole = found
    if not is_whole:
        raise StateDegraded("The artifact's record is damaged.", hint="Restart the sidecar: it checks the state file.")
    return artifact


# What becomes of an artifact: draft → accepted | discarded → committed. Pure.


Verb = Literal["update", "accept", "discard", "commit"]


class No(Enum):
    """Why a verb does not apply."""

    FINAL = "final"
    DISCARDED = "discarded"


STATUS_AFTER: dict[ArtifactStatus, dict[Verb, ArtifactStatus | No]] = {
    "draft": {"update": "draft", "accept": "accepted", "discard": "discarded", "commit": "committed"},
    "accepted": {"update": "accepted", "accept": "accepted", "discard": "discarded", "commit": "committed"},
    "discarded": {"update": "discarded", "accept": "accepted", "discard": "discarded", "commit": No.DISCARDED},
    "committed": {"update": No.FINAL, "accept": "committed", "discard": No.FINAL, "commit": "committed"},
}
"""A committed artifact stays one: its file is on the branch. It can still be accepted, so that sessions are told of
it: what was committed by itself was not."""


def status_after(status: ArtifactStatus, verb: Verb) -> ArtifactStatus | No:
    """Gives the status a verb leads to, the same again where nothing changes, or why it does not apply."""
    return STATUS_AFTER[status][verb]


# `artifact/commit`: artifacts go to the memory branch by hand.


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


def list_artifacts(call: Call, params: ArtifactListParams) -> ArtifactListResult:
    """Lists a project's artifacts, the newest first."""
    project = _project(call, params.project_path)
    with call.database.read() as tx:
        found = artifacts.listed(tx, project, params.status, params.type, params.limit, params.id_prefix or "")
    return ArtifactListResult(artifacts=[ArtifactSummary(**_summary(one, is_whole)) for one, is_whole in found])


def get_artifact(call: Call, params: ArtifactParams) -> ArtifactGetResult:
    """Shows an artifact with its text and where it comes from."""
    project = _project(call, params.project_path)
    with call.database.read() as tx:
        return _shown(artifact_of(tx, project, params.id))


def update_artifact(call: Call, params: ArtifactUpdateParams) -> ArtifactGetResult:
    """Changes an artifact's title, its body, or both; no run adds to it any more.

    A title replaces the heading that said the old one, a body's first heading becomes the title. What is on the memory
    branch already stays as it is.
    """
    project, now_ms = _project(call, params.project_path), call.now_ms()
    with call.database.write() as tx:
        before = artifact_of(tx, project, params.id)
        _status(before, "update")
        if params.expected_updated_at is not None and _ms(params.expected_updated_at) != before.updated_at_ms:
            raise Conflict("The artifact was changed meanwhile.", hint="Get it again, and change that.")
        now = revised(Text(before.title, before.body), params.title, params.body, MAX_TITLE)
        if now == (before.title, before.body):
            return _shown(before)
        edited = before._replace(title=now.title, body=now.body, provenance={**before.provenance, "edited": True})
        if edited.status == "accepted":
            _leave(tx, edited, now_ms)
        shown = _shown(_kept(tx, edited, now_ms))
    if before.status == "accepted":
        _tend(call, params.project_path)
    return shown


def accept_artifact(call: Call, params: ArtifactParams) -> ArtifactGetResult:
    """Accepts an artifact: the project's next sessions are told of it. Accepting it again changes nothing.

    One that was discarded can still be accepted. A committed one stays committed, and is told of from then on.
    """
    return _decide(call, params, "accept")


def discard_artifact(call: Call, params: ArtifactParams) -> ArtifactGetResult:
    """Discards an artifact: sessions are told of it no more. Discarding it again changes nothing.

    It can still be accepted. What is on the memory branch already is not discarded.
    """
    return _decide(call, params, "discard")


def _decide(call: Call, params: ArtifactParams, verb: Verb) -> ArtifactGetResult:
    project, now_ms = _project(call, params.project_path), call.now_ms()
    decided = _decided(call, params, verb, project, now_ms)
    _tend(call, params.project_path)
    return decided


def _decided(call: Call, params: ArtifactParams, verb: Verb, project: str, now_ms: int) -> ArtifactGetResult:
    with call.database.write() as tx:
        before = artifact_of(tx, project, params.id)
        status = _status(before, verb)
        now = before._replace(status=status)
        if status != "committed":
            now = now._replace(body=with_status(before.body, status))
        if now.status == "committed" and not _is_accepted(before):
            where = {**before.provenance["committed"], "accepted": True}
            now = now._replace(provenance={**now.provenance, "committed": where})
        if now == before:
            return _shown(before)
        if verb == "accept" or before.status == "accepted":
            _leave(tx, now, now_ms)
        return _shown(_kept(tx, now, now_ms))


def _leave(tx: apsw.Connection, now: Artifact, now_ms: int) -> None:
    """Leaves for the memories what an artifact says now, or that it was taken back."""
    from sidecar.capture.memory_handoff import leave_accepted, leave_taken_back

    (leave_taken_back if now.status == "discarded" else leave_accepted)(tx, now, now_ms)


def _tend(call: Call, project_path: str) -> None:
    from sidecar.memory import tend_later

    tend_later(call.process, call.process.workspaces.get(project_path, None))


def _status(artifact: Artifact, verb: Verb) -> ArtifactStatus:
    after = status_after(artifact.status, verb)
    if not isinstance(after, str):
        raise PolicyDenied(
            f"The artifact is committed, and stays so: it cannot be {_DONE[verb]} any more.",
            hint="Change its file on the memory branch.",
        )
    return after


_DONE = {"update": "changed", "discard": "discarded"}


def _is_accepted(committed: Artifact) -> bool:
    return bool(committed.provenance.get("committed", {}).get("accepted"))


def _kept(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> Artifact:
    """Keeps a change. Each has a moment of its own, so that no two of one millisecond are taken for the same."""
    kept = artifact._replace(updated_at_ms=max(now_ms, artifact.updated_at_ms + 1))
    artifacts.put(tx, kept)
    return kept


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _project(call: Call, path: str) -> str:
    return call.process.workspaces.get(path, None).project_key


def _summary(artifact: Artifact, is_whole: bool) -> dict[str, Any]:
    return {
        "id": artifact.id,
        "type": artifact.type,
        "status": artifact.status,
        "title": artifact.title,
        "event": artifact.event,
        "created_at": rfc3339(artifact.created_at_ms),
        "updated_at": rfc3339(artifact.updated_at_ms),
        "damaged": not is_whole,
    }


def _shown(artifact: Artifact) -> ArtifactGetResult:
    where = artifact.provenance.get("committed", {})
    told = {**artifact.provenance, "branch": where.get("branch"), "commit": where.get("commit")}
    named = ((name, field.alias or name) for name, field in Provenance.model_fields.items())
    known: dict[str, Any] = {name: told.get(alias) for name, alias in named if alias in told or name not in _OPTIONAL}
    return ArtifactGetResult(**_summary(artifact, is_whole=True), body=artifact.body, provenance=Provenance(**known))


_OPTIONAL = frozenset(name for name, field in Provenance.model_fields.items() if not field.is_required())

_ERRORS = (NotFound, WorkspaceUnavailable, StateDegraded)

METHODS = (
    method("artifact/list", list_artifacts, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("artifact/get", get_artifact, lane=Lane.SHARED, errors=_ERRORS),
    method("artifact/update", update_artifact, lane=Lane.SHARED, errors=(*_ERRORS, PolicyDenied, Conflict, Busy)),
    method("artifact/accept", accept_artifact, lane=Lane.SHARED, errors=(*_ERRORS, PolicyDenied, Busy)),
    method("artifact/discard", discard_artifact, lane=Lane.SHARED, errors=(*_ERRORS, PolicyDenied, Busy)),
    ROW,
)
