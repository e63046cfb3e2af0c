"""Incremental parser of one agent run's output, in constant memory."""

import codecs
import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeGuard

from sidecar.core.json_text import loads
from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.notes_block import without_notes
from sidecar.ralph.agent.formats import (
    PARSERS,
    AgentEvent,
    ErrorReported,
    EventFormat,
    FinalMessage,
    Finished,
    HarnessEvent,
    LimitReached,
    MessageText,
    SessionStarted,
    ToolUsed,
    Usage,
    format_of,
)
from sidecar.ralph.agent.harnesses import OutputFormat, UsageLimit
from sidecar.ralph.agent.output_lines import AnsiStripper, LineSplitter, LongEventText
from sidecar.ralph.agent.promise import PromiseSearch
from sidecar.ralph.agent.usage_limit import find_usage_limit

_CLOSING = {"{": "}", "[": "]"}
_ARRAY = lazy_regex(r"\s{0,80}\[")
_NEXT_EVENT = lazy_regex(r"\},\s{0,80}(?=\{)")
_MAX_OPENINGS = 200
_BLANK_LINES = lazy_regex(r"\n[ \t\r]*\n\s*")
_SUMMARY = lazy_regex(
    r"\W{0,4}(?:total |session )?(?:tokens?|costs?|usage|duration|time|elapsed|model|session|applied edit|commit)\b",
    re.IGNORECASE,
)
"""A line that a harness prints after the agent's last message."""
_MAX_SUMMARIES = 2

FINAL_CHARS = 64 * 1024
STDERR_CHARS = 8 * 1024
MAX_EDITED_FILES = 10_000
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
        self._message_id: str | None = None
        self._long_text: LongEventText | None = None
        self.finished = False
        self.error: str | None = None
        self.limit: UsageLimit | None = None
        self.usage = Usage()
        self.session_id: str | None = None
        self.edited_files: set[str] = set()

    @property
    def promise(self) -> bool:
        """Whether the last message so far contains the promise."""
        return self._promise.found

    @property
    def final_text(self) -> str:
        """The end of the agent's last message, or of its whole output if that is plain text."""
        return self._final.text().strip()

    @property
    def last_message(self) -> str:
        """The end of the agent's last message; of plain text, the last paragraph before a notes block and after it."""
        if self._saw_event:
            return self.final_text
        endings = (_split_last_paragraph(text)[1] for text in _with_and_without_notes(self.final_text))
        return "\n\n".join(reversed(list(endings)))

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
        if not self._saw_event:
            self._read_plain_text()
        if exit_code not in {0, None}:
            errors = self._stderr_tail.text()
            self.error = self.error or _last_line(errors)
            text = "" if self._saw_event else self._final.text()[-STDERR_CHARS:]
            self.limit = self.limit or self._find_limit(errors) or self._find_limit(text)
        elif self._parse is not None and not self._saw_event and "\n" not in self.final_text:
            self.limit = self._find_limit(self.final_text)

    def _read_plain_text(self) -> None:
        """Look for the promise in the last paragraph, or in the last message of a known harness's events.

        The anchor asks for a notes block at the end of a reply: the paragraph before it counts too.
        """
        text = self._final.text()
        lines = _read_lines(text)
        output_format = _event_format(lines)
        if output_format is None:
            for ending in _with_and_without_notes(text):
                self._promise.search_again(*_split_last_paragraph(ending))
                if self._promise.found:
                    return
            return
        self._parse, self._stream = PARSERS[output_format], None
        self._discard_text()
        for line, events in lines:
            if events:
                self._process_events(events)
            else:
                self._process_line(line.encode(), is_complete=True)

    def _process_line(self, line: bytes, is_complete: bool) -> None:
        if not is_complete and (self._long_text is not None or line.lstrip()[:1] == b"{"):
            self._long_event(line)
            return
        event = _event(line) if is_complete else None
        if event is not None:
            self._process_events([event])
        elif not self._saw_event:
            self._add_raw_text(self._decoder.decode(line + b"\n" * is_complete))
        else:
            self._stderr_tail.add(line.decode("utf-8", "replace") + "\n")

    def _process_events(self, events: Sequence[HarnessEvent]) -> None:
        assert self._parse is not None
        self._on_first_event()
        for event in events:
            for agent_event in self._parse(event):
                self._apply(agent_event)

    def _long_event(self, piece: bytes) -> None:
        self._on_first_event()
        is_first = self._long_text is None
        self._long_text = self._long_text or LongEventText()
        text = self._long_text.feed(piece)
        if is_first and text:
            self._discard_text()
        self._add_raw_text(text)
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
            case MessageText():
                self._add_message(event)
            case FinalMessage(text):
                self._replace_final_text(AnsiStripper().strip(text))
            case ToolUsed(summary, edited):
                self.finished = False
                self.edited_files.update(edited if len(self.edited_files) < MAX_EDITED_FILES else ())
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

    def _add_message(self, message: MessageText) -> None:
        self.finished = False
        if not message.is_piece and (message.message_id is None or message.message_id != self._message_id):
            self._discard_text()
        self._message_id = message.message_id
        self._add_raw_text(message.text if message.is_piece else message.text + "\n")

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
        self._promise.reset()
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


