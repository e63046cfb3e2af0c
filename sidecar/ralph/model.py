"""The messages of `ralph/*`, and the records of a loop: its state, and one history line per iteration."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from sidecar.core.wire_types import MAX_COUNT, MAX_TOKENS, FolderPath, WireModel

MAX_ITERATIONS = 25
STUCK_AFTER = 5

MAX_PROMPT_CHARACTERS = 64 * 2**20
"""More than any agent accepts; over RPC the message size is the limit."""

Harness = Literal["claude", "codex", "gemini", "opencode", "custom"]
IterationOutcome = Literal["succeeded", "failed", "timedOut", "usageLimit", "interrupted", "lost"]
"""`lost`: the loop's own process died; the next loop wrote the line."""
Phase = Literal["started", "finished", "paused"]
LoopStatus = Literal["running", "completed", "failed", "limit", "stuck", "aborted", "interrupted"]

ChangeId = Annotated[str, Field(min_length=1, max_length=100, description="A path-safe name.")]
Timestamp = Annotated[str, Field(description="RFC 3339.")]
Milliseconds = Annotated[int, Field(ge=1, le=2**53 - 1)]


class _StoredRecord(WireModel):
    """A record in a file; members added by later versions are ignored."""

    model_config = ConfigDict(extra="ignore")


class RalphVerification(_StoredRecord):
    """A command that must pass before a promise is accepted."""

    command: str
    exit_code: int | None = Field(description="Null if it was stopped or could not be started.")
    duration_ms: int
    output: str = Field(description="The end of its output.")


class RalphContinuity(_StoredRecord):
    """The result of continuity for an iteration."""

    action: Literal["inject", "passthrough", "failed"]
    reason: str | None = Field(description="Why nothing was injected, or the error.")
    injected_bytes: int
    artifacts: list[str] = Field(description="Ids of the artifacts drafted from the iteration.")


class RalphIteration(_StoredRecord):
    """One iteration, as stored in the history."""

    number: int = Field(ge=1, description="Counted across all loops of the change, until a reset.")
    started_at: Timestamp
    duration_ms: int
    outcome: IterationOutcome
    exit_code: int | None = Field(description="Null if a signal ended the agent, or it was never started.")
    signal: str | None
    promise_found: bool
    promise_accepted: bool
    verification: list[RalphVerification] | None = Field(description="Null if no command was run.")
    files_changed: int | None = Field(
        description="Number of files whose content the iteration changed, committed or not; null outside git."
    )
    files: list[str] = Field(description="The first 100 of them.")
    commits: list[str] = Field(description="Ids of the commits made during the iteration; the loop's own is last.")
    input_tokens: int | None = Field(description="Null if the harness does not report them.")
    output_tokens: int | None
    cost_usd: float | None
    reason: str | None = Field(description="Why the iteration failed or was stopped, in a sentence.")
    ended_loop: str | None = Field(description="Why the loop ended with this iteration; null if it continued.")
    output_bytes: int = Field(description="Bytes the agent printed; the stored output is capped.")
    continuity: RalphContinuity | None
    warnings: list[str]


class RalphRunning(_StoredRecord):
    """The running iteration."""

    number: int
    started_at: Timestamp


class RalphTotals(_StoredRecord):
    """Resources used since the start of the loop."""

    iterations: int
    failures: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    duration_ms: int


class RalphState(_StoredRecord):
    """State of a change's loop, as stored in `state.json`."""

    change: str
    status: LoopStatus
    reason: str = Field(description="One sentence.")
    exit_code: int | None = Field(description="Null while the loop runs.")
    harness: str
    model: str | None
    started_at: Timestamp
    updated_at: Timestamp
    iteration: int = Field(description="Number of the last iteration that was started.")
    running: RalphRunning | None
    paused_until: Timestamp | None = Field(
        description="Set while the loop waits at a usage limit or after fast failures."
    )
    max_iterations: int = Field(description="0 means no limit.")
    totals: RalphTotals
    pid: int = Field(description="The process that runs or ran the loop.")


class RalphChangeParams(WireModel):
    """A change."""

    cwd: FolderPath = Field(description="A folder of the loop's worktree, absolute.")
    change: ChangeId


class RalphContextParams(RalphChangeParams):
    """Context for the agent from the next iteration on."""

    text: str = Field(min_length=1, max_length=MAX_PROMPT_CHARACTERS)


class RalphContextResult(WireModel):
    """The context file after the call."""

    path: str
    bytes: int = Field(description="Size after an addition, or before it was cleared.")


