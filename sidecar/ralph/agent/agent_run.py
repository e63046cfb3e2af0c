"""The inputs and the result of one agent run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

OutputFormat = Literal["claude", "codex", "gemini", "opencode", "plain"]
"""Format of an agent's output: a stream of JSON events, or plain text."""

Version = tuple[int, int, int]

EndedBy = Literal["exit", "result", "idle", "wall", "stopped"]


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """The agent the user chose.

    `command` is the command line of a custom harness; `version` is the installed version, if known.
    """

    harness: str = "claude"
    model: str | None = None
    allow_all: bool = False
    extra: tuple[str, ...] = ()
    command: str | None = None
    version: Version | None = None


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """The command to run and the format of its output."""

    argv: tuple[str, ...]
    stdin: bytes
    cwd: Path
    environment: Mapping[str, str]
    output_format: OutputFormat


@dataclass(frozen=True, slots=True)
class AgentProcess:
    """The identity of a running agent or check: its start in seconds since 1970, and the mark of its descendants."""

    pid: int
    started_at: float
    mark: str


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Time limits of a run. `grace_ms` is the time between the agent's result, or the request to stop, and the kill."""

    idle_ms: int | None = None
    wall_ms: int | None = None
    grace_ms: int = 5_000


@dataclass(frozen=True, slots=True)
class UsageLimit:
    """A usage limit of the provider: when it resets, if the agent reported a time, and the agent's own message."""

    resets_at_ms: int | None
    text: str


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The result of one agent run.

    `exit_code` is null if a signal ended the process. `promise` refers to the agent's last message, whose end is
    `last_message`; `final_text` is the same, or the end of the whole output if that is plain text.
    The output file is capped; `output_truncated` reports that. `error` is the error the agent itself reported, on one
    line.
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
    error: str | None
    last_message: str = ""
    edited_files: frozenset[str] = frozenset()
    """The paths that its editing tools named, as far as the harness reports them."""

    @property
    def succeeded(self) -> bool:
        """Whether the run ended without an error: with exit code 0, or by lingering after its result."""
        ended_well = self.ended_by == "result" or (self.ended_by == "exit" and self.exit_code == 0)
        return ended_well and self.error is None and self.usage_limit is None
