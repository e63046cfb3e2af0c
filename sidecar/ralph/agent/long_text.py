"""Reads the agent's words out of an event too long to be read whole, as its bytes come in, in constant memory."""

import codecs

from sidecar.core.json_text import loads
from sidecar.core.regex import regex

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
