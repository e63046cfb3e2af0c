"""Filters of an agent's streamed output: ANSI sequences, lines and long events.

Each works in constant memory and linear time, whatever the agent writes.
"""

import codecs
from collections.abc import Iterator

from sidecar.core.json_text import loads
from sidecar.core.lazy_regex import lazy_regex

ESC = "\x1b"

_CSI = r"\[[0-?]{0,64}[ -/]{0,8}"
"""A control sequence without its last character; terminals know no longer ones, and the bound keeps memory constant."""

_LONGEST = 80
_OPEN = lazy_regex(rf"{ESC}[\]PX^_]")
_BODY = rf"[\]PX^_](?:[^\x07\n\x18\x1a{ESC}]++|{ESC}(?!\\))*+(?:[\x07\x18\x1a]|{ESC}\\|(?=\n))"
"""An operating system command or similar: BEL or ST end it; a line end ends one that was never closed."""

_SEQUENCE = lazy_regex(rf"{ESC}+(?={ESC})|{ESC}(?:{_CSI}[@-~]|{_BODY}|[ -/]{{1,8}}[0-~]|[0-OQ-WYZ\\`-~]|)")
_UNFINISHED = lazy_regex(rf"{ESC}(?:{_CSI}|[ -/]{{1,8}})?")
_ENDS = ("\x07", "\n", "\x18", "\x1a", ESC + "\\")
_STRING_END = lazy_regex(rf"[\x07\x18\x1a]|(?=\n)|{ESC}\\")


class AnsiStripper:
    """A stream of text without its control sequences."""

    def __init__(self) -> None:
        self._rest = ""
        self._in_string = False

    def strip(self, text: str) -> str:
        """Return the visible text of the next piece."""
        if self._rest:
            text, self._rest = self._rest + text, ""
        if self._in_string:
            text = self._after_string(text)
        if ESC not in text:
            return text
        return _SEQUENCE.sub("", text[: self._complete_length(text)])

    def _after_string(self, text: str) -> str:
        end = _STRING_END.search(text)
        if end is None:
            self._rest = ESC * text.endswith(ESC)
            return ""
        self._in_string = False
        return text[end.end() :]

    def _complete_length(self, text: str) -> int:
        """Return the length of the complete text; buffer an unfinished sequence after it."""
        closed = max((at + len(end) for end in _ENDS if (at := text.rfind(end)) >= 0), default=0)
        opening = _OPEN.search(text, closed)
        if opening is not None:
            self._in_string = True
            self._rest = ESC * text.endswith(ESC)
            return opening.start()
        unfinished = text.rfind(ESC, max(0, len(text) - _LONGEST))
        if unfinished >= 0 and _UNFINISHED.fullmatch(text, unfinished):
            self._rest = text[unfinished:]
            return unfinished
        return len(text)


LINE_BYTES = 4 * 1024 * 1024
"""Maximum length of a line that is parsed as one event; more than a model emits at once."""


class LineSplitter:
    """Lines of a byte stream. A line that is too long is passed on in pieces, marked as such."""

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._is_long = False

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield each complete line with True, and each piece of a long one with False."""
        first, *rest = chunk.split(b"\n")
        yield from self._add(first)
        for part in rest:
            yield from self._end()
            yield from self._add(part)

    def close(self) -> Iterator[tuple[bytes, bool]]:
        """Yield the rest after the last line end."""
        if self._size:
            yield from self._end()

    def _add(self, part: bytes) -> Iterator[tuple[bytes, bool]]:
        if not part:
            return
        if self._is_long:
            yield part, False
            return
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._limit:
            self._is_long = True
            yield self._pop_line(), False

    def _end(self) -> Iterator[tuple[bytes, bool]]:
        if self._is_long:
            self._is_long = False
            yield b"\n", False
        else:
            yield self._pop_line(), True

    def _pop_line(self) -> bytes:
        line = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return line


_TEXT_START = lazy_regex(
    rb'"type"\s*:\s*"(?:text|agent_message|assistant_message)"\s*,\s*"text"\s*:\s*"'
    rb'|"role"\s*:\s*"assistant"\s*,\s*"content"\s*:\s*"'
)
"""Start of the text in an event of Claude, OpenCode and Codex, and of Gemini."""

_NOT_AGENT_TEXT = lazy_regex(rb'\A\s*\{\s*"type"\s*:\s*"(?:user|system|tool_result)"|"parent_tool_use_id"\s*:\s*"')
_HEAD_BYTES = 64 * 1024
_STRING_BODY = lazy_regex(r'(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+')  # possessive: backtracking would take memory
_HALF_SURROGATE = lazy_regex(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_ESCAPE_CHARS = 6


class LongEventText:
    """The first text of the agent in one long line; the rest of the line is ignored."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._in_text = False
        self._is_done = False

    def feed(self, piece: bytes) -> str:
        """Return the text in the next piece of the line; the first piece must contain the start of the text."""
        if not self._in_text and not self._is_done:
            text_start = _TEXT_START.search(piece, 0, _HEAD_BYTES)
            self._in_text = text_start is not None and not _NOT_AGENT_TEXT.search(piece, 0, text_start.start())
            self._is_done = not self._in_text
            piece = piece[text_start.end() :] if text_start is not None else b""
        if self._is_done:
            return ""
        return self._text(self._rest + self._decoder.decode(piece))

    def _text(self, raw: str) -> str:
        body = _STRING_BODY.match(raw)
        assert body is not None
        end = body.end()
        self._is_done = raw[end : end + 1] == '"' or len(raw) - end > _ESCAPE_CHARS
        if (
            surrogate := _HALF_SURROGATE.search(raw, max(0, end - _ESCAPE_CHARS), end)
        ) is not None and not self._is_done:
            end = surrogate.start()
        self._rest = raw[end:]
        return _unescaped(raw[:end])


def _unescaped(raw: str) -> str:
    """Decode JSON escapes; text that is not valid JSON is returned unchanged."""
    if "\\" not in raw:
        return raw
    try:
        return str(loads(f'"{raw}"'.encode()))
    except ValueError:
        return raw
