"""How memories are worded where a run is told of them, and how these lines are known again when they are quoted. Pure.

What an agent repeats of them is no news, and must not come back as a memory of its own.
"""

import re

from sidecar.core.clock import rfc3339
from sidecar.core.lazy_regex import regex
from sidecar.core.text.sanitize import one_line
from sidecar.memory.entry import Memory

_QUOTED = regex(
    r"^[ \t>*-]*(?:Remembered \d{4}-\d\d-\d\d, [\w ]{1,40} \([^()\s]{1,100}\): |No longer remembered: )[^\n]*"
    r"(?:\n {2,}\S[^\n]*)*|^[ \t>]*- [^\n]{1,400} \([^()\s]{1,100}, accepted\)[ \t]*$",
    re.MULTILINE,
)


def head_of(memory: Memory) -> str:
    """Gives how a memory that is told begins."""
    kind = one_line(memory.type.replace("_", " "), 40)
    return f"Remembered {rfc3339(memory.at_ms)[:10]}, {kind} ({one_line(memory.id, 100)}): "


def taken_back(memory_id: str) -> str:
    """Gives what is told of a memory that is no more."""
    return f"No longer remembered: {one_line(memory_id, 100)} was taken back."


def accepted_rule(rule: str, memory_id: str) -> str:
    """Gives a rule that the user accepted, with the memory it comes from."""
    return f"- {rule} ({memory_id}, accepted)"


def without_quoted(text: str) -> tuple[str, int]:
    """Takes such lines out of a text, with the indented ones that belong to them; gives how many times."""
    return _QUOTED.subn("", text)
