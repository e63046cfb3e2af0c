"""What a run's lines look like as the parts the host stores, Claude's and Codex's (host.md, Stored messages). Pure."""

import posixpath
from collections.abc import Sequence
from typing import Any, NamedTuple

from sidecar.runs.model import Provider
from tests.replay.recording import Delete, Edit, Plan, Ran, Read, Rename, Todos, Write

Told = Read | Ran | Todos | Plan | Write | Edit | Delete | Rename
"""Entries that leave a part; what git does is seen in the repository only."""


class Stored(NamedTuple):
    """The parts of a message, and the tool errors that the host sends beside them."""

    parts: list[dict[str, Any]]
    errors: list[dict[str, Any]]


def stored(entries: Sequence[Told], provider: Provider, cwd: str, text: str) -> Stored:
    """Gives a run's entries as the host has them: the tool calls in order, then the final text."""
    parts: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for number, entry in enumerate(entries, 1):
        call_id = f"call-{number}"
        tool, given, output = _tool(entry, provider, cwd)
        part = {"type": f"tool-{tool}", "toolCallId": call_id, "toolName": tool, "input": given}
        if isinstance(entry, Ran) and entry.exit_code:
            # The output of a failed command reaches the host's messages with neither provider.
            parts.append({**part, "state": "call"})
            error = {"toolCallId": call_id, "toolName": tool, "text": entry.output, "exitCode": entry.exit_code}
            errors.append(error)
        else:
            parts.append({**part, "state": "result", "output": output})
    return Stored([*parts, {"type": "text", "text": text}], errors)


def in_worktree(value: Any, cwd: str) -> Any:
    """Puts the worktree's folder in the place of `{cwd}`, in every text of a JSON value."""
    if isinstance(value, str):
        return value.replace("{cwd}", cwd)
    if isinstance(value, list):
        return [in_worktree(one, cwd) for one in value]
    if isinstance(value, dict):
        return {in_worktree(name, cwd): in_worktree(one, cwd) for name, one in value.items()}
    return value


def _tool(entry: Told, provider: Provider, cwd: str) -> tuple[str, dict[str, Any], Any]:
    """Gives the tool's name, what it was given, and what it answered."""
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
