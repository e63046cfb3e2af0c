"""Worst-case texts for a regular expression, derived from it: a prefix of a repeat, its body repeated, an unexpected
end.
"""

import functools
import itertools
import random
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_constants as c
    import sre_parse

CHARACTERS = " \na.A0_-\"'`/:#*<>=()[]{}|,;\t\\$@!~+é漢"
COMMON = (
    " ", "a", "\n", "\t", "-", "a ", "a.", "/", "\\", '"', "'", "`", "*", "#", "<", "[", "(", "{", ":", "=", "a\n", "0",
    "A", "_", " \n", "a/", "--", "é", '\\"', "1a ", "\x1b]",
)  # fmt: skip
UNEXPECTED = "\x01"
"""A character that hardly any pattern expects."""


class SlowText(NamedTuple):
    """A text of any length: a prefix, a repeated part, and a suffix."""

    prefix: str
    repeated: str
    suffix: str

    def of_length(self, length: int) -> str:
        """Return the text with about this length."""
        return self.prefix + self.repeated * max(1, length // len(self.repeated)) + self.suffix


def slow_texts_for(pattern: str | bytes, flags: int, seed: int, most: int | None = None) -> list[SlowText]:
    """Return the texts for a pattern, those of its own repeats first; the same seed gives the same texts.

    `most` limits the repeats that are searched for: a list of alternatives has hundreds.
    """
    source = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    tree: Any = sre_parse.parse(source, flags)
    generator = random.Random(seed)
    repeats: list[SlowText] = []
    variants: list[SlowText] = []
    for _ in range(2 if most is None else 1):
        sample = _sample(tree, generator)
        variants += [SlowText("", part, UNEXPECTED) for end in (3, 2, 1) if (part := sample[: len(sample) // end])]
        for prefix, body in itertools.islice(_repeats(tree, generator, ""), most):
            repeated = _sample(body, generator) or "a"
            repeats.append(SlowText(prefix, repeated, UNEXPECTED))
            variants += [SlowText("", prefix + repeated, UNEXPECTED), SlowText(prefix, repeated, "\n")]
            if prefix:
                variants += [SlowText("", prefix, UNEXPECTED), SlowText(prefix, repeated * 3 + prefix, UNEXPECTED)]
    common = (SlowText("", repeated, UNEXPECTED) for repeated in COMMON)
    return list(dict.fromkeys((*repeats, *variants, *common)))


def _repeats(tree: Any, generator: random.Random, before: str) -> Iterator[tuple[str, Any]]:
    """Yield each repeat without a small upper limit: a text that leads to it, and its body."""
    prefix, nodes = before, [*tree]
    with_repeats = [number for number, (kind, value) in enumerate(nodes) if _has_repeats(kind, value)]
    for number in range(with_repeats[-1] + 1 if with_repeats else 0):  # what follows the last one leads to none
        kind, value = nodes[number]
        if number in with_repeats:
            for body in _bodies(kind, value):
                if _is_long(kind, value):
                    yield prefix, body
                yield from _repeats(body, generator, prefix)
        prefix += _one(kind, value, generator)


def _is_long(kind: Any, value: Any) -> bool:
    return kind in _REPEATS and (value[1] is c.MAXREPEAT or value[1] > 50)


def _has_repeats(kind: Any, value: Any) -> bool:
    """Whether a node is or contains a repeat without a small upper limit."""
    return _is_long(kind, value) or any(_has_repeats(*node) for body in _bodies(kind, value) for node in body)


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


def _sample(tree: Any, generator: random.Random) -> str:
    return "".join(_one(kind, value, generator) for kind, value in tree)


def _one(kind: Any, value: Any, generator: random.Random) -> str:
    """Return a text that one node of a pattern matches, or nearly."""
    if kind is c.LITERAL:
        return chr(value)
    if kind in (c.NOT_LITERAL, c.ANY):
        return generator.choice([character for character in CHARACTERS if kind is c.ANY or ord(character) != value])
    if kind is c.IN:
        return generator.choice(_members(tuple(value)))
    if kind in _REPEATS:
        least, most, body = value
        return "".join(_sample(body, generator) for _ in range(min(most, max(least, generator.choice((0, 1))), 40)))
    if kind in (c.ASSERT, c.ASSERT_NOT):
        return ""
    bodies = _bodies(kind, value)
    return _sample(generator.choice(bodies), generator) if bodies else ""


@functools.cache
def _members(value: tuple[Any, ...]) -> list[str]:
    return [character for character in CHARACTERS if _takes(value, character)] or _named(value)


def _takes(members: Any, character: str) -> bool:
    negated, matched = False, False
    for kind, value in members:
        negated |= kind is c.NEGATE
        matched |= kind is c.LITERAL and ord(character) == value
        matched |= kind is c.RANGE and value[0] <= ord(character) <= value[1]
        matched |= kind is c.CATEGORY and re.match(_CATEGORIES[str(value)], character) is not None
    return matched != negated


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
