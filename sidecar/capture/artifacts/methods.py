"""`artifact/list`, `get`, `update`, `accept`, `discard`: what runs left for the user to decide on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import apsw

from sidecar.call import Call
from sidecar.capture.artifacts import commit_method
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
from sidecar.capture.artifacts.of_project import artifact_of
from sidecar.capture.artifacts.revising import Text, revised, with_status
from sidecar.capture.artifacts.status import Verb, status_after
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, Conflict, NotFound, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.runs import Artifact, artifacts
from sidecar.runs.model import ArtifactStatus


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
    from sidecar.capture.artifacts.accepted import leave_accepted, leave_taken_back

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
    commit_method.ROW,
)
