"""The promise by which an agent declares a loop complete, in a stream of its text; an echoed prompt does not count."""

import re
from collections.abc import Iterator

from sidecar.core.errors import InvalidParams
from sidecar.core.lazy_regex import lazy_regex

OPEN, CLOSE = "<promise>", "</promise>"


ECHO_CHARS = 40
"""Number of characters before the tag that must match the prompt for an echo, without white space and quoting marks."""

_REACH = 4 * ECHO_CHARS
"""Number of characters searched for them, because quoting marks and spaces lie between."""

_NOT_COMPARED = str.maketrans("", "", " >|│┃#*")

_RECENT = 1024


class PromiseSearch:
    """A search for one promise in a stream of text; `found` is the result."""

    def __init__(self, token: str, prompt: str = "") -> None:
        """Raise InvalidParams for a token without a visible character."""
        word = " ".join(token.split())
        if not word:
            raise InvalidParams("A promise needs at least one visible character.")
        self.found = False
        self._pattern = lazy_regex(f"{OPEN} ?{re.escape(word)} ?{CLOSE}")
        self._tail_length = len(OPEN) + len(word) + len(CLOSE) + 1 + _REACH
        text = collapse_whitespace(prompt)
        self._echoes = {_text_before(text, start) for start, _ in _spans(self._pattern, text)} - {None}
        self._tail = ""
        self._from_start = True

    def feed(self, text: str) -> None:
        """Search the next piece."""
        if self.found or not text:
            return
        tail_length = len(self._tail)
        text = self._tail + text
        if OPEN not in text:
            self._store_tail(_collapse_end(text, self._tail_length))
            return
        text = collapse_whitespace(text)
        self.found = any(
            not self._is_echo(text, start) for start, end in _spans(self._pattern, text) if end > tail_length
        )
        self._store_tail(text)

    def reset(self) -> None:
        """Start over: the text so far was not the final message."""
        self.found = False
        self._tail = ""
        self._from_start = False

    def search_again(self, before: str, last: str) -> None:
        """Search a whole text from its start, for a promise that ends in its last part."""
        self.reset()
        self._from_start = True
        self.feed(before)
        self.found = False
        self.feed(last)

    def _store_tail(self, text: str) -> None:
        self._from_start = self._from_start and len(text) <= self._tail_length
        self._tail = text[-self._tail_length :]

    def _is_echo(self, text: str, start: int) -> bool:
        before = _text_before(text, start)
        return before is not None and before in self._echoes and (self._from_start or len(before) == ECHO_CHARS)


def collapse_whitespace(text: str) -> str:
    """Return the text with each run of white space as one space, also at the ends."""
    inner = " ".join(text.split())
    if not inner:
        return " " if text else ""
    return " " * text[0].isspace() + inner + " " * text[-1].isspace()


def _collapse_end(text: str, length: int) -> str:
    """Collapse only the end of the text if that yields enough: `length` characters and one more, to detect a cut."""
    recent = text[-_RECENT:]
    if len(recent) < len(text):
        end = collapse_whitespace(recent.lstrip())
        if len(end) > length:
            return end
    return collapse_whitespace(text)


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    match = pattern.search(text)
    while match is not None:
        yield match.span()
        match = pattern.search(text, match.start() + 1)


def _text_before(text: str, start: int) -> str | None:
    """Return the compared text before a tag; it is shorter than `ECHO_CHARS` only at the start of the stream."""
    before = text[max(0, start - _REACH) : start].translate(_NOT_COMPARED)[-ECHO_CHARS:]
    return before if len(before) == ECHO_CHARS or start <= _REACH else None
