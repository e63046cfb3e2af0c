"""Takes terminal control sequences out of a stream of text, however its pieces are cut, in linear time."""

import codecs
from collections.abc import Iterator

from sidecar.core.json_text import loads
from sidecar.core.lazy_regex import regex

ESC = "\x1b"

_CSI = r"\[[0-?]{0,64}[ -/]{0,8}"
"""A control sequence up to its last character; longer ones no terminal knows, and a bound keeps the memory constant."""

_LONGEST = 80
_OPEN = regex(rf"{ESC}[\]PX^_]")
_BODY = rf"[\]PX^_](?:[^\x07\n\x18\x1a{ESC}]++|{ESC}(?!\\))*+(?:[\x07\x18\x1a]|{ESC}\\|(?=\n))"
"""An operating system command and its like: BEL or ST end it, and the line's end one that was never closed."""

_SEQUENCE = regex(rf"{ESC}+(?={ESC})|{ESC}(?:{_CSI}[@-~]|{_BODY}|[ -/]{{1,8}}[0-~]|[0-OQ-WYZ\\`-~]|)")
_UNFINISHED = regex(rf"{ESC}(?:{_CSI}|[ -/]{{1,8}})?")
_ENDS = ("\x07", "\n", "\x18", "\x1a", ESC + "\\")
_STRING_END = regex(rf"[\x07\x18\x1a]|(?=\n)|{ESC}\\")


class Ansi:
    """A stream of text that loses its control sequences."""

    def __init__(self) -> None:
        self._rest = ""
        self._in_string = False

    def strip(self, text: str) -> str:
        """Gives what the next piece adds to the visible text."""
        if self._rest:
            text, self._rest = self._rest + text, ""
        if self._in_string:
            text = self._after_string(text)
        if ESC not in text:
            return text
        return _SEQUENCE.sub("", text[: self._finished(text)])

    def _after_string(self, text: str) -> str:
        end = _STRING_END.search(text)
        if end is None:
            self._rest = ESC * text.endswith(ESC)
            return ""
        self._in_string = False
        return text[end.end() :]

    def _finished(self, text: str) -> int:
        """Says up to where the text is whole, and keeps what has begun after that."""
        closed = max((at + len(end) for end in _ENDS if (at := text.rfind(end)) >= 0), default=0)
        opened = _OPEN.search(text, closed)
        if opened is not None:
            self._in_string = True
            self._rest = ESC * text.endswith(ESC)
            return opened.start()
        begun = text.rfind(ESC, max(0, len(text) - _LONGEST))
        if begun >= 0 and _UNFINISHED.fullmatch(text, begun):
            self._rest = text[begun:]
            return begun
        return len(text)


# Cuts a stream of bytes into lines of a bounded length, in constant memory.


LINE_BYTES = 4 * 1024 * 1024
"""The longest line that is read as one event; more than a model ever says at once."""


class Lines:
    """Lines of a stream; of one that is too long, the pieces come as they are, marked as such."""

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._held = 0
        self._is_long = False

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yields each line that is whole now with True, and each piece of a long one with False."""
        first, *rest = chunk.split(b"\n")
        yield from self._add(first)
        for part in rest:
            yield from self._end()
            yield from self._add(part)

    def close(self) -> Iterator[tuple[bytes, bool]]:
        """Yields what stands after the last line's end."""
        if self._held:
            yield from self._end()

    def _add(self, part: bytes) -> Iterator[tuple[bytes, bool]]:
        if not part:
            return
        if self._is_long:
            yield part, False
            return
        self._parts.append(part)
        self._held += len(part)
        if self._held > self._limit:
            self._is_long = True
            yield self._taken(), False

    def _end(self) -> Iterator[tuple[bytes, bool]]:
        if self._is_long:
            self._is_long = False
            yield b"\n", False
        else:
            yield self._taken(), True

    def _taken(self) -> bytes:
        line = b"".join(self._parts)
        self._parts.clear()
        self._held = 0
        return line


# Reads the agent's words out of an event too long to be read whole, as its bytes come in, in constant memory.


_TEXT_BEGINS = regex(
    rb'"type"\s*:\s*"(?:text|agent_message|assistant_message)"\s*,\s*"text"\s*:\s*"'
    rb'|"role"\s*:\s*"assistant"\s*,\s*"content"\s*:\s*"'
)
"""Where Claude's, OpenCode's and Codex's words begin in an event, and Gemini's."""

_NOT_ITS_OWN = regex(rb'\A\s*\{\s*"type"\s*:\s*"(?:user|system|tool_result)"|"parent_tool_use_id"\s*:\s*"')
_HEAD_BYTES = 64 * 1024
_INSIDE = regex(r'(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+')  # possessive: going back would take memory
_HALF_A_PAIR = regex(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_ESCAPE_CHARS = 6


class LongText:
    """The first text of the agent's own in one long line; the rest of the line says nothing."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._is_in = False
        self._is_over = False

    def feed(self, piece: bytes) -> str:
        """Gives what the next piece of the line adds to the text; the first one has to show where the text begins."""
        if not self._is_in and not self._is_over:
            begins = _TEXT_BEGINS.search(piece, 0, _HEAD_BYTES)
            self._is_in = begins is not None and not _NOT_ITS_OWN.search(piece, 0, begins.start())
            self._is_over = not self._is_in
            piece = piece[begins.end() :] if begins is not None else b""
        if self._is_over:
            return ""
        return self._text(self._rest + self._decoder.decode(piece))

    def _text(self, raw: str) -> str:
        inside = _INSIDE.match(raw)
        assert inside is not None
        end = inside.end()
        self._is_over = raw[end : end + 1] == '"' or len(raw) - end > _ESCAPE_CHARS
        if (half := _HALF_A_PAIR.search(raw, max(0, end - _ESCAPE_CHARS), end)) is not None and not self._is_over:
            end = half.start()
        self._rest = raw[end:]
        return _unescaped(raw[:end])


def _unescaped(raw: str) -> str:
    """Reads the escapes of JSON; text that is none after all stays as it is."""
    if "\\" not in raw:
        return raw
    try:
        return str(loads(f'"{raw}"'.encode()))
    except ValueError:
        return raw
