"""A run's activity in the message parts that a host stores, and what its session lost during it. Pure.

Outputs of failed tool calls come from the transcript: the stored parts do not have them.
"""

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from sidecar.capture.effects.shell_commands import files_read, may_write, relative_path
from sidecar.codebase import has_unsafe_name, is_test
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.system.safe_open import real_path, spelling_below
from sidecar.transcripts.events import Compaction, Event, Message, ToolCall, ToolResult
from sidecar.transcripts.transcript_tail import TranscriptTail, is_after, read_events

_WRITING = frozenset(("tool-Edit", "tool-Write", "tool-MultiEdit", "tool-NotebookEdit"))
_READING = frozenset(("tool-Read",))
_SUB_AGENTS = frozenset(("tool-Task", "tool-Agent"))
_MCP = "tool-mcp__"

_SHELL_TOOLS = frozenset(("bash", "shell", "exec", "exec_command", "local_shell", "unified_exec", "terminal"))
_STATUSES = ("pending", "in_progress", "completed")
_EXIT_CODE = lazy_regex(r"(?i)\bexit(?:ed)?(?: with)?(?: code| status)?[: ]+(\d{1,3})\b")

STEP_CHARACTERS = 4_000
MAX_EDIT = 40_000


class RunCommand(NamedTuple):
    """A shell command that the agent ran, with what is known about its end."""

    command: str
    output: str
    exit_code: int | None
    """None if the host does not report it; Claude's parts usually do not."""
    failed: bool | None
    after_edit: bool = False
    """Whether the run had edited files before, tests aside."""
    after_test: bool = False
    """Whether the run had edited tests before."""


class TextEdit(NamedTuple):
    """Text that an edit took out of a file and put into it, as far as its part shows it."""

    path: str
    before: str | None
    """None if the part does not show it, as for a file that was written whole."""
    after: str


class RunActivity(NamedTuple):
    """Activity of an agent in a run, as its parts show it. Paths are absolute or as the agent wrote them."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    seen_whole: tuple[str, ...]
    """Those of them that it wrote, or read from beginning to end."""
    commands: tuple[RunCommand, ...]
    todos: tuple[tuple[str, str], ...] | None
    """None if the run did not change its task list."""
    plan: str | None
    """The last proposed plan; None without one."""
    conclusion: str
    """Text after the last tool call; empty if the parts do not show it."""
    texts: tuple[str, ...] = ()
    """All of its texts, in order."""
    edits: tuple[TextEdit, ...] = ()
    used_acting_tool: bool = False
    """Whether an MCP tool or a sub-agent ran."""
    cwd: str = ""
    """The folder that it ran in; empty if unknown."""

    @property
    def may_have_written(self) -> bool:
        """Whether a command, an MCP tool or a sub-agent may have changed files beyond those reported as written."""
        return self.used_acting_tool or any(may_write(command.command, self.cwd) for command in self.commands)


class ToolFailure(NamedTuple):
    """Output of a failed tool call, by its id if known."""

    tool_call_id: str | None
    text: str
    exit_code: int | None
    tool: str | None = None
    """The tool's name, if the host reports it."""

    @property
    def is_shell_output(self) -> bool:
        """Whether this may be a shell command's output. What another tool quotes is not."""
        return self.tool is None or self.tool.removeprefix("tool-").casefold() in _SHELL_TOOLS


def activity_of(parts: Sequence[Mapping[str, Any]], failures: Sequence[ToolFailure], cwd: str = "") -> RunActivity:
    """Collect what a run did in `cwd`. Parts of unknown or damaged shape are skipped."""
    collected = _Collected(cwd, {failure.tool_call_id: failure for failure in failures if failure.tool_call_id})
    for part in parts:
        collected.add(part)
    call_ids = {str(part.get("toolCallId")) for part in parts}
    collected.commands.extend(
        RunCommand("", failure.text, failure.exit_code, failed=True)
        for failure in failures
        if failure.tool_call_id not in call_ids and failure.is_shell_output
    )
    return RunActivity(
        written=tuple(dict.fromkeys(collected.written)),
        read=tuple(dict.fromkeys(collected.read)),
        seen_whole=tuple(dict.fromkeys(collected.seen_whole)),
        commands=tuple(collected.commands),
        todos=collected.todos,
        plan=collected.plan,
        conclusion="\n\n".join(collected.last_texts),
        texts=tuple(collected.texts),
        edits=tuple(collected.edits),
        used_acting_tool=any(_is_acting(part) for part in parts),
        cwd=cwd,
    )


