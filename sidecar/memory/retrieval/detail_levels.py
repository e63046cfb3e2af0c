"""How much of a memory is told: its line, the lines of it that matter here, or all of it (intelligence-layer.md 4.4).

Pure. Lines are taken whole, as they were worded; nothing is rephrased.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.terms import terms_of
from sidecar.core.tokens import estimate_tokens, weigh

Level = Literal["metadata", "chunks", "full"]

CHUNK_TOKENS = 200
"""What the second level tells of one memory at most, unless its first line alone takes more."""
LINE_TOKENS = 120
"""A longer line is told by its sentences."""

_KEY = regex(
    r"\b(?:decid\w+|decision|chose\w*|chosen|must|never|always|because|instead|gotcha|fix\w*|root cause|prefers?"
    r"|use[ds]?|avoid\w*|decidi\w+|escolh\w+|nunca|sempre|porque)\b",
    re.IGNORECASE,
)
_KEY_HEADING = regex(r"#+\s.*\b(?:decision|gotcha|resolution|fix|lesson|decisão|solução)\b", re.IGNORECASE)
_SENTENCE = regex(r"(?<=[.!?。！？])\s+")
_FIRST, _IN_KEY_SECTION, _KEY_WORDING, _HEADING = 1.5, 1.0, 0.75, -1.0


class Line(NamedTuple):
    """A line with what speaks for telling it."""

    place: int
    text: str
    worth: float


class Told(NamedTuple):
    """What is told of a memory, and about how many tokens it takes with its title."""

    text: str
    tokens: int
    is_whole: bool


def told(level: Level, title: str, tags: Sequence[str], text: str, terms: Sequence[str]) -> Told:
    """Tells a memory at a level, for a question's terms."""
    if level == "metadata":
        return Told("", estimate_tokens(" ".join((title, *tags))), is_whole=not text.strip())
    shown = text if level == "full" else chunk(text, terms)
    words = shown if shown.startswith(title) else f"{title}\n{shown}"
    return Told(shown, estimate_tokens(words), shown == text)


def chunk(text: str, terms: Sequence[str], budget: int = CHUNK_TOKENS) -> str:
    """Gives the lines that matter most for a question's terms, as they stand and in their order, within a budget.

    What the text begins with, and what it says of decisions, comes next to what holds the terms.
    """
    if estimate_tokens(text) <= budget:
        return text
    lines = list(_lines(text, frozenset(terms)))
    chosen: list[Line] = []
    left = float(budget)
    for line in sorted(lines, key=lambda line: (-line.worth, line.place)):
        weight = weigh(f"{line.text}\n")
        if weight <= left or not chosen:
            chosen.append(line)
            left -= weight
    return "\n".join(line.text for line in sorted(chosen))


def pack(scores: Sequence[float], tokens: Sequence[int], budget: int) -> list[int]:
    """Chooses what fits into a budget of tokens, by score per token; gives the places chosen, in their order.

    A place that comes later never costs more than it brings: what does not fit is passed over.
    """
    order = sorted(range(len(scores)), key=lambda at: (-scores[at] / _cost(tokens[at]), at))
    chosen: list[int] = []
    for at in order:
        if tokens[at] <= budget:
            chosen.append(at)
            budget -= tokens[at]
    return sorted(chosen)


def _cost(tokens: int) -> float:
    """Softened: a short memory is not better for being short."""
    return math.sqrt(tokens + 8)


def _lines(text: str, terms: frozenset[str]) -> Iterator[Line]:
    is_first, in_key_section = True, False
    for place, line in enumerate(_split(text)):
        if not line.strip():
            continue
        is_heading = line.lstrip().startswith("#")
        if is_heading:
            in_key_section = _KEY_HEADING.match(line.lstrip()) is not None
        worth = float(len(terms.intersection(terms_of(line)))) + (_HEADING if is_heading else 0.0)
        worth += _IN_KEY_SECTION if in_key_section and not is_heading else 0.0
        worth += _KEY_WORDING if _KEY.search(line) else 0.0
        worth += _FIRST if is_first and not is_heading else 0.0
        is_first = is_first and is_heading
        yield Line(place, line, worth)


def _split(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if estimate_tokens(line) <= LINE_TOKENS:
            yield line
        else:
            yield from _SENTENCE.split(line)
