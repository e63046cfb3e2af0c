"""The coding agents a loop can run: how each is called, and how its output is read. The prompt is never an argument."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.core.errors import InvalidParams
from sidecar.ralph.agent.agent_result import Command, Speech, Version, Wanted

PROMPT_FILE = "{prompt_file}"
MODEL = "{model}"
"""What a custom command says where it wants the prompt's file or the model; without the first it is fed the prompt."""


@dataclass(frozen=True, slots=True)
class Harness:
    """How one agent is called from a version on: what is always said, then what the user asked for, then the end.

    `allow_all` is said with `--allow-all`, `guarded` without: what the agent needs so that it may edit files at all.
    `trusted` is set in its environment with `--allow-all`, `unset` never reaches it.
    """

    since: Version
    argv: tuple[str, ...]
    speech: Speech
    model: str = "--model"
    allow_all: tuple[str, ...] = ()
    guarded: tuple[str, ...] = ()
    trusted: Mapping[str, str] = field(default_factory=dict)
    unset: frozenset[str] = frozenset()
    end: tuple[str, ...] = ()


_CLAUDE = ("claude", "-p", "--output-format", "stream-json", "--verbose")
_CLAUDE_TELLS = frozenset(("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"))
"""Claude refuses to start inside another session of its own, as these variables tell; a loop may be started in one."""

_GEMINI_TRUSTS = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
_OPENCODE = ("opencode", "run", "--format", "json")
_YOLO, _AUTO_EDIT = ("--approval-mode", "yolo"), ("--approval-mode", "auto_edit")

HARNESSES: Mapping[str, tuple[Harness, ...]] = {
    "claude": (
        Harness(
            since=(1, 0, 60),
            argv=_CLAUDE,
            allow_all=("--dangerously-skip-permissions",),
            guarded=("--permission-mode", "acceptEdits"),
            unset=_CLAUDE_TELLS,
            speech="claude",
        ),
        Harness(
            since=(0, 0, 0),
            argv=_CLAUDE,
            allow_all=("--dangerously-skip-permissions",),
            unset=_CLAUDE_TELLS,
            speech="claude",
        ),
    ),
    "codex": (
        Harness(
            since=(0, 0, 0),
            argv=("codex", "exec", "--json", "--skip-git-repo-check"),
            allow_all=("--dangerously-bypass-approvals-and-sandbox",),
            guarded=("--sandbox", "workspace-write"),
            end=("-",),
            speech="codex",
        ),
    ),
    "gemini": (
        Harness(
            since=(0, 11, 0),
            argv=("gemini", "--output-format", "stream-json"),
            allow_all=_YOLO,
            guarded=_AUTO_EDIT,
            trusted=_GEMINI_TRUSTS,
            speech="gemini",
        ),
        Harness(since=(0, 0, 0), argv=("gemini",), allow_all=_YOLO, guarded=_AUTO_EDIT, speech="plain"),
    ),
    "opencode": (
        Harness(since=(1, 18, 0), argv=_OPENCODE, allow_all=("--auto",), speech="opencode"),
        Harness(since=(1, 4, 0), argv=_OPENCODE, allow_all=("--dangerously-skip-permissions",), speech="opencode"),
        Harness(since=(0, 0, 0), argv=_OPENCODE, trusted={"OPENCODE_PERMISSION": '{"*":"allow"}'}, speech="opencode"),
    ),
}
"""Newest first; an agent whose version is not known is called as the newest is."""

NAMES = (*HARNESSES, "custom")


def command_of(wanted: Wanted, prompt: str, cwd: Path, environment: Mapping[str, str], *, prompt_file: Path) -> Command:
    """Gives what is run for a prompt; raises InvalidParams for an unknown harness or a custom one without a command."""
    if wanted.harness == "custom":
        return _custom(wanted, prompt, cwd, environment, prompt_file)
    harness = harness_of(wanted.harness, wanted.version)
    argv = (
        *harness.argv,
        *((harness.model, wanted.model) if wanted.model else ()),
        *(harness.allow_all if wanted.allow_all else harness.guarded),
        *wanted.extra,
        *harness.end,
    )
    given = {name: value for name, value in environment.items() if name not in harness.unset}
    if wanted.allow_all:
        given |= harness.trusted
    return Command(argv, _bytes(prompt), cwd, given, harness.speech)


def harness_of(name: str, version: Version | None) -> Harness:
    """Gives how a harness of that name and version is called; raises InvalidParams for a name there is none of."""
    rows = HARNESSES.get(name)
    if rows is None:
        raise InvalidParams(f"There is no harness {name!r}.", hint=f"Choose one of {', '.join(NAMES)}.")
    return next(row for row in rows if version is None or version >= row.since)


def _custom(wanted: Wanted, prompt: str, cwd: Path, environment: Mapping[str, str], prompt_file: Path) -> Command:
    words = _words(wanted.command or "")
    if not words:
        raise InvalidParams("The custom harness needs a command.", hint="Say which with --harness-command.")
    argv = (
        *(word.replace(PROMPT_FILE, str(prompt_file)).replace(MODEL, wanted.model or "") for word in words),
        *wanted.extra,
    )
    is_fed = not any(PROMPT_FILE in word for word in words)
    return Command(argv, _bytes(prompt) if is_fed else b"", cwd, environment, "plain")


def _words(command: str) -> list[str]:
    """Splits a command as a shell would; on Windows backslashes belong to paths."""
    try:
        if sys.platform == "win32":
            return [word.strip('"') for word in shlex.split(command, posix=False)]
        return shlex.split(command)
    except ValueError as error:
        raise InvalidParams(f"The custom harness's command cannot be read: {error}.") from error


def _bytes(prompt: str) -> bytes:
    return prompt.encode("utf-8", "replace")
