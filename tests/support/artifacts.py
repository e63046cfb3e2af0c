"""Artifacts as runs leave them, for tests that need some in the state file."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from sidecar.call import Process
from sidecar.runs import Artifact, artifact_store
from sidecar.runs.artifact_provenance import ArtifactProvenance

PROVENANCE = ArtifactProvenance(run_id="r", sub_chat_id="c", provider="claude", sidecar_version="1")

_ARTIFACT = Artifact(
    id="devlog-1",
    project="p",
    type="devlog",
    status="draft",
    title="Title",
    body="# Title\n",
    event="e",
    event_key="k",
    provenance=PROVENANCE,
    created_at_ms=1,
    updated_at_ms=1,
)


def make_artifact(**changes: Any) -> Artifact:
    """Return an artifact with plain values and some changes."""
    return replace(_ARTIFACT, **changes)


def store_artifact(process: Process | None, project: Path | str, **changes: Any) -> None:
    """Store an artifact of a project as a run would, with plain values and some changes."""
    assert process is not None
    key = process.workspaces.get(str(project), None).project_key
    with process.database.write() as tx:
        artifact_store.put(tx, make_artifact(project=key, **changes))
