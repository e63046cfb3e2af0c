"""`continuity/postRun`, `artifact/list`, `artifact/get`."""

from typing import Any

from sidecar.call import Call
from sidecar.capture import commit_method, postrun
from sidecar.capture.model import (
    ArtifactGetParams,
    ArtifactGetResult,
    ArtifactListParams,
    ArtifactListResult,
    ArtifactSummary,
    PostRunParams,
    PostRunResult,
    Provenance,
)
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, NotFound, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.runs import Artifact, artifacts


def post_run(call: Call, params: PostRunParams) -> PostRunResult:
    """Keeps a run that ended: its deliveries, the tests' outcome, a devlog draft, the pressure on the session.

    Idempotent by run id, and all of it in one transaction: once answered, nothing of it is lost.
    """
    return postrun.run(call, params)


def list_artifacts(call: Call, params: ArtifactListParams) -> ArtifactListResult:
    """Lists a project's artifacts, the newest first."""
    project = call.process.workspaces.get(params.project_path, None).project_key
    with call.database.read() as tx:
        found = artifacts.listed(tx, project, params.status, params.type, params.limit)
    return ArtifactListResult(artifacts=[ArtifactSummary(**_summary(artifact)) for artifact in found])


def get_artifact(call: Call, params: ArtifactGetParams) -> ArtifactGetResult:
    """Shows an artifact with its text and where it comes from."""
    with call.database.read() as tx:
        found = artifacts.get(tx, params.id)
    if found is None:
        raise NotFound("There is no artifact of that id.", hint="`artifact/list` shows a project's artifacts.")
    artifact, is_whole = found
    if not is_whole:
        raise StateDegraded("The artifact's record is damaged.", hint="Restart the sidecar: it checks the state file.")
    known: dict[str, Any] = {
        name: artifact.provenance.get(field.alias or name) for name, field in Provenance.model_fields.items()
    }
    return ArtifactGetResult(**_summary(artifact), body=artifact.body, provenance=Provenance(**known))


def _summary(artifact: Artifact) -> dict[str, Any]:
    return {
        "id": artifact.id,
        "type": artifact.type,
        "status": artifact.status,
        "title": artifact.title,
        "event": artifact.event,
        "created_at": rfc3339(artifact.created_at_ms),
    }


METHODS = (
    method("continuity/postRun", post_run, lane=Lane.WORKSPACE, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
    method("artifact/list", list_artifacts, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("artifact/get", get_artifact, lane=Lane.SHARED, errors=(NotFound, StateDegraded)),
    commit_method.ROW,
)
