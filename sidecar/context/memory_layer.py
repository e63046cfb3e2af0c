"""The block's memories, by bracket: none, titles, gists, or a pointer to their full text. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.context.brackets import BRACKETS, Bracket, MemoryLevel
from sidecar.context.token_budget import Part, line_weight
from sidecar.context.xml_writer import Element, text_line
from sidecar.core.markdown import split_sections, statements
from sidecar.core.text import one_line
from sidecar.memory import Memory, Relevant, render_memory

CONTINUATION = ".chati/continuation/latest.md"

WEIGHTS: Mapping[MemoryLevel, int] = {"none": 0, "metadata": 80, "chunks": 260, "full": 0}
"""Maximum tokens for memories by level (intelligence-layer.md §4.4: about 50 and 200)."""

FRESH_WEIGHT = 600
"""Maximum tokens for the HOT memories that are injected once after a compaction or resume."""

TITLE_CHARACTERS, GIST_CHARACTERS, CHUNK_CHARACTERS = 80, 320, 800


class BlockMemories(NamedTuple):
    """The reachable HOT memories, others relevant to the task, and the state of the session."""

    hot: tuple[Memory, ...] = ()
    """With those just captured, which come first."""
    total: int = 0
    is_first: bool = False
    """Whether this is the first block after a compaction or resume."""
    has_continuation: bool = False
    warning: str = ""
    """Reason why memories cannot be read; empty when they can."""
    relevant: tuple[Relevant, ...] = ()
    """Others relevant to the task, the best first."""


NO_MEMORIES = BlockMemories()


def includes_memories(bracket: Bracket, *, is_first: bool) -> bool:
    """Whether a bracket's block includes memories."""
    return bracket in ("MODERATE", "DEPLETED") or (bracket == "FRESH" and is_first)


def memory_part(bracket: Bracket, memories: BlockMemories) -> Part | None:
    """Return the block's memory element; None when it would be empty."""
    level = BRACKETS[bracket].memory
    if level == "full":
        return (
            _part(bracket, level, (f"[All HOT memories are in {CONTINUATION}]",)) if memories.has_continuation else None
        )
    if level == "none" and memories.is_first:
        level, weight = "chunks", FRESH_WEIGHT
    else:
        weight = WEIGHTS[level]
    if level == "none" or not (memories.hot or memories.relevant):
        return None
    lines = _title_lines(memories, weight) if level == "metadata" else _chunk_lines(memories, weight)
    return _part(bracket, level, lines)


def memory_gist(memory: Memory) -> str:
    """Return a memory's first statements on one line."""
    return _statements(memory.text, GIST_CHARACTERS)


def _statements(text: str, limit: int) -> str:
    texts = [statement for section in split_sections(text) for statement in statements(section.lines)]
    return one_line("; ".join(texts), limit)


def _part(bracket: Bracket, level: MemoryLevel, lines: Sequence[str]) -> Part:
    return Part("memory", Element("memory", (("bracket", bracket), ("level", level)), tuple(lines)))


def _title_lines(memories: BlockMemories, weight: float) -> list[str]:
    """Return one line in the specification's format, and one for the task's memories, with as many titles as fit."""
    lines: list[str] = []
    if memories.hot:
        count = f"{memories.total} HOT {_noun(memories.total)} available"
        lines.append(_title_list(count, [_title(memory) for memory in memories.hot], memories.total, weight))
    if memories.relevant:
        more, number = "more " if lines else "", len(memories.relevant)
        count = f"{number} {more}{_noun(number)} on this task"
        left = weight - sum(line_weight(text_line(line, 1)) for line in lines)
        line = _title_list(count, [_title(item.memory) for item in memories.relevant], number, left)
        lines += [line] if line_weight(text_line(line, 1)) <= left or not lines else []
    return lines


def _title_list(count: str, names: list[str], total: int, weight: float) -> str:
    while names:
        more = ", …" if len(names) < total else ""
        line = f"[{count}: {', '.join(names)}{more}]"
        if line_weight(text_line(line, 1)) <= weight:
            return line
        names.pop()
    return f"[{count}]"


def _chunk_lines(memories: BlockMemories, weight: float) -> list[str]:
    """Return a line per memory: the part relevant to the task, or its beginning when that does not fit."""
    terms = memories.relevant[0].terms if memories.relevant else ()
    lines: list[str] = []
    for memory in (*memories.hot, *(item.memory for item in memories.relevant)):
        chunk = render_memory("chunks", memory.title, memory.tags, memory.text, terms).text
        alternatives = (_line(memory, _statements(chunk, CHUNK_CHARACTERS)), _line(memory, memory_gist(memory)))
        line = next((line for line in alternatives if line_weight(text_line(line, 1)) <= weight), alternatives[-1])
        weight -= line_weight(text_line(line, 1))
        if weight < 0 and lines:
            break
        lines.append(line)
    return lines


def _line(memory: Memory, text: str) -> str:
    title = _title(memory)
    return f"- {text}" if title.casefold() in text.casefold() else f"- {title}: {text}" if text else f"- {title}"


def _title(memory: Memory) -> str:
    return one_line(memory.title, TITLE_CHARACTERS) or memory.id


def _noun(number: int) -> str:
    return "memory" if number == 1 else "memories"
