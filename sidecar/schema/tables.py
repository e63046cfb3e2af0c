"""Tables in Markdown. Pure."""

from collections.abc import Iterable


def grid(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Gives a table; each cell is one line."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(" ".join(cell.split()) for cell in line) + " |" for line in lines)
