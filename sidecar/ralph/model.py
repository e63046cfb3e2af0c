"""The messages of `ralph/*`, and what the loop keeps: the state, and one line of history for each iteration."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from sidecar.core.wire import MOST_COUNT, MOST_TOKENS, FolderPath, WireModel
from sidecar.ralph.limits import MAX_ITERATIONS, STUCK_AFTER

MAX_PROMPT_CHARACTERS = 64 * 2**20
"""More than any agent takes; through the RPC a message's size is the limit."""

Harness = Literal["claude", "codex", "gemini", "opencode", "custom"]
IterationOutcome = Literal["succeeded", "failed", "timedOut", "usageLimit", "interrupted", "lost"]
"""`lost`: the loop's own process died meanwhile; who took over wrote the line."""
Phase = Literal["started", "finished", "paused"]
LoopStatus = Literal["running", "completed", "failed", "limit", "stuck", "aborted", "interrupted"]

ChangeId = Annotated[str, Field(min_length=1, max_length=100, description="One path-safe name.")]
Moment = Annotated[str, Field(description="RFC 3339.")]
Milliseconds = Annotated[int, Field(ge=1, le=2**53 - 1)]


class _Kept(WireModel):
    """Something kept in a file: what a later version adds to it is passed over."""

    model_config = ConfigDict(extra="ignore")


class RalphVerification(_Kept):
    """One command that had to pass before a promise was accepted."""

    command: str
    exit_code: int | None = Field(description="Null where it was ended or could not be started.")
    duration_ms: int
    output: str = Field(description="The end of what it printed.")


class RalphContinuity(_Kept):
    """What continuity did for an iteration."""

    action: Literal["inject", "passthrough", "failed"]
    reason: str | None = Field(description="Why nothing was injected, or what failed.")
    injected_bytes: int
    artifacts: list[str] = Field(description="Ids of what was drafted of the iteration.")


class RalphIteration(_Kept):
    """One iteration, as the history has it."""

    number: int = Field(ge=1, description="Counts on over all loops of the change, until a reset.")
    started_at: Moment
    duration_ms: int
    outcome: IterationOutcome
    exit_code: int | None = Field(description="Null where a signal ended the agent, or it was never started.")
    signal: str | None
    promise_found: bool
    promise_accepted: bool
    verification: list[RalphVerification] | None = Field(description="Null where no command was to run.")
    files_changed: int | None = Field(
        description="Files whose content the iteration changed, committed or not; null outside git."
    )
    files: list[str] = Field(description="The first of them.")
    commits: list[str] = Field(description="Ids of the commits made meanwhile, the loop's own last.")
    input_tokens: int | None = Field(description="Null where the harness does not tell.")
    output_tokens: int | None
    cost_usd: float | None
    reason: str | None = Field(description="Why the iteration failed or was ended, in a sentence.")
    ended_loop: str | None = Field(description="Why the loop ended with it, if it did.")
    output_bytes: int = Field(description="Bytes the agent printed; what is kept of them is capped.")
    continuity: RalphContinuity | None
    warnings: list[str]


class RalphRunning(_Kept):
    """The iteration that is under way."""

    number: int
    started_at: Moment


class RalphTotals(_Kept):
    """What the loop has used since it was started."""

    iterations: int
    failures: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    duration_ms: int


class RalphState(_Kept):
    """How a change's loop stands, as `state.json` has it."""

    change: str
    status: LoopStatus
    reason: str = Field(description="One sentence.")
    exit_code: int | None = Field(description="Null while it runs.")
    harness: str
    model: str | None
    started_at: Moment
    updated_at: Moment
    iteration: int = Field(description="The number of the last iteration that was begun.")
    running: RalphRunning | None
    paused_until: Moment | None = Field(description="While the loop waits: a usage limit, failures that come fast.")
    max_iterations: int = Field(description="0 is no limit.")
    totals: RalphTotals
    pid: int = Field(description="The process whose loop it is or was.")


class RalphChangeParams(WireModel):
    """Names a change."""

    cwd: FolderPath = Field(description="A folder of the worktree the loop works in, absolute.")
    change: ChangeId


class RalphContextParams(RalphChangeParams):
    """What to tell the agent from the next iteration on."""

    text: str = Field(min_length=1, max_length=MAX_PROMPT_CHARACTERS)


