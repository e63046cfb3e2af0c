"""Takes terminal control sequences out of a stream of text, however its pieces are cut, in linear time."""

from sidecar.core.regex import regex

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
