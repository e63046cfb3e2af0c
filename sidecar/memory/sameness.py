"""When two wordings are the same: what varies from time to time does not count. Pure."""

import unicodedata
from functools import lru_cache

from sidecar.core.digests import digest_bytes
from sidecar.core.regex import regex

_VARYING = regex(r"(?<![!-.:-\[\]-~])[!-.:-\[\]-~]*+[0-9/\\][!-~]*")
"""Addresses, paths, ids and numbers, with the ASCII signs around them; scripts without spaces stay."""

_SIGNS = regex(r"[\W_]+")


def normalised(text: str) -> str:
    """Gives a wording without case, punctuation, numbers, paths and ids."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return " ".join(filter(None, (word if word.isalpha() else _without_signs(word) for word in words)))


@lru_cache(maxsize=4_096)
def _without_signs(word: str) -> str:
    return _SIGNS.sub(" ", _VARYING.sub(" ", word)).strip()


def digest_of(title: str, text: str) -> str:
    """Gives what two wordings have in common when they differ only in what varies; title and text count as one.

    A wording that is all numbers and paths is compared as it is.
    """
    whole = f"{title}\n{text}"
    return digest_bytes((normalised(whole) or whole).encode("utf-8", "replace"))[:24]
