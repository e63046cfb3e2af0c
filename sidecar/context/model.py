"""Params and results of `context/*`, and the block's data."""

from typing import Annotated

from pydantic import Field

from sidecar.context.brackets import Bracket, LayerName, MemoryLevel, PartLayer, ReportedUsage, UsageSource
from sidecar.core.wire_types import MAX_TOKENS, FolderPath, Identifier, Tokens, WireModel
from sidecar.memory import MemoryCaptureResult, SessionSummaryInput
from sidecar.session import IdeName

AgentName = Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9][a-z0-9_-]*$")]
"""An agent's name as in its file name: lower case, digits, dashes."""


class WindowUsage(WireModel):
    """Fill of a context window. The best source wins: reported tokens, then a percentage, then an estimate."""

    used_tokens: Tokens | None = Field(default=None, description="As reported by the provider, with `maxTokens`.")
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS, description="Size of the window.")
    remaining_percent: float | None = Field(default=None, allow_inf_nan=False, description="Clamped to 0–100.")
    prompt_count: int | None = Field(
        default=None, ge=0, le=2**32, description="For an estimate, together with an average and `maxTokens`."
    )
    average_tokens: float | None = Field(
        default=None,
        ge=0,
        le=MAX_TOKENS,
        allow_inf_nan=False,
        description="Average tokens of a prompt and its answer.",
    )
    sample_text: str | None = Field(
        default=None,
        max_length=200_000,
        description="A typical prompt with its answer; its tokens are estimated if no average is given.",
    )

    @property
    def reported(self) -> ReportedUsage:
        """The same as a plain value."""
        return ReportedUsage(
            used_tokens=self.used_tokens,
            max_tokens=self.max_tokens,
            remaining_percent=self.remaining_percent,
            prompt_count=self.prompt_count,
            average_tokens=self.average_tokens,
            sample_text=self.sample_text,
        )


class ContextBracketParams(WindowUsage):
    """Params: the fill of the window, and its previous bracket."""

    previous: Bracket | None = Field(default=None, description="The previous interaction's bracket, for hysteresis.")
    hysteresis: float = Field(
        default=0.0,
        ge=0,
        le=50,
        allow_inf_nan=False,
        description="Percentage points above a roomier bracket's bound that must remain; 0 disables it.",
    )


class ContextBracketResult(WireModel):
    """The bracket and its limits."""

    bracket: Bracket
    remaining_percent: float = Field(description="0–100, unrounded.")
    source: UsageSource = Field(description="Where the percentage comes from.")
    used_tokens: int | None = Field(description="As reported or estimated; null if only a percentage is known.")
    budget_tokens: int = Field(description="Maximum size of the context block.")
    layers: list[LayerName]
    memory_level: MemoryLevel
    behavior: str


class ContextComposeParams(WireModel):
    """Params: the purpose of the block."""

    cwd: FolderPath = Field(description="The agent's worktree.")
    project_path: FolderPath | None = Field(
        default=None, description="The original project; default: the repository's main worktree, or `cwd`."
    )
    bracket: Bracket | None = Field(
        default=None, description="As returned by `context/bracket`; required unless `usage` is given."
    )
    usage: WindowUsage | None = None
    agent: AgentName | None = Field(default=None, description="The active agent; defaults to the session's.")
    mode: str | None = Field(default=None, min_length=1, max_length=40, description="Defaults to the session's.")
    task: str | None = Field(default=None, max_length=20_000, description="Defaults to the session's.")
    after_compaction: bool = Field(default=False, description="Whether this is the first block after a compaction.")
    resumed: bool = Field(default=False, description="Whether this is the first block of a resumed session.")
    session_id: Identifier | None = Field(
        default=None,
        description="The provider session. If it has an anchor, the block repeats no standing instruction.",
    )
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: adds its agent's own memories; without a token only shared ones are"
        " used.",
    )


class BlockAgent(WireModel):
    """L2: the active agent's scope."""

    name: str
    mission: str
    inputs: str | None
    outputs: str | None
    criteria: str | None


