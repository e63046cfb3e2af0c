"""Sentence patterns as tables: one per line, with names for what many of them share. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from sidecar.core.lazy_regex import regex

Kind = Literal[
    "decision", "error_pattern", "resolution", "user_correction", "validated_pattern", "gotcha", "lesson",
    "episodic",
]  # fmt: skip

Table = tuple[tuple[Kind, float, str], ...]
"""Kind, confidence, patterns."""


def compiled(table: Table, names: Mapping[str, str]) -> Iterator[tuple[re.Pattern[str], Kind, float]]:
    """Yields each pattern of a table, in order.

    A line that begins with `//` says what follows, one that begins with `>` goes on where the line before it ended.
    """
    for kind, confidence, lines in table:
        for line in re.sub(r"\n\s{0,40}>", "", lines).splitlines():
            if (pattern := line.strip()) and not pattern.startswith("//"):
                yield regex(_named(pattern, names), re.IGNORECASE), kind, confidence


def _named(pattern: str, names: Mapping[str, str]) -> str:
    for name, meaning in names.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{meaning})")
    return pattern
