"""Whether a new memory supersedes or contradicts an older one. Pure.

Compares what each chooses and rejects: "pnpm instead of npm", "switch from npm to pnpm", "no longer npm".
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import query_terms

Relation = Literal["supersedes", "contradicts"]

RELATED_TYPES = (
    "decision", "user_correction", "validated_pattern", "lesson", "semantic", "procedural", "reflective",
)  # fmt: skip
"""Types that can be contradicted; events stay true."""

MIN_SUBJECT_OVERLAP = 0.6
"""Minimum share of the shorter claim's terms in the other one, if one denies what the other states."""

MIN_SHARED_TERMS = 2

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
    (lazy_regex(pattern, re.IGNORECASE), groups)
    for pattern, groups in (
        (rf"\b(?:switch|mov|migrat|chang)(?:e|ed|ing)? from {_NAME} to {_NAME}{_END}", (2, 1)),
        (rf"\breplac(?:e|ed|ing) {_NAME} (?:with|by) {_NAME}{_END}", (2, 1)),
        (rf"(?:\b{_USE} )?{_NAME},? {_IN_PLACE} {_NAME}{_END}", (1, 2)),
        (rf"\b{_USE} {_NAME},? (?:and |und |et )?not {_NAME}{_END}", (1, 2)),
        (rf"\b{_NOT} (?:{_USE} )?{_NAME}{_END}", (0, 1)),
        (rf"(?<!not )(?<!never )(?<!n['’]t )(?<!longer )\b{_USE} {_NAME}{_END}", (1, 0)),
    )
)
"""What a sentence chooses and rejects: the pattern groups that name them, 0 for none."""

_NEGATION = lazy_regex(
    r"\b(?:not|never|no longer|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|can['’]?t|cannot|without|avoid|stop|nicht|nie"
    r"|niemals|kein\w*|jamais|pas|nunca|não|mai|non|niet|nooit|geen|никогда|не)\b|不要|别|ないで",
    re.IGNORECASE,
)
_EMPTY = frozenset(("use", "using", "prefer", "always", "never", "not", "instead", "rather", "switch", "project"))

Names = frozenset[frozenset[str]]
"""Each name as its set of terms."""


class Claim(NamedTuple):
    """A memory's statement, for comparison."""

    chosen: Names
    rejected: Names
    terms: frozenset[str]
    is_denied: bool


@lru_cache(maxsize=2_048)
def claim_of(text: str) -> Claim:
    """Extract what a text chooses and rejects."""
    chosen: set[frozenset[str]] = set()
    rejected: set[frozenset[str]] = set()
    for pattern, (chosen_group, rejected_group) in _CHOICES:
        for match in pattern.finditer(text):
            chosen.update(_names(match[chosen_group] if chosen_group else ""))
            rejected.update(_names(match[rejected_group] if rejected_group else ""))
    terms = frozenset(query_terms(text)) - _EMPTY
    return Claim(frozenset(chosen - rejected), frozenset(rejected), terms, bool(_NEGATION.search(text)))


def relation(new: Claim, old: Claim) -> Relation | None:
    """Return how a new claim relates to an old one of the same project; None if both may be true."""
    if any(rejected_name <= chosen_name for rejected_name in new.rejected for chosen_name in old.chosen):
        return "supersedes" if new.chosen else "contradicts"
    shared = len(new.terms & old.terms)
    smaller = min(len(new.terms), len(old.terms))
    is_same_subject = shared >= MIN_SHARED_TERMS and shared >= MIN_SUBJECT_OVERLAP * smaller
    return "contradicts" if is_same_subject and new.is_denied != old.is_denied else None


def search_words(new: Claim) -> list[str]:
    """Return the words by which possibly contradicted memories are found."""
    named = sorted({term for name in new.rejected for term in name})
    return named or sorted(new.terms, key=lambda term: (-len(term), term))[:3]


def _names(phrase: str) -> Iterator[frozenset[str]]:
    terms = frozenset(query_terms(phrase)) - _EMPTY
    if terms:
        yield terms
