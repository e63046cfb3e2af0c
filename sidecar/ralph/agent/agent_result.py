"""What is asked of one run of an agent, and what was heard of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Speech = Literal["claude", "codex", "gemini", "opencode", "plain"]
"""How an agent's output is read: its own stream of JSON events, or plain text."""

Version = tuple[int, int, int]

EndedBy = Literal["exit", "result", "idle", "wall", "stopped"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked for; `command` is the custom harness's own, `version` the installed one's, where known."""

    harness: str = "claude"
    model: str | None = None
    allow_all: bool = False
    extra: tuple[str, ...] = ()
    command: str | None = None
    version: Version | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """What is run, and how its output is read."""

    argv: tuple[str, ...]
    stdin: bytes
    cwd: Path
    environment: Mapping[str, str]
    speech: Speech


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a run may take; `grace_ms` is left to it after its result, and between being asked and made to end."""

    idle_ms: int | None = None
    wall_ms: int | None = None
    grace_ms: int = 5_000


@dataclass(frozen=True, slots=True)
class UsageLimit:
    """The agent may do no more for now: until when, where it said so, and its words."""

    resets_at_ms: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Heard:
    """One run of an agent: how it ended, and what it said.

    `exit_code` is null where a signal ended it. `promise` looks at all of the agent's final text, of which `final_text`
    is the end. What is kept on disk is capped, which `output_truncated` says. `failed` is what the agent itself
    reported as an error, in one line.
    """

    started_at_ms: int
    duration_ms: int
    exit_code: int | None
    signal: str | None
    ended_by: EndedBy
    promise: bool
    final_text: str
    output_bytes: int
    output_truncated: bool
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    session_id: str | None
    usage_limit: UsageLimit | None
    failed: str | None

    @property
    def succeeded(self) -> bool:
        """Whether the run came to its own end without an error: with status 0, or lingering after its result."""
        ended_well = self.ended_by == "result" or (self.ended_by == "exit" and self.exit_code == 0)
        return ended_well and self.failed is None and self.usage_limit is None
