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
    id_prefix: Identifier | None = Field(default=None, description="Only artifacts whose id starts with this.")
    limit: int = Field(default=50, ge=1, le=500)


class ArtifactSummary(WireModel):
    """An artifact without its text."""

    id: str
    type: ArtifactType
    status: ArtifactStatus
    title: str
    event: str = Field(description="The event that caused it.")
    created_at: str = Field(description="RFC 3339.")
    updated_at: str = Field(description="Time of the last change, RFC 3339; `artifact/update` compares it.")
    damaged: bool = Field(description="Whether the stored record is damaged; a damaged artifact can only be listed.")


class ArtifactListResult(WireModel):
    """Artifacts of a project, newest first."""

    artifacts: list[ArtifactSummary]


class ArtifactParams(WireModel):
    """Reference to one artifact of a project."""

    project_path: FolderPath = Field(description="Artifacts of other projects are not found.")
    id: Identifier


class Provenance(WireModel):
    """Origin of an artifact; the artifact's `event` names what happened."""

    run_id: str
    sub_chat_id: str
    provider: Provider
    session_id: str | None
    task_fingerprint: str | None
    head_commit: str | None = Field(description="The worktree's head commit after the run.")
    files: list[str]
    sidecar_version: str
    runs: list[str] = Field(default_factory=list, description="Every run that contributed to it, latest last.")
    chat_id: str | None = None
    start_commit: str | None = Field(
        default=None, description="The worktree's head commit before the first of these runs."
    )
    edited: bool = Field(default=False, description="Whether the user edited its text; runs no longer extend it then.")
    branch: str | None = Field(default=None, description="The branch it was committed to.")
    commit: str | None = Field(default=None, description="The commit that added it to that branch.")


class ArtifactGetResult(ArtifactSummary):
    """An artifact with its Markdown text."""

    body: str
    provenance: Provenance


class ArtifactUpdateParams(ArtifactParams):
    """A new text for an artifact."""

    title: Title | None = Field(default=None, description="Default: the heading at the start of the new body.")
    body: str | None = Field(default=None, max_length=MAX_BODY, description="Markdown.")
    expected_updated_at: Instant | None = Field(
        default=None, description="The `updatedAt` of the version being changed; a later one is a conflict."
    )
