"""Whether a loop goes round in circles: iterations that change nothing and say the same. Pure."""

from typing import NamedTuple

from sidecar.core.regex import regex

ALIKE = 0.9
"""The share of words two outputs have in common, of all words they have, from which they count as alike."""

MAX_WORDS = 4_000

_WORD = regex(r"[^\W\d_]+")


class Circle(NamedTuple):
    """How often in a row the same came of nothing."""

    times: int = 0
    words: frozenset[str] | None = None
    """What the last of them said."""


def after(circle: Circle, text: str, *, changed: bool) -> Circle:
    """Gives the circle after an iteration that ended well; `changed` says whether anything is different now."""
    words = words_of(text)
    if changed:
        return Circle(0, None)
    if circle.words is not None and alike(circle.words, words):
        return Circle(circle.times + 1, words)
    return Circle(1, words)


def words_of(text: str) -> frozenset[str]:
    """Gives an output's words without its numbers, which tell times, ids and counts."""
    return frozenset(_WORD.findall(text.casefold())[-MAX_WORDS:])


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Says whether two outputs have nearly all of their words in common."""
    either = len(one | other)
    return either == 0 or len(one & other) / either >= ALIKE


def turns_the_prompt(circle: Circle, stuck_after: int) -> bool:
    """Says whether the next prompt has to be another one: from the half of what ends the loop."""
    return 0 < (stuck_after + 1) // 2 <= circle.times


def is_stuck(circle: Circle, stuck_after: int) -> bool:
    """Says whether the loop is to end."""
    return stuck_after > 0 and circle.times >= max(2, stuck_after)
