"""A knowledge repository's syncs and pointers, in lines that people read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from session.telling_memories import Row, shortened


def knowledge_rows(told: dict[str, Any], width: int) -> Iterator[Row]:
    """Gives what each sync did and why, the pointers as they stand, and what a new session's anchor tells of them."""
    for step in told["steps"]:
        counts = ", ".join(f"{number} {name}" for name, number in step["counts"].items() if number) or "nothing"
        yield "changed", shortened(step["subject"], width)
        yield "sync", f"{step['mode']}: {counts}, in {step['ms']:.0f} ms"
        for operation in step["operations"]:
            yield "", shortened(operation, width)
    yield "conflict", ", ".join(told["conflicts"]) or "none"
    yield "left", f"{len(told['left'])} operations of a plan made afterwards"
    for name, text in told["pointers"].items():
        yield "pointer", shortened(name, width)
        for line in filter(None, text.splitlines()):
            yield "", shortened(f"  {line}", width, is_block=True)
    for line in told["anchor"]:
        yield "anchor", shortened(line, width, is_block=True)
