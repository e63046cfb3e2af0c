"""A run read from an agent's session file: prompt, message parts as a host stores them, token usage. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sidecar.core.wire_types import MAX_TOKENS
from sidecar.transcripts.event_stream import read_events
from sidecar.transcripts.events import Message, TokenUsage, ToolCall, ToolResult

HOST_NAMES = {"apply_patch": "Edit"}
"""A host's names of the tools that Codex names otherwise."""


class TranscriptRun(NamedTuple):
    """A run in a session file; empty if it is not written yet."""

    prompt: str
    text: str
    """The agent's last message."""
    parts: list[dict[str, Any]]
    usage: dict[str, int]


def run_since(lines: Iterable[bytes], since_ms: int) -> TranscriptRun:
    """Return the run since a moment; damaged records and those of subagents are skipped."""
    messages: list[Message] = []
    parts: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    usages: dict[str, TokenUsage] = {}
    for event in read_events(lines, since_ms, Message, ToolCall, ToolResult, TokenUsage):
        match event:
            case Message():
                messages.append(event)
                if event.author == "assistant":
                    parts.append({"type": "text", "text": event.text})
            case ToolCall():
                tool = HOST_NAMES.get(event.tool, event.tool)
                calls[event.call_id] = _part(event.call_id, tool, dict(event.arguments))
                parts.append(calls[event.call_id])
            case ToolResult():
                if event.command and event.call_id not in calls:
                    calls[event.call_id] = _part(event.call_id, "Bash", {"command": event.command})
                    parts.append(calls[event.call_id])
                _add_result(calls.get(event.call_id), event)
            case TokenUsage():
                usages[event.answer_id] = event
            case _:
                pass
    prompts, answers = _texts(messages, "user"), _texts(messages, "assistant")
    return TranscriptRun(
        prompt=prompts[0] if prompts else "",
        text=answers[-1] if answers else "",
        parts=parts,
        usage=_totals(usages.values()),
    )


def add_touched_files(parts: Sequence[dict[str, Any]], touched: Iterable[str]) -> list[dict[str, Any]]:
    """Add edits of files that other hooks reported and the session file does not contain yet."""
    finished = (part.get("input") for part in parts if part.get("state") != "call")
    inputs = [given for given in finished if isinstance(given, Mapping)]
    paths = (path for given in inputs for path in (given.get("file_path"), *given.get("changes", ())))
    known_paths = tuple({path for path in paths if isinstance(path, str)})
    missing = [path for path in dict.fromkeys(touched) if not path.endswith(known_paths)]
    edits = [
        {**_part(f"touched-{number}", "Edit", {"file_path": path}), "state": "result", "output": {}}
        for number, path in enumerate(missing, 1)
    ]
    return [*edits, *parts]


def _texts(messages: Iterable[Message], author: str) -> list[str]:
    """Return the texts of an author's records, in order, without blank ones."""
    by_record: dict[int, list[str]] = {}
    for message in messages:
        if message.author == author and message.text.strip():
            by_record.setdefault(message.record, []).append(message.text)
    return ["\n".join(texts) for texts in by_record.values()]


def _part(call_id: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"tool-{tool}", "toolCallId": call_id, "toolName": tool, "state": "call", "input": arguments}


def _add_result(part: dict[str, Any] | None, result: ToolResult) -> None:
    """Add a result to its call; a failed call stays without one, as with a host."""
    if part is not None and not result.failed:
        part["state"] = "result"
        part["output"] = result.text if result.structured is None else result.structured


def _totals(usages: Collection[TokenUsage]) -> dict[str, int]:
    """Return the total usage of the answers; empty without any."""
    if not usages:
        return {}
    return {
        "inputTokens": min(MAX_TOKENS, sum(usage.input_tokens for usage in usages)),
        "outputTokens": min(MAX_TOKENS, sum(usage.output_tokens for usage in usages)),
        "cacheReadTokens": min(MAX_TOKENS, sum(usage.cache_read_tokens for usage in usages)),
        "cacheCreationTokens": min(MAX_TOKENS, sum(usage.cache_creation_tokens for usage in usages)),
    }
