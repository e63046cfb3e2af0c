"""Outputs of failed tool calls in a provider's transcript, Claude's and Codex's. Pure.

Neither is part of the host's stored messages (host.md, Facts that shape the contract).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from sidecar.capture.effects.tool_parts import ToolFailure
from sidecar.core.lazy_regex import regex
from sidecar.transcripts.records import parse_record, written_ms

MAX_FAILURES = 500
_FAILURE_MARKS = (b'"tool_result"', b"_call_output", b"exec_command_end")
_EXIT = regex(r"(?i)\bexit(?:ed)?(?: with)?(?: code)?: ?(\d{1,3})\b|exited with code (\d{1,3})\b")


def transcript_errors(lines: Iterable[bytes], since_ms: int) -> list[ToolFailure]:
    """Return the tool calls that failed since a moment, each once. Damaged and unknown records are skipped."""
    by_id: dict[str, ToolFailure] = {}
    for line in lines:
        if any(word in line for word in _FAILURE_MARKS):
            record = parse_record(line)
            moment = written_ms(record)
            if record.get("isSidechain") is not True and moment is not None and moment >= since_ms:
                by_id.update((str(failure.tool_call_id), failure) for failure in _failures(record))
    return list(by_id.values())[-MAX_FAILURES:]


def _failures(record: Mapping[str, Any]) -> Iterator[ToolFailure]:
    payload = record.get("payload")
    if isinstance(payload, Mapping):
        yield from _codex(payload)
    message = record.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping) and part.get("type") == "tool_result" and part.get("is_error") is True:
            call_id = part.get("tool_use_id")
            if isinstance(call_id, str):
                yield ToolFailure(call_id, _text(part.get("content")), None)


def _codex(payload: Mapping[str, Any]) -> Iterator[ToolFailure]:
    call_id, kind = payload.get("call_id"), payload.get("type")
    if not isinstance(call_id, str):
        return
    if kind == "exec_command_end":
        text, code = payload.get("aggregated_output") or payload.get("stdout"), payload.get("exit_code")
    elif kind in ("function_call_output", "custom_tool_call_output"):
        text, code = _codex_output(payload.get("output"))
    else:
        return
    if isinstance(code, int) and code:
        yield ToolFailure(call_id, _text(text), code)


def _codex_output(output: Any) -> tuple[Any, Any]:
    """Return text and exit code: one JSON object in older versions, lines before the text in newer ones."""
    if not isinstance(output, str):
        return "", None
    try:
        parsed = orjson.loads(output) if output.startswith("{") else None
    except orjson.JSONDecodeError:
        parsed = None
    if isinstance(parsed, dict):
        metadata = parsed.get("metadata")
        return parsed.get("output"), metadata.get("exit_code") if isinstance(metadata, dict) else None
    match = _EXIT.search(output[:400])
    return output, int(match[1] or match[2]) if match else None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))
