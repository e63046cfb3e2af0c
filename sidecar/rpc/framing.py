"""Split a byte stream into messages, and frame responses the same way. No I/O.

Two framings: one JSON message per line (NDJSON), and `Content-Length` headers as LSP clients send them. The first bytes
of the stream decide which; it does not change later. A byte order mark at the start is skipped. The result depends on
the bytes alone, never on how they were split into chunks.
"""

import re
from collections.abc import Iterator
from enum import Enum

from sidecar.core.lazy_regex import lazy_regex

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
MAX_HEADER_BYTES = 8 * 1024

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HEADER_NAME = b"content-"
_LENGTH_NAME = lazy_regex(rb"content-length", re.IGNORECASE)
# Ten digits: a length beyond 10 GB is invalid; skipping that far would end the conversation.
_CONTENT_LENGTH = lazy_regex(rb"(?im)^content-length[ \t]*:[ \t]*(\d{1,10})[ \t]*\r?$")
_HEADER_END = lazy_regex(rb"\r?\n\r?\n")
_HEADER_END_BYTES = 4


class Framing(Enum):
    """Delimiter of messages: lines or length headers."""

    LINES = "lines"
    CONTENT_LENGTH = "content-length"


class Refused(Enum):
    """Takes the place of a message that could not be read."""

    TOO_LARGE = "too large"
    BAD_HEADER = "bad header"
    CUT_OFF = "cut off"


class Framer:
    """Turns chunks of any size into messages; buffers at most one message plus one chunk."""

    def __init__(self, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self.framing: Framing | None = None
        self._max = max_message_bytes
        self._buffer = bytearray()
        self._started = False
        self._scanned = 0
        self._skip_line = False
        self._skip_bytes = 0
        self._is_lost = False
        self._body_bytes: int | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes | Refused]:
        """Yield the messages that this chunk completes, in order, with refused ones in their place."""
        self._buffer += chunk
        if self.framing is None and not self._recognise():
            return
        step = self._next_line if self.framing is Framing.LINES else self._next_body
        while (message := step()) is not None:
            if message:
                yield message

    def end(self) -> Iterator[bytes | Refused]:
        """Yield what the end of the stream leaves: a last line without its newline, or that a message was cut off."""
        rest = bytes(self._buffer).strip()
        self._buffer.clear()
        if self.framing is Framing.CONTENT_LENGTH:
            skipping = self._is_lost or self._skip_bytes
            if self._body_bytes is not None or (rest and not skipping):
                yield Refused.CUT_OFF
        elif rest and not self._skip_line:
            yield rest

    def _recognise(self) -> bool:
        if not self._started:
            if len(self._buffer) < len(_BYTE_ORDER_MARK) and _BYTE_ORDER_MARK.startswith(self._buffer):
                return False
            self._started = True
            if self._buffer.startswith(_BYTE_ORDER_MARK):
                del self._buffer[: len(_BYTE_ORDER_MARK)]
        self._buffer = self._buffer.lstrip()
        start = bytes(self._buffer[: len(_HEADER_NAME)]).lower()
        if start == _HEADER_NAME:
            self.framing = Framing.CONTENT_LENGTH
        elif not _HEADER_NAME.startswith(start):
            self.framing = Framing.LINES
        return self.framing is not None

    def _next_line(self) -> bytes | Refused | None:
        """Return the next line without its newline; b"" for a skipped one; None if more bytes are needed."""
        newline = self._buffer.find(b"\n", self._scanned)
        if newline < 0:
            return self._buffer_partial_line()
        line = bytes(self._buffer[:newline])
        del self._buffer[: newline + 1]
        self._scanned = 0
        if self._skip_line:
            self._skip_line = False
            return b""
        return Refused.TOO_LARGE if self._is_too_long(line) else line.strip()

    def _buffer_partial_line(self) -> Refused | None:
        """Buffer the start of a line, or drop it if it is already too long."""
        refused = None
        if not self._skip_line and self._is_too_long(self._buffer):
            self._skip_line = True
            refused = Refused.TOO_LARGE
        if self._skip_line:
            self._buffer.clear()
        self._scanned = len(self._buffer)
        return refused

    def _is_too_long(self, line: bytes | bytearray) -> bool:
        return len(line) - line.endswith(b"\r") > self._max

    def _next_body(self) -> bytes | Refused | None:
        """Return the next body; b"" after a step without one; None if more bytes are needed."""
        if self._skip_bytes:
            return self._skip_body()
        if self._is_lost:
            return self._find_header()
        if self._body_bytes is None:
            return self._read_header()
        if len(self._buffer) < self._body_bytes:
            return None
        body = bytes(self._buffer[: self._body_bytes])
        del self._buffer[: self._body_bytes]
        self._body_bytes = None
        return body.strip()

    def _skip_body(self) -> bytes | None:
        skipped = min(self._skip_bytes, len(self._buffer))
        del self._buffer[:skipped]
        self._skip_bytes -= skipped
        return None if self._skip_bytes else b""

    def _find_header(self) -> bytes | None:
        """After a header without a length, skip to the next header."""
        match = _LENGTH_NAME.search(self._buffer)
        if match is None:
            del self._buffer[: max(0, len(self._buffer) - len(b"content-lengt"))]
            return None
        del self._buffer[: match.start()]
        self._is_lost = False
        return b""

    def _read_header(self) -> bytes | Refused | None:
        end = _HEADER_END.search(self._buffer, 0, MAX_HEADER_BYTES + _HEADER_END_BYTES)
        if end is None:
            if len(self._buffer) < MAX_HEADER_BYTES + _HEADER_END_BYTES:
                return None
            del self._buffer[:MAX_HEADER_BYTES]
            return self._refuse_header()
        header = bytes(self._buffer[: end.start()])
        del self._buffer[: end.end()]
        if not header.strip():
            return b""
        length = _CONTENT_LENGTH.search(header)
        return self._refuse_header() if length is None else self._expect(int(length[1]))

    def _expect(self, size: int) -> bytes | Refused:
        if size > self._max:
            self._skip_bytes = size
            return Refused.TOO_LARGE
        self._body_bytes = size
        return b""

    def _refuse_header(self) -> Refused:
        self._is_lost = True
        return Refused.BAD_HEADER


def frame(payload: bytes, framing: Framing | None) -> bytes:
    """Frame one message; before the client has sent anything, as a line."""
    if framing is Framing.CONTENT_LENGTH:
        return b"Content-Length: %d\r\n\r\n%b" % (len(payload), payload)
    return payload + b"\n"
