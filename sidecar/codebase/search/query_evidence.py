"""Evidence in a long prompt besides its words: title, prose, stack frames, names and call chains. Pure."""

from itertools import pairwise
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import identifiers_of, query_terms

LONG_WORDS = 60
"""A prompt with more words than this is also searched by its first line and by its prose."""

MAX_FRAMES, MAX_SYMBOLS = 60, 200

_FENCE = lazy_regex(r"(?ms)^\s{0,80}+(?:```|~~~).*?(?:^[^\S\n]*+(?:```|~~~)\s*$|\Z)")
_CODE_LINE = lazy_regex(r"^(?: {4}|\t|>>>|\.\.\. |\+\+\+ |--- |@@ )")
_PYTHON_FRAME = lazy_regex(r"File \"([^\"\n]{1,300})\", line (\d+)(?:, in ([\w<>.]+))?")
_PYTEST_FRAME = lazy_regex(r"(?m)^([\w./\\-]+\.\w{1,5}):(\d+):(?: in (\w+)| \w+(?:Error|Exception)?\s*$)")
_CALL_FRAME = lazy_regex(r"\bat (?:async )?([\w$.<>]+) ?\((?:file://)?([^\s():]*[\w$-]\.\w{1,6}):(\d+)")
_PLAIN_FRAME = lazy_regex(r"(?:^|[\s(])((?:[\w.@-]+[/\\])*[\w.@-]+\.[a-z]{1,5}):(\d+)\b")
_CALL = lazy_regex(r"(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w{2,})\(")
_QUOTED_NAME = lazy_regex(r"[`'\"]([A-Za-z_][\w.]{2,60})(?:\(\))?[`'\"]")


PART_SEPARATOR = "\f"
"""Separates the parts of a stored query."""


class PromptParts(NamedTuple):
    """The texts that a prompt is searched by; the last two only for a prompt of several lines, and a long one."""

    whole: str
    title: str = ""
    prose: str = ""

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts whose rankings are combined."""
        return (self.whole, self.title, self.prose) if self.title and self.prose else (self.whole,)

    def join(self) -> str:
        """Return the parts as one text, from which `parts_of` returns them."""
        return PART_SEPARATOR.join(part for part in self if part)


def parts_of(text: str) -> PromptParts:
    """Return the parts of a prompt, or of a query that was joined from them."""
    if PART_SEPARATOR in text:
        return PromptParts(*text.split(PART_SEPARATOR)[:3])
    title = first_line(text)
    if title == text.strip():
        return PromptParts(text)
    return PromptParts(text, title, prose_of(text) if len(text.split()) > LONG_WORDS else "")


class Frame(NamedTuple):
    """A place that a stack trace or a message names."""

    path: str
    line: int
    function: str


class PromptEvidence(NamedTuple):
    """The parts of a prompt that point at places in the code."""

    title: tuple[str, ...]
    """Terms of the first line."""
    frames: tuple[Frame, ...]
    symbols: frozenset[str]
    """Terms of the names that the prompt spells out or calls."""
    chains: frozenset[tuple[str, str]]
    """Terms of a container and its member, as in `Cart.total`."""


def read_evidence(text: str) -> PromptEvidence:
    """Read a prompt's evidence."""
    parts = parts_of(text)
    text = parts.whole
    names = [*identifiers_of(text), *(match[1] for match in _CALL.finditer(text))]
    names += [match[1] for match in _QUOTED_NAME.finditer(text)]
    name_parts = [[term for part in name.split(".") for term in query_terms(part)[:1]] for name in names[:MAX_SYMBOLS]]
    return PromptEvidence(
        title=tuple(query_terms(parts.title or text)),
        frames=tuple(_frames(text))[-MAX_FRAMES:],
        symbols=frozenset(term for terms in name_parts for term in terms[-1:]),
        chains=frozenset(pair for terms in name_parts for pair in pairwise(terms)),
    )


def first_line(text: str) -> str:
    """Return the first line that is not empty."""
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def prose_of(text: str) -> str:
    """Return a text without its code blocks and quoted lines."""
    lines = (line for line in _FENCE.sub("\n", text).split("\n") if not _CODE_LINE.match(line))
    return "\n".join(lines)


def pointing_words(text: str) -> list[str]:
    """Return a prompt's stack frames and calls, each as `read_evidence` recognizes it."""
    frames = (
        f"at {frame.function} ({frame.path}:{frame.line})" if frame.function else f"{frame.path}:{frame.line}"
        for frame in _frames(text)[-MAX_FRAMES:]
    )
    calls = (f"{match[1]}()" for match in _CALL.finditer(text))
    return list(dict.fromkeys((*frames, *calls)))[:MAX_SYMBOLS]


def _frames(text: str) -> list[Frame]:
    frames = [Frame(_path(match[1]), int(match[2]), match[3] or "") for match in _PYTHON_FRAME.finditer(text)]
    frames += [Frame(_path(match[1]), int(match[2]), match[3] or "") for match in _PYTEST_FRAME.finditer(text)]
    frames += [Frame(match[2], int(match[3]), match[1].rpartition(".")[2]) for match in _CALL_FRAME.finditer(text)]
    known = {(frame.path, frame.line) for frame in frames}
    plain = (Frame(_path(match[1]), int(match[2]), "") for match in _PLAIN_FRAME.finditer(text))
    return [*frames, *(frame for frame in plain if (frame.path, frame.line) not in known)]


def _path(path: str) -> str:
    return path.replace("\\", "/")
