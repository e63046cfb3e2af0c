"""What the block tells of memories, by bracket: nothing, titles, gists, or where they stand in full. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.context.block.token_budget import Part, line_weight
from sidecar.context.block.xml_writer import Element, text_line
from sidecar.context.brackets import BRACKETS, Bracket, MemoryLevel
from sidecar.context.project.markdown_sections import sections_of, statements
from sidecar.core.text.sanitize import one_line
from sidecar.memory import Memory, Relevant, told

CONTINUATION = ".chati/continuation/latest.md"

WEIGHTS: Mapping[MemoryLevel, int] = {"none": 0, "metadata": 80, "chunks": 260, "full": 0}
"""Tokens that memories may take at each level (intelligence-layer.md §4.4: about 50 and 200)."""

FRESH_WEIGHT = 600
"""Tokens for the HOT memories that are told once after a compaction or resume."""

TITLE_CHARACTERS, GIST_CHARACTERS, CHUNK_CHARACTERS = 80, 320, 800


class Remembered(NamedTuple):
    """The HOT memories within reach, others that bear on the task, and what is known of the moment."""

    memories: tuple[Memory, ...] = ()
    total: int = 0
    is_first: bool = False
    """Whether this is the first block after a compaction or resume."""
    has_continuation: bool = False
    warning: str = ""
    """Why there are none, where they cannot be read."""
    relevant: tuple[Relevant, ...] = ()
    """Others that bear on the task, the best first."""


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
    if level == "none" or not (remembered.memories or remembered.relevant):
        return None
    lines = _titles(remembered, weight) if level == "metadata" else _chunks(remembered, weight)
    return _part(bracket, level, lines)


def gist_of(memory: Memory) -> str:
    """Gives a memory's first statements on one line."""
    return _statements(memory.text, GIST_CHARACTERS)


def _statements(text: str, limit: int) -> str:
    said = [statement for section in sections_of(text) for statement in statements(section.lines)]
    return one_line("; ".join(said), limit)


def _part(bracket: Bracket, level: MemoryLevel, lines: Sequence[str]) -> Part:
    return Part("memory", Element("memory", (("bracket", bracket), ("level", level)), tuple(lines)))


def _titles(remembered: Remembered, weight: float) -> list[str]:
    """One line as the specification shows it, and one for those of the task, with as many titles as fit."""
    lines: list[str] = []
    if remembered.memories:
        count = f"{remembered.total} HOT {_noun(remembered.total)} available"
        lines.append(_named(count, [_title(one) for one in remembered.memories], remembered.total, weight))
    if remembered.relevant:
        more, number = "more " if lines else "", len(remembered.relevant)
        count = f"{number} {more}{_noun(number)} on this task"
        left = weight - sum(line_weight(text_line(line, 1)) for line in lines)
        line = _named(count, [_title(one.memory) for one in remembered.relevant], number, left)
        lines += [line] if line_weight(text_line(line, 1)) <= left or not lines else []
    return lines


def _named(count: str, names: list[str], total: int, weight: float) -> str:
    while names:
        more = ", …" if len(names) < total else ""
        line = f"[{count}: {', '.join(names)}{more}]"
        if line_weight(text_line(line, 1)) <= weight:
            return line
        names.pop()
    return f"[{count}]"


def _chunks(remembered: Remembered, weight: float) -> list[str]:
    """A line for each: what of it matters for the task, its beginning where there is no room for that."""
    terms = remembered.relevant[0].terms if remembered.relevant else ()
    lines: list[str] = []
    for memory in (*remembered.memories, *(one.memory for one in remembered.relevant)):
        chunk = told("chunks", memory.title, memory.tags, memory.text, terms).text
        wordings = (_line(memory, _statements(chunk, CHUNK_CHARACTERS)), _line(memory, gist_of(memory)))
        line = next((line for line in wordings if line_weight(text_line(line, 1)) <= weight), wordings[-1])
        weight -= line_weight(text_line(line, 1))
        if weight < 0 and lines:
            break
        lines.append(line)
    return lines


def _line(memory: Memory, said: str) -> str:
    title = _title(memory)
    return f"- {said}" if title.casefold() in said.casefold() else f"- {title}: {said}" if said else f"- {title}"


def _title(memory: Memory) -> str:
    return one_line(memory.title, TITLE_CHARACTERS) or memory.id


def _noun(number: int) -> str:
    return "memory" if number == 1 else "memories"