class RalphStartParams(RalphChangeParams):
    """A loop: the task, the agent, and the limits."""

    project_path: FolderPath | None = Field(
        default=None, description="The original project; without it, the repository's main worktree."
    )
    prompt: str = Field(min_length=1, max_length=MAX_PROMPT_CHARACTERS, description="The task, passed on verbatim.")
    harness: Harness = "claude"
    model: str | None = Field(
        default=None, min_length=1, max_length=200, description="A `custom` command needs `{model}` in its place."
    )
    allow_all: bool = Field(
        default=False, description="Skip all permission prompts of the harness; refused for `custom`."
    )
    harness_command: str | None = Field(
        default=None, min_length=1, max_length=32_000, description="The command line of a `custom` harness."
    )
    extra_arguments: list[str] = Field(default_factory=list, max_length=200, description="Added to the harness's own.")
    completion_promise: str = Field(default="COMPLETE", min_length=1, max_length=1_000)
    min_iterations: int = Field(
        default=1, ge=1, le=MAX_COUNT, description="A promise in an earlier iteration is not accepted."
    )
    max_iterations: int = Field(default=MAX_ITERATIONS, ge=0, le=MAX_COUNT, description="0 means no limit.")
    max_time_ms: Milliseconds | None = None
    max_cost_usd: float | None = Field(
        default=None, gt=0, description="As reported by `claude` and `opencode`; refused for others."
    )
    max_tokens: int | None = Field(
        default=None,
        ge=1,
        le=MAX_TOKENS,
        description="Input and output, as reported by the harness; refused for `custom`.",
    )
    idle_timeout_ms: Milliseconds | None = Field(
        default=None, description="Stop an agent that prints nothing for this long."
    )
    iteration_timeout_ms: Milliseconds | None = None
    max_failures: int = Field(
        default=0, ge=0, le=MAX_COUNT, description="Consecutive failures that end the loop; 0 means no limit."
    )
    fail_fast: bool = Field(default=False, description="The first failure ends the loop.")
    stuck_after: int = Field(
        default=STUCK_AFTER,
        ge=0,
        le=MAX_COUNT,
        description="Consecutive iterations without a change and with similar output that end the loop; 0 means never.",
    )
    verify: list[str] = Field(
        default_factory=list, max_length=50, description="Shell commands that must pass for a promise to count."
    )
    continuity: bool = Field(
        default=True, description="Add packs to each prompt (in mode `active`), and capture each run."
    )
    commit: bool = Field(default=False, description="Commit what each iteration changed, and nothing else.")
    stream: bool = Field(default=False, description="Send the agent's output as `ralph/output`.")
    dry_run: bool = Field(default=False, description="Return prompt and command line; run and write nothing.")


class RalphDryRun(WireModel):
    """The first iteration, without running it."""

    prompt: str
    argv: list[str]
    prompt_via: Literal["stdin", "file"] = Field(description="How the agent receives the prompt.")
    warnings: list[str]


class RalphStartResult(WireModel):
    """The end of a loop."""

    change: str
    status: LoopStatus
    exit_code: int
    reason: str
    iterations: int = Field(description="Iterations of this loop only.")
    last_iteration: int
    totals: RalphTotals
    folder: str = Field(description="The folder with state, history, prompts and outputs.")
    dry_run: RalphDryRun | None


class RalphStatusParams(RalphChangeParams):
    """The change, and the length of its history to return."""

    limit: int = Field(default=10, ge=1, le=1_000, description="Maximum number of recent iterations.")


class RalphStatusResult(WireModel):
    """Status of a change's loop."""

    change: str
    is_running: bool
    state: RalphState | None = Field(description="Null if no loop was ever started, or if it is damaged.")
    problem: str | None = Field(description="Why the state cannot be shown, in a sentence.")
    pid: int | None = Field(description="The process that runs the loop.")
    elapsed_ms: int | None = Field(description="Time since the start of the running loop.")
    iterations: int = Field(description="Number of iterations in the history.")
    recent: list[RalphIteration] = Field(description="Oldest first.")
    damaged_lines: int = Field(description="Unreadable lines of the history, for example after a power cut.")
    context_bytes: int
    folder: str


class RalphStopResult(WireModel):
    """Whether a loop was stopped."""

    was_running: bool
    ended_agent: bool = Field(description="Whether the agent of a loop that had died was still at work, and was ended.")


class RalphResetResult(WireModel):
    """The deleted files and state."""

    iterations: int
    ended_agent: bool = Field(description="Whether the agent of a loop that had died was still at work, and was ended.")


class RalphIterationNotice(WireModel):
    """An iteration has started, paused or finished."""

    change: str
    number: int
    phase: Phase
    iteration: RalphIteration | None = Field(description="Set for phase `finished`.")
    until: str | None = Field(description="End of the pause, RFC 3339.")
    reason: str | None


class RalphOutputNotice(WireModel):
    """A piece of the agent's output."""

    change: str
    number: int
    text: str
