"""Hash of a memory's text that ignores variable parts, to recognize repetitions. Pure."""

import unicodedata
from functools import lru_cache

from sidecar.core.digests import digest_bytes
from sidecar.core.lazy_regex import lazy_regex

_VARIABLE_PART = lazy_regex(r"(?<![!-.:-\[\]-~])[!-.:-\[\]-~]*+[0-9/\\][!-~]*")
"""Addresses, paths, ids and numbers, with adjacent ASCII signs; scripts without spaces stay."""

_PUNCTUATION = lazy_regex(r"[\W_]+")

_DIGIT = b"0"
_FOLDED = bytes(
    byte + 32 if 65 <= byte <= 90 else ord(_DIGIT) if chr(byte) in "0123456789/\\" else max(byte, 32)
    for byte in range(127)
).ljust(256)
_LETTERS_ONLY = bytes(byte if chr(byte).isalpha() else 32 for byte in range(127)).ljust(256)
"""The patterns as byte tables for ASCII text: lowercase, variable parts, word separators."""


def normalized(text: str) -> str:
    """Return a text without case, punctuation, numbers, paths and ids."""
    if text.isascii():
        folded = text.encode().translate(_FOLDED)
        if _DIGIT in folded:
            folded = b" ".join([word for word in folded.split() if _DIGIT not in word])
        return b" ".join(folded.translate(_LETTERS_ONLY).split()).decode()
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return " ".join(filter(None, [word if word.isalpha() else _strip_variable_parts(word) for word in words]))


@lru_cache(maxsize=4_096)
def _strip_variable_parts(word: str) -> str:
    return _PUNCTUATION.sub(" ", _VARIABLE_PART.sub(" ", word)).strip()


def content_hash(title: str, text: str) -> str:
    """Return a hash that is equal for texts that differ only in variable parts; title and text count as one.

    A text of only numbers and paths is hashed as it is.
    """
    combined = f"{title}\n{text}"
    return digest_bytes((normalized(combined) or combined).encode("utf-8", "replace"))[:24]
