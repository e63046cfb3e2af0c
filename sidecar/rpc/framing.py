"""Cuts a byte stream into messages, and frames answers in kind. No I/O.

Two framings: one JSON message a line (NDJSON), and `Content-Length` headers as LSP clients send them.
The first bytes of the stream decide which; it then stays.
"""

import re
from collections.abc import Iterator
from enum import Enum

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
MAX_HEADER_BYTES = 8 * 1024

_HEADER_NAME = b"content-"
_CONTENT_LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?$")
_HEADER_END = re.compile(rb"\r?\n\r?\n")


class Framing(Enum):
    """How messages are told apart."""

    LINES = "lines"
    CONTENT_LENGTH = "content-length"


class Refused(Enum):
    """What stands in the stream where a message could not be read."""

    TOO_LARGE = "too large"
    BAD_HEADER = "bad header"


class Framer:
    """Turns chunks of any size into whole messages; holds at most one message plus one chunk."""

    def __init__(self, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self.framing: Framing | None = None
        self._max = max_message_bytes
        self._buffer = bytearray()
        self._scanned = 0
        self._skip_bytes = 0
        self._skip_line = False
        self._body_bytes: int | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes | Refused]:
        """Yields the messages that are complete with this chunk, in order, refused ones in their place."""
        self._buffer += chunk
        if self.framing is None and not self._recognise():
            return
        step = self._next_line if self.framing is Framing.LINES else self._next_body
        while (message := step()) is not None:
            if message:
                yield message

    def end(self) -> Iterator[bytes | Refused]:
        """Yields what is left when the stream ends: half a message, which is for the parser to refuse."""
        rest = bytes(self._buffer).strip()
        self._buffer.clear()
        skipping = self._skip_line or self._skip_bytes
        if rest and not skipping:
            yield Refused.BAD_HEADER if self._is_header() else rest

    def _is_header(self) -> bool:
        return self.framing is Framing.CONTENT_LENGTH and self._body_bytes is None

    def _recognise(self) -> bool:
        start = bytes(self._buffer[: len(_HEADER_NAME) + 64]).lstrip()[: len(_HEADER_NAME)].lower()
        if not start:
            self._buffer.clear()
            return False
        if start == _HEADER_NAME:
            self.framing = Framing.CONTENT_LENGTH
        elif not _HEADER_NAME.startswith(start):
            self.framing = Framing.LINES
        return self.framing is not None

    def _next_line(self) -> bytes | Refused | None:
        """The next line without its end; b"" for one to pass over; None when more bytes are needed."""
        newline = self._buffer.find(b"\n", self._scanned)
        if newline < 0:
            return self._hold_half_line()
        line = bytes(self._buffer[:newline]).strip()
        del self._buffer[: newline + 1]
        self._scanned = 0
        if self._skip_line:
            self._skip_line = False
            return b""
        return line if len(line) <= self._max else Refused.TOO_LARGE

    def _hold_half_line(self) -> Refused | None:
        """Keeps the beginning of a line, or drops it once it is too long to become a message."""
        too_long = len(self._buffer) > self._max
        first_time = too_long and not self._skip_line
        if too_long or self._skip_line:
            self._skip_line = True
            self._buffer.clear()
        self._scanned = len(self._buffer)
        return Refused.TOO_LARGE if first_time else None

    def _next_body(self) -> bytes | Refused | None:
        """The next body; b"" for one to pass over; None when more bytes are needed."""
        if self._skip_bytes:
            gone = min(self._skip_bytes, len(self._buffer))
            del self._buffer[:gone]
            self._skip_bytes -= gone
            if self._skip_bytes:
                return None
        if self._body_bytes is None:
            refused = self._read_header()
            if refused is not None or self._body_bytes is None:
                return refused
        if len(self._buffer) < self._body_bytes:
            return None
        body = bytes(self._buffer[: self._body_bytes])
        del self._buffer[: self._body_bytes]
        self._body_bytes = None
        return body.strip() or b""

    def _read_header(self) -> Refused | None:
        end = _HEADER_END.search(self._buffer)
        if end is None:
            if len(self._buffer) > MAX_HEADER_BYTES:
                self._resynchronise()
                return Refused.BAD_HEADER
            return None
        header = bytes(self._buffer[: end.start()])
        del self._buffer[: end.end()]
        length = _CONTENT_LENGTH.search(header)
        if length is None:
            if not header.strip():
                return None
            self._resynchronise()
            return Refused.BAD_HEADER
        size = int(length[1])
        if size > self._max:
            self._skip_bytes = size
            return Refused.TOO_LARGE
        self._body_bytes = size
        return None

    def _resynchronise(self) -> None:
        """After a header without a length, looks for the next one; what lies between is lost."""
        found = bytes(self._buffer).lower().find(b"content-length")
        del self._buffer[: found if found >= 0 else max(0, len(self._buffer) - len(b"content-length"))]


def frame(payload: bytes, framing: Framing | None) -> bytes:
    """Wraps one message for the wire; before the client has spoken, as a line."""
    if framing is Framing.CONTENT_LENGTH:
        return b"Content-Length: %d\r\n\r\n%b" % (len(payload), payload)
    return payload + b"\n"