class _Collected:
    """Activity that the parts up to now show."""

    def __init__(self, cwd: str, failures: Mapping[str, ToolFailure]) -> None:
        self._cwd, self._failures = cwd, failures
        self.written: list[str] = []
        self.read: list[str] = []
        self.seen_whole: list[str] = []
        self.commands: list[RunCommand] = []
        self.edits: list[TextEdit] = []
        self.todos: tuple[tuple[str, str], ...] | None = None
        self.plan: str | None = None
        self.texts: list[str] = []
        self.last_texts: list[str] = []
        """The texts since the last tool call."""

    def add(self, part: Mapping[str, Any]) -> None:
        """Add a text or a call of a tool."""
        kind, tool_input = part.get("type"), part.get("input")
        if kind == "text" and isinstance(part.get("text"), str):
            self.texts.append(str(part["text"]))
            self.last_texts.append(self.texts[-1])
        if not isinstance(kind, str) or not isinstance(tool_input, Mapping):
            return
        self.last_texts.clear()
        failure = self._failures.get(str(part.get("toolCallId")))
        succeeded = failure is None and _has_result(part)
        if kind in _WRITING and succeeded:
            self.written.extend(_paths(tool_input))
            self.seen_whole.extend(_written_whole(kind, tool_input))
            self.edits.extend(_edits(tool_input))
        elif kind in _READING and succeeded:
            self.read.extend(_paths(tool_input))
            is_part = any(tool_input.get(name) is not None for name in ("offset", "limit", "pages"))
            self.seen_whole.extend(() if is_part else _paths(tool_input))
        elif kind == "tool-Bash" and (command := command_of(part, tool_input, failure)):
            self._add_command(command, succeeded=succeeded)
        elif kind == "tool-TodoWrite" and isinstance(steps := tool_input.get("todos"), list):
            self.todos = _todos(steps)
        elif kind == "tool-ExitPlanMode" and isinstance(plan := tool_input.get("plan"), str) and plan.strip():
            # The host stops the run at a proposal: the call needs no result, and a refused plan is still the last one.
            self.plan = plan

    def _add_command(self, command: RunCommand, *, succeeded: bool) -> None:
        edited = {is_test(relative_to(self._cwd, path) or "") for path in dict.fromkeys(self.written)}
        self.commands.append(command._replace(after_edit=False in edited, after_test=True in edited))
        if succeeded and not command.failed:
            self.read.extend(files_read(command.command, self._cwd))
            self.seen_whole.extend(files_read(command.command, self._cwd, whole=True))


def _edits(tool_input: Mapping[str, Any]) -> Iterator[TextEdit]:
    """Yield the edits of a call: Claude's old and new strings or a whole content, Codex's diffs."""
    several, path = tool_input.get("edits"), tool_input.get("file_path")
    for edit in [tool_input, *(several if isinstance(several, list) else ())]:
        if not isinstance(edit, Mapping) or not isinstance(path, str):
            continue
        before, after = edit.get("old_string"), edit.get("new_string", edit.get("content"))
        if isinstance(after, str):
            yield TextEdit(path, before[:MAX_EDIT] if isinstance(before, str) else None, after[:MAX_EDIT])
    changes = tool_input.get("changes")
    for changed, change in changes.items() if isinstance(changes, Mapping) else ():
        diff = change.get("unified_diff") if isinstance(change, Mapping) else None
        if isinstance(diff, str):
            sides = (
                "\n".join(line[1:] for line in diff[:MAX_EDIT].split("\n") if line.startswith(mark)) for mark in "-+"
            )
            yield TextEdit(changed, *sides)


