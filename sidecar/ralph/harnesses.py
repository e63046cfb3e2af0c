"""The coding agents a loop can run: how each is called, and how its output is read. The prompt is never an argument."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sidecar.core.errors import InvalidParams
from sidecar.ralph.heard import Command, Speech, Wanted

PROMPT_FILE = "{prompt_file}"
MODEL = "{model}"
"""What a custom command says where it wants the prompt's file or the model; without the first it is fed the prompt."""


@dataclass(frozen=True, slots=True)
class Harness:
    """How one agent is called: its program with what is always said, then what the user asked for, then the end."""

    argv: tuple[str, ...]
    model: str
    allow_all: tuple[str, ...]
    speech: Speech
    guarded: tuple[str, ...] = ()
    end: tuple[str, ...] = ()


HARNESSES: Mapping[str, Harness] = {
    "claude": Harness(
        argv=("claude", "-p", "--output-format", "stream-json", "--verbose"),
        model="--model",
        allow_all=("--dangerously-skip-permissions",),
        speech="claude",
    ),
    "codex": Harness(
        argv=("codex", "exec", "--json", "--skip-git-repo-check"),
        model="--model",
        allow_all=("--dangerously-bypass-approvals-and-sandbox",),
        guarded=("--sandbox", "workspace-write"),
        end=("-",),
        speech="codex",
    ),
    "gemini": Harness(
        argv=("gemini", "--output-format", "stream-json"),
        model="--model",
        allow_all=("--approval-mode", "yolo"),
        guarded=("--approval-mode", "auto_edit"),
        speech="gemini",
    ),
    "opencode": Harness(
        argv=("opencode", "run", "--format", "json"),
        model="--model",
        allow_all=("--dangerously-skip-permissions",),
        speech="opencode",
    ),
}
"""`guarded` is what an agent needs without `--allow-all`, so that it may edit files at all."""

NAMES = (*HARNESSES, "custom")


def command_of(wanted: Wanted, prompt: str, cwd: Path, environment: Mapping[str, str], *, prompt_file: Path) -> Command:
    """Gives what is run for a prompt; raises InvalidParams for an unknown harness or a custom one without a command."""
    if wanted.harness == "custom":
        return _custom(wanted, prompt, cwd, environment, prompt_file)
    harness = HARNESSES.get(wanted.harness)
    if harness is None:
        raise InvalidParams(f"There is no harness {wanted.harness!r}.", hint=f"Choose one of {', '.join(NAMES)}.")
    argv = (
        *harness.argv,
        *((harness.model, wanted.model) if wanted.model else ()),
        *(harness.allow_all if wanted.allow_all else harness.guarded),
        *wanted.extra,
        *harness.end,
    )
    return Command(argv, prompt.encode("utf-8", "replace"), cwd, environment, harness.speech)


def _custom(wanted: Wanted, prompt: str, cwd: Path, environment: Mapping[str, str], prompt_file: Path) -> Command:
    words = _words(wanted.command or "")
    if not words:
        raise InvalidParams("The custom harness needs a command.", hint="Say which with --harness-command.")
    by_file = any(PROMPT_FILE in word for word in words)
    argv = (
        *(word.replace(PROMPT_FILE, str(prompt_file)).replace(MODEL, wanted.model or "") for word in words),
        *wanted.extra,
    )
    stdin = b"" if by_file else prompt.encode("utf-8", "replace")
    return Command(argv, stdin, cwd, environment, "plain")


def _words(command: str) -> list[str]:
    """Splits a command as a shell would; on Windows backslashes belong to paths."""
    try:
        if sys.platform == "win32":
            return [word.strip('"') for word in shlex.split(command, posix=False)]
        return shlex.split(command)
    except ValueError as error:
        raise InvalidParams(f"The custom harness's command cannot be read: {error}.") from error
