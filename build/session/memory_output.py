"""Brackets, a compaction and memories, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

WIDEST = 130
LEVELS = {"none": "none yet", "metadata": "none relevant", "chunks": "none relevant"}
"""Shown for a block without memories; at level `full` they are in the continuation file, which is written on demand."""

Row = tuple[str, str]


def context_line(context: dict[str, Any]) -> str:
    """Return the bracket of a window, and the size of its block."""
    level = LEVELS.get(context["memoryLevel"], "in the continuation file")
    memory = context["memory"].removeprefix("- ") or level
    block = f"block {' '.join(context['layers'])}, {context['tokens']} of {context['budgetTokens']} tokens"
    return clip(
        f"{context['bracket']}, {context['remainingPercent']:.0f} % remaining; {block}; memories: {memory}", WIDEST
    )


def compaction_rows(compaction: dict[str, Any], width: int) -> Iterator[Row]:
    """Return what was saved before the compaction, the memories, and the block afterwards."""
    before, after = compaction["before"], compaction["after"]
    captured, repeated = (len(before["captured"][name]) for name in ("added", "repeated"))
    files = f"{before['hot']} HOT and {before['warm']} WARM memories in files"
    yield "before", f"{captured} captured from the session summary, {repeated} repeated; {files}"
    for memory in compaction["memories"]:
        yield (
            "memory",
            clip(f"{memory['tier']:<5}{memory['type']:<16}{memory['id']}  {memory['title']}", width, is_block=True),
        )
    block = after["context"]
    spent = f"{block['tokens']} of {block['budgetTokens']} tokens; compactions: {after['compactions']}"
    yield "after", f"{block['bracket']}, {spent}; new session: {', '.join(after['reasons']) or 'not needed'}"
    for line in block["block"].splitlines():
        yield "", clip(line, width, is_block=True)


def found_rows(memories: list[dict[str, Any]], width: int) -> Iterator[Row]:
    """Return each memory with its score, the factors, and the strongest reasons."""
    if not memories:
        yield "result", "nothing"
    for memory in memories:
        yield "result", clip(f"{memory['score']:.4f}  {memory['id']}  {memory['text'] or memory['title']}", width)
        factors = " × ".join(f"{name} {value:.2g}" for name, value in memory["factors"].items())
        reasons = ", ".join(f"{name} {value:+.1f}" for name, value in memory["reasons"].items())
        yield "", clip(f"{factors}; reasons: {reasons}", width)


def clip(text: str, width: int, *, is_block: bool = False) -> str:
    """Return text on one line of at most `width` characters; a line of a block keeps its indentation."""
    line = text if is_block else " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 3]}..."
