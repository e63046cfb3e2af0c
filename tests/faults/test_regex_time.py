"""No text makes a regular expression of the product slow: time grows linearly, not quadratically."""

import re
import zlib
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import sidecar
from sidecar.core.lazy_regex import compiled_patterns, lazy_regex
from sidecar.language.message_intent import creation_request
from sidecar.language.work_taken_back import abandoned_approaches
from sidecar.packs.anchor import purpose_of
from sidecar.ralph.agent import AnsiStripper
from tests.support.depth import is_thorough
from tests.support.growth import QUICK_SECONDS, seconds_of, takes_linear_time
from tests.support.regex_inventory import Pattern, module_of, patterns_at_start
from tests.support.slow_regex_texts import SlowText, slow_texts_for
from tests.support.stored_patterns import use_stored_patterns

Use = Callable[[str], object]

SHORT = 2_000
"""Characters of the shorter text; the other one is four times as long."""

TINY, SMALL = range(16, 41, 4), 400
"""Lengths at which exponential and cubic time show before they take minutes."""

BOUNDED: dict[str, Use] = {
    "sidecar.language.work_taken_back.": lambda text: list(abandoned_approaches(text)),
    "sidecar.language.work_taken_back": lambda text: list(abandoned_approaches(text)),
    "sidecar.packs.anchor.commands._PURPOSES": purpose_of,
    "sidecar.ralph.agent.output_lines._SEQUENCE": lambda text: AnsiStripper().strip(text),
    **{
        f"sidecar.language.message_intent.{name}": creation_request
        for name in (
            "_CREATION_REQUEST",
            "_NEED_STATEMENT",
            "_LEADING_ARTICLES",
            "_QUOTED",
            "_NOT_CREATION",
            "_REQUEST",
        )
    },
}
"""Patterns that only receive short or terminated texts; their caller must be quick instead."""

FIRST_TEXTS = 3
"""Texts per pattern in a default run: those of its own repeats, or the first variants. `--thorough` tries all."""

SEARCHED_REPEATS = 6
"""Repeats of a pattern that a default run searches for, to have the texts that it tries."""

MADE_BY_TESTS = [lazy_regex(f"word {number}") for number in range(5)]
"""Patterns as work makes them, of words and commands: they are not in the inventory, whatever ran before."""

PACKAGES = sorted({path.name.removesuffix(".py") for path in Path(str(sidecar.__file__)).parent.iterdir()})
"""The patterns themselves are listed by the one process that runs these tests: it imports every module."""


@pytest.fixture(scope="module")
def patterns() -> list[Pattern]:
    if not is_thorough():
        use_stored_patterns()  # which another process may have stored since this one started
    return patterns_at_start()


def package_of(pattern: Pattern) -> str:
    """Return the folder or module below `sidecar` that contains a pattern; elsewhere, the first one."""
    package = module_of(pattern).removeprefix("sidecar.").partition(".")[0]
    return package if package in PACKAGES else PACKAGES[0]


def test_the_inventory_contains_all_patterns(patterns: list[Pattern]) -> None:
    assert len(patterns) > 600
    assert {made.pattern for made in MADE_BY_TESTS}.isdisjoint(pattern.pattern for pattern in patterns)
    assert sum(pattern.place.startswith("somewhere") for pattern in patterns) < 5
    assert all(any(pattern.place.startswith(place) for pattern in patterns) for place in BOUNDED)


@pytest.mark.parametrize("package", PACKAGES)
def test_matching_time_grows_linearly_with_the_text(package: str, patterns: list[Pattern]) -> None:
    slow = [
        (pattern.place, str(pattern.pattern)[:80], text)
        for pattern in patterns
        if package_of(pattern) == package
        for use in (use_of(pattern),)
        for text in some(slow_texts_for(pattern.pattern, pattern.flags, seed_of(pattern), most_repeats()))
        if not is_quick(use, text, isinstance(pattern.pattern, bytes))
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
def test_a_quadratic_pattern_is_detected(pattern: str) -> None:
    use = use_of(Pattern("here", pattern, 0, frozenset(("finditer",))))
    assert not all(is_quick(use, text, is_bytes=False) for text in some(slow_texts_for(pattern, 0, 1, most_repeats())))


def seed_of(pattern: Pattern) -> int:
    """Return a number that depends on the pattern alone: a new one elsewhere leaves its texts as they are."""
    return zlib.crc32(str(pattern.pattern).encode())


def most_repeats() -> int | None:
    return None if is_thorough() else SEARCHED_REPEATS


def some(texts: list[SlowText]) -> list[SlowText]:
    """Return the texts that this run tries."""
    return texts if is_thorough() else texts[:FIRST_TEXTS]


def use_of(pattern: Pattern) -> Use:
    """Return how a pattern is used: tried at the start, or everywhere."""
    for place, use in BOUNDED.items():
        if pattern.place.startswith(place):
            return use
    restored = compiled_patterns().restore(pattern.pattern, pattern.flags)
    compiled: Any = restored or re.compile(pattern.pattern, pattern.flags)
    if "finditer" not in pattern.uses:
        return lambda text: [getattr(compiled, use)(text) for use in pattern.uses]
    return lambda text: deque(compiled.finditer(text), maxlen=0)


def is_quick(use: Use, text: SlowText, is_bytes: bool) -> bool:
    """Whether tiny texts take hardly any time, and longer ones linear time."""

    def work_of(length: int) -> Callable[[], object]:
        argument: Any = text.of_length(length)
        return partial(use, argument.encode("utf-8", "replace") if is_bytes else argument)

    if not all(is_within(QUICK_SECONDS, work_of(length)) for length in (*TINY, SMALL)):
        return False
    if not is_within(QUICK_SECONDS / 10, work_of(SMALL)) and not is_within(10 * QUICK_SECONDS, work_of(SHORT)):
        return False  # cubic: the longer text would take minutes
    return takes_linear_time(work_of, SHORT)


def is_within(limit: float, work: Callable[[], object]) -> bool:
    """Whether any of four runs takes no longer than the limit."""
    return any(seconds_of(work) <= limit for _ in range(4))