def _has_result(part: Mapping[str, Any]) -> bool:
    """Whether a call ran: one that was denied, failed or interrupted stays a call without output."""
    return part.get("state") != "call" or part.get("output") is not None


def _is_acting(part: Mapping[str, Any]) -> bool:
    """Whether an MCP tool or a sub-agent ran; what it changes is not in its call."""
    kind = part.get("type")
    return isinstance(kind, str) and (kind in _SUB_AGENTS or kind.startswith(_MCP)) and _has_result(part)


def _written_whole(kind: str, tool_input: Mapping[str, Any]) -> list[str]:
    """Return the paths that a call wrote from beginning to end: a new file, or one that it replaced."""
    changes = tool_input.get("changes")
    if isinstance(changes, Mapping):
        return [path for path, change in changes.items() if isinstance(change, Mapping) and change.get("type") == "add"]
    return _paths(tool_input) if kind == "tool-Write" else []


def events_of_parts(
    prompt: str, parts: Sequence[Mapping[str, Any]], failures: Sequence[ToolFailure], at_ms: int
) -> Iterator[Event]:
    """Yield a run's prompt, the agent's texts, its tool calls and their results, in order."""
    if prompt.strip():
        yield Message(at_ms, 0, "user", prompt)
    by_id = {failure.tool_call_id: failure for failure in failures if failure.tool_call_id}
    for number, part in enumerate(parts, 1):
        kind, tool_input = part.get("type"), part.get("input")
        if kind == "text" and isinstance(text := part.get("text"), str):
            yield Message(at_ms, number, "assistant", text)
        elif isinstance(kind, str) and isinstance(tool_input, Mapping):
            call_id = str(part.get("toolCallId"))
            yield ToolCall(at_ms, call_id, kind.removeprefix("tool-"), tool_input)
            if (result := _result_of_part(part, tool_input, by_id.get(call_id), call_id, at_ms)) is not None:
                yield result
    known_ids = {str(part.get("toolCallId")) for part in parts}
    for failure in failures:
        if failure.tool_call_id not in known_ids:
            yield ToolResult(at_ms, "", failure.text, failed=True)


def _result_of_part(
    part: Mapping[str, Any], tool_input: Mapping[str, Any], failure: ToolFailure | None, call_id: str, at_ms: int
) -> ToolResult | None:
    """Return the result of a tool call; None for one that was denied or interrupted without a word."""
    if failure is not None:
        return ToolResult(at_ms, call_id, failure.text, failed=True, exit_code=failure.exit_code)
    output = part.get("output")
    if output is None:
        return None
    command = command_of(part, tool_input, None) if part.get("type") == "tool-Bash" else None
    structured = output if isinstance(output, Mapping) else None
    text = command.output if command is not None else output if isinstance(output, str) else ""
    return ToolResult(at_ms, call_id, text, failed=bool(command and command.failed), structured=structured)


def relative_to(cwd: str, path: str) -> str | None:
    """Return a tool's path relative to the worktree, with forward slashes, as the listing spells it.

    None for a path outside it, and for a name with a secret, which is left out as in the listing.
    """
    absolute = path if os.path.isabs(path) else os.path.join(cwd, path)
    root, relative = cwd, relative_path(os.path.normpath(absolute), cwd)
    if relative is None:
        real_root, folder = real_path(cwd), real_path(os.path.dirname(absolute))
        if real_root is None or folder is None:
            return None
        root = str(real_root)
        relative = relative_path(os.path.join(folder, os.path.basename(absolute)), root)
    if relative is None:
        return None
    relative = spelling_below(root, relative).replace(os.sep, "/")
    if sys.platform == "darwin":
        relative = unicodedata.normalize("NFC", relative)  # git composes letters there, whatever is on disk
    return None if has_unsafe_name(relative) else relative


