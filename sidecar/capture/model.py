"""Messages of `continuity/postRun` and of `artifact/…`."""

from typing import Annotated, Any, Literal

from pydantic import Field

from sidecar.core.wire_types import FolderPath, Identifier, Instant, WireModel
from sidecar.governor.model import GovernorDecision
from sidecar.runs.model import (
    MAX_PROMPT_CHARACTERS,
    ArtifactReference,
    ArtifactStatus,
    ArtifactType,
    Outcome,
    Provider,
    RunMode,
    RunUsage,
    Todo,
)


class RunError(WireModel):
    """Reason of a run's failure."""

    kind: Literal["auth", "rateLimit", "overload", "other"]
    message: str | None = Field(default=None, max_length=20_000)


class SessionChange(WireModel):
    """The provider session before and after the run."""

    before: Identifier | None
    after: Identifier | None = Field(description="Null if the run has no known session.")


class Assistant(WireModel):
    """The agent's message as the host stored it."""

    message_id: Identifier | None = None
    text: str = Field(default="", max_length=MAX_PROMPT_CHARACTERS, description="The agent's final text.")
    parts: list[dict[str, Any]] = Field(default_factory=list, description="The stored parts, including tool calls.")


class ToolError(WireModel):
    """Output of a failed tool call. The stored message parts do not contain it."""

    tool_call_id: str | None = Field(default=None, max_length=200)
    tool_name: str | None = Field(default=None, max_length=200)
    text: str = Field(max_length=1_000_000)
    exit_code: int | None = Field(default=None, ge=-(2**31), lt=2**32)


class Pipeline(WireModel):
    """The agent's position in a pipeline of agents, as the orchestrating host knows it."""

    score: float | None = Field(default=None, ge=0, description="The agent's score, on any consistent scale.")
    next_agent_pending: bool = Field(
        default=False, description="Whether the agent is done and the next one waits to start in a fresh session."
    )


class PostRunParams(WireModel):
    """A run that ended, with any outcome."""

    run_id: Identifier = Field(description="The id that the run's pre-run stated.")
    delivery_token: Identifier | None = Field(default=None, description="The `deliveryToken` of the run's pre-run.")
    sub_chat_id: Identifier = Field(description="The conversation, as in the pre-run.")
    chat_id: Identifier | None = Field(default=None, description="The chat around it, as in the pre-run.")
    provider: Provider = Field(description="Whose agent ran.")
    mode: RunMode = Field(description="As in the pre-run.")
    cwd: FolderPath = Field(description="The chat's git worktree, absolute.")
    project_path: FolderPath | None = Field(
        default=None, description="The original project; default: the repository's main worktree, or `cwd`."
    )
    prompt: str = Field(max_length=MAX_PROMPT_CHARACTERS, description="The prompt as the user wrote it.")
    outcome: Outcome = Field(
        description="`completed`; `aborted` by the user; ended in an `error`; `empty`: the provider answered nothing;"
        " `notStarted`: it received nothing; `superseded`: another run of the conversation took its place."
    )
    error: RunError | None = None
    session: SessionChange
    assistant: Assistant | None = None
    tool_errors: list[ToolError] | None = Field(default=None, max_length=1_000)
    transcript_path: FolderPath | None = Field(
        default=None, description="The provider's transcript file of the session."
    )
    todos: list[Todo] | None = Field(default=None, max_length=1_000)
    usage: RunUsage | None = None
    pipeline: Pipeline | None = None
    started_at: Instant
    finished_at: Instant


class NotesSpan(WireModel):
    """The place of the agent's notes block in `assistant.text`, in UTF-16 units, so that the app can fold it away."""

    start: int = Field(description="Offset of its heading's line.")
    end: int = Field(description="Offset after its last line.")


class Remembered(WireModel):
    """A memory that the run added; `memory/undo` with its id undoes it."""

    id: str
    text: str = Field(description="One line.")
    standing: bool = Field(description="Whether every new session receives it as the user's standing instruction.")


class Withdrawn(WireModel):
    """A statement of the user that no longer holds since the run."""

    id: str
    text: str = Field(description="One line.")
    replaced_by: str | None = Field(
        description="The memory that replaced it: `memory/undo` with this id lets the statement hold again. Null: the"
        " prompt took it back, and `memory/confirm` with `id` lets it hold again."
    )


class PostRunResult(WireModel):
    """The run is stored durably; sending it again changes nothing."""

    accepted: bool = Field(
        description="False if nothing is stored: the mode is `off`, or the conversation was deleted in the meantime."
    )
    duplicate: bool = Field(
        description="True if this run id was recorded before; the first answer is repeated, `remembered` as it is now."
    )
    artifacts: list[ArtifactReference]
    governor: GovernorDecision
    notes_block: NotesSpan | None = Field(
        default=None,
        description="Null if the text does not end with notes, the mode is not active, or the setting `notes` is off.",
    )
    remembered: list[Remembered] = Field(
        default_factory=list, description="Memories that the run added; empty unless the mode is active."
    )
    withdrawn: list[Withdrawn] = Field(
        default_factory=list, description="Statements that the run's prompt replaced or took back."
    )


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
    arm: str | None = Field(default=None, description="The experiment and the arm of its chat, as `packs-1:treated`.")
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


MAX_PER_COMMIT = 100


class ArtifactCommitParams(WireModel):
    """Artifacts to commit, and the project whose repository they go to."""

    project_path: FolderPath
    ids: list[Identifier] | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_PER_COMMIT,
        description="Drafts listed here are accepted. Default: every accepted artifact of the project.",
    )


class CommittedArtifact(WireModel):
    """An artifact that is on the memory branch."""

    id: str
    type: ArtifactType
    commit: str = Field(description="The commit that added it to the branch.")


class ArtifactCommitResult(WireModel):
    """Artifacts on the memory branch after the commit."""

    branch: str
    commit: str | None = Field(description="The branch's new commit; null if there was nothing to do.")
    artifacts: list[CommittedArtifact]
