"""Artifacts as runs leave them, for tests that need some in the state file."""

from dataclasses import replace
from typing import Any

from sidecar.runs import Artifact
from sidecar.runs.artifact_provenance import Provenance

PROVENANCE = Provenance(run_id="r", sub_chat_id="c", provider="claude", sidecar_version="1")

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
