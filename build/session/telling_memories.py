"""Brackets, a compaction and what is remembered, in lines that people read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

WIDEST = 130
LEVELS = {"none": "none yet", "metadata": "none bears on this", "chunks": "none bears on this"}
"""Said of a block that tells no memory; at level full they stand in the continuation file, which is made when asked."""

Row = tuple[str, str]


def context_line(told: dict[str, Any]) -> str:
    """Says in which bracket a window is, and what an agent is told in it."""
    level = LEVELS.get(told["memoryLevel"], "left to the continuation file")
    memory = told["memory"].removeprefix("- ") or level
    block = f"block {' '.join(told['layers'])}, {told['tokens']} of {told['budgetTokens']} tokens"
    return shortened(f"{told['bracket']}, {told['remainingPercent']:.0f} % remain; {block}; memories: {memory}", WIDEST)


def compaction_rows(told: dict[str, Any], width: int) -> Iterator[Row]:
    """Gives what was kept before, what is remembered now, and what the session is told afterwards."""
    before, after = told["before"], told["after"]
    kept, again = (len(before["captured"][name]) for name in ("added", "repeated"))
    files = f"{before['hot']} HOT and {before['warm']} WARM memories in files"
    yield "before", f"{kept} added, {again} repeated; {files}"
    for one in told["memories"]:
        yield "memory", shortened(f"{one['tier']:<5}{one['type']:<16}{one['id']}  {one['title']}", width, is_block=True)
    block = after["context"]
    spent = f"{block['tokens']} of {block['budgetTokens']} tokens; compactions: {after['compactions']}"
    yield "after", f"{block['bracket']}, {spent}; new session: {', '.join(after['reasons']) or 'not needed'}"
    for line in block["block"].splitlines():
        yield "", shortened(line, width, is_block=True)


def found_rows(memories: list[dict[str, Any]], width: int) -> Iterator[Row]:
    """Gives each memory that was found with its score, the factors of it, and what spoke for it most."""
    if not memories:
        yield "found", "nothing"
    for one in memories:
        yield "found", shortened(f"{one['score']:.4f}  {one['id']}  {one['text'] or one['title']}", width)
        factors = " × ".join(f"{name} {value:.2g}" for name, value in one["factors"].items())
        reasons = ", ".join(f"{name} {value:+.1f}" for name, value in one["reasons"].items())
        yield "", shortened(f"{factors}; for it: {reasons}", width)


def shortened(text: str, width: int, *, is_block: bool = False) -> str:
    """Gives a text on one line of so many characters at most; a line of a block keeps its indentation."""
    line = text if is_block else " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 3]}..."
