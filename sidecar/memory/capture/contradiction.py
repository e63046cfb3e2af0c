"""Whether a new memory takes an older one's place, or contradicts it. Pure.

Read from what each chooses and what each turns down: "pnpm instead of npm", "switch from npm to pnpm", "no longer npm".
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.terms import query_terms

Relation = Literal["supersedes", "contradicts"]

RELATED_TYPES = (
    "decision", "user_correction", "validated_pattern", "lesson", "semantic", "procedural", "reflective",
)  # fmt: skip
"""What can be opposed; what happened stays true."""

SAME_SUBJECT = 0.6
"""So much of the shorter claim's words have to be the other's too, where one denies what the other says."""

LEAST_SHARED = 2

_NAME = r"([\w@./+#-]{1,60}(?: [\w@./+#-]{1,60}){0,2}?)"
_END = (
    r"(?=\s*(?:[,.;:!?)]|$|\b(?:because|since|as|for|in|when|so|to|and|over|with|on|at|from|here|now|again|instead|rather"
    r"|not|weil|für|pour|para|per|dans|en)\b))"
)
_IN_PLACE = (
    r"(?:instead of|rather than|in place of|over|anstatt|statt|plutôt que|au lieu de|en vez de|en lugar de|em vez de"
    r"|invece di|in plaats van|вместо)"
)
_NOT = r"(?:no longer|not|never|don['’]?t|do not|stop|avoid|nicht mehr|kein(?:e|en)?|jamais|nunca|não|niet|не)"
_USE = (
    r"(?:use|uses|used|using|chose|chosen|choose|prefer|prefers|picked|go with|went with|stay with|stick (?:with|to)"
    r"|settled on|verwende\w*|nutze\w*|utilis\w{1,20}|usa\w*|uso)"
)
_CHOICES = tuple(
    (regex(pattern, re.IGNORECASE), groups)
    for pattern, groups in (
        (rf"\b(?:switch|mov|migrat|chang)(?:e|ed|ing)? from {_NAME} to {_NAME}{_END}", (2, 1)),
        (rf"\breplac(?:e|ed|ing) {_NAME} (?:with|by) {_NAME}{_END}", (2, 1)),
        (rf"(?:\b{_USE} )?{_NAME},? {_IN_PLACE} {_NAME}{_END}", (1, 2)),
        (rf"\b{_USE} {_NAME},? (?:and |und |et )?not {_NAME}{_END}", (1, 2)),
        (rf"\b{_NOT} (?:{_USE} )?{_NAME}{_END}", (0, 1)),
        (rf"(?<!not )(?<!never )(?<!n['’]t )(?<!longer )\b{_USE} {_NAME}{_END}", (1, 0)),
    )
)
"""What a sentence chooses and turns down: the groups of a pattern that name them, 0 for none."""

_NEGATION = regex(
    r"\b(?:not|never|no longer|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|can['’]?t|cannot|without|avoid|stop|nicht|nie"
    r"|niemals|kein\w*|jamais|pas|nunca|não|mai|non|niet|nooit|geen|никогда|не)\b|不要|别|ないで",
    re.IGNORECASE,
)
_EMPTY = frozenset(("use", "using", "prefer", "always", "never", "not", "instead", "rather", "switch", "project"))

Names = frozenset[frozenset[str]]
"""Each name by its terms."""


class Claim(NamedTuple):
    """What a memory says, for comparing."""

    chosen: Names
    turned_down: Names
    terms: frozenset[str]
    is_denied: bool


@lru_cache(maxsize=2_048)
def claim_of(text: str) -> Claim:
    """Reads what a text chooses and turns down."""
    chosen: set[frozenset[str]] = set()
    turned_down: set[frozenset[str]] = set()
    for pattern, (takes, leaves) in _CHOICES:
        for found in pattern.finditer(text):
            chosen.update(_names(found[takes] if takes else ""))
            turned_down.update(_names(found[leaves] if leaves else ""))
    terms = frozenset(query_terms(text)) - _EMPTY
    return Claim(frozenset(chosen - turned_down), frozenset(turned_down), terms, bool(_NEGATION.search(text)))


def relation(new: Claim, old: Claim) -> Relation | None:
    """Says how a new claim stands to an old one of the same project; None where both may be true."""
    if any(down <= taken for down in new.turned_down for taken in old.chosen):
        return "supersedes" if new.chosen else "contradicts"
    shared = len(new.terms & old.terms)
    least = min(len(new.terms), len(old.terms))
    is_same_subject = shared >= LEAST_SHARED and shared >= SAME_SUBJECT * least
    return "contradicts" if is_same_subject and new.is_denied != old.is_denied else None


def words_to_find(new: Claim) -> list[str]:
    """Gives the words by which memories are found that a claim may be opposed to."""
    named = sorted({term for name in new.turned_down for term in name})
    return named or sorted(new.terms, key=lambda term: (-len(term), term))[:3]


def _names(phrase: str) -> Iterator[frozenset[str]]:
    terms = frozenset(query_terms(phrase)) - _EMPTY
    if terms:
        yield terms
