"""A run's lines as the message parts that the host stores for Claude and Codex (host.md, Stored messages). Pure."""

import posixpath
from collections.abc import Sequence
from typing import Any, NamedTuple

from sidecar.runs.model import Provider
from tests.replay.recording import Delete, Edit, Plan, Ran, Read, Rename, Todos, Write

StoredStep = Read | Ran | Todos | Plan | Write | Edit | Delete | Rename
"""Entries that leave a part. Git commands are only visible in the repository."""


class Stored(NamedTuple):
    """A message's parts, and the tool errors that the host sends beside them."""

    parts: list[dict[str, Any]]
    errors: list[dict[str, Any]]


def stored(entries: Sequence[StoredStep], provider: Provider, cwd: str, text: str) -> Stored:
    """Return a run's entries as the host stores them: the tool calls in order, then the final text."""
    parts: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for number, entry in enumerate(entries, 1):
        call_id = f"call-{number}"
        tool, given, output = _tool(entry, provider, cwd)
        part = {"type": f"tool-{tool}", "toolCallId": call_id, "toolName": tool, "input": given}
        if isinstance(entry, Ran) and entry.exit_code:
            # Neither provider's messages contain the output of a failed command.
            parts.append({**part, "state": "call"})
            error = {"toolCallId": call_id, "toolName": tool, "text": entry.output, "exitCode": entry.exit_code}
            errors.append(error)
        else:
            parts.append({**part, "state": "result", "output": output})
    return Stored([*parts, {"type": "text", "text": text}], errors)


def in_worktree(value: Any, cwd: str) -> Any:
    """Replace `{cwd}` by the worktree's folder in every text of a JSON value."""
    if isinstance(value, str):
        return value.replace("{cwd}", cwd)
    if isinstance(value, list):
        return [in_worktree(item, cwd) for item in value]
    if isinstance(value, dict):
        return {in_worktree(name, cwd): in_worktree(item, cwd) for name, item in value.items()}
    return value


def _tool(entry: StoredStep, provider: Provider, cwd: str) -> tuple[str, dict[str, Any], Any]:
    """Return a tool call's name, input and output."""
    match entry:
        case Read():
            return "Read", {"file_path": posixpath.join(cwd, entry.read)}, {}
        case Ran():
            return "Bash", {"command": entry.ran}, _finished(entry, provider)
        case Todos():
            return "TodoWrite", {"todos": [todo.model_dump(exclude_none=True) for todo in entry.todos]}, {}
        case Plan():
            return "ExitPlanMode", {"plan": entry.plan}, {"plan": entry.plan}
        case Delete():
            return "Bash", {"command": f"rm {entry.delete}"}, {"stdout": "", "stderr": ""}
        case Rename():
            return "Bash", {"command": f"git mv {entry.rename} {entry.to}"}, {"stdout": "", "stderr": ""}
        case Write() | Edit():
            return _written(entry, provider, cwd)


def _finished(entry: Ran, provider: Provider) -> dict[str, Any]:
    streams = {"stdout": entry.output, "stderr": ""}
    return {**streams, "exit_code": 0, "status": "completed"} if provider == "codex" else streams


def _written(entry: Write | Edit, provider: Provider, cwd: str) -> tuple[str, dict[str, Any], Any]:
    path = posixpath.join(cwd, entry.write if isinstance(entry, Write) else entry.edit)
    if provider == "codex":
        kind = "add" if isinstance(entry, Write) else "update"
        return "Edit", {"changes": {path: {"type": kind, "unified_diff": ""}}}, {"status": "completed"}
    if isinstance(entry, Write):
        return "Write", {"file_path": path, "content": entry.text}, {}
    return "Edit", {"file_path": path, "old_string": entry.find, "new_string": entry.replace}, {}
