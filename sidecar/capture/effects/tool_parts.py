"""Reads the stored parts of an agent's message, Claude's and Codex's: files, commands, task list. Pure."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sidecar.capture.effects.shell_commands import may_write, reads
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact

_WRITING = frozenset(("tool-Edit", "tool-Write", "tool-MultiEdit", "tool-NotebookEdit"))
_READING = frozenset(("tool-Read",))
_SHELL_TOOLS = frozenset(("bash", "shell", "exec", "exec_command", "local_shell", "unified_exec", "terminal"))
_STATUSES = ("pending", "in_progress", "completed")
_EXIT_CODE = regex(r"(?i)\bexit(?:ed)?(?: with)?(?: code| status)?[: ]+(\d{1,3})\b")

STEP_CHARACTERS = 4_000


class Command(NamedTuple):
    """A shell command the agent ran, with what is known of its end."""

    command: str
    output: str
    exit_code: int | None
    """None where the host does not tell; Claude's parts usually do not."""
    failed: bool | None


class Work(NamedTuple):
    """What an agent did in a run, as far as its parts tell; paths are absolute or as the agent wrote them."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    commands: tuple[Command, ...]
    todos: tuple[tuple[str, str], ...] | None
    """None where the run said nothing about its task list."""
    plan: str | None
    """The plan that was proposed last; None where there was none."""
    conclusion: str
    """What the agent said after its last tool call; empty where the parts do not tell."""

    @property
    def may_have_written(self) -> bool:
        """Whether a command it ran may have changed files beside those it says it wrote."""
        return any(may_write(command.command) for command in self.commands)


class Failure(NamedTuple):
    """The output of a failed tool call, by its id where known."""

    tool_call_id: str | None
    text: str
    exit_code: int | None
    tool: str | None = None
    """The tool's name, where the host tells."""

    @property
    def is_shells(self) -> bool:
        """Whether a shell command may have failed so: what another tool quotes is no command's output."""
        return self.tool is None or self.tool.removeprefix("tool-").casefold() in _SHELL_TOOLS


def work_of(parts: Sequence[Mapping[str, Any]], failures: Sequence[Failure]) -> Work:
    """Collects what a run did; a part of an unknown or damaged shape is passed over."""
    by_id = {failure.tool_call_id: failure for failure in failures if failure.tool_call_id}
    written: list[str] = []
    read: list[str] = []
    commands: list[Command] = []
    todos: tuple[tuple[str, str], ...] | None = None
    plan: str | None = None
    said: list[str] = []
    for part in parts:
        kind, given = part.get("type"), part.get("input")
        if kind == "text" and isinstance(part.get("text"), str):
            said.append(str(part["text"]))
        if not isinstance(kind, str) or not isinstance(given, Mapping):
            continue
        said.clear()
        failure = by_id.get(str(part.get("toolCallId")))
        # A call that was denied, failed or cut off stays a call without an output (host.md, Stored messages).
        happened = failure is None and (part.get("state") != "call" or part.get("output") is not None)
        if kind in _WRITING:
            written.extend(_paths(given) if happened else ())
        elif kind in _READING:
            read.extend(_paths(given) if happened else ())
        elif kind == "tool-Bash":
            command = _command(part, given, failure)
            commands.extend([command] if command else [])
            read.extend(reads(command.command) if command and happened and not command.failed else ())
        elif kind == "tool-TodoWrite":
            listed = given.get("todos")
            todos = _todos(listed) if isinstance(listed, list) else todos
        elif kind == "tool-ExitPlanMode":
            # The host stops the run at a proposal: its call needs no result, and one that was refused is the last word.
            proposed = given.get("plan")
            plan = proposed if isinstance(proposed, str) and proposed.strip() else plan
    known = {str(part.get("toolCallId")) for part in parts}
    commands.extend(
        Command("", failure.text, failure.exit_code, failed=True)
        for failure in failures
        if failure.tool_call_id not in known and failure.is_shells
    )
    return Work(_distinct(written), _distinct(read), tuple(commands), todos, plan, "\n\n".join(said))


def relative_to(cwd: str, path: str) -> str | None:
    """Gives a tool's path relative to the worktree, slashes forward; None for one outside of it."""
    absolute = path if os.path.isabs(path) else os.path.join(cwd, path)
    folder = os.path.realpath(os.path.dirname(absolute))
    for root, candidate in (
        (cwd, os.path.normpath(absolute)),
        (os.path.realpath(cwd), os.path.join(folder, os.path.basename(absolute))),
    ):
        if candidate.startswith(os.path.join(root, "")):
            return os.path.relpath(candidate, root).replace(os.sep, "/")
    return None


def _paths(given: Mapping[str, Any]) -> list[str]:
    """Claude names one file; Codex's changes have the paths as keys, and a move has two."""
    found = [given[name] for name in ("file_path", "notebook_path", "path") if isinstance(given.get(name), str)]
    changes = given.get("changes")
    if isinstance(changes, Mapping):
        for path, change in changes.items():
            found.append(path)
            if isinstance(change, Mapping) and isinstance(change.get("move_path"), str):
                found.append(change["move_path"])
    return [path for path in found if path and "\0" not in path]


def _command(part: Mapping[str, Any], given: Mapping[str, Any], failure: Failure | None) -> Command | None:
    command = given.get("command")
    if isinstance(command, list):
        command = " ".join(str(word) for word in command)
    if not isinstance(command, str):
        return None
    if failure is not None:
        return Command(command, failure.text, _exit_code(failure.exit_code, failure.text), failed=True)
    output = part.get("output")
    if output is None:
        return Command(command, "", None, failed=None)
    if isinstance(output, str):
        return Command(command, output, None, failed=None)
    if not isinstance(output, Mapping):
        return None
    streams = (
        [output.get("aggregated_output")]
        if output.get("aggregated_output")
        else [output.get("stdout"), output.get("stderr")]
    )
    text = "\n".join(stream for stream in streams if isinstance(stream, str) and stream)
    code = output.get("exit_code", output.get("exitCode"))
    exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
    return Command(command, text, exit_code, failed=None if exit_code is None else exit_code != 0)


def _exit_code(told: int | None, text: str) -> int | None:
    if told is not None:
        return told
    match = _EXIT_CODE.search(text[:200])
    return int(match[1]) if match else None


def _todos(listed: list[Any]) -> tuple[tuple[str, str], ...]:
    """Content and status of each step; a status of the agent's own making is none of ours, and counts as pending."""
    return tuple(
        (_step(str(todo.get("content", ""))), status if (status := todo.get("status")) in _STATUSES else _STATUSES[0])
        for todo in listed
        if isinstance(todo, Mapping)
    )


def _step(content: str) -> str:
    """Masks a step's secrets before it is cut: half a secret is not known as one."""
    return redact(content[: 2 * STEP_CHARACTERS])[:STEP_CHARACTERS]


def _distinct(paths: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