def _with_and_without_notes(text: str) -> list[str]:
    """Return plain text, and without its notes block if it ends with one."""
    rest = without_notes(text)
    return [text] if rest == text.rstrip() or rest == text else [text, rest]


def _split_last_paragraph(text: str) -> tuple[str, str]:
    """Split plain text before its last paragraph, which is the agent's last message; a summary of costs follows it."""
    starts = [0, *(blank.end() for blank in _BLANK_LINES.finditer(text.rstrip()))]
    for start in reversed(starts[-_MAX_SUMMARIES - 1 :]):
        if not all(_SUMMARY.match(line) for line in text[start:].splitlines() if line.strip()):
            return text[:start], text[start:]
    return text[: starts[-1]], text[starts[-1] :]


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


def _event(line: bytes) -> HarnessEvent | None:
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
    return event if _is_event(event) else None


def _is_event(value: object) -> TypeGuard[HarnessEvent]:
    return isinstance(value, dict) and (isinstance(value.get("type"), str) or isinstance(value.get("msg"), dict))


ReadLine = tuple[str, Sequence[HarnessEvent]]
"""A line of plain text, or several that are one JSON value, and the events in it."""


def _read_lines(text: str) -> list[ReadLine]:
    """Return the lines of a text with their events: one by line, an array of them, or either over several lines."""
    lines = text.rstrip().split("\n")
    last_at = {line.rstrip(): at for at, line in enumerate(lines)}
    read: list[ReadLine] = []
    at = 0
    while at < len(lines):
        end = at + 1
        is_inside = not at and len(text) >= FINAL_CHARS and "[" not in last_at  # its beginning is cut off
        closing = "]" if is_inside else _CLOSING.get(lines[at].strip())
        if closing is not None and last_at.get(closing, 0) > at:
            end = next(number + 1 for number in range(end, len(lines)) if lines[number].rstrip() == closing)
        value = "\n".join(lines[at:end])
        read.append((value, _events(value)))
        at = end
    return read


def _events(text: str) -> Sequence[HarnessEvent]:
    """Return the events in a JSON value: itself, or those of an array, whose beginning may be cut off."""
    event = _event(text.encode())
    if event is not None:
        return (event,)
    if not text.endswith("]"):
        return ()
    start = _ARRAY.match(text)
    for opening in (start,) if start is not None else islice(_NEXT_EVENT.finditer(text), _MAX_OPENINGS):
        try:
            values = loads(b"[" + text[opening.end() :].encode())
        except (ValueError, RecursionError):
            continue
        return [value for value in values if _is_event(value)] if isinstance(values, list) else ()
    return ()


def _event_format(lines: Sequence[ReadLine]) -> EventFormat | None:
    """Return the known harness whose events some lines contain, whatever a wrapper prints before and after them.

    One event that is not the last line is a quotation.
    """
    formats = [format_of(event) for _, events in lines for event in events or ({},)]
    known = [output_format for output_format in formats if output_format is not None]
    is_stream = bool(known) and (formats[-1] is not None or known.count(known[-1]) > 1)
    return known[-1] if is_stream else None


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
