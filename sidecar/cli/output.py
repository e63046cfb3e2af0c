"""Prints a command's answer: lines for people, or JSON for programs. A failure is one sentence on stderr."""

import argparse
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from sidecar.core.clean_text import visible, visible_json
from sidecar.core.lazy_regex import lazy_regex
from sidecar.system.environment import environment

STATUS_OF_KIND = {"invalidParams": 2, "notFound": 3, "ambiguous": 3, "conflict": 4, "policyDenied": 5}
"""Exit statuses for scripts. Every other failure exits with 1."""


_COMMANDS = {
    "artifact/get": "artifacts show", "artifact/list": "artifacts list", "continuity/explain": "explain",
    "continuity/mute": "explain --mute ITEM", "continuity/pin": "explain --pin ITEM",
    "knowledge/plan": "knowledge plan", "knowledge/resolve": "knowledge resolve",
    "knowledge/status": "knowledge status", "knowledge/sync": "knowledge sync",
    "memory/get": "memory show", "memory/list": "memory list", "memory/proposals": "memory proposals",
    "memory/restore": "memory restore",
    "ralph/clearContext": "spool ralph --clear-context --change ID",
    "ralph/stop": "spool ralph --stop --change ID",
    "session/activate": "session activate", "session/exit": "session exit",
    "settings/get": "settings", "settings/update": "settings NAME VALUE",
    "state/status": "status",
}  # fmt: skip
"""The commands that do what a method does, for hints."""

_OPTIONS = {
    "allowAll": "--allow-all", "dryRun": "--dry-run", "failFast": "--fail-fast", "force": "--force",
    "harnessCommand": "--harness-command",
    "idleTimeoutMs": "--idle-timeout", "iterationTimeoutMs": "--iteration-timeout", "maxCostUsd": "--max-cost",
    "maxFailures": "--max-failures", "maxIterations": "--max-iterations", "maxTimeMs": "--max-time",
    "maxTokens": "--max-tokens", "minIterations": "--min-iterations", "projectPath": "--project",
}  # fmt: skip
"""The options that do what a param does."""

_METHOD = lazy_regex(r"`([a-z]+/[a-zA-Z]+)`")
_PARAM = lazy_regex(r"`([a-z]+(?:[A-Z][a-z]+)*)`")


def hint_of_command_line(hint: str, names: Mapping[str, str] = _COMMANDS) -> str:
    """Return a hint with `names` in the place of methods; none if a method has no name, or for RPC clients only."""
    if "METHODS.md" in hint:
        return ""
    methods = _METHOD.findall(hint)
    if any(method not in names for method in methods):
        return ""
    return words_of_command_line(hint, names)


def words_of_command_line(text: str, names: Mapping[str, str] = _COMMANDS) -> str:
    """Return a text with commands in the place of the methods that have one, and options in that of params."""
    commands = _METHOD.sub(lambda match: f"`{names.get(match[1], match[1])}`", text)
    return _PARAM.sub(lambda match: f"`{_OPTIONS.get(match[1], match[1])}`", commands)


UNLIMITED_WIDTH = 100_000


def terminal_width() -> int:
    """Return the columns of the terminal; without one, as in a pipe, lines are not cut, unless COLUMNS is set."""
    if not (sys.stdout.isatty() or environment().get("COLUMNS")):
        return UNLIMITED_WIDTH
    return shutil.get_terminal_size().columns


class CommandFailed(Exception):
    """A command failed. The message is one sentence for the user."""

    def __init__(self, message: str, *, kind: str = "failed", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.hint = hint

    @property
    def status(self) -> int:
        """The exit status."""
        return STATUS_OF_KIND.get(self.kind, 1)

    def print_to_stderr(self, command: str) -> None:
        """Print the failure on stderr."""
        print(terminal_safe(f"{command}: {self.message} ({self.kind})"), file=sys.stderr)
        if self.hint:
            print(terminal_safe(f"hint: {self.hint}"), file=sys.stderr)


INTERRUPTED = 130


class CommandAnswer(NamedTuple):
    """A command's answer, for programs and for people."""

    answer: Any
    lines: Sequence[str]
    status: int = 0
    """The exit status."""


def run_and_print(command: str, arguments: argparse.Namespace, act: Callable[[], CommandAnswer]) -> int:
    """Run a command, print its answer and return the exit status; 1 if the answer cannot be written."""
    open_closed_streams()
    try:
        result = act()
        text = as_json(result.answer) if arguments.json else "\n".join(map(terminal_safe, result.lines))
    except CommandFailed as error:
        error.print_to_stderr(command)
        return error.status
    except KeyboardInterrupt:
        print(f"{command}: interrupted.", file=sys.stderr)
        return INTERRUPTED
    return result.status if print_text(text) else 1


def open_closed_streams() -> None:
    """Let stdout accept any text. A stream that was closed at start-up is replaced by the null device."""
    # Left open until the end, like the streams it replaces.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if not sys.stdout.isatty() and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")


def as_json(answer: Any) -> str:
    """Return an answer as JSON that is safe for a terminal."""
    return visible_json(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())


def print_text(text: str) -> bool:
    """Print a text; return False if that failed. A closed pipe is not a failure."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise the flush at exit would fail again
        if isinstance(error, BrokenPipeError):
            return True
        with suppress(OSError):
            print(f"The answer cannot be written: {error.strerror}.", file=sys.stderr)
        return False
    return True


def read_text(name: str) -> str:
    """Return the text of a file, or of stdin for `-`; raise CommandFailed for what is not text, or is empty."""
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise CommandFailed(f"{name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise CommandFailed("The text is not UTF-8.") from None
    if not text.strip():
        raise CommandFailed("The text is empty, so nothing was changed.")
    return text


def terminal_safe(text: str) -> str:
    """Return a text that is safe for a terminal: what controls it or the direction of text is replaced."""
    return visible(text.replace("\r\n", "\n"))


def cut(text: str, width: int) -> str:
    """Cut a text to at most `width` columns; wide characters take two."""
    flat = " ".join(text.split())
    if columns_of(flat) <= width:
        return flat
    taken = 0
    for at, char in enumerate(flat):
        taken += columns_of(char)
        if taken > width - 1:
            return flat[:at].rstrip() + "…"
    return flat


def columns_of(text: str) -> int:
    """Return the columns that a text takes in a terminal; wide characters take two."""
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)
