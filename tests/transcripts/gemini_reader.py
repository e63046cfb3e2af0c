"""A third provider's format, as a later version would add it: one file with a `READER`."""

from collections.abc import Iterator

from sidecar.transcripts import Compaction, Event, Message, TokenUsage, ToolCall, ToolResult
from sidecar.transcripts.events import Reader, Record


def events_of(record: Record) -> Iterator[Event]:
    """Yield the events of a record: `role`, and Gemini's `parts`."""
    value, at_ms = record.value, record.at_ms
    if value.get("role") == "compression":
        yield Compaction(at_ms)
    parts = value.get("parts")
    if at_ms is None or not isinstance(parts, list):
        return
    for part in parts:
        if "text" in part:
            yield Message(at_ms, record.number, "user" if value["role"] == "user" else "assistant", part["text"])
        elif call := part.get("functionCall"):
            yield ToolCall(at_ms, call["id"], call["name"], call["args"])
        elif answer := part.get("functionResponse"):
            failed = "error" in answer["response"]
            text = answer["response"]["error" if failed else "output"]
            yield ToolResult(at_ms, answer["id"], text, failed)
    if usage := value.get("usageMetadata"):
        yield TokenUsage(at_ms, value["id"], usage["promptTokenCount"], usage["candidatesTokenCount"], 0, 0)


READER = Reader(
    provider="gemini",
    marks={
        Message: (b'"text"',),
        ToolCall: (b'"functionCall"',),
        ToolResult: (b'"functionResponse"',),
        TokenUsage: (b'"usageMetadata"',),
        Compaction: (b'"compression"',),
    },
    events_of=events_of,
)
