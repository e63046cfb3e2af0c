"""When two wordings are the same: what varies from time to time does not count. Pure."""

import unicodedata
from functools import lru_cache

from sidecar.core.digests import digest_bytes
from sidecar.core.lazy_regex import regex

_VARYING = regex(r"(?<![!-.:-\[\]-~])[!-.:-\[\]-~]*+[0-9/\\][!-~]*")
"""Addresses, paths, ids and numbers, with the ASCII signs around them; scripts without spaces stay."""

_SIGNS = regex(r"[\W_]+")

_VARIES = b"0"
_FOLDED = bytes(
    byte + 32 if 65 <= byte <= 90 else ord(_VARIES) if chr(byte) in "0123456789/\\" else max(byte, 32)
    for byte in range(127)
).ljust(256)
_NO_SIGNS = bytes(byte if chr(byte).isalpha() else 32 for byte in range(127)).ljust(256)
"""The same as the patterns say, as tables for plain English: small letters, what varies, and what parts words."""


def normalised(text: str) -> str:
    """Gives a wording without case, punctuation, numbers, paths and ids."""
    if text.isascii():
        folded = text.encode().translate(_FOLDED)
        if _VARIES in folded:
            folded = b" ".join([word for word in folded.split() if _VARIES not in word])
        return b" ".join(folded.translate(_NO_SIGNS).split()).decode()
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return " ".join(filter(None, [word if word.isalpha() else _without_signs(word) for word in words]))


@lru_cache(maxsize=4_096)
def _without_signs(word: str) -> str:
    return _SIGNS.sub(" ", _VARYING.sub(" ", word)).strip()


def digest_of(title: str, text: str) -> str:
    """Gives what two wordings have in common when they differ only in what varies; title and text count as one.

    A wording that is all numbers and paths is compared as it is.
    """
    whole = f"{title}\n{text}"
    return digest_bytes((normalised(whole) or whole).encode("utf-8", "replace"))[:24]
