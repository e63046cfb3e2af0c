"""What an agent said, as prose: its paragraphs without code and headings, the first one that tells, sentences. Pure."""

import re
from collections.abc import Iterator

from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact

LOOKED_AT_CHARACTERS = 20_000
"""How much of what an agent said is looked at."""

TELLING_WORDS = 5
"""A paragraph of fewer words is a greeting or a heading."""

LEAST_WORDS = 3
"""Fewer, as in "Done.", do not stand in for one."""

_FENCE = regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)")
_QUOTE_OR_TABLE = regex(r"(?m)^[ \t]*[>|].*$")
_HEADING = regex(r"(?m)^[ \t]*(?:#{1,6}[ \t].*|\*\*[^*\n]+\*\*:?[ \t]*|[-*_=]{3,}[ \t]*)$")
_ITEM = regex(r"(?m)^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_LEADING_IN = regex(
    r"(?i)^(?:now,? |ok(?:ay)?[,.!]? |so,? |first,? )?(?:let me|i'?ll|i will|i'?m going to|here'?s|here is|here are"
    r"|below|let'?s)\b"
)
_ADDRESSED = regex(
    r"(?i)^(?:(?:perfect|great|excellent|awesome|done|all (?:done|set)|sure|of course|certainly|absolutely|thanks?"
    r"|you'?re (?:absolutely )?right)\b[^.!?:\n]*[.!]+\s*)+"
)
_OFFER = regex(r"(?i)^(?:let me know|feel free|if you (?:want|like|need|prefer)|would you like|shall i|do you want)")
_SENTENCE_END = regex(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`*]*[A-ZÀ-Þ0-9`])|\n+")
_ABBREVIATION = regex(r"(?i)(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|no|mr|dr)\.|\b[A-Z]\.)$")
_SPACE = regex(r"\s+")


def without_code(text: str) -> str:
    """Takes code blocks, quoted lines and tables out of the beginning of a text."""
    return _QUOTE_OR_TABLE.sub("", _FENCE.sub("\n", text[:LOOKED_AT_CHARACTERS].replace("\r\n", "\n")))


def paragraphs(text: str) -> Iterator[str]:
    """Yields the paragraphs of prose, without headings; the items of a list stand together."""
    for paragraph in re.split(r"\n[ \t]*\n", _HEADING.sub("\n", without_code(text))):
        if stripped := paragraph.strip():
            yield stripped


def telling(text: str, limit: int) -> str:
    """Gives the first paragraph that tells something, cut at a word, its secrets masked.

    Neither "I'll summarise:" nor a list's heading nor an offer tells anything. Empty where there is no prose at all.
    """
    found = list(paragraphs(text))
    told = (shown for paragraph in found if (shown := _told(paragraph)))
    chosen = next(told, None) or next((one for one in found if len(one.split()) >= LEAST_WORDS), "")
    return cut(redact(chosen), limit)


def sentences(text: str) -> Iterator[str]:
    """Yields the sentences of prose, each in one line, without the marks of lists and of emphasis."""
    for paragraph in paragraphs(text):
        for item in _ITEM.split(paragraph):
            begun = ""
            for part in _SENTENCE_END.split(_SPACE.sub(" ", item.replace("**", "").replace("__", ""))):
                begun = f"{begun} {part}".strip()
                if not _ABBREVIATION.search(begun):
                    if begun:
                        yield begun
                    begun = ""
            if begun:
                yield begun


def cut(text: str, limit: int) -> str:
    """Cuts a text at a word."""
    return text if len(text) <= limit else text[: limit - 2].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def first_sentence(text: str, limit: int) -> str:
    """Gives a text's first sentence in one line, without its full stop."""
    flat = _SPACE.sub(" ", text).strip()
    end = re.search(r"[.!?](?=\s|$)", flat)
    sentence = flat[: end.start()] if end else flat
    return sentence if len(sentence) <= limit else sentence[: limit - 1].rsplit(" ", 1)[0] + "…"


def _told(paragraph: str) -> str:
    """What a paragraph tells: itself without its greeting and the line that leads in; empty where nothing is left."""
    text = _ADDRESSED.sub("", paragraph).strip()
    first, _, rest = text.partition("\n")
    if first.rstrip("*_ ").endswith(":") and not _ITEM.match(first):
        text = rest.strip()
    if _OFFER.match(text) or (_LEADING_IN.match(text) and not rest) or text.endswith("?"):
        return ""
    return text if len(text.split()) >= TELLING_WORDS else ""
