"""Messages of `artifact/…`, except `artifact/commit`."""

from typing import Annotated

from pydantic import Field

from sidecar.core.wire import FolderPath, Identifier, Instant, WireModel
from sidecar.runs.model import ArtifactStatus, ArtifactType, Provider

MAX_TITLE = 200
MAX_BODY = 100_000

Title = Annotated[
    str, Field(min_length=1, max_length=MAX_TITLE, pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$")
]
"""A single line that is not blank."""


class ArtifactListParams(WireModel):
    """Filter of the artifacts to list."""

    project_path: FolderPath
    status: ArtifactStatus | None = None
    type: ArtifactType | None = None
    id_prefix: Identifier | None = Field(default=None, description="Only those whose id begins so.")
    limit: int = Field(default=50, ge=1, le=500)


class ArtifactSummary(WireModel):
    """An artifact without its text."""

    id: str
    type: ArtifactType
    status: ArtifactStatus
    title: str
    event: str = Field(description="What caused it.")
    created_at: str = Field(description="RFC 3339.")
    updated_at: str = Field(description="When it was changed last, RFC 3339; `artifact/update` compares it.")
    damaged: bool = Field(description="Whether its record is not what was written; then it can only be listed.")


class ArtifactListResult(WireModel):
    """Artifacts of a project, newest first."""

    artifacts: list[ArtifactSummary]


class ArtifactParams(WireModel):
    """Reference to one artifact of a project."""

    project_path: FolderPath = Field(description="The artifacts of another project are not known here.")
    id: Identifier


class Provenance(WireModel):
    """Origin of an artifact; the artifact's `event` names what happened."""

    run_id: str
    sub_chat_id: str
    provider: Provider
    session_id: str | None
    task_fingerprint: str | None
    head_commit: str | None = Field(description="The commit the worktree stood at after the run.")
    files: list[str]
    sidecar_version: str
    runs: list[str] = Field(default_factory=list, description="Every run that added to it, the latest last.")
    chat_id: str | None = None
    start_commit: str | None = Field(
        default=None, description="The commit the worktree stood at before the first of them."
    )
    edited: bool = Field(default=False, description="Whether the user has changed its text; runs add nothing then.")
    branch: str | None = Field(default=None, description="The branch it was committed to.")
    commit: str | None = Field(default=None, description="The commit it came to that branch with.")


class ArtifactGetResult(ArtifactSummary):
    """An artifact with its Markdown text."""

    body: str
    provenance: Provenance


class ArtifactUpdateParams(ArtifactParams):
    """A new text for an artifact."""

    title: Title | None = Field(default=None, description="Absent: a heading that begins the new body.")
    body: str | None = Field(default=None, max_length=MAX_BODY, description="Markdown.")
    expected_updated_at: Instant | None = Field(
        default=None, description="The `updatedAt` the change is made to; a later one is a conflict."
    )
