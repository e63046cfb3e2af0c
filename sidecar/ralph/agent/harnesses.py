"""The supported coding agents: inputs and result of a run, and the table of command lines, programs and versions.

The prompt is never an argument.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sidecar.core.errors import AgentUnavailable, InvalidParams
from sidecar.core.lazy_regex import lazy_regex
from sidecar.system.environment import NO_WINDOW, which

EventFormat = Literal["claude", "codex", "gemini", "opencode"]
OutputFormat = Literal[EventFormat, "plain"]
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
    is_verbatim: bool = False
    """Whether the arguments are quoted already, as Windows' command prompt reads them."""


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


REPORT_COST = frozenset({"claude", "opencode"})
REPORT_TOKENS = REPORT_COST | {"codex", "gemini"}
"""The harnesses whose output contains costs, and tokens; that of a custom one is plain text."""

PROMPT_FILE = "{prompt_file}"
MODEL = "{model}"
"""Placeholders in a custom command. Without `{prompt_file}` the prompt goes to stdin."""

PROBE_SECONDS = 10.0
_WINDOWS_WORD = lazy_regex(r'(?:[^\s"]|"[^"]*")+')
_VERSION = lazy_regex(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class Harness:
    """Command line of an agent from a version on: fixed arguments, then the user's, then `end`.

    With `--allow-all` the arguments `allow_all` and the variables `allow_all_variables` are added; without it the
    arguments `restricted`, so that the agent may edit files at all. `removed_variables` never reach it.
    """

    since: Version
    argv: tuple[str, ...]
    output_format: OutputFormat
    model: str = "--model"
    allow_all: tuple[str, ...] = ()
    restricted: tuple[str, ...] = ()
    allow_all_variables: Mapping[str, str] = field(default_factory=dict)
    removed_variables: frozenset[str] = frozenset()
    end: tuple[str, ...] = ()


_CLAUDE = ("claude", "-p", "--output-format", "stream-json", "--verbose")
_CLAUDE_SESSION_VARIABLES = frozenset(("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"))
"""Variables of a running Claude session. Claude refuses to start inside one, and a loop may be started in one."""

_GEMINI_TRUST_VARIABLES = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
_OPENCODE = ("opencode", "run", "--format", "json")
_YOLO, _AUTO_EDIT = ("--approval-mode", "yolo"), ("--approval-mode", "auto_edit")

HARNESSES: Mapping[str, tuple[Harness, ...]] = {
    "claude": (
        Harness(
            since=(1, 0, 60),
            argv=_CLAUDE,
            allow_all=("--dangerously-skip-permissions",),
            restricted=("--permission-mode", "acceptEdits"),
            removed_variables=_CLAUDE_SESSION_VARIABLES,
            output_format="claude",
        ),
        Harness(
            since=(0, 0, 0),
            argv=_CLAUDE,
            allow_all=("--dangerously-skip-permissions",),
            removed_variables=_CLAUDE_SESSION_VARIABLES,
            output_format="claude",
        ),
    ),
    "codex": (
        Harness(
            since=(0, 0, 0),
            argv=("codex", "exec", "--json", "--skip-git-repo-check"),
            allow_all=("--dangerously-bypass-approvals-and-sandbox",),
            restricted=("--sandbox", "workspace-write"),
            end=("-",),
            output_format="codex",
        ),
    ),
    "gemini": (
        Harness(
            since=(0, 11, 0),
            argv=("gemini", "--output-format", "stream-json"),
            allow_all=_YOLO,
            restricted=_AUTO_EDIT,
            allow_all_variables=_GEMINI_TRUST_VARIABLES,
            output_format="gemini",
        ),
        Harness(since=(0, 0, 0), argv=("gemini",), allow_all=_YOLO, restricted=_AUTO_EDIT, output_format="plain"),
    ),
    "opencode": (
        Harness(since=(1, 18, 0), argv=_OPENCODE, allow_all=("--auto",), output_format="opencode"),
        Harness(
            since=(1, 4, 0), argv=_OPENCODE, allow_all=("--dangerously-skip-permissions",), output_format="opencode"
        ),
        Harness(
            since=(0, 0, 0),
            argv=_OPENCODE,
            allow_all_variables={"OPENCODE_PERMISSION": '{"*":"allow"}'},
            output_format="opencode",
        ),
    ),
}
"""Newest version first; an agent of unknown version is called like the newest."""

HARNESS_NAMES = (*HARNESSES, "custom")


def agent_command(
    options: AgentOptions, prompt: str, cwd: Path, environment: Mapping[str, str], *, prompt_file: Path
) -> AgentCommand:
    """Return the command for a prompt; raise InvalidParams for an unknown harness or a custom one without a command."""
    if options.harness == "custom":
        return _custom(options, prompt, cwd, environment, prompt_file)
    harness = harness_of(options.harness, options.version)
    argv = (
        *harness.argv,
        *((harness.model, options.model) if options.model else ()),
        *(harness.allow_all if options.allow_all else harness.restricted),
        *options.extra,
        *harness.end,
    )
    child_environment = {name: value for name, value in environment.items() if name not in harness.removed_variables}
    if options.allow_all:
        child_environment |= harness.allow_all_variables
    return AgentCommand(argv, _bytes(prompt), cwd, child_environment, harness.output_format)


def harness_of(name: str, version: Version | None) -> Harness:
    """Return the row for a harness and version; raise InvalidParams for an unknown name."""
    rows = HARNESSES.get(name)
    if rows is None:
        raise InvalidParams(f"There is no harness {name!r}.", hint=f"Choose one of {', '.join(HARNESS_NAMES)}.")
    return next(row for row in rows if version is None or version >= row.since)


def _custom(
    options: AgentOptions, prompt: str, cwd: Path, environment: Mapping[str, str], prompt_file: Path
) -> AgentCommand:
    words = split_command(options.command or "", is_windows=sys.platform == "win32")
    if not words:
        raise InvalidParams("The custom harness needs a command.", hint="Set it with `harnessCommand`.")
    if options.model and not any(MODEL in word for word in words):
        raise InvalidParams(
            f"The custom harness's command has no place for the model {options.model}.",
            hint=f"Write `{MODEL}` into the command where the model belongs.",
        )
    if options.allow_all:
        raise InvalidParams(
            "It is not known how a custom harness runs without permission prompts.",
            hint="Write its option into the command, and leave out `allowAll`.",
        )
    argv = (
        *(word.replace(PROMPT_FILE, str(prompt_file)).replace(MODEL, options.model or "") for word in words),
        *options.extra,
    )
    reads_stdin = not any(PROMPT_FILE in word for word in words)
    return AgentCommand(argv, _bytes(prompt) if reads_stdin else b"", cwd, environment, "plain")


def split_command(command: str, *, is_windows: bool) -> list[str]:
    """Split a command line like a shell; on Windows only double quotes count, and backslashes belong to paths.

    Raise InvalidParams for a quote that is not closed.
    """
    if is_windows and command.count('"') % 2 == 0:
        return [word.replace('"', "") for word in _WINDOWS_WORD.findall(command)]
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InvalidParams(f"The custom harness's command cannot be parsed: {error}.") from error


def _bytes(prompt: str) -> bytes:
    return prompt.encode("utf-8", "replace")


def find_program(name: str, cwd: Path, environment: Mapping[str, str]) -> str:
    """Return the path of a program given by name or path; raise AgentUnavailable."""
    path = environment.get("PATH")
    name_or_path = str(cwd / name) if os.path.dirname(name) else name
    if (program := which(name_or_path, path=path)) is not None:
        return program
    not_executable = shutil.which(name_or_path, os.F_OK, path=path) if sys.platform != "win32" else None
    if not_executable is not None:
        raise AgentUnavailable(
            f"The agent {name} is not executable.", hint=f"Make it executable: chmod +x {not_executable}"
        )
    raise AgentUnavailable(
        f"The agent {name} is not installed.",
        hint="Install it, add its folder to PATH, or choose another harness.",
    )


def installed_version(harness: str, cwd: Path, environment: Mapping[str, str]) -> Version | None:
    """Return the version of an installed harness; null for a custom one or if it prints none.

    Raise AgentUnavailable if it is not installed.
    """
    if harness not in HARNESSES:
        return None
    program = find_program(HARNESSES[harness][0].argv[0], cwd, environment)
    try:
        completed = subprocess.run(
            (program, "--version"),
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
            creationflags=NO_WINDOW,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(completed.stdout.decode("utf-8", "replace"))


def parse_version(text: str) -> Version | None:
    """Return the version in a text such as `2.1.34 (Claude Code)` or `codex-cli 0.46.0`."""
    match: re.Match[str] | None = _VERSION.search(text)
    return None if match is None else (int(match[1]), int(match[2]), int(match[3] or 0))
