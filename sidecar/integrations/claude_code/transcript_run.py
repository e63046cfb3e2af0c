"""A run read from Claude Code's session file: prompt, message parts as a host stores them, token usage. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sidecar.core.wire import MOST_TOKENS
from sidecar.transcripts.records import parse_record, written_ms

_NOT_OF_THE_RUN = ("isSidechain", "isMeta", "isCompactSummary")
_TOKENS = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cacheReadTokens": "cache_read_input_tokens",
    "cacheCreationTokens": "cache_creation_input_tokens",
}


class TranscriptRun(NamedTuple):
    """A run in a session file; empty if it is not written yet."""

    prompt: str
    text: str
    """The agent's last message."""
    parts: list[dict[str, Any]]
    usage: dict[str, int]


def run_since(lines: Iterable[bytes], since_ms: int) -> TranscriptRun:
    """Return the run since a moment; damaged records and those of subagents are skipped."""
    prompt, text = "", ""
    parts: list[dict[str, Any]] = []
    by_id: dict[str, dict[str, Any]] = {}
    usages: dict[str, Mapping[str, Any]] = {}
    for record, message in _messages(lines, since_ms):
        blocks = _blocks(message.get("content"))
        if record["type"] == "user":
            _add_results(by_id, blocks, record.get("toolUseResult"))
            prompt = prompt or "\n".join(_texts(blocks))
            continue
        made = [part for part in map(_part, blocks) if part is not None]
        parts.extend(made)
        by_id.update((part["toolCallId"], part) for part in made if "toolCallId" in part)
        text = "\n".join(_texts(blocks)) or text
        if isinstance(message.get("usage"), Mapping):
            usages[str(message.get("id"))] = message["usage"]
    return TranscriptRun(prompt, text, parts, _sums(usages.values()))


def add_touched_files(parts: Sequence[dict[str, Any]], touched: Iterable[str]) -> list[dict[str, Any]]:
    """Add edits of files that other hooks reported and the session file does not contain yet."""
    paths = (part["input"].get("file_path") for part in parts if isinstance(part.get("input"), Mapping))
    known_paths = {path for path in paths if isinstance(path, str)}
    more = [path for path in dict.fromkeys(touched) if path not in known_paths]
    edits = [
        {**_call(f"touched-{number}", "Edit", {"file_path": path}), "state": "result", "output": {}}
        for number, path in enumerate(more, 1)
    ]
    return [*edits, *parts]


def _messages(lines: Iterable[bytes], since_ms: int) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    for line in lines:
        record = parse_record(line)
        message = record.get("message")
        moment = written_ms(record)
        if record.get("type") not in ("user", "assistant") or not isinstance(message, Mapping):
            continue
        if moment is None or moment < since_ms or any(record.get(name) is True for name in _NOT_OF_THE_RUN):
            continue
        yield record, message


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []


def _texts(blocks: Iterable[Mapping[str, Any]]) -> list[str]:
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _part(block: Mapping[str, Any]) -> dict[str, Any] | None:
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    if block.get("type") == "tool_use" and isinstance(block.get("input"), Mapping):
        return _call(str(block.get("id")), str(block.get("name")), dict(block["input"]))
    return None


def _call(call_id: str, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"tool-{tool}", "toolCallId": call_id, "toolName": tool, "state": "call", "input": given}


def _add_results(by_id: Mapping[str, dict[str, Any]], blocks: Iterable[Mapping[str, Any]], structured: Any) -> None:
    """Add results to the calls; a failed call stays without one, as with a host."""
    for block in blocks:
        part = by_id.get(str(block.get("tool_use_id"))) if block.get("type") == "tool_result" else None
        if part is not None and block.get("is_error") is not True:
            part["state"] = "result"
            part["output"] = (
                structured if isinstance(structured, Mapping) else "\n".join(_texts(_blocks(block.get("content"))))
            )


def _sums(usages: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the total usage; several records of one answer repeat its usage, which is counted once."""
    answers = list(usages)
    counts = {name: [_count(usage.get(member)) for usage in answers] for name, member in _TOKENS.items()}
    return {name: min(MOST_TOKENS, sum(values)) for name, values in counts.items() if values}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
