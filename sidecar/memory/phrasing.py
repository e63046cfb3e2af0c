"""Phrasing of memories shown to a run, and recognition of these lines when they are quoted. Pure.

What an agent repeats of them is not new and must not become another memory.
"""

import re

from sidecar.core.clock import rfc3339
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.text.sanitize import one_line
from sidecar.memory.entry import Memory

_QUOTED_MEMORY = lazy_regex(
    r"^[ \t>*-]*(?:Remembered \d{4}-\d\d-\d\d, [\w ]{1,40} \([^()\s]{1,100}\): |No longer remembered: )[^\n]*"
    r"(?:\n {2,}\S[^\n]*)*|^[ \t>]*- [^\n]{1,400} \([^()\s]{1,100}, accepted\)[ \t]*$",
    re.MULTILINE,
)


def memory_heading(memory: Memory) -> str:
    """Return the first words of a rendered memory."""
    kind = one_line(memory.type.replace("_", " "), 40)
    return f"Remembered {rfc3339(memory.at_ms)[:10]}, {kind} ({one_line(memory.id, 100)}): "


def revoked_line(memory_id: str) -> str:
    """Return the line that revokes a memory."""
    return f"No longer remembered: {one_line(memory_id, 100)} was taken back."


def accepted_rule(rule: str, memory_id: str) -> str:
    """Return an accepted rule with the id of its memory."""
    return f"- {rule} ({memory_id}, accepted)"


def remove_quoted_memories(text: str) -> tuple[str, int]:
    """Remove such lines and their indented continuations from a text; return the text and the number of removals."""
    return _QUOTED_MEMORY.subn("", text)