def _paths(tool_input: Mapping[str, Any]) -> list[str]:
    """Return the paths in a tool's input: one for Claude, the keys of Codex's changes, two for a move."""
    paths = [
        tool_input[name] for name in ("file_path", "notebook_path", "path") if isinstance(tool_input.get(name), str)
    ]
    changes = tool_input.get("changes")
    if isinstance(changes, Mapping):
        for path, change in changes.items():
            paths.append(path)
            if isinstance(change, Mapping) and isinstance(change.get("move_path"), str):
                paths.append(change["move_path"])
    return [path for path in paths if path and "\0" not in path]


def command_of(
    part: Mapping[str, Any], tool_input: Mapping[str, Any], failure: ToolFailure | None
) -> RunCommand | None:
    """Return the command of a shell call with what is known about its end; None if it has none."""
    command = tool_input.get("command")
    if isinstance(command, list):
        command = " ".join(str(word) for word in command)
    if not isinstance(command, str):
        return None
    if failure is not None:
        return RunCommand(command, failure.text, _exit_code(failure.exit_code, failure.text), failed=True)
    output = part.get("output")
    if output is None:
        return RunCommand(command, "", None, failed=None)
    if isinstance(output, str):
        return RunCommand(command, output, None, failed=None)
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
    return RunCommand(command, text, exit_code, failed=None if exit_code is None else exit_code != 0)


def _exit_code(reported: int | None, text: str) -> int | None:
    if reported is not None:
        return reported
    match = _EXIT_CODE.search(text[:200])
    return int(match[1]) if match else None


def _todos(todo_items: list[Any]) -> tuple[tuple[str, str], ...]:
    """Return content and status of each step. An unknown status counts as pending."""
    return tuple(
        (_step(str(todo.get("content", ""))), status if (status := todo.get("status")) in _STATUSES else _STATUSES[0])
        for todo in todo_items
        if isinstance(todo, Mapping)
    )


def _step(content: str) -> str:
    """Mask a step's secrets before it is cut: half a secret is not recognised."""
    return redact(content[: 2 * STEP_CHARACTERS])[:STEP_CHARACTERS]


MAX_FAILURES = 500


def transcript_errors(lines: Iterable[bytes], since_ms: int) -> list[ToolFailure]:
    """Return the tool calls that failed since a moment, each once. Damaged and unknown records are skipped."""
    by_id: dict[str, ToolFailure] = {}
    for event in read_events(lines, since_ms, ToolResult):
        if isinstance(event, ToolResult) and event.failed and event.call_id:
            by_id[event.call_id] = ToolFailure(event.call_id, event.text, event.exit_code)
    return list(by_id.values())[-MAX_FAILURES:]


class Loss(IntEnum):
    """Extent of what a session lost of what it had received. The greater value wins."""

    NOTHING = 0
    TRANSCRIPT = 1
    """Compacted: the content of its prompts is gone, a system text is not."""
    SESSION = 2
    """Started again, or went back to an earlier point."""


_COMMANDS = {
    "/compact": Loss.TRANSCRIPT,
    **dict.fromkeys(("/clear", "/new", "/reset", "/rewind", "/undo", "/resume"), Loss.SESSION),
}
"""Prompts with which Claude Code and Codex discard a session's content; the app sends them as prompts."""


def loss_by_prompt(prompt: str) -> Loss:
    """Return what a prompt makes its session lose."""
    words = prompt.split(maxsplit=1)
    return _COMMANDS.get(words[0].casefold(), Loss.NOTHING) if words else Loss.NOTHING


def was_compacted(lines: Iterable[bytes], since_ms: int) -> bool:
    """Whether a transcript's lines record a compaction at or after a moment; one without a time counts."""
    return any(True for _ in read_events(lines, since_ms, Compaction))


def compacted_since(transcript: TranscriptTail, since_ms: int) -> bool:
    """Whether a session was compacted since a moment.

    If the part that was read starts after that moment, what came before is unknown. That counts as a compaction,
    because sending something twice does less harm than not sending it.
    """
    if was_compacted(transcript.lines, since_ms):
        return True
    timed = (is_after(line, since_ms) for line in transcript.lines if b'"timestamp"' in line)
    return not transcript.is_complete and next(timed, True)
