"""Reasons to drop a statement. Pure.

Restated instruction files and tool output made up most of the content of other memory systems.
"""

import re
from collections.abc import Collection
from typing import Literal

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.corrections import is_question
from sidecar.memory.dedupe import normalized

Reason = Literal[
    "tooShort", "tooLong", "question", "toolOutput", "instructionFile", "private", "injected", "deletedByUser",
    "unresolvedError",
]  # fmt: skip
"""Why a statement was dropped; `memory/status` counts them."""

MIN_WORDS = 3
MIN_UNSPACED_CHARACTERS = 5
MAX_CHARACTERS = 2_000

_UNSPACED = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_DUMP_LINE = lazy_regex(
    r"^\s*+(?:[\[{}\]<]|\"?[\w-]+\"?: ?[\"\[{\d]|\d+,?$"
    r"|at \S+ ?\(|File \"|\d{1,5}[:|→\t ]|[+-]{1,3} ?\S|@@|\$ |>>> |\||#include|import \w"
    r"|def |class |func|const |let |var |return\b|\w+\(.*\)[;{]?$|[\w./-]+:\d+:|\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|(?:INFO|DEBUG|WARN|ERROR)\b|.*[;{}]$)"
)
_DUMP_SHARE = 0.6
_SIGNS = lazy_regex(r"[{}()\[\];=<>|\\/_`$&*#@]")


def junk_reason(text: str, instructions: Collection[str]) -> Reason | None:
    """Return why a text is dropped; None if it may be stored. `instructions` are normalised lines of rule files."""
    words = normalized(text)
    if _is_short(text, words):
        return "tooShort"
    if len(text) > MAX_CHARACTERS:
        return "tooLong"
    if is_question(text):
        return "question"
    if is_tool_output(text):
        return "toolOutput"
    return "instructionFile" if words in instructions else None


def is_tool_output(text: str) -> bool:
    """Whether a text is tool output or code rather than prose."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) >= 3 and sum(map(bool, map(_DUMP_LINE.match, lines))) >= _DUMP_SHARE * len(lines):
        return True
    return len(text) > 40 and len(_SIGNS.findall(text)) > 0.2 * len(text)


def instruction_lines(text: str) -> set[str]:
    """Return a rule file's lines and sentences without variable parts."""
    lines = [line.strip().lstrip("-*+#> ").strip() for line in text.splitlines()]
    parts = [*lines, *(part for line in lines for part in re.split(r"(?<=[.!?。])\s+", line))]
    return {words for part in parts if len((words := normalized(part)).split()) >= MIN_WORDS}


def _is_short(text: str, words: str) -> bool:
    if _UNSPACED.search(text):
        return len(words.replace(" ", "")) < MIN_UNSPACED_CHARACTERS
    return len(text.split()) < MIN_WORDS