class RalphContextResult(WireModel):
    """What became of the context file."""

    path: str
    bytes: int = Field(description="How large it is after an addition, or was before it was cleared.")


class RalphStartParams(RalphChangeParams):
    """A loop: the task, who works on it, and when it is to end."""

    project_path: FolderPath | None = Field(
        default=None, description="The original project; without it, the repository's main worktree."
    )
    prompt: str = Field(min_length=1, max_length=MAX_PROMPT_CHARACTERS, description="The task, given verbatim.")
    harness: Harness = "claude"
    model: str | None = Field(default=None, min_length=1, max_length=200)
    allow_all: bool = Field(default=False, description="The harness asks for no permission at all.")
    harness_command: str | None = Field(
        default=None, min_length=1, max_length=32_000, description="The command line of a `custom` harness."
    )
    extra_arguments: list[str] = Field(default_factory=list, max_length=200, description="Added to the harness's own.")
    completion_promise: str = Field(default="COMPLETE", min_length=1, max_length=1_000)
    min_iterations: int = Field(default=1, ge=1, le=MOST_COUNT, description="No promise is accepted before.")
    max_iterations: int = Field(default=MAX_ITERATIONS, ge=0, le=MOST_COUNT, description="0 is no limit.")
    max_time_ms: Milliseconds | None = None
    max_cost_usd: float | None = Field(default=None, gt=0, description="As the harness reports it.")
    max_tokens: int | None = Field(
        default=None, ge=1, le=MOST_TOKENS, description="In and out, as the harness reports them."
    )
    idle_timeout_ms: Milliseconds | None = Field(default=None, description="Ends an agent that says nothing for long.")
    iteration_timeout_ms: Milliseconds | None = None
    max_failures: int = Field(
        default=0, ge=0, le=MOST_COUNT, description="Failures in a row that end the loop; 0 is no limit."
    )
    fail_fast: bool = Field(default=False, description="The first failure ends the loop.")
    stuck_after: int = Field(
        default=STUCK_AFTER,
        ge=0,
        le=MOST_COUNT,
        description="So many iterations without a change and with like output end the loop; 0 is never.",
    )
    verify: list[str] = Field(
        default_factory=list, max_length=50, description="Shell commands that have to pass for a promise to count."
    )
    continuity: bool = Field(
        default=True, description="Packs go into each prompt, where the mode is active, and each run is captured."
    )
    commit: bool = Field(default=False, description="Commit what each iteration changed, and nothing else.")
    stream: bool = Field(default=False, description="Send `ralph/output` with what the agent says.")
    dry_run: bool = Field(default=False, description="Give prompt and command line; run and write nothing.")


class RalphDryRun(WireModel):
    """What a first iteration would be."""

    prompt: str
    argv: list[str]
    given_by: Literal["stdin", "file"] = Field(description="How the prompt would reach the agent.")
    warnings: list[str]


class RalphStartResult(WireModel):
    """How a loop ended."""

    change: str
    status: LoopStatus
    exit_code: int
    reason: str
    iterations: int = Field(description="Of this loop alone.")
    last_iteration: int
    totals: RalphTotals
    folder: str = Field(description="Where state, history, prompts and outputs are.")
    dry_run: RalphDryRun | None


class RalphStatusParams(RalphChangeParams):
    """Which change, and how much of its history."""

    limit: int = Field(default=10, ge=1, le=1_000, description="At most so many iterations, the last ones.")


class RalphStatusResult(WireModel):
    """How a change's loop stands."""

    change: str
    is_running: bool
    state: RalphState | None = Field(description="Null where none was ever started.")
    iterations: int = Field(description="How many the history has.")
    recent: list[RalphIteration] = Field(description="The oldest of them first.")
    damaged_lines: int = Field(description="Lines of the history that cannot be read, as after a power cut.")
    context_bytes: int
    folder: str


class RalphStopResult(WireModel):
    """Whether there was a loop to stop."""

    was_running: bool


class RalphResetResult(WireModel):
    """What was forgotten."""

    iterations: int


class RalphIterationNotice(WireModel):
    """An iteration begins or has ended."""

    change: str
    number: int
    phase: Phase
    iteration: RalphIteration | None = Field(description="Where it has ended.")
    until: str | None = Field(description="Until when the loop waits, RFC 3339.")
    reason: str | None


class RalphOutputNotice(WireModel):
    """Something the agent said."""

    change: str
    number: int
    text: str
