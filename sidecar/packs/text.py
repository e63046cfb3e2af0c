"""Makes text of the repository, of tools and of the user's files safe to stand inside a block. Pure."""

import re

from sidecar.core.redact import redact

MARK = "[continuity:"

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028\u2029]")
_DIRECTION = re.compile(r"[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_FORGED = re.compile(r"\[\s*continuity\s*:", re.IGNORECASE)


def clean(text: str) -> str:
    """Removes control and direction characters, masks secrets, and breaks whatever looks like our markers."""
    text = text.replace("\r\n", "\n").replace("\t", "    ")
    text = _DIRECTION.sub("", _CONTROL.sub("", text))
    return _FORGED.sub("(continuity:", redact(text)).encode("utf-8", "replace").decode()


def one_line(text: str, limit: int) -> str:
    """Cleans a text, folds its white space, and ends it at a limit of characters."""
    folded = re.sub(r"\s+", " ", clean(text)).strip()
    return folded if len(folded) <= limit else folded[: limit - 1].rstrip() + "…"


def size(text: str) -> int:
    """Gives a text's UTF-8 bytes."""
    return len(text.encode())
