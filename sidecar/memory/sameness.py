"""When two wordings are the same: what varies from time to time does not count. Pure."""

import re
import unicodedata

from sidecar.core.digests import digest_bytes

_VARYING = re.compile(
    r"https?://\S+|(?<![\w.])[~.]{0,2}(?:[\w.@-]*[/\\])+[\w.@-]*|\b[0-9a-f]{7,64}\b(?=\W|$)|\b[\w-]*\d[\w-]*\b"
)
"""Addresses, paths, ids and numbers, with the words they are part of."""

_SIGNS = re.compile(r"[\W_]+")


def normalised(text: str) -> str:
    """Gives a wording without case, punctuation, numbers, paths and ids."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _SIGNS.sub(" ", _VARYING.sub(" ", folded)).strip()


def digest_of(title: str, text: str) -> str:
    """Gives what two wordings have in common when they differ only in what varies; title and text count as one.

    A wording that is all numbers and paths is compared as it is.
    """
    whole = f"{title}\n{text}"
    return digest_bytes((normalised(whole) or whole).encode("utf-8", "replace"))[:24]
