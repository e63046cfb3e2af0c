"""Listens to one run of an agent: bytes come in as they are read, what counts of them is kept, in constant memory."""

import codecs
from collections.abc import Callable, Mapping
from typing import Any

from sidecar.core.json_text import loads
from sidecar.ralph.agent.agent_result import Speech, UsageLimit
from sidecar.ralph.agent.formats import READERS, Answer, Counted, Failed, Finished, Limited, Said, Session, Text, Worked
from sidecar.ralph.agent.promise import Promise
from sidecar.ralph.agent.text_stream import Ansi, Lines, LongText
from sidecar.ralph.agent.usage_limit import usage_limit

FINAL_CHARS = 64 * 1024
COMPLAINT_CHARS = 8 * 1024
_ONE_LINE_CHARS = 300


class Hearing:
    """What an agent has said so far. Used by one thread."""

    def __init__(self, speech: Speech, promise: Promise, now_ms: int, stream: Callable[[str], None] | None) -> None:
        self._read = None if speech == "plain" else READERS[speech]
        self._promise = promise
        self._now_ms = now_ms
        self._stream = stream
        self._lines = Lines()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._ansi = Ansi()
        self._final = Tail(FINAL_CHARS)
        self._complaint = Tail(COMPLAINT_CHARS)
        self._heard_event = False
        self._long: LongText | None = None
        self.finished = False
        self.failed: str | None = None
        self.limit: UsageLimit | None = None
        self.counted = Counted()
        self.session_id: str | None = None

    @property
    def promise(self) -> bool:
        """Whether the promise stands in the final text so far."""
        return self._promise.found

    @property
    def final_text(self) -> str:
        """The end of the agent's own last words."""
        return self._final.text().strip()

    def stdout(self, chunk: bytes) -> None:
        """Takes what was read from the agent's standard output."""
        if self._read is None:
            self._plain(self._decoder.decode(chunk))
            return
        for line, is_whole in self._lines.feed(chunk):
            self._line(line, is_whole)

    def stderr(self, chunk: bytes) -> None:
        """Takes what was read from standard error: never the agent's own text."""
        self._complaint.add(chunk.decode("utf-8", "replace"))

    def close(self, exit_code: int | None) -> None:
        """Takes the end; what an agent that failed complained of last is why, unless it has said so itself."""
        for line, is_whole in self._lines.close():
            self._line(line, is_whole)
        self._plain(self._decoder.decode(b"", final=True))
        if exit_code not in {0, None}:
            complaint = self._complaint.text()
            self.failed = self.failed or _last_line(complaint)
            words = "" if self._heard_event else self.final_text[-COMPLAINT_CHARS:]
            self.limit = self.limit or self._limit_in(complaint) or self._limit_in(words)
        elif self.limit is None and "|" in self.final_text and "\n" not in self.final_text:
            self.limit = self._limit_in(self.final_text)

    def _line(self, line: bytes, is_whole: bool) -> None:
        if not is_whole and (self._long is not None or line.lstrip()[:1] == b"{"):
            self._long_event(line)
            return
        event = _event(line) if is_whole else None
        if event is not None and self._read is not None:
            self._first_event()
            for said in self._read(event):
                self._take(said)
        elif not self._heard_event:
            self._plain(self._decoder.decode(line + b"\n" * is_whole))
        else:
            self._complaint.add(line.decode("utf-8", "replace") + "\n")

    def _long_event(self, piece: bytes) -> None:
        self._first_event()
        self._long = self._long or LongText()
        self._plain(self._long.feed(piece))
        if piece == b"\n":
            self._long = None
            self._plain("\n")

    def _first_event(self) -> None:
        """Takes it back that a harness which had printed no event yet was heard as plain text."""
        if not self._heard_event:
            self._heard_event = True
            self._complaint.add(self._final.text())
            self._forget()

    def _take(self, said: Said) -> None:
        match said:
            case Text(text, is_piece):
                self.finished = False
                self._plain(text if is_piece else text + "\n")
            case Answer(text):
                self._answer(Ansi().strip(text))
            case Worked(what):
                self.finished = False
                self._forget()
                self._show(f"· {what}\n")
            case Counted():
                self.counted = _total(self.counted, said)
            case Session(session_id):
                self.session_id = session_id
            case Failed(message):
                self.failed = _one_line(message)
                self._limited(self._limit_in(message))
            case Limited(resets_at_ms, message):
                self._limited(UsageLimit(resets_at_ms, _one_line(message)))
            case Finished(well):
                self.finished = True
                if well:
                    self.failed = self.limit = None

    def _limited(self, told: UsageLimit | None) -> None:
        """Takes a limit, unless one is known that says when it ends."""
        if told is not None and (self.limit is None or self.limit.resets_at_ms is None):
            self.limit = told

    def _plain(self, text: str) -> None:
        self._say(self._ansi.strip(text))

    def _say(self, text: str) -> None:
        self._promise.feed(text)
        self._final.add(text)
        self._show(text)

    def _answer(self, text: str) -> None:
        if text.strip():
            self._promise.feed("\n" + text)
            if not self.final_text:
                self._show(text + "\n")
            self._final.clear()
            self._final.add(text)

    def _forget(self) -> None:
        self._promise.forget()
        self._final.clear()

    def _show(self, text: str) -> None:
        if self._stream is not None and text:
            self._stream(text)

    def _limit_in(self, text: str) -> UsageLimit | None:
        return usage_limit(text, self._now_ms)


class Tail:
    """The end of a text that grows, in constant memory."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._parts: list[str] = []
        self._held = 0

    def add(self, text: str) -> None:
        """Takes the next piece."""
        text = text[-self._length :]
        self._parts.append(text)
        self._held += len(text)
        if self._held > 2 * self._length or len(self._parts) > 1_000:
            self._parts = [self.text()]
            self._held = len(self._parts[0])

    def clear(self) -> None:
        """Forgets it."""
        self._parts.clear()
        self._held = 0

    def text(self) -> str:
        """Gives the end."""
        return "".join(self._parts)[-self._length :]


def _event(line: bytes) -> Mapping[str, object] | None:
    """Reads a line as an event; terminal sequences and bytes that are no UTF-8 do not hide it."""
    start = line.find(b"{")
    if start < 0 or (start and Ansi().strip(line[:start].decode("utf-8", "replace")).strip()):
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


def _total(before: Counted, now: Counted) -> Counted:
    if not now.adds:
        return now
    return Counted(
        _added(before.input_tokens, now.input_tokens),
        _added(before.output_tokens, now.output_tokens),
        _added(before.cost_usd, now.cost_usd),
    )


def _added(before: Any, now: Any) -> Any:
    return before if now is None else now + (before or 0)


def _one_line(text: str) -> str:
    return " ".join(Ansi().strip(text).split())[:_ONE_LINE_CHARS]


def _last_line(text: str) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    return _one_line(lines[-1]) if lines else None
