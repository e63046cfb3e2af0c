"""Makes text of the repository, of tools and of the user's files safe to stand inside a block. Pure."""

import re
from functools import lru_cache

from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact

MARK = "[continuity:"

_REPEATED_CHARACTERS = 400
"""Signatures, paths and purposes are shown call after call: what they became is remembered up to this length."""

_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028\u2029]")
_INVISIBLE = regex(
    r"[\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Direction marks, format characters, fillers, variation selectors, tags: unseen by a reader, but not by a model."""

_SURROGATE = regex(r"[\ud800-\udfff]")
_FORGED = regex(r"\[\s*continuity\s*:", re.IGNORECASE)


def clean(text: str) -> str:
    """Removes control and invisible characters, masks secrets, and breaks whatever looks like our markers."""
    text = text.replace("\r\n", "\n").replace("\t", "    ")
    text = _INVISIBLE.sub("", _CONTROL.sub("", text))
    return _FORGED.sub("(continuity:", redact(text)).encode("utf-8", "replace").decode()


@lru_cache(maxsize=1_024)
def guarded(text: str) -> str:
    """Gives a text that is to stand inside a block: as it is, or cleaned once more where its maker let something pass.

    The last gate, whatever becomes of the makers; they mask secrets, which takes longer.
    """
    is_safe = text.isascii() or not (_INVISIBLE.search(text) or _SURROGATE.search(text))
    return text if is_safe and not _CONTROL.search(text) and not _FORGED.search(text) else clean(text)


def one_line(text: str, limit: int) -> str:
    """Cleans a text, folds its white space, and ends it at a limit of characters."""
    return _folded(text, limit) if len(text) > _REPEATED_CHARACTERS else _repeated(text, limit)


def _folded(text: str, limit: int) -> str:
    folded = re.sub(r"\s+", " ", clean(text)).strip()
    return folded if len(folded) <= limit else folded[: limit - 1].rstrip() + "…"


_repeated = lru_cache(maxsize=4_096)(_folded)


def line_of_code(text: str, limit: int) -> str:
    """Cleans a line, keeps its indentation, and ends it at a limit of characters."""
    line = clean(text.replace("\n", " ")).rstrip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def size(text: str) -> int:
    """Gives a text's UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode())


def line_count(text: str) -> int:
    """Counts lines as git does: a last one without its end counts too."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))
