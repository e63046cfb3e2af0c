"""Depth of a test run: `--thorough` runs every case, the default run a fixed sample of the expensive ones."""

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")

VARIABLE = "SIDECAR_TESTS_THOROUGH"
"""Set by tests/conftest.py before any test module is imported."""


def is_thorough() -> bool:
    """Whether the run was started with `--thorough`."""
    return os.environ.get(VARIABLE) == "1"


def examples(thorough: int, default: int) -> int:
    """Return how many examples a property test draws in this run."""
    return thorough if is_thorough() else default


def sample(cases: Sequence[Case], count: int) -> Sequence[Case]:
    """Return all cases in a thorough run, else `count` evenly spaced ones, the first and the last included."""
    if is_thorough() or len(cases) <= count:
        return cases
    return [cases[round(number * (len(cases) - 1) / (count - 1))] for number in range(count)]
