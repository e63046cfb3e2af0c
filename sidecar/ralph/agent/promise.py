"""Finds the completion promise in what an agent says, as it comes in: constant memory, linear time.

`<promise>COMPLETE</promise>` counts anywhere in the text, however the pieces are cut. White space is collapsed on both
sides, everything else is literal. Where the words right before it are those of our own prompt, the agent (or its
harness) repeats us: that does not count.
"""

import re
from collections.abc import Iterator

from sidecar.core.errors import InvalidParams
from sidecar.core.lazy_regex import regex

OPEN, CLOSE = "<promise>", "</promise>"

ECHO_CHARS = 40
"""How many characters before a tag, white space and quoting marks aside, must be those of the prompt for an echo."""

_REACH = 4 * ECHO_CHARS
"""How far back they are looked for: quoting marks and spaces lie between them."""

_NOT_COMPARED = str.maketrans("", "", " >|│┃#*")
_RECENT = 1024


class Promise:
    """A search for one promise in a stream of text; `found` says whether it came."""

    def __init__(self, token: str, prompt: str = "") -> None:
        """Raises InvalidParams for a token without a visible character."""
        word = " ".join(token.split())
        if not word:
            raise InvalidParams("A promise needs at least one visible character.")
        self.found = False
        self._pattern = regex(f"{OPEN} ?{re.escape(word)} ?{CLOSE}")
        self._kept = len(OPEN) + len(word) + len(CLOSE) + 1 + _REACH
        text = collapsed(prompt)
        self._echoes = {_context(text, start) for start, _ in _spans(self._pattern, text)} - {None}
        self._tail = ""
        self._from_start = True

    def feed(self, text: str) -> None:
        """Takes the next piece."""
        if self.found or not text:
            return
        seen = len(self._tail)
        text = self._tail + text
        if OPEN not in text:
            self._keep(_end_collapsed(text, self._kept))
            return
        text = collapsed(text)
        self.found = any(not self._is_echo(text, start) for start, end in _spans(self._pattern, text) if end > seen)
        self._keep(text)

    def forget(self) -> None:
        """Starts over: what was said until now is not the final text."""
        self.found = False
        self._tail = ""
        self._from_start = False

    def _keep(self, text: str) -> None:
        self._from_start = self._from_start and len(text) <= self._kept
        self._tail = text[-self._kept :]

    def _is_echo(self, text: str, start: int) -> bool:
        before = _context(text, start)
        return before is not None and before in self._echoes and (self._from_start or len(before) == ECHO_CHARS)


def collapsed(text: str) -> str:
    """Makes each run of white space one space, also at the ends."""
    inner = " ".join(text.split())
    if not inner:
        return " " if text else ""
    return " " * text[0].isspace() + inner + " " * text[-1].isspace()


def _end_collapsed(text: str, length: int) -> str:
    """Collapses the end of a text only, where that gives enough, and one more, so that a cut is seen."""
    recent = text[-_RECENT:]
    if len(recent) < len(text):
        end = collapsed(recent.lstrip())
        if len(end) > length:
            return end
    return collapsed(text)


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    found = pattern.search(text)
    while found is not None:
        yield found.span()
        found = pattern.search(text, found.start() + 1)


def _context(text: str, start: int) -> str | None:
    """Gives what is compared of the text before a tag: shorter than usual only where it is all there is."""
    before = text[max(0, start - _REACH) : start].translate(_NOT_COMPARED)[-ECHO_CHARS:]
    return before if len(before) == ECHO_CHARS or start <= _REACH else None
