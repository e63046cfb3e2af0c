"""The messages of `context/bracket` and `context/compose`, and the block's data."""

from typing import Annotated

from pydantic import Field

from sidecar.context.brackets import Bracket, LayerName, MemoryLevel, PartLayer
from sidecar.context.window import Said, Source
from sidecar.core.wire import MOST_TOKENS, FolderPath, Identifier, Tokens, WireModel
from sidecar.memory import MemoryCaptureResult, MemoryDigest
from sidecar.session import IdeName

AgentName = Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9][a-z0-9_-]*$")]
"""An agent's name as its file is called: lower case, digits, dashes."""


class WindowUsage(WireModel):
    """How full a context window is; the best of what is said counts: reported tokens, a percentage, an estimate."""

    used_tokens: Tokens | None = Field(default=None, description="As the provider reported it, with `maxTokens`.")
    max_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS, description="What the window holds.")
    remaining_percent: float | None = Field(default=None, allow_inf_nan=False, description="Clamped to 0–100.")
    prompt_count: int | None = Field(default=None, ge=0, le=2**32, description="For an estimate, with an average.")
    average_tokens: float | None = Field(
        default=None, ge=0, le=MOST_TOKENS, allow_inf_nan=False, description="Tokens of a prompt with its answer."
    )
    sample_text: str | None = Field(
        default=None,
        max_length=200_000,
        description="A usual prompt with its answer, whose tokens are estimated where no average is known.",
    )

    @property
    def said(self) -> Said:
        """The same as a value."""
        return Said(
            self.used_tokens,
            self.max_tokens,
            self.remaining_percent,
            self.prompt_count,
            self.average_tokens,
            self.sample_text,
        )


class ContextBracketParams(WindowUsage):
    """How full the window is, and the bracket it was in before."""

    previous: Bracket | None = Field(default=None, description="The bracket of the last interaction, for hysteresis.")
    hysteresis: float = Field(
        default=0.0,
        ge=0,
        le=50,
        allow_inf_nan=False,
        description="Percent beyond a roomier bracket's bound that have to remain; 0 is off.",
    )


class ContextBracketResult(WireModel):
    """The bracket, and what may be told in it."""

    bracket: Bracket
    remaining_percent: float = Field(description="0–100, unrounded.")
    source: Source = Field(description="What it was taken from.")
    used_tokens: int | None = Field(description="As reported or estimated; null where only a percentage is known.")
    budget_tokens: int = Field(description="The most that the context block takes.")
    layers: list[LayerName]
    memory_level: MemoryLevel
    behavior: str


class ContextComposeParams(WireModel):
    """What the block is for."""

    cwd: FolderPath = Field(description="The worktree the agent works in.")
    project_path: FolderPath | None = Field(default=None, description="The original project; `cwd` without it.")
    bracket: Bracket | None = Field(default=None, description="As `context/bracket` gave it; else `usage` is needed.")
    usage: WindowUsage | None = None
    agent: AgentName | None = Field(default=None, description="The active agent; the session's without it.")
    mode: str | None = Field(default=None, min_length=1, max_length=40, description="The session's without it.")
    task: str | None = Field(default=None, max_length=20_000, description="The session's without it.")
    after_compaction: bool = Field(default=False, description="Whether this is the first block after a compaction.")
    resumed: bool = Field(default=False, description="Whether this is the first block of a session that was resumed.")
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: its agent's own memories may be told; without one only shared ones.",
    )


class BlockAgent(WireModel):
    """L2: what the active agent is for."""

    name: str
    mission: str
    inputs: str | None
    outputs: str | None
    criteria: str | None


class BlockHandoff(WireModel):
    """L4: what the agent before handed on."""

    sender: str = Field(alias="from")
    score: str | None
    summary: str


class BlockMemory(WireModel):
    """What is remembered, at the level that the bracket allows."""

    bracket: Bracket
    level: MemoryLevel
    text: str = Field(description="A line for each memory; at level metadata one for all.")


class ContextBlock(WireModel):
    """What a `<chati-context>` block says; null is what is not in it."""

    bracket: Bracket
    constitution: str = Field(min_length=1, description="L0, in every bracket.")
    mode: str = Field(min_length=1, description="L1, in every bracket.")
    governance: dict[str, str] = Field(description="L1: what goes with the mode, as `reads` and `writes`.")
    agent: BlockAgent | None = Field(description="L2.")
    pipeline: str | None = Field(description="L3: the agents in order with their scores, and the backlog.")
    task: str | None = Field(description="L4.")
    handoff: BlockHandoff | None = Field(description="L4.")
    memory: BlockMemory | None


class TrimmedPart(WireModel):
    """Something that is not, or not wholly, in the block."""

    layer: PartLayer
    part: str
    reason: str


class ContextComposeResult(WireModel):
    """The block for an agent's prompt, and how it came to be."""

    block: str = Field(description="Well-formed XML; the same inputs give the same bytes.")
    data: ContextBlock
    bracket: Bracket
    layers: list[LayerName] = Field(description="The layers that are in the block.")
    tokens: int = Field(description="What the block takes, as estimated; never more than the budget.")
    budget_tokens: int
    trimmed: list[TrimmedPart] = Field(description="What there was no room for; the lowest layer is trimmed first.")
    warnings: list[str] = Field(description="Sources that are missing or damaged, and what stands in for them.")


# The messages of `context/continuation` and `context/postCompact`.


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


# The messages of `context/preCompact`.


_Text_compacting_model = Annotated[str, Field(max_length=20_000)]


class ContextPreCompactParams(WireModel):
    """A session that is about to be compacted, and what is known of where it stands."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(default=None, description="The original project; `cwd` without it.")
    session_id: Identifier = Field(description="The provider session.")
    compaction_id: Identifier | None = Field(
        default=None,
        description="What tells this compaction from the others of the session; without it, the transcript's length.",
    )
    transcript_path: str | None = Field(
        default=None,
        min_length=1,
        max_length=4_096,
        description="The provider's session file; read from where the session's runs and compactions were captured.",
    )
    run_id: Identifier | None = Field(
        default=None,
        description="The run under way, so that its `continuity/postRun` does not count the same words once more.",
    )
    digest: MemoryDigest | None = Field(default=None, description="What the host knows to be worth keeping.")
    text: str | None = Field(default=None, min_length=1, max_length=200_000, description="A summary of the session.")
    agent: AgentName | None = None
    mode: str | None = Field(default=None, min_length=1, max_length=40)
    task: _Text_compacting_model | None = None
    progress: _Text_compacting_model | None = Field(default=None, description="How far the task has come.")
    pending_decisions: list[Annotated[str, Field(max_length=2_000)]] | None = Field(
        default=None, max_length=50, description="What waits for the user."
    )
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: what its agent found out is kept among its own memories.",
    )


class ContextPreCompactResult(WireModel):
    """What was kept before the compaction."""

    compaction_id: str = Field(description="For `context/postCompact`.")
    captured: MemoryCaptureResult | None = Field(
        description="What became of the session's digest; null where it could not be captured, and a warning says why."
    )
    hot: int = Field(description="HOT memories within reach, all of them in files.")
    warm: int = Field(description="WARM memories within reach, all of them in files.")
    saved: bool = Field(description="Whether the project's session file was told where the session stands.")
    compactions: int = Field(description="How many the session has had, with this one.")
    warnings: list[str]
    duplicate: bool = Field(description="Whether this compaction had been told before; the answer is the same.")
