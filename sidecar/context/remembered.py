"""What the block tells of memories, by bracket: nothing, titles, gists, or where they stand in full. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.context.brackets import BRACKETS, Bracket, MemoryLevel
from sidecar.context.fitting import Part, line_weight
from sidecar.context.sections import sections_of, statements
from sidecar.context.xml_text import Element, text_line
from sidecar.core.text import one_line
from sidecar.memory import Memory

CONTINUATION = ".chati/continuation/latest.md"

WEIGHTS: Mapping[MemoryLevel, int] = {"none": 0, "metadata": 80, "chunks": 260, "full": 0}
"""Tokens that memories may take at each level (intelligence-layer.md §4.4: about 50 and 200)."""

FRESH_WEIGHT = 600
"""Tokens for the HOT memories that are told once after a compaction or resume."""

TITLE_CHARACTERS, GIST_CHARACTERS = 80, 320


class Remembered(NamedTuple):
    """The HOT memories within reach, and what is known of the moment."""

    memories: tuple[Memory, ...] = ()
    total: int = 0
    is_first: bool = False
    """Whether this is the first block after a compaction or resume."""
    has_continuation: bool = False
    warning: str = ""
    """Why there are none, where they cannot be read."""


NOTHING = Remembered()


def asks_for_memories(bracket: Bracket, *, is_first: bool) -> bool:
    """Says whether a bracket's block tells of memories at all."""
    return bracket in ("MODERATE", "DEPLETED") or (bracket == "FRESH" and is_first)


def memory_part(bracket: Bracket, remembered: Remembered) -> Part | None:
    """Gives the block's element on memories; None where there is nothing to tell."""
    level = BRACKETS[bracket].memory
    if level == "full":
        return (
            _part(bracket, level, (f"[All HOT memories stand in {CONTINUATION}]",))
            if remembered.has_continuation
            else None
        )
    if level == "none" and remembered.is_first:
        level, weight = "chunks", FRESH_WEIGHT
    else:
        weight = WEIGHTS[level]
    if level == "none" or not remembered.memories:
        return None
    lines = _titles(remembered, weight) if level == "metadata" else _gists(remembered.memories, weight)
    return _part(bracket, level, lines)


def gist_of(memory: Memory) -> str:
    """Gives a memory's first statements on one line."""
    said = [text for section in sections_of(memory.text) for text in statements(section.lines)]
    return one_line("; ".join(said), GIST_CHARACTERS)


def _part(bracket: Bracket, level: MemoryLevel, lines: Sequence[str]) -> Part:
    return Part("memory", Element("memory", (("bracket", bracket), ("level", level)), tuple(lines)))


def _titles(remembered: Remembered, weight: float) -> list[str]:
    """One line as the specification shows it, with as many titles as fit."""
    names = [one_line(memory.title, TITLE_CHARACTERS) or memory.id for memory in remembered.memories]
    count = f"{remembered.total} HOT {'memory' if remembered.total == 1 else 'memories'} available"
    while names:
        more = ", …" if len(names) < remembered.total else ""
        line = f"[{count}: {', '.join(names)}{more}]"
        if line_weight(text_line(line, 1)) <= weight:
            return [line]
        names.pop()
    return [f"[{count}]"]


def _gists(memories: Sequence[Memory], weight: float) -> list[str]:
    lines: list[str] = []
    for memory in memories:
        gist = gist_of(memory)
        title = one_line(memory.title, TITLE_CHARACTERS) or memory.id
        line = f"- {gist}" if title.casefold() in gist.casefold() else f"- {title}: {gist}" if gist else f"- {title}"
        weight -= line_weight(text_line(line, 1))
        if weight < 0 and lines:
            break
        lines.append(line)
    return lines
