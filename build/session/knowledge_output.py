"""Syncs and pointers of a knowledge repository, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from session.memory_output import Row, clip


def knowledge_rows(result: dict[str, Any], width: int) -> Iterator[Row]:
    """Return each sync with its reasons, the present pointers, and the lines of a new session's anchor about them."""
    for step in result["steps"]:
        counts = ", ".join(f"{number} {name}" for name, number in step["counts"].items() if number) or "nothing"
        yield "changed", clip(step["subject"], width)
        yield "sync", f"{step['mode']}: {counts}, in {step['ms']:.0f} ms"
        for operation in step["operations"]:
            yield "", clip(operation, width)
    yield "conflict", ", ".join(result["conflicts"]) or "none"
    yield "remaining", f"{len(result['left'])} operations in a new plan"
    for name, text in result["pointers"].items():
        yield "pointer", clip(name, width)
        for line in filter(None, text.splitlines()):
            yield "", clip(f"  {line}", width, is_block=True)
    for line in result["anchor"]:
        yield "anchor", clip(line, width, is_block=True)
