"""Incremental parser of one agent run's output, in constant memory."""

import codecs
from collections.abc import Callable, Mapping
from typing import Any

from sidecar.core.json_text import loads
from sidecar.ralph.agent.agent_result import OutputFormat, UsageLimit
from sidecar.ralph.agent.formats import (
    PARSERS,
    AgentEvent,
    ErrorReported,
    FinalMessage,
    Finished,
    LimitReached,
    MessageText,
    SessionStarted,
    ToolUsed,
    Usage,
)
from sidecar.ralph.agent.promise import PromiseSearch
from sidecar.ralph.agent.text_stream import AnsiStripper, LineSplitter, LongEventText
from sidecar.ralph.agent.usage_limit import find_usage_limit

FINAL_CHARS = 64 * 1024
STDERR_CHARS = 8 * 1024
_ONE_LINE_CHARS = 300


class OutputParser:
    """The state of an agent's output so far. Used by one thread."""

    def __init__(
        self, output_format: OutputFormat, promise: PromiseSearch, now_ms: int, stream: Callable[[str], None] | None
    ) -> None:
        self._parse = None if output_format == "plain" else PARSERS[output_format]
        self._promise = promise
        self._now_ms = now_ms
        self._stream = stream
        self._lines = LineSplitter()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._ansi = AnsiStripper()
        self._final = Tail(FINAL_CHARS)
        self._stderr_tail = Tail(STDERR_CHARS)
        self._saw_event = False
        self._long_text: LongEventText | None = None
        self.finished = False
        self.error: str | None = None
        self.limit: UsageLimit | None = None
        self.usage = Usage()
        self.session_id: str | None = None

    @property
    def promise(self) -> bool:
        """Whether the final text so far contains the promise."""
        return self._promise.found

    @property
    def final_text(self) -> str:
        """The end of the agent's final message."""
        return self._final.text().strip()

    def stdout(self, chunk: bytes) -> None:
        """Process bytes of the agent's standard output."""
        if self._parse is None:
            self._add_raw_text(self._decoder.decode(chunk))
            return
        for line, is_complete in self._lines.feed(chunk):
            self._process_line(line, is_complete)

    def stderr(self, chunk: bytes) -> None:
        """Process bytes of standard error, which never holds the agent's own text."""
        self._stderr_tail.add(chunk.decode("utf-8", "replace"))

    def close(self, exit_code: int | None) -> None:
        """Process the end of the output.

        If a failed agent reported no error, its last line on standard error is the reason.
        """
        for line, is_complete in self._lines.close():
            self._process_line(line, is_complete)
        self._add_raw_text(self._decoder.decode(b"", final=True))
        if exit_code not in {0, None}:
            errors = self._stderr_tail.text()
            self.error = self.error or _last_line(errors)
            text = "" if self._saw_event else self.final_text[-STDERR_CHARS:]
            self.limit = self.limit or self._find_limit(errors) or self._find_limit(text)
        elif self.limit is None and "|" in self.final_text and "\n" not in self.final_text:
            self.limit = self._find_limit(self.final_text)

    def _process_line(self, line: bytes, is_complete: bool) -> None:
        if not is_complete and (self._long_text is not None or line.lstrip()[:1] == b"{"):
            self._long_event(line)
            return
        event = _event(line) if is_complete else None
        if event is not None and self._parse is not None:
            self._on_first_event()
            for agent_event in self._parse(event):
                self._apply(agent_event)
        elif not self._saw_event:
            self._add_raw_text(self._decoder.decode(line + b"\n" * is_complete))
        else:
            self._stderr_tail.add(line.decode("utf-8", "replace") + "\n")

    def _long_event(self, piece: bytes) -> None:
        self._on_first_event()
        self._long_text = self._long_text or LongEventText()
        self._add_raw_text(self._long_text.feed(piece))
        if piece == b"\n":
            self._long_text = None
            self._add_raw_text("\n")

    def _on_first_event(self) -> None:
        """Discard text printed before the first event."""
        if not self._saw_event:
            self._saw_event = True
            self._stderr_tail.add(self._final.text())
            self._discard_text()

    def _apply(self, event: AgentEvent) -> None:
        match event:
            case MessageText(text, is_piece):
                self.finished = False
                self._add_raw_text(text if is_piece else text + "\n")
            case FinalMessage(text):
                self._replace_final_text(AnsiStripper().strip(text))
            case ToolUsed(summary):
                self.finished = False
                self._discard_text()
                self._send_to_stream(f"· {summary}\n")
            case Usage():
                self.usage = _total(self.usage, event)
            case SessionStarted(session_id):
                self.session_id = session_id
            case ErrorReported(message):
                self.error = _one_line(message)
                self._set_limit(self._find_limit(message))
            case LimitReached(resets_at_ms, message):
                self._set_limit(UsageLimit(resets_at_ms, _one_line(message)))
            case Finished(succeeded):
                self.finished = True
                if succeeded:
                    self.error = self.limit = None

    def _set_limit(self, limit: UsageLimit | None) -> None:
        """Store a usage limit, unless one with a reset time is known."""
        if limit is not None and (self.limit is None or self.limit.resets_at_ms is None):
            self.limit = limit

    def _add_raw_text(self, text: str) -> None:
        self._add_text(self._ansi.strip(text))

    def _add_text(self, text: str) -> None:
        self._promise.feed(text)
        self._final.add(text)
        self._send_to_stream(text)

    def _replace_final_text(self, text: str) -> None:
        if text.strip():
            self._promise.feed("\n" + text)
            if not self.final_text:
                self._send_to_stream(text + "\n")
            self._final.clear()
            self._final.add(text)

    def _discard_text(self) -> None:
        self._promise.reset()
        self._final.clear()

    def _send_to_stream(self, text: str) -> None:
        if self._stream is not None and text:
            self._stream(text)

    def _find_limit(self, text: str) -> UsageLimit | None:
        return find_usage_limit(text, self._now_ms)


