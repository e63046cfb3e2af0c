"""Codex's rollout files. Pure."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from sidecar.core.json_text import loads
from sidecar.core.lazy_regex import lazy_regex
from sidecar.transcripts.events import (
    Compaction,
    Event,
    Message,
    Reader,
    Record,
    Rollback,
    TokenUsage,
    ToolCall,
    ToolResult,
    text_of,
)

_PATCHED_FILE = lazy_regex(r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.(?:.*\S)?)")
_EXIT_CODE = lazy_regex(r"(?i)\bexit(?:ed)?(?: with)?(?: code)?: ?(\d{1,3})\b|exited with code (\d{1,3})\b")


def events_of(record: Record) -> Iterator[Event]:
    """Yield the events of a record."""
    payload, at_ms = record.value.get("payload"), record.at_ms
    kind = payload.get("type") if isinstance(payload, dict) else None
    if record.value.get("type") == "compacted" or (
        record.value.get("type") == "event_msg" and kind == "context_compacted"
    ):
        yield Compaction(at_ms)
    if at_ms is None or not isinstance(payload, dict):
        return
    if kind in ("user_message", "agent_message") and isinstance(text := payload.get("message"), str):
        yield Message(at_ms, record.number, "user" if kind == "user_message" else "assistant", text)
    elif kind == "thread_rolled_back":
        yield Rollback(at_ms)
    elif kind == "item_completed" and isinstance(item := payload.get("item"), dict):
        yield from _item(item, record.number, at_ms)
    elif record.value.get("type") == "token_usage_record" and isinstance(usage := payload.get("usage"), dict):
        yield _usage(usage, record.number, at_ms)
    elif kind in ("custom_tool_call", "function_call"):
        yield from _call(payload, at_ms)
    elif kind == "exec_command_end":
        output = payload.get("aggregated_output") or payload.get("stdout")
        yield _result(payload, at_ms, output, payload.get("exit_code"), str(payload.get("command")))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield _result(payload, at_ms, *_output(payload.get("output")), None)


def _item(item: Mapping[str, Any], record: int, at_ms: int) -> Iterator[Event]:
    """Yield an item of a turn: newer versions record messages and commands in this form."""
    kind = item.get("type")
    if kind in ("UserMessage", "AgentMessage") and isinstance(content := item.get("content"), list):
        texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        yield Message(at_ms, record, "user" if kind == "UserMessage" else "assistant", "\n".join(texts))
    elif kind == "CommandExecution":
        words = item.get("command")
        script = words[-1] if isinstance(words, list) and words else words
        named = {"call_id": item.get("id")}
        yield _result(named, at_ms, item.get("aggregated_output"), item.get("exit_code"), str(script))


def _usage(usage: Mapping[str, Any], record: int, at_ms: int) -> TokenUsage:
    """Return the tokens of one answer; Codex counts what came from the cache as input too."""
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")
    counts = (usage.get(name) for name in names)
    total, output, cached, written = (count if type(count) is int and count > 0 else 0 for count in counts)
    return TokenUsage(
        at_ms=at_ms,
        answer_id=f"record-{record}",
        input_tokens=max(0, total - cached - written),
        output_tokens=output,
        cache_read_tokens=cached,
        cache_creation_tokens=written,
    )


def _call(payload: Mapping[str, Any], at_ms: int) -> Iterator[ToolCall]:
    """Yield the call of a tool that writes files or questions the user; commands are in their results."""
    name, call_id = payload.get("name"), str(payload.get("call_id"))
    if name == "apply_patch" and isinstance(patch := payload.get("input") or payload.get("arguments"), str):
        paths: dict[str, Any] = {path: {} for path in _PATCHED_FILE.findall(patch.replace("\\n", "\n"))}
        yield ToolCall(at_ms, call_id, name, {"changes": paths})
    elif name == "request_user_input" and isinstance(text := payload.get("arguments"), str):
        with suppress(ValueError, RecursionError):
            arguments = loads(text.encode("utf-8", "replace"))
            if isinstance(arguments, dict):
                yield ToolCall(at_ms, call_id, name, arguments)


def _result(payload: Mapping[str, Any], at_ms: int, output: Any, exit_code: Any, command: str | None) -> ToolResult:
    call_id = payload.get("call_id")
    return ToolResult(
        at_ms=at_ms,
        call_id=call_id if isinstance(call_id, str) else "",
        text=text_of(output),
        failed=isinstance(exit_code, int) and exit_code != 0,
        exit_code=exit_code if isinstance(exit_code, int) else None,
        command=command,
    )


def _output(output: Any) -> tuple[Any, Any]:
    """Return text and exit code: one JSON object in older versions, lines before the text in newer ones."""
    if not isinstance(output, str):
        return "", None
    try:
        parsed = loads(output.encode("utf-8", "replace")) if output.startswith("{") else None
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, dict):
        metadata = parsed.get("metadata")
        return parsed.get("output"), metadata.get("exit_code") if isinstance(metadata, dict) else None
    match = _EXIT_CODE.search(output[:400])
    return output, int(match[1] or match[2]) if match else None


READER = Reader(
    provider="codex",
    marks={
        Message: (b'"user_message"', b'"agent_message"', b'"UserMessage"', b'"AgentMessage"'),
        ToolCall: (b'"apply_patch"', b'"request_user_input"'),
        ToolResult: (b"_call_output", b"exec_command_end", b'"CommandExecution"'),
        TokenUsage: (b'"token_usage_record"',),
        Compaction: (b"ompact",),
        Rollback: (b'"thread_rolled_back"',),
    },
    events_of=events_of,
)
