"""What is never remembered: what the user marks as private, our own injected text, and secrets. Pure.

Applied to every text before it is stored, whoever asks for it.
"""

import re
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact
from sidecar.core.text.sanitize import MARK
from sidecar.memory.phrasing import without_quoted

_TAG = regex(r"<(/?)(private|chati-context)(?:\s[^<>]{0,2000})?>", re.IGNORECASE)
_MARKER = regex(rf"^{re.escape(MARK)}([a-z]+)(?: [0-9a-f]+)?\][ \t]*$", re.MULTILINE)
_CONTROL = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Screened(NamedTuple):
    """A text as it may be stored, and how often something was taken out of it."""

    text: str
    private: int
    injected: int
    secrets: int


def screened(text: str) -> Screened:
    """Takes `<private>…</private>`, `<chati-context>`, our blocks and lines out of a text and masks secrets.

    What is opened and never closed ends with the text.
    """
    without_blocks, blocks = _without_blocks(text)
    without_lines, lines = without_quoted(without_blocks)
    without_tags, private, contexts = _without_tags(without_lines)
    clean = _CONTROL.sub("", without_tags)
    masked = redact(clean)
    return Screened(masked.strip(), private, blocks + lines + contexts, int(masked != clean))


def _without_blocks(text: str) -> tuple[str, int]:
    """Takes out each block from its marker line to the next one; what follows the request's marker is the user's."""
    kept, count, at, is_ours = [], 0, 0, False
    for found in _MARKER.finditer(text) if MARK in text else ():
        if not is_ours:
            kept.append(text[at : found.start()])
        is_ours = found[1] != "request"
        count += is_ours
        at = found.end()
    return "".join([*kept, "" if is_ours else text[at:]]), count


def _without_tags(text: str) -> tuple[str, int, int]:
    """Takes out what stands between tags; an inner pair of the same name belongs to the outer one."""
    kept, at, open_name, depth = [], 0, "", 0
    counts = {"private": 0, "chati-context": 0}
    for found in _TAG.finditer(text):
        name, is_end = found[2].lower(), bool(found[1])
        if not open_name:
            kept.append(text[at : found.start()])
            at = found.end()
            if not is_end:
                open_name, depth = name, 1
                counts[name] += 1
        elif name == open_name:
            depth += -1 if is_end else 1
            if depth == 0:
                open_name, at = "", found.end()
    return "".join([*kept, "" if open_name else text[at:]]), counts["private"], counts["chati-context"]