class Tail:
    """The end of a growing text, in constant memory."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._parts: list[str] = []
        self._size = 0

    def add(self, text: str) -> None:
        """Append the next piece."""
        text = text[-self._length :]
        self._parts.append(text)
        self._size += len(text)
        if self._size > 2 * self._length or len(self._parts) > 1_000:
            self._parts = [self.text()]
            self._size = len(self._parts[0])

    def clear(self) -> None:
        """Drop the text."""
        self._parts.clear()
        self._size = 0

    def text(self) -> str:
        """Return the last `length` characters."""
        return "".join(self._parts)[-self._length :]


def _event(line: bytes) -> Mapping[str, object] | None:
    """Return a line as an event; terminal sequences and invalid UTF-8 around it are tolerated."""
    start = line.find(b"{")
    if start < 0 or (start and AnsiStripper().strip(line[:start].decode("utf-8", "replace")).strip()):
        return None
    try:
        event = loads(line[start:])
    except ValueError:
        try:
            event = loads(line[start:].decode("utf-8", "replace").encode())
        except (ValueError, RecursionError):
            return None
    except RecursionError:
        return None
    is_event = isinstance(event, dict) and (isinstance(event.get("type"), str) or isinstance(event.get("msg"), dict))
    return event if is_event else None


def _total(before: Usage, now: Usage) -> Usage:
    if not now.is_increment:
        return now
    return Usage(
        _added(before.input_tokens, now.input_tokens),
        _added(before.output_tokens, now.output_tokens),
        _added(before.cost_usd, now.cost_usd),
    )


def _added(before: Any, now: Any) -> Any:
    return before if now is None else now + (before or 0)


def _one_line(text: str) -> str:
    return " ".join(AnsiStripper().strip(text).split())[:_ONE_LINE_CHARS]


def _last_line(text: str) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    return _one_line(lines[-1]) if lines else None
