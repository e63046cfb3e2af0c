"""Memories as wire messages. Pure."""

import math
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sidecar.core.clock import rfc3339
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.core.terms import terms_of
from sidecar.core.token_estimate import estimate_tokens, token_weight
from sidecar.memory.entry import Memory
from sidecar.memory.files.layout import FOLDER, MEMORIES
from sidecar.memory.store.entries import IndexedMemory

if TYPE_CHECKING:
    from sidecar.memory.model import MemoryDetail, MemorySummary, MemoryWarning  # no pre-run needs these models

_NONE: Mapping[str, list[str]] = MappingProxyType({})


def memory_summary(entry: IndexedMemory, superseding: Mapping[str, list[str]] = _NONE) -> "MemorySummary":
    """Return a memory without its text; `superseding` are the ids that supersede it and others, by id."""
    from sidecar.memory.model import MemorySummary

    newer = superseding.get(entry.memory.id, [])
    return MemorySummary(**_summary_fields(entry.memory), tokens=entry.tokens, superseded_by=newer)


def memory_detail(
    entry: IndexedMemory, warning: str, linked: Container[str], superseding: Mapping[str, list[str]] = _NONE
) -> "MemoryDetail":
    """Return a memory with its text, and with links to memories within reach."""
    from sidecar.memory.model import MemoryDetail

    memory = entry.memory
    return MemoryDetail(
        **dict(memory_summary(entry, superseding)),
        text=memory.text,
        session_id=memory.session or None,
        supersedes=[linked_id for linked_id in memory.supersedes if linked_id in linked],
        contradicts=[linked_id for linked_id in memory.contradicts if linked_id in linked],
        warning=warning or None,
    )


def memory_warning(path: str, sentence: str) -> "MemoryWarning":
    """Return a warning about a file or folder of the memories."""
    from sidecar.memory.model import MemoryWarning

    return MemoryWarning(path=project_path(path), warning=sentence)


def project_path(path: str) -> str:
    """Return a memory's path relative to the project folder, masked."""
    return f"{FOLDER}/{MEMORIES}/{redact(path)}"


def _summary_fields(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "title": memory.title,
        "type": memory.type,
        "sector": memory.sector,
        "owner": memory.owner,
        "retention": memory.retention,
        "tier": memory.tier,
        "archived": memory.is_archived,
        "tags": list(memory.tags),
        "agent": memory.agent,
        "author": memory.author,
        "confidence": memory.confidence,
        "evidence": memory.evidence,
        "access_count": memory.access_count,
        "last_accessed_at": None if memory.last_accessed_ms is None else rfc3339(memory.last_accessed_ms),
        "created_at": rfc3339(memory.created_ms),
        "at": rfc3339(memory.at_ms),
        "path": project_path(memory.path),
        "position": memory.position,
        "version": memory.version,
    }


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
_SENTENCE = lazy_regex(r"(?<=[.!?。！？])\s+")
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
    """Render a memory at a level, for a query's terms (intelligence-layer.md 4.4); its lines stay as they are."""
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
            yield from _SENTENCE.split(line)
