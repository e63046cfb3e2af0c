"""Sentence patterns as tables: one per line, with names for shared parts. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from sidecar.core.lazy_regex import lazy_regex

StatementKind = Literal[
    "decision", "error_pattern", "resolution", "user_correction", "validated_pattern", "gotcha", "lesson",
    "episodic",
]  # fmt: skip

Table = tuple[tuple[StatementKind, float, str], ...]
"""Kind, confidence, patterns."""


def compile_table(table: Table, names: Mapping[str, str]) -> Iterator[tuple[re.Pattern[str], StatementKind, float]]:
    """Yield each pattern of a table, in order.

    A line that begins with `//` is a comment; one that begins with `>` continues the previous line.
    """
    for kind, confidence, lines in table:
        for line in re.sub(r"\n\s{0,40}>", "", lines).splitlines():
            if (pattern := line.strip()) and not pattern.startswith("//"):
                yield lazy_regex(_named(pattern, names), re.IGNORECASE), kind, confidence


def _named(pattern: str, names: Mapping[str, str]) -> str:
    for name, meaning in names.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{meaning})")
    return pattern
