"""Files whose changes were reverted, or whose fixes needed further fixes, several times. Pure.

Counts go in steps, over a year that starts at the turn of a quarter: one more commit rarely changes the result.
"""

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sidecar.codebase.search.commit_history import Commit, History
from sidecar.core.lazy_regex import lazy_regex

DAY = 86_400
YEAR, QUARTER = 365 * DAY, 91 * DAY
FIX_WINDOW = 14 * DAY
"""A fix this soon after another one of the same file is taken as a repair of that fix."""

STEPS = (3, 6, 12, 24)
"""Numbers of repeated fixes from which a file is listed, and in which they are rounded down."""

REVERTS = 2
MIN_FIX_SHARE = 4
"""At least one in this many changes must be a repeated fix: a file that changes daily is also fixed daily."""

_FIX = lazy_regex(r"(?i)^\W{0,20}(?:\[[^\]]{0,80}\]\s*|[\w./-]{1,30}:\s+)?(?:bug-?|hot-?)?fix(?:e[sd]|ing)?\b")
_SMALL = lazy_regex(
    r"(?i)\b(?:typos?|lint(?:er|ing)?|format(?:ting)?|docs?|docstrings?|tests?|ci|builds?|deps?|comments?|spelling|grammar"
    r"|changelog|warnings?|links?|readme|flak[ey]\w*|types?|typing|mypy|clippy|examples?|rustdoc|eslint|imports?)\b"
)
"""A fix of these says nothing about the code."""

_REVERT = lazy_regex(r"^(?:Revert|revert|Reapply)\b:?\s*+[\"“]?(.+?)[\"”]?(?:\s{0,4}\(#\d+\))?$")


class FragileFile(NamedTuple):
    """A file that needs care."""

    path: str
    repeated_fixes: int
    """Minimum number of fixes that were soon followed by another one: one of the steps, or 0."""
    reverted: str
    """The first change that was reverted, if there were several; else empty."""


def fragile_files(
    commits: Sequence[Commit], history: History, limit: int, is_listed: Callable[[str], bool]
) -> list[FragileFile]:
    """Return the most fragile files within a year of the newest commit, worst first, then by path.

    The commits are sorted by time, newest first.
    """
    since = _year_start(commits)
    year = sum(1 for commit in commits if commit.committed_at >= since)  # newest first
    fixes = frozenset(number for number in range(year) if _is_fix(commits[number].subject))
    files = []
    for path in history.changed_since(year):
        changes = history.changes(path)
        numbers = changes[: bisect_left(changes, year)]
        if len(numbers) < REVERTS:
            continue
        file = FragileFile(path, _repeated_fixes(numbers, fixes, commits), _first_reverted(numbers, commits))
        if (file.repeated_fixes or file.reverted) and is_listed(path):
            files.append(file)
    return sorted(files, key=lambda file: (not file.reverted, -file.repeated_fixes, file.path))[:limit]


def _year_start(commits: Sequence[Commit]) -> int:
    newest = max((commit.committed_at for commit in commits), default=0)
    return (newest - YEAR) // QUARTER * QUARTER


def _is_fix(subject: str) -> bool:
    return bool(_FIX.match(subject)) and not _SMALL.search(subject)


def _repeated_fixes(numbers: Sequence[int], fixes: frozenset[int], commits: Sequence[Commit]) -> int:
    """Return the step that a file's repeated fixes reach; `numbers` are newest first."""
    repeats = sum(
        1
        for later, earlier in itertools.pairwise(numbers)
        if later in fixes
        and earlier in fixes
        and commits[later].committed_at - commits[earlier].committed_at <= FIX_WINDOW
    )
    step = bisect_right(STEPS, repeats)
    return STEPS[step - 1] if step and repeats * MIN_FIX_SHARE >= len(numbers) else 0


def _first_reverted(numbers: Sequence[int], commits: Sequence[Commit]) -> str:
    """Return the oldest reverted change if there are several; a revert of a revert does not count."""
    matches = (_REVERT.match(commits[number].subject) for number in numbers)
    titles = [
        match[1] for match in matches if match and not _REVERT.match(match[1]) and match[0][:7].lower() != "reapply"
    ]
    return titles[-1] if len(titles) >= REVERTS else ""
