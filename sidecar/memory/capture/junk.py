"""What is not worth a memory, and why. Pure.

Restated instruction files and the tool's own output made up most of what other memories were found to hold.
"""

import re
from collections.abc import Collection
from typing import Literal

from sidecar.core.lazy_regex import regex
from sidecar.language.corrections import is_question
from sidecar.memory.dedupe import normalised

Reason = Literal[
    "tooShort", "tooLong", "question", "toolOutput", "instructionFile", "private", "injected", "deletedByUser",
    "unresolvedError",
]  # fmt: skip
"""Why something was not kept; `memory/status` counts them."""

LEAST_WORDS = 3
LEAST_UNSPACED = 5
MAX_CHARACTERS = 2_000

_UNSPACED = regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_DUMP_LINE = regex(
    r"^\s*+(?:[\[{}\]<]|\"?[\w-]+\"?: ?[\"\[{\d]|\d+,?$"
    r"|at \S+ ?\(|File \"|\d{1,5}[:|→\t ]|[+-]{1,3} ?\S|@@|\$ |>>> |\||#include|import \w"
    r"|def |class |func|const |let |var |return\b|\w+\(.*\)[;{]?$|[\w./-]+:\d+:|\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|(?:INFO|DEBUG|WARN|ERROR)\b|.*[;{}]$)"
)
_DUMP_SHARE = 0.6
_SIGNS = regex(r"[{}()\[\];=<>|\\/_`$&*#@]")


def junk(text: str, instructions: Collection[str]) -> Reason | None:
    """Says why a text is not kept; None for one that may be. `instructions` are normalised lines of rule files."""
    words = normalised(text)
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
    """Says whether a text is what a tool printed, or code, rather than words."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) >= 3 and sum(map(bool, map(_DUMP_LINE.match, lines))) >= _DUMP_SHARE * len(lines):
        return True
    return len(text) > 40 and len(_SIGNS.findall(text)) > 0.2 * len(text)


def instruction_lines(text: str) -> set[str]:
    """Gives what a rule file says, line by line and sentence by sentence, without what varies."""
    lines = [line.strip().lstrip("-*+#> ").strip() for line in text.splitlines()]
    parts = [*lines, *(part for line in lines for part in re.split(r"(?<=[.!?。])\s+", line))]
    return {words for part in parts if len((words := normalised(part)).split()) >= LEAST_WORDS}


def _is_short(text: str, words: str) -> bool:
    if _UNSPACED.search(text):
        return len(words.replace(" ", "")) < LEAST_UNSPACED
    return len(text.split()) < LEAST_WORDS
