"""Files whose changes were taken back, or whose fixes needed fixes, again and again. Pure.

Told in steps, over a year that begins at the turn of a quarter: one commit more seldom changes what is told.
"""

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sidecar.codebase.search.commit_history import Commit, History
from sidecar.core.lazy_regex import regex

DAY = 86_400
YEAR, QUARTER = 365 * DAY, 91 * DAY
SOON = 14 * DAY
"""A fix so soon after another one of the same file is taken to mend what that one left."""

STEPS = (3, 6, 12, 24)
"""Fixes after fixes, from which on a file is told of, and in which steps."""

REVERTS = 2
LEAST_SHARE = 4
"""One in so many of a file's changes has to be a fix after a fix: a file that changes daily is mended daily."""

_FIX = regex(r"(?i)^\W{0,20}(?:\[[^\]]{0,80}\]\s*|[\w./-]{1,30}:\s+)?(?:bug-?|hot-?)?fix(?:e[sd]|ing)?\b")
_SMALL = regex(
    r"(?i)\b(?:typos?|lint(?:er|ing)?|format(?:ting)?|docs?|docstrings?|tests?|ci|builds?|deps?|comments?|spelling|grammar"
    r"|changelog|warnings?|links?|readme|flak[ey]\w*|types?|typing|mypy|clippy|examples?|rustdoc|eslint|imports?)\b"
)
"""What a fix of says nothing about the code."""

_REVERT = regex(r"^(?:Revert|revert|Reapply)\b:?\s*+[\"“]?(.+?)[\"”]?(?:\s{0,4}\(#\d+\))?$")


class Trouble(NamedTuple):
    """A file that needs care."""

    path: str
    repaired: int
    """How often at least a fix was followed by another one soon: one of the steps, or 0."""
    taken_back: str
    """What was taken back first, where that happened more than once; empty otherwise."""


def troubles(commits: Sequence[Commit], history: History, limit: int, is_told: Callable[[str], bool]) -> list[Trouble]:
    """Gives the files with most trouble within a year of the newest commit, most first, then by path.

    The commits are in the order of their times, the newest first.
    """
    since = _begin(commits)
    year = sum(1 for commit in commits if commit.committed_at >= since)  # they are the newest first
    fixes = frozenset(number for number in range(year) if _is_fix(commits[number].subject))
    found = []
    for path in history.changed_since(year):
        changes = history.changes(path)
        numbers = changes[: bisect_left(changes, year)]
        if len(numbers) < REVERTS:
            continue
        trouble = Trouble(path, _repaired(numbers, fixes, commits), _taken_back(numbers, commits))
        if (trouble.repaired or trouble.taken_back) and is_told(path):
            found.append(trouble)
    return sorted(found, key=lambda one: (not one.taken_back, -one.repaired, one.path))[:limit]


def _begin(commits: Sequence[Commit]) -> int:
    newest = max((commit.committed_at for commit in commits), default=0)
    return (newest - YEAR) // QUARTER * QUARTER


def _is_fix(subject: str) -> bool:
    return bool(_FIX.match(subject)) and not _SMALL.search(subject)


def _repaired(numbers: Sequence[int], fixes: frozenset[int], commits: Sequence[Commit]) -> int:
    """The step that a file's fixes after fixes reach; numbers are the newest first."""
    again = sum(
        1
        for later, earlier in itertools.pairwise(numbers)
        if later in fixes and earlier in fixes and commits[later].committed_at - commits[earlier].committed_at <= SOON
    )
    step = bisect_right(STEPS, again)
    return STEPS[step - 1] if step and again * LEAST_SHARE >= len(numbers) else 0


def _taken_back(numbers: Sequence[int], commits: Sequence[Commit]) -> str:
    """The oldest of the changes that were taken back, where there are several; undoing an undoing is none."""
    matches = (_REVERT.match(commits[number].subject) for number in numbers)
    titles = [
        match[1] for match in matches if match and not _REVERT.match(match[1]) and match[0][:7].lower() != "reapply"
    ]
    return titles[-1] if len(titles) >= REVERTS else ""
