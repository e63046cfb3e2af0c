"""Whether a new memory supersedes or contradicts an older one. Pure.

Compares what each chooses and rejects ("pnpm instead of npm", "switch from npm to pnpm", "no longer npm"), and the same
statement with another value ("Use Node 20", "Use Node 22").
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import query_terms
from sidecar.memory.entry import normalized

Relation = Literal["supersedes", "contradicts"]

RELATED_TYPES = (
    "decision", "user_correction", "preference", "validated_pattern", "lesson", "semantic", "procedural", "reflective",
)  # fmt: skip
"""Types that can be contradicted; events stay true."""

MIN_SUBJECT_OVERLAP = 0.6
"""Minimum share of the shorter claim's terms in the other one, if one denies what the other states."""

MIN_SHARED_TERMS = 2

MAX_OTHER_VALUES = 2
MAX_SEARCH_WORDS = 3

_NUMBER = lazy_regex(r"^[^\W\d]{0,3}\W?\d[\d.,x]*\W?[^\W\d]{0,3}$")
"""A number or version, with its sign or unit."""

_SCRIPT_CHANGE = lazy_regex(r"(?<=[\u3040-\u9fff])(?=[0-9a-z])|(?<=[0-9a-z])(?=[\u3040-\u9fff])")
_VALUE = lazy_regex(r"\d|[/\\]")
_LEAD_WORDS = frozenset(
    ("no", "nope", "please", "actually", "always", "just", "now", "so", "and", "but", "ok", "okay", "yes", "from", "on")
)

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
"""A sentence's choice and rejection: the pattern groups that name them, 0 for none."""

_NEGATION = lazy_regex(
    r"\b(?:not|never|no longer|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|can['’]?t|cannot|without|avoid|stop|nicht|nie"
    r"|niemals|kein\w*|jamais|pas|nunca|não|mai|non|niet|nooit|geen|никогда|не)\b|不要|别|ないで",
    re.IGNORECASE,
)
_DENYING_WORDS = frozenset(("longer", "again", "ever", "anymore", "any", "more", "now"))
_EMPTY = frozenset(("use", "using", "prefer", "always", "never", "not", "instead", "rather", "switch", "project"))

Names = frozenset[frozenset[str]]
"""Each name as its set of terms."""


class Claim(NamedTuple):
    """A memory's statement, for comparison."""

    chosen: Names
    rejected: Names
    terms: frozenset[str]
    is_denied: bool
    words: tuple[str, ...] = ()
    """The normalized words of its statement, without lead-ins."""


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
    statement = _SCRIPT_CHANGE.sub(" ", normalized(text.partition("\n\n")[0]))
    words = tuple(word for word in statement.split() if word not in _LEAD_WORDS)
    return Claim(frozenset(chosen - rejected), frozenset(rejected), terms, bool(_NEGATION.search(text)), words)


def relation(new: Claim, old: Claim) -> Relation | None:
    """Return how a new claim relates to an old one of the same project; None if both may be true."""
    if any(rejected_name <= chosen_name for rejected_name in new.rejected for chosen_name in old.chosen):
        return "supersedes" if new.chosen else "contradicts"
    if _has_other_value(new, old) or _chooses_otherwise(new, old):
        return "supersedes"
    shared = len(new.terms & old.terms)
    smaller = min(len(new.terms), len(old.terms))
    is_same_subject = shared >= MIN_SHARED_TERMS and shared >= MIN_SUBJECT_OVERLAP * smaller
    if not is_same_subject or new.is_denied == old.is_denied:
        return None
    denied, stated = (new, old) if new.is_denied else (old, new)
    return None if _denies_a_part(denied, stated) else "contradicts"


def _denies_a_part(denied: Claim, stated: Claim) -> bool:
    """Whether a ban is narrower than what is stated: "don't run slow tests", "always run the tests"."""
    words = [word for word in denied.words if word not in _DENYING_WORDS and not _NEGATION.search(word)]
    terms = [frozenset(query_terms(word)) - _EMPTY for word in words]
    return any(
        not term <= stated.terms and not following.isdisjoint(stated.terms)
        for term, following in pairwise(terms)
        if term
    )


def _has_other_value(new: Claim, old: Claim) -> bool:
    """Whether two claims are the same statement, word by word, with other values.

    Two bans of different paths or names are both true.
    """
    pairs = list(zip(new.words, old.words, strict=False))
    others = [pair for pair in pairs if pair[0] != pair[1]]
    if len(new.words) != len(old.words) or not 0 < len(others) <= MAX_OTHER_VALUES:
        return False
    is_number = all(_NUMBER.search(word) for pair in others for word in pair)
    is_value = is_number or (not new.is_denied and all(_VALUE.search(word) for pair in others for word in pair))
    return is_value and len(pairs) - len(others) >= MIN_SHARED_TERMS


def _chooses_otherwise(new: Claim, old: Claim) -> bool:
    """Whether two claims choose different things for the same purpose."""
    if len(new.chosen) != 1 or len(old.chosen) != 1 or new.is_denied or old.is_denied:
        return False
    (new_name,), (old_name,) = new.chosen, old.chosen
    return not new_name & old_name and bool(new.terms - new_name) and new.terms - new_name == old.terms - old_name


def search_words(new: Claim) -> list[str]:
    """Return the words by which possibly contradicted memories are found."""
    named = sorted({term for name in new.rejected for term in name})
    common = sorted(new.terms, key=lambda term: (any(term in name for name in new.chosen), -len(term), term))
    words = [*named, *(term for term in common[:MAX_SEARCH_WORDS] if term not in named)]
    return words or [word for word in new.words if not _NUMBER.search(word)][:MAX_SEARCH_WORDS]


def _names(phrase: str) -> Iterator[frozenset[str]]:
    numbers = {word for word in normalized(phrase).split() if _NUMBER.search(word)}
    terms = (frozenset(query_terms(phrase)) - _EMPTY) | numbers
    if terms:
        yield terms
