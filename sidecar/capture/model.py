"""Messages of `continuity/postRun`."""

from typing import Any, Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, Identifier, Instant, WireModel
from sidecar.governor.model import GovernorDecision
from sidecar.runs.model import (
    MAX_PROMPT_CHARACTERS,
    ArtifactReference,
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

    run_id: Identifier
    delivery_token: Identifier | None = Field(default=None, description="The `deliveryToken` of the run's pre-run.")
    sub_chat_id: Identifier
    chat_id: Identifier | None = None
    provider: Provider
    mode: RunMode
    cwd: FolderPath
    project_path: FolderPath | None = None
    prompt: str = Field(max_length=MAX_PROMPT_CHARACTERS, description="The prompt as the user wrote it.")
    outcome: Outcome
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


class PostRunResult(WireModel):
    """The run is stored durably; sending it again changes nothing."""

    accepted: bool = Field(
        description="False if nothing is stored: the mode is `off`, or the conversation was deleted in the meantime."
    )
    duplicate: bool = Field(description="True if this run id was recorded before; the first answer is repeated.")
    artifacts: list[ArtifactReference]
    governor: GovernorDecision