class BlockHandoff(WireModel):
    """L4: what the previous agent handed over."""

    sender: str = Field(alias="from")
    score: str | None
    summary: str


class BlockMemory(WireModel):
    """Memories, at the bracket's level of detail."""

    bracket: Bracket
    level: MemoryLevel
    text: str = Field(description="One line per memory; one line for all at level `metadata`.")


class ContextBlock(WireModel):
    """The content of a `<chati-context>` block; null for what it does not contain."""

    bracket: Bracket
    constitution: str = Field(min_length=1, description="L0, in every bracket.")
    mode: str = Field(min_length=1, description="L1, in every bracket.")
    governance: dict[str, str] = Field(description="L1: attributes of the mode, such as `reads` and `writes`.")
    agent: BlockAgent | None = Field(description="L2.")
    pipeline: str | None = Field(description="L3: the agents in order with their scores, and the backlog.")
    task: str | None = Field(description="L4.")
    handoff: BlockHandoff | None = Field(description="L4.")
    memory: BlockMemory | None
    standing_instructions: str | None = Field(
        description="The user's standing instructions, one per line; null in a session whose anchor has them."
    )


class TrimmedPart(WireModel):
    """A part that is missing from the block or shortened."""

    layer: PartLayer
    part: str
    reason: str


class ContextComposeResult(WireModel):
    """The block for an agent's prompt, and how it was composed."""

    block: str = Field(description="Well-formed XML; the same inputs give the same bytes.")
    data: ContextBlock
    bracket: Bracket
    layers: list[LayerName] = Field(description="The layers in the block.")
    tokens: int = Field(description="The block's estimated size; never above the budget.")
    budget_tokens: int
    trimmed: list[TrimmedPart] = Field(description="What did not fit; the lowest layer is trimmed first.")
    warnings: list[str] = Field(description="Missing or damaged sources, and what replaces them.")


_Text = Annotated[str, Field(max_length=20_000)]


class ContextContinuationParams(WireModel):
    """One interaction of a session. Absent values come from `context/preCompact`, otherwise from the project."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(
        default=None, description="The original project; default: the repository's main worktree, or `cwd`."
    )
    session_id: Identifier = Field(description="The provider session whose counters are updated.")
    interaction_id: Identifier | None = Field(
        default=None, description="A repeated id counts once; for a run that `continuity/postRun` reports, its `runId`."
    )
    bracket: Bracket | None = Field(
        default=None, description="This interaction's bracket; defaults to `usage`, otherwise it is not counted."
    )
    usage: WindowUsage | None = None
    ide: IdeName = "claude-code"
    agent: AgentName | None = None
    score: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="The agent's score, on any one scale."
    )
    agent_done: bool | None = Field(default=None, description="Whether the agent is done.")
    next_agent: AgentName | None = Field(default=None, description="The agent that continues once this one is done.")
    mode: str | None = Field(default=None, min_length=1, max_length=40)
    task: _Text | None = None
    progress: _Text | None = Field(default=None, description="Progress of the task.")
    pending_decisions: list[Annotated[str, Field(max_length=2_000)]] | None = Field(
        default=None, max_length=50, description="Decisions that wait for the user."
    )
    force: bool = Field(default=False, description="Write the continuation file even if no criterion is met.")
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: adds its agent's own memories; without a token only shared ones are"
        " used.",
    )


class RestartCounters(WireModel):
    """The counters that decide about a restart."""

    compactions: int
    critical_in_a_row: int
    score_before: float | None = Field(description="The agent's score at the last compaction.")
    score: float | None
    next_agent: str | None = Field(description="The agent that waits while this one is done; null if none does.")


class IdeCapabilities(WireModel):
    """Automatic actions of the IDE."""

    name: IdeName
    restarts_automatically: bool = Field(
        description="Whether the IDE starts the new session; otherwise the user loads the file."
    )
    level1: str = Field(description="How the session continues after a compaction.")
    level2: str = Field(description="How a new session starts.")


class ContextContinuationResult(WireModel):
    """Whether a new session should start, why, and with what."""

    restart: bool
    reasons: list[str] = Field(description="Every criterion that is met; one is enough.")
    counters: RestartCounters
    ide: IdeCapabilities
    path: str | None = Field(description="The continuation file's path below the project; null if none was written.")
    prompt: str | None = Field(description="The same text, for a host that starts the session itself.")
    resume_command: str | None = Field(description="What the user types to continue; null if no file was written.")
    warnings: list[str]


class ContextPostCompactParams(WireModel):
    """A session that was just compacted. Absent values are as sent with `context/preCompact`."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(
        default=None, description="The original project; default: the repository's main worktree, or `cwd`."
    )
    session_id: Identifier
    compaction_id: Identifier | None = Field(
        default=None,
        description="Identifies this compaction within the session; defaults to the one that"
        " `context/preCompact` announced last.",
    )
    agent: AgentName | None = None
    mode: str | None = Field(default=None, min_length=1, max_length=40)
    task: _Text | None = None
    progress: _Text | None = Field(default=None, description="Progress of the task.")
    pending_decisions: list[Annotated[str, Field(max_length=2_000)]] | None = Field(default=None, max_length=50)
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: adds its agent's own memories; without a token only shared ones are"
        " used.",
    )


