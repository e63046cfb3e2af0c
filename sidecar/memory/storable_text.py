"""Remove what is never stored: text marked private, text we injected, and secrets. Pure.

Applied to every text before it is stored, whatever its source. What an agent repeats of memories shown to it is not
new and must not become another memory.
"""

import re
from typing import NamedTuple

from sidecar.core.clean_text import MARKER_PREFIX, one_line
from sidecar.core.clock import utc_day
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.memory.entry import Memory

_QUOTED_MEMORY = lazy_regex(
    r"^[ \t>*-]*(?:Remembered \d{4}-\d\d-\d\d, [\w ,']{1,40} \([^()\s]{1,100}\): |No longer remembered: )[^\n]*"
    r"(?:\n {2,}\S[^\n]*)*"
    r"|^[ \t>]*- [^\n]{1,400} \((?:[^()\s]{1,100}, accepted|mem-[^()\s]{1,100}, \d{4}-\d\d-\d\d)\)[ \t]*$"
    r"|^[ \t>*-]*(?:New standing instruction from the user|Standing instruction changed|It replaces"
    r"|A standing instruction no longer holds): [^\n]{0,400}mem-[^\n]{1,140}$",
    re.MULTILINE,
)


CLAIMING_TYPES = ("user_correction", "preference")
"""Types by which a memory claims to state the user's lasting wish."""
UNCONFIRMED_NOTE = "agent's note, not confirmed by the user"
"""Kind of such a memory that an agent wrote."""


def memory_heading(memory: Memory) -> str:
    """Return the first words of a rendered memory."""
    is_claim = memory.author != "user" and memory.type in CLAIMING_TYPES
    kind = UNCONFIRMED_NOTE if is_claim else one_line(memory.type.replace("_", " "), 40)
    return f"Remembered {utc_day(memory.at_ms)}, {kind} ({one_line(memory.id, 100)}): "


def revoked_line(memory_id: str) -> str:
    """Return the line that revokes a memory."""
    return f"No longer remembered: {one_line(memory_id, 100)} was taken back."


def accepted_rule(rule: str, memory_id: str) -> str:
    """Return an accepted rule with the id of its memory."""
    return f"- {rule} ({memory_id}, accepted)"


_TAG = lazy_regex(r"<(/?)(private|chati-context)(?:\s[^<>]{0,2000})?>", re.IGNORECASE)
_MARKER = lazy_regex(rf"^{re.escape(MARKER_PREFIX)}([a-z]+)(?: [0-9a-f]+)?\][ \t]*$", re.MULTILINE)
_CONTROL = lazy_regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class FilteredText(NamedTuple):
    """A text as it may be stored, and the number of removals by kind."""

    text: str
    private: int
    injected: int


def filter_private(text: str, *, preserves_ends: bool = False) -> FilteredText:
    """Remove `<private>…</private>`, `<chati-context>`, our blocks and lines from a text, and mask secrets.

    An unclosed tag extends to the end of the text. White space at the ends is removed, unless it is to be preserved and
    nothing else was removed.
    """
    no_blocks, blocks = _remove_blocks(text)
    no_quotes, lines = _QUOTED_MEMORY.subn("", no_blocks)
    no_tags, private, contexts = _remove_tags(no_quotes)
    masked = redact(_CONTROL.sub("", no_tags))
    injected = blocks + lines + contexts
    is_whole = preserves_ends and not (private or injected)
    return FilteredText(masked if is_whole else masked.strip(), private, injected)


def _remove_blocks(text: str) -> tuple[str, int]:
    """Remove each block from its marker line to the next one; what follows the request's marker is the user's."""
    parts, count, position, in_block = [], 0, 0, False
    for match in _MARKER.finditer(text) if MARKER_PREFIX in text else ():
        if not in_block:
            parts.append(text[position : match.start()])
        in_block = match[1] != "request"
        count += in_block
        position = match.end()
    return "".join([*parts, "" if in_block else text[position:]]), count


def _remove_tags(text: str) -> tuple[str, int, int]:
    """Remove text between tags; a nested tag of the same name belongs to the outer one."""
    parts, position, open_name, depth = [], 0, "", 0
    counts = {"private": 0, "chati-context": 0}
    for match in _TAG.finditer(text):
        name, is_end = match[2].lower(), bool(match[1])
        if not open_name:
            parts.append(text[position : match.start()])
            position = match.end()
            if not is_end:
                open_name, depth = name, 1
                counts[name] += 1
        elif name == open_name:
            depth += -1 if is_end else 1
            if depth == 0:
                open_name, position = "", match.end()
    return "".join([*parts, "" if open_name else text[position:]]), counts["private"], counts["chati-context"]
