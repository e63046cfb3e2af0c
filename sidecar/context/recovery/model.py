"""The messages of `context/continuation` and `context/postCompact`."""

from typing import Annotated

from pydantic import Field

from sidecar.context.brackets import Bracket
from sidecar.context.model import AgentName, ContextComposeResult, WindowUsage
from sidecar.core.wire import FolderPath, Identifier, WireModel
from sidecar.session import IdeName

_Text = Annotated[str, Field(max_length=20_000)]


class ContextContinuationParams(WireModel):
    """An interaction of a session. What is absent is as `context/preCompact` had it, else taken from the project."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(default=None, description="The original project; `cwd` without it.")
    session_id: Identifier = Field(description="The provider session, whose wear is counted.")
    interaction_id: Identifier | None = Field(default=None, description="One told twice counts once.")
    bracket: Bracket | None = Field(default=None, description="Of this interaction; else by `usage`, else not counted.")
    usage: WindowUsage | None = None
    ide: IdeName = "claude-code"
    agent: AgentName | None = None
    score: float | None = Field(default=None, ge=0, allow_inf_nan=False, description="The agent's, on any one scale.")
    agent_done: bool | None = Field(default=None, description="Whether the agent has finished its part.")
    next_agent: AgentName | None = Field(default=None, description="Who is to go on once the agent is done.")
    mode: str | None = Field(default=None, min_length=1, max_length=40)
    task: _Text | None = None
    progress: _Text | None = Field(default=None, description="How far the task has come.")
    pending_decisions: list[Annotated[str, Field(max_length=2_000)]] | None = Field(
        default=None, max_length=50, description="What waits for the user."
    )
    force: bool = Field(default=False, description="Writes the continuation file also where nothing asks for it.")
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: its agent's own memories are told; without one only shared ones.",
    )


class SessionWear(WireModel):
    """What the spawn criteria are judged by."""

    compactions: int
    critical_in_a_row: int
    score_before: float | None = Field(description="The agent's score at the last compaction.")
    score: float | None
    next_agent: str | None = Field(description="Who waits while the agent is done; null where nobody does.")


class IdeContinuing(WireModel):
    """What the IDE can do by itself."""

    name: IdeName
    spawns_itself: bool = Field(description="Whether it begins the new session; else the user loads the file.")
    level1: str = Field(description="How it goes on after a compaction.")
    level2: str = Field(description="How a new session begins.")


class ContextContinuationResult(WireModel):
    """Whether a new session should begin, why, and with what."""

    spawn: bool
    reasons: list[str] = Field(description="Every criterion that holds; one is enough.")
    wear: SessionWear
    ide: IdeContinuing
    path: str | None = Field(description="The continuation file, below the project; null where none was written.")
    prompt: str | None = Field(description="The same text, for a host that begins the session itself.")
    resume_command: str | None = Field(description="What the user types to go on; null where nothing was written.")
    warnings: list[str]


class ContextPostCompactParams(WireModel):
    """A session that was just compacted. What is absent is as `context/preCompact` had it."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(default=None, description="The original project; `cwd` without it.")
    session_id: Identifier
    compaction_id: Identifier | None = Field(
        default=None,
        description="What tells this compaction from the others of the session; without it, the one that"
        " `context/preCompact` told of last.",
    )
    agent: AgentName | None = None
    mode: str | None = Field(default=None, min_length=1, max_length=40)
    task: _Text | None = None
    progress: _Text | None = Field(default=None, description="How far the task had come.")
    pending_decisions: list[Annotated[str, Field(max_length=2_000)]] | None = Field(default=None, max_length=50)
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: its agent's own memories are told; without one only shared ones.",
    )


class ContextPostCompactResult(WireModel):
    """What the compacted session is told so that it goes on where it stopped."""

    context: ContextComposeResult = Field(
        description="The block of a fresh window, with what was just captured and the HOT memories, this once."
    )
    prompt: str = Field(description="The continuation prompt: where the session stood, with the whole pipeline.")
    compactions: int = Field(description="How many the session has had.")
    spawn: bool = Field(description="Whether a new session should begin instead.")
    reasons: list[str]
    duplicate: bool = Field(description="Whether this had been asked for before; the answer is the same.")