class ContextPostCompactResult(WireModel):
    """Everything the compacted session needs to continue where it stopped."""

    context: ContextComposeResult = Field(
        description="The block for a fresh window, this once with what was just captured and the HOT memories."
    )
    prompt: str = Field(description="The continuation prompt: where the session stopped, with the whole pipeline.")
    compactions: int = Field(description="Number of the session's compactions.")
    restart: bool = Field(description="Whether a new session should start instead.")
    reasons: list[str]
    duplicate: bool = Field(description="Whether this call repeats an earlier one; the result is the same.")


_Text_compacting_model = Annotated[str, Field(max_length=20_000)]


class ContextPreCompactParams(WireModel):
    """A session that is about to be compacted, and its present state."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(
        default=None, description="The original project; default: the repository's main worktree, or `cwd`."
    )
    session_id: Identifier = Field(description="The provider session.")
    compaction_id: Identifier | None = Field(
        default=None,
        description="Identifies this compaction within the session; defaults to the transcript's length. Required"
        " without a transcript.",
    )
    transcript_path: str | None = Field(
        default=None,
        min_length=1,
        max_length=4_096,
        description="The provider's session file; read from where the last capture ended.",
    )
    run_id: Identifier | None = Field(
        default=None,
        description="The current run, so that its `continuity/postRun` does not count the same evidence again.",
    )
    summary: SessionSummaryInput | None = Field(default=None, description="What the host considers worth remembering.")
    text: str | None = Field(default=None, min_length=1, max_length=200_000, description="A summary of the session.")
    agent: AgentName | None = None
    mode: str | None = Field(default=None, min_length=1, max_length=40)
    task: _Text_compacting_model | None = None
    progress: _Text_compacting_model | None = Field(default=None, description="Progress of the task.")
    pending_decisions: list[Annotated[str, Field(max_length=2_000)]] | None = Field(
        default=None, max_length=50, description="Decisions that wait for the user."
    )
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: the agent's findings are stored among its own memories.",
    )


class ContextPreCompactResult(WireModel):
    """The state saved before the compaction."""

    compaction_id: str = Field(description="For `context/postCompact`.")
    captured: MemoryCaptureResult | None = Field(
        description="What was captured of the session; null if that failed, with a warning."
    )
    hot: int = Field(description="Number of reachable HOT memories, all of them in files.")
    warm: int = Field(description="Number of reachable WARM memories, all of them in files.")
    saved: bool = Field(description="Whether the resume point was saved in the project's session file.")
    compactions: int = Field(description="Number of the session's compactions, including this one.")
    warnings: list[str]
    duplicate: bool = Field(description="Whether this call repeats an earlier one; the result is the same.")
