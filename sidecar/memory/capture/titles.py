"""A short title of a sentence that was said. Pure."""

import re

from sidecar.core.regex import regex

MAX_TITLE = 80

_LEAD = regex(
    r"^(?:(?:no|nope|nah|actually|wait|well|ok(?:ay)?|yes|so|and|but|also|then|please|hm+|sorry|right|decision|nein|bitte|non"
    r"|não|nee|нет)\b[\s,.:;!—–-]*)+",
    re.IGNORECASE,
)
_CLAUSE = regex(
    r"\s{0,4}(?:[,;:]\s|\s[—–-]\s|\s\(|[，；。、]|\s(?:because|since|so that|due to|weil|parce que|porque|perché)\s)"
)
LEAST_WORDS = 4


def title_of(sentence: str) -> str:
    """Gives a sentence without its lead-in and its reasons, at most 80 characters."""
    flat = re.sub(r"\s+", " ", sentence).strip(" \t\"'*_`#")
    core = _LEAD.sub("", flat) or flat
    for found in _CLAUSE.finditer(core):
        if len(core[: found.start()].split()) >= LEAST_WORDS:
            core = core[: found.start()]
            break
    core = _cut(core.rstrip(" .!。:;,"))
    return core[:1].upper() + core[1:]


def label_of(line: str) -> str:
    """Gives a line as a title: as it is, at most 80 characters."""
    return _cut(re.sub(r"\s+", " ", line).strip())


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"
