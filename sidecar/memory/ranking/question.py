"""What is asked, taken apart. Pure."""

import re
from enum import IntFlag
from itertools import pairwise
from typing import NamedTuple

from sidecar.core.regex import regex
from sidecar.memory.ranking.dates import Span, spans_in
from sidecar.memory.ranking.words import significant

MAX_TERMS = 32
"""A longer text is asked by its first terms: a task tells what it is about before it goes into details."""


class Wanted(IntFlag):
    """The kind of answer."""

    MOMENT = 1
    NUMBER = 2
    NAME = 4
    TITLE = 8
    CAUSE = 16
    PLACE = 32


class Asked(NamedTuple):
    """A question's terms, the pairs of them that stand side by side, the times it names, what it wants."""

    terms: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    spans: tuple[Span, ...]
    wanted: Wanted


_KINDS = (
    (Wanted.MOMENT, r"\b(?:when|what (?:date|day|month|year|time)|how long|since when|quando|cuándo|quand|wann)\b"),
    (Wanted.NUMBER, r"\b(?:how (?:many|much|often|long)|quant[oa]s?|cuánt[oa]s?|combien|wie viele?)\b"),
    (Wanted.NAME, r"\b(?:who|whom|whose|name|where|which|title|quem|quién|qui|wer|welche\w*)\b"),
    (Wanted.TITLE, r"\b(?:books?|movies?|songs?|games?|called|names?|commands?|flags?|options?|settings?)\b"),
    (Wanted.CAUSE, r"\b(?:why|reasons?|motivat\w*|inspire\w*|por que|por qué|pourquoi|warum)\b"),
    (Wanted.PLACE, r"\b(?:where|which (?:city|country|folder|file)|what (?:city|country)|onde|dónde|où|wo)\b"),
)
_PATTERNS = tuple((kind, regex(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)


def read(text: str, now_ms: int) -> Asked:
    """Takes a question apart; `now_ms` is what `yesterday` counts from."""
    terms = significant(text)[:MAX_TERMS]
    wanted = Wanted(0)
    for kind, pattern in _PATTERNS:
        if pattern.search(text) is not None:
            wanted |= kind
    return Asked(terms, frozenset(pairwise(terms)), spans_in(text, now_ms), wanted)


def without(asked: Asked, terms: frozenset[str]) -> Asked:
    """Takes terms out of a question, unless nothing would be left: the names of those who are asked about."""
    left = tuple(term for term in asked.terms if term not in terms)
    return asked._replace(terms=left, pairs=frozenset(pairwise(left))) if left else asked
