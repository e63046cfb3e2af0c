"""The typed events of a transcript, and what the reader of a provider's format consists of. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

Author = Literal["user", "assistant"]

EDITING_TOOLS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"))
"""Names of the tools that write files."""


class Message(NamedTuple):
    """A text of the user or the agent; a record with several texts yields several messages."""

    at_ms: int
    record: int
    """Position of its record among the lines."""
    author: Author
    text: str


class ToolCall(NamedTuple):
    """A call of a tool by the agent."""

    at_ms: int
    call_id: str
    tool: str
    arguments: Mapping[str, Any]


USER_REJECTED = "user-rejected"


class ToolResult(NamedTuple):
    """The result of a tool call."""

    at_ms: int
    call_id: str
    """Empty if the record has none."""
    text: str
    failed: bool
    exit_code: int | None = None
    command: str | None = None
    """The command line, if the record repeats it."""
    structured: Mapping[str, Any] | None = None
    """The provider's own structured form of the result, if any."""
    denial: str = ""
    """Reason of a denied call, such as `USER_REJECTED` or a rule; empty if it ran or the record names none."""


class TokenUsage(NamedTuple):
    """Token counts of one answer; several records of an answer repeat them."""

    at_ms: int
    answer_id: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int


class Compaction(NamedTuple):
    """The session's context was compacted."""

    at_ms: int | None
    """None if the record has no time."""


class Rollback(NamedTuple):
    """The user went back to an earlier message; only Codex records it as such."""

    at_ms: int


Event = Message | ToolCall | ToolResult | TokenUsage | Compaction | Rollback
EventType = type[Message] | type[ToolCall] | type[ToolResult] | type[TokenUsage] | type[Compaction] | type[Rollback]


class Record(NamedTuple):
    """One line of a transcript."""

    number: int
    at_ms: int | None
    value: Mapping[str, Any]


class Reader(NamedTuple):
    """The format of one provider."""

    provider: str
    marks: Mapping[EventType, tuple[bytes, ...]]
    """Byte strings of which a line contains at least one if it may hold such an event; other lines are not parsed."""
    events_of: Callable[[Record], Iterator[Event]]
    """Yields the events of a record; none for another provider's."""


def text_of(content: Any) -> str:
    """Return the text of a content field: a string, or a list of parts with a `text`."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
