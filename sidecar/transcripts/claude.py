"""Claude Code's session files. Records of subagents are skipped. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from sidecar.transcripts.events import (
    Author,
    Compaction,
    Event,
    Message,
    Reader,
    Record,
    TokenUsage,
    ToolCall,
    ToolResult,
    text_of,
)


def events_of(record: Record) -> Iterator[Event]:
    """Yield the events of a record; texts that the program itself wrote are skipped."""
    value, at_ms = record.value, record.at_ms
    if value.get("isSidechain") is True:
        return
    is_summary = value.get("isCompactSummary") is True
    if is_summary or (value.get("type") == "system" and value.get("subtype") == "compact_boundary"):
        yield Compaction(at_ms)
    if value.get("type") == "attachment" and at_ms is not None:
        yield from _queued_prompt(value.get("attachment"), record.number, at_ms)
    message, author = value.get("message"), value.get("type")
    if at_ms is None or is_summary or value.get("isMeta") is True or not isinstance(message, dict):
        return
    if author in ("user", "assistant"):
        is_foreign = author == "user" and not _is_human(value.get("origin"))
        for block in _blocks(message.get("content")):
            if not (is_foreign and block.get("type") == "text"):
                yield from _block_events(block, record.number, at_ms, cast("Author", author), value)
        if author == "assistant" and isinstance(usage := message.get("usage"), dict):
            yield _usage(usage, str(message.get("id")), at_ms)


def answers_earlier_message(records: Iterable[Record], since_ms: int) -> bool:
    """Whether the first prompt since a moment leaves out the last one: the user went back to a message before that.

    Each record names its parent, and a rollback begins another branch in the same file.
    """
    parents: dict[str, Any] = {}
    last_prompt: str | None = None
    for record in records:
        value, record_id = record.value, record.value.get("uuid")
        if value.get("isSidechain") is True or not isinstance(record_id, str):
            continue
        if value.get("isCompactSummary") is True or str(value.get("subtype")).endswith("compact_boundary"):
            last_prompt = None
        parents[record_id] = value.get("parentUuid")
        if _is_prompt(value):
            if record.at_ms is not None and record.at_ms >= since_ms:
                return last_prompt is not None and last_prompt not in _ancestors(record_id, parents)
            last_prompt = record_id
    return False


def _is_prompt(value: Mapping[str, Any]) -> bool:
    message = value.get("message")
    if value.get("type") != "user" or value.get("isMeta") is True or not isinstance(message, dict):
        return False
    is_text = any(block.get("type") == "text" for block in _blocks(message.get("content")))
    return is_text and value.get("isCompactSummary") is not True and _is_human(value.get("origin"))


def _ancestors(record_id: str, parents: Mapping[str, Any]) -> set[str]:
    ancestors: set[str] = set()
    parent = parents.get(record_id)
    while isinstance(parent, str) and parent not in ancestors:
        ancestors.add(parent)
        parent = parents.get(parent)
    return ancestors


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _queued_prompt(attachment: Any, record: int, at_ms: int) -> Iterator[Message]:
    """Yield what the user typed while the agent worked, as the agent received it."""
    if isinstance(attachment, dict) and attachment.get("type") == "queued_command":
        is_prompt = attachment.get("commandMode", "prompt") == "prompt"
        if is_prompt and attachment.get("isMeta") is not True and _is_human(attachment.get("origin")):
            yield Message(at_ms, record, "user", text_of(attachment.get("prompt")))


def _is_human(origin: Any) -> bool:
    """Whether a prompt is the user's: newer versions name its origin, such as another agent or a finished task."""
    kind = origin.get("kind") if isinstance(origin, dict) else origin
    return kind is None or kind == "human"


def _block_events(
    block: Mapping[str, Any], record: int, at_ms: int, author: Author, value: Mapping[str, Any]
) -> Iterator[Event]:
    kind, text, arguments = block.get("type"), block.get("text"), block.get("input")
    if kind == "text" and isinstance(text, str):
        yield Message(at_ms, record, author, text)
    elif kind == "tool_use" and isinstance(arguments, dict):
        yield ToolCall(at_ms, str(block.get("id")), str(block.get("name")), arguments)
    elif kind == "tool_result":
        call_id, structured, denial = block.get("tool_use_id"), value.get("toolUseResult"), value.get("toolDenialKind")
        yield ToolResult(
            at_ms=at_ms,
            call_id=call_id if isinstance(call_id, str) else "",
            text=text_of(block.get("content")),
            failed=block.get("is_error") is True,
            structured=structured if isinstance(structured, dict) else None,
            denial=denial if isinstance(denial, str) else "",
        )


def _usage(usage: Mapping[str, Any], answer_id: str, at_ms: int) -> TokenUsage:
    return TokenUsage(
        at_ms=at_ms,
        answer_id=answer_id,
        input_tokens=_count(usage.get("input_tokens")),
        output_tokens=_count(usage.get("output_tokens")),
        cache_read_tokens=_count(usage.get("cache_read_input_tokens")),
        cache_creation_tokens=_count(usage.get("cache_creation_input_tokens")),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


READER = Reader(
    provider="claude",
    marks={
        Message: (b'"user"', b'"assistant"', b'"queued_command"'),
        ToolCall: (b'"assistant"',),
        ToolResult: (b'"tool_result"',),
        TokenUsage: (b'"assistant"',),
        Compaction: (b"ompact",),
    },
    events_of=events_of,
)
