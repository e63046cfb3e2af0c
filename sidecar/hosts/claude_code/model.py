"""The messages of `hook/run`."""

from typing import Any, Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, Identifier, Instant, WireModel
from sidecar.runs.model import RunMode

HookEvent = Literal["UserPromptSubmit", "SessionStart", "PreCompact", "PostToolUse", "Stop"]
"""Claude Code's own names."""


class OpenRun(WireModel):
    """A run that a prompt began, for the hook that hears of its end."""

    run_id: Identifier
    delivery_token: Identifier | None
    cwd: FolderPath = Field(description="The worktree the prompt was given in; a later hook may stand elsewhere.")
    project_path: FolderPath | None = Field(
        description="Null where the hook gave up before it was told; the worktree then is the one around `cwd`."
    )
    mode: RunMode
    started_at: Instant


class HookRunParams(WireModel):
    """What one of Claude Code's hooks was told."""

    event: HookEvent
    input: dict[str, Any] = Field(description="The JSON that Claude Code gives the hook, as it is.")
    run_id: Identifier | None = Field(
        default=None,
        description="What the run that a prompt begins is to be called: a hook that gives up can then tell of its end.",
    )
    time_left_ms: int | None = Field(default=None, ge=0, le=60_000, description="Milliseconds until the hook gives up.")
    open_run: OpenRun | None = Field(
        default=None, description="The session's run under way, where the hook printed what that run was given."
    )
    touched: list[str] = Field(
        default_factory=list, max_length=4_000, description="Files that the run's tools wrote, as other hooks heard."
    )


class HookRunResult(WireModel):
    """What the hook is to print, and what it keeps until the run's end."""

    output: dict[str, Any] | None = Field(description="JSON for Claude Code; null where there is nothing to say.")
    open_run: OpenRun | None = Field(description="To be kept once the output was printed; null where no run is open.")
    silent: str | None = Field(
        description="Why nothing is said: off, passive, inApp, notActive, unknownRun, or as `continuity/preRun` has it."
    )
