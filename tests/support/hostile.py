"""Texts that cost a regular expression the most, made from the expression itself: what leads to a repeat, then its body
again and again, then what it does not expect."""

import random
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_constants as c
    import sre_parse

ANYTHING = " \na.A0_-\"'`/:#*<>=()[]{}|,;\t\\$@!~+é漢"
COMMON = (
    " ", "a", "\n", "\t", "-", "a ", "a.", "/", "\\", '"', "'", "`", "*", "#", "<", "[", "(", "{", ":", "=", "a\n", "0",
    "A", "_", " \n", "a/", "--", "é", '\\"', "1a ", "\x1b]",
)  # fmt: skip
NEVER = "\x01"
"""A sign that hardly any pattern expects."""


class Hostile(NamedTuple):
    """A text of any length: a beginning, what is repeated, and an end."""

    lead: str
    unit: str
    tail: str

    def of(self, length: int) -> str:
        """Gives the text at about a length."""
        return self.lead + self.unit * max(1, length // len(self.unit)) + self.tail


def hostile_to(pattern: str | bytes, flags: int, seed: int) -> list[Hostile]:
    """Gives the texts for one pattern; the same seed gives the same."""
    source = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    tree: Any = sre_parse.parse(source, flags)
    chance = random.Random(seed)
    found = {Hostile("", unit, NEVER) for unit in COMMON}
    for _ in range(2):
        whole = _sample(tree, chance)
        found |= {Hostile("", part, NEVER) for end in (3, 2, 1) if (part := whole[: len(whole) // end])}
        for lead, body in _repeats(tree, chance, ""):
            unit = _sample(body, chance) or "a"
            found |= {Hostile(lead, unit, NEVER), Hostile(lead, unit, "\n"), Hostile("", lead + unit, NEVER)}
            if lead:
                found |= {Hostile("", lead, NEVER), Hostile(lead, unit * 3 + lead, NEVER)}
    return sorted(found)


def _repeats(tree: Any, chance: random.Random, before: str) -> Iterator[tuple[str, Any]]:
    """Each repeat without a near end: a text that leads to it, and its body."""
    for at, (kind, value) in enumerate(tree):
        lead = before + _sample(tree[:at], chance)
        for body in _bodies(kind, value):
            if kind in _REPEATS and (value[1] is c.MAXREPEAT or value[1] > 50):
                yield lead, body
            yield from _repeats(body, chance, lead)


_REPEATS = (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT)


def _bodies(kind: Any, value: Any) -> list[Any]:
    if kind in _REPEATS:
        return [value[2]]
    if kind is c.BRANCH:
        return list(value[1])
    if kind is c.SUBPATTERN:
        return [value[3]]
    if kind is c.ATOMIC_GROUP:
        return [value]
    return [value[1]] if kind in (c.ASSERT, c.ASSERT_NOT) else []


def _sample(tree: Any, chance: random.Random) -> str:
    return "".join(_one(kind, value, chance) for kind, value in tree)


def _one(kind: Any, value: Any, chance: random.Random) -> str:
    """A text that one node of a pattern takes, or nearly."""
    if kind is c.LITERAL:
        return chr(value)
    if kind in (c.NOT_LITERAL, c.ANY):
        return chance.choice([one for one in ANYTHING if kind is c.ANY or ord(one) != value])
    if kind is c.IN:
        return chance.choice([one for one in ANYTHING if _takes(value, one)] or _named(value))
    if kind in _REPEATS:
        least, most, body = value
        return "".join(_sample(body, chance) for _ in range(min(most, max(least, chance.choice((0, 1))), 40)))
    if kind in (c.ASSERT, c.ASSERT_NOT):
        return ""
    bodies = _bodies(kind, value)
    return _sample(chance.choice(bodies), chance) if bodies else ""


def _takes(members: Any, one: str) -> bool:
    negated, found = False, False
    for kind, value in members:
        negated |= kind is c.NEGATE
        found |= kind is c.LITERAL and ord(one) == value
        found |= kind is c.RANGE and value[0] <= ord(one) <= value[1]
        found |= kind is c.CATEGORY and re.match(_CATEGORIES[str(value)], one) is not None
    return found != negated


def _named(members: Any) -> list[str]:
    return [chr(value[0] if kind is c.RANGE else value) for kind, value in members if kind in (c.RANGE, c.LITERAL)] or [
        "a"
    ]


_CATEGORIES = {
    f"CATEGORY_{name}": sign
    for name, sign in (
        ("DIGIT", r"\d"), ("NOT_DIGIT", r"\D"), ("SPACE", r"\s"), ("NOT_SPACE", r"\S"), ("WORD", r"\w"),
        ("NOT_WORD", r"\W"),
    )
}  # fmt: skip
