"""One artifact of a project, or why there is none to be had."""

from __future__ import annotations

import apsw

from sidecar.core.errors import NotFound, StateDegraded
from sidecar.runs import Artifact, artifacts


def artifact_of(tx: apsw.Connection, project: str, artifact_id: str) -> Artifact:
    """Gives an artifact of a project; raises NotFound for another project's too, StateDegraded for a damaged one."""
    found = artifacts.get(tx, artifact_id)
    if found is None or found[0].project != project:
        raise NotFound("There is no artifact of that id.", hint="`artifact/list` shows a project's artifacts.")
    artifact, is_whole = found
    if not is_whole:
        raise StateDegraded("The artifact's record is damaged.", hint="Restart the sidecar: it checks the state file.")
    return artifact
