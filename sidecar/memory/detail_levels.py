"""Levels of detail: a memory as its title, its lines about a query, or its whole text; and a choice by tokens. Pure."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import split_at_full_stops
from sidecar.core.terms import terms_of
from sidecar.core.token_estimate import estimate_tokens, token_weight

Level = Literal["metadata", "chunks", "full"]

CHUNK_TOKENS = 200
"""Maximum tokens of one memory at the second level, unless its first line alone takes more."""
LINE_TOKENS = 120
"""Longer lines are split into sentences."""

_KEY = lazy_regex(
    r"\b(?:decid\w+|decision|chose\w*|chosen|must|never|always|because|instead|gotcha|fix\w*|root cause|prefers?"
    r"|use[ds]?|avoid\w*|decidi\w+|escolh\w+|nunca|sempre|porque)\b",
    re.IGNORECASE,
)
_KEY_HEADING = lazy_regex(r"#+\s.*\b(?:decision|gotcha|resolution|fix|lesson|decisão|solução)\b", re.IGNORECASE)
_FIRST, _IN_KEY_SECTION, _KEY_WORDING, _HEADING = 1.5, 1.0, 0.75, -1.0


class Line(NamedTuple):
    """A line and its score."""

    number: int
    text: str
    score: float


class RenderedMemory(NamedTuple):
    """A rendered memory, and its estimated tokens including the title."""

    text: str
    tokens: int
    is_complete: bool


def render_memory(level: Level, title: str, tags: Sequence[str], text: str, terms: Sequence[str]) -> RenderedMemory:
    """Render a memory at a level, for a query's terms; its lines stay as they are."""
    if level == "metadata":
        return RenderedMemory("", estimate_tokens(" ".join((title, *tags))), is_complete=not text.strip())
    content = text if level == "full" else chunk(text, terms)
    words = content if content.startswith(title) else f"{title}\n{content}"
    return RenderedMemory(content, estimate_tokens(words), content == text)


def chunk(text: str, terms: Sequence[str], budget: int = CHUNK_TOKENS) -> str:
    """Return the lines most relevant to a query's terms, unchanged and in order, within a token budget.

    The beginning of the text and statements of decisions rank next after lines with the terms.
    """
    if estimate_tokens(text) <= budget:
        return text
    lines = list(_lines(text, frozenset(terms)))
    selected: list[Line] = []
    remaining = float(budget)
    for line in sorted(lines, key=lambda line: (-line.score, line.number)):
        weight = token_weight(f"{line.text}\n")
        if weight <= remaining or not selected:
            selected.append(line)
            remaining -= weight
    return "\n".join(line.text for line in sorted(selected))


def pack(scores: Sequence[float], tokens: Sequence[int], budget: int) -> list[int]:
    """Select what fits a token budget, by score per token; return the selected indexes in order.

    An item that does not fit is skipped.
    """
    order = sorted(range(len(scores)), key=lambda position: (-scores[position] / _cost(tokens[position]), position))
    selected: list[int] = []
    for position in order:
        if tokens[position] <= budget:
            selected.append(position)
            budget -= tokens[position]
    return sorted(selected)


def _cost(tokens: int) -> float:
    """Return a softened cost: shortness alone does not make a memory better."""
    return math.sqrt(tokens + 8)


def _lines(text: str, terms: frozenset[str]) -> Iterator[Line]:
    is_first, in_key_section = True, False
    for number, line in enumerate(_split(text)):
        if not line.strip():
            continue
        is_heading = line.lstrip().startswith("#")
        if is_heading:
            in_key_section = _KEY_HEADING.match(line.lstrip()) is not None
        score = float(len(terms.intersection(terms_of(line)))) + (_HEADING if is_heading else 0.0)
        score += _IN_KEY_SECTION if in_key_section and not is_heading else 0.0
        score += _KEY_WORDING if _KEY.search(line) else 0.0
        score += _FIRST if is_first and not is_heading else 0.0
        is_first = is_first and is_heading
        yield Line(number, line, score)


def _split(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if estimate_tokens(line) <= LINE_TOKENS:
            yield line
        else:
            yield from split_at_full_stops(line)
