"""No text makes a regular expression of the product slow: the time grows with the text, not with its square."""

import re
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.language.abandoned_approach import abandoned_approaches
from sidecar.language.creation_intent import creation_intent
from sidecar.packs.anchor.commands import purpose_of
from sidecar.ralph.agent import AnsiStripper
from tests.support.depth import sample
from tests.support.regex_inventory import Pattern, all_patterns, module_of
from tests.support.slow_regex_texts import SlowText, slow_texts_for

Use = Callable[[str], object]

SHORT, LONG = 2_000, 8_000
TINY = (*range(16, 41, 4), 400)
"""Lengths at which exponential and cubic time are seen before they take minutes."""

AT_ONCE_SECONDS = 0.04
"""Of 8,000 characters; a pattern that tries all pairs of them takes a tenth of a second at least."""

MOST_GROWTH = 8.0
"""From the short text to one four times as long: a line takes 4 times as long, a square 16 times."""

BOUNDED: dict[str, Use] = {
    "sidecar.language.abandoned_approach.": lambda text: list(abandoned_approaches(text)),
    "sidecar.language.abandoned_approach": lambda text: list(abandoned_approaches(text)),
    "sidecar.packs.anchor.commands._PURPOSES": purpose_of,
    "sidecar.ralph.agent.text_stream._SEQUENCE": lambda text: AnsiStripper().strip(text),
    "sidecar.language.creation_intent.": creation_intent,
}
"""Patterns that are given short texts only, or ended ones: what gives them has to be as quick instead."""

TEXTS = 24
"""Texts per pattern in a default run: every third or so; `--thorough` tries all."""

PATTERNS = all_patterns()
MODULES = sorted({module_of(one) for one in PATTERNS})


def test_all_patterns_are_found() -> None:
    assert len(PATTERNS) > 600
    assert sum(one.place.startswith("somewhere") for one in PATTERNS) < 5
    assert all(any(one.place.startswith(place) for one in PATTERNS) for place in BOUNDED)


@pytest.mark.parametrize("module", MODULES)
def test_time_grows_with_the_text_and_not_with_its_square(module: str) -> None:
    slow = [
        (one.place, str(one.pattern)[:80], text)
        for number, one in enumerate(PATTERNS)
        if module_of(one) == module
        for text in sample(slow_texts_for(one.pattern, one.flags, number), TEXTS)
        if not is_quick(use_of(one), text, isinstance(one.pattern, bytes))
    ]
    assert slow == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s+$",
        r"(?:a|a)+b",
        pytest.param(r"a.*b.*c", marks=pytest.mark.thorough),  # half a minute: cubic on every text
        pytest.param(r"(?P<a>\w+)(?:-\w+)*:", marks=pytest.mark.thorough),
        r"^(?:\w+,? ?)+$",
    ],
)
def test_a_pattern_that_tries_all_pairs_is_seen(pattern: str) -> None:
    use = use_of(Pattern("here", pattern, 0, frozenset(("finditer",))))
    assert not all(is_quick(use, text, is_bytes=False) for text in slow_texts_for(pattern, 0, 1))


def use_of(one: Pattern) -> Use:
    """What is done with a pattern: it is tried at the beginning, or everywhere."""
    for place, use in BOUNDED.items():
        if one.place.startswith(place):
            return use
    compiled: Any = re.compile(one.pattern, one.flags)
    if "finditer" not in one.uses:
        return lambda text: [getattr(compiled, use)(text) for use in one.uses]
    return lambda text: deque(compiled.finditer(text), maxlen=0)


def is_quick(use: Use, text: SlowText, is_bytes: bool) -> bool:
    """Whether a long text takes hardly any time, or not much more than its share of what a short one takes."""

    def seconds(length: int, times: int = 1) -> float:
        given: Any = text.of_length(length).encode("utf-8", "replace") if is_bytes else text.of_length(length)
        return min(_seconds(use, given) for _ in range(times))

    for length in TINY:
        if seconds(length) > AT_ONCE_SECONDS and seconds(length, 3) > AT_ONCE_SECONDS:
            return False
    if seconds(SHORT) > 10 * AT_ONCE_SECONDS:
        return False
    return seconds(LONG) <= AT_ONCE_SECONDS or seconds(LONG, 3) <= MOST_GROWTH * seconds(SHORT, 3)


def _seconds(use: Use, given: Any) -> float:
    begun = time.thread_time()
    use(given)
    return time.thread_time() - begun
