"""What happened to a worktree's head commit between two looks."""

from collections.abc import Sequence
from pathlib import Path

from sidecar.codebase.files import may_show
from sidecar.codebase.worktree.diff import FileDiff, Moved, Way, commits_between, count_between, subjects_between

SHOWN_FILES, SHOWN_LINES = 200, 6_000
"""So much of what others committed is read as text; the rest is told by its counts."""


def moved_between(cwd: Path, old: str, new: str, max_commits: int) -> Moved:
    """Tells which commits came and went, at most so many of each, and which files differ; raises GitFailed."""
    come, lost = commits_between(cwd, old, new)
    way: Way = "forward" if not lost else "apart" if come else "back"
    return Moved(
        tuple(subjects_between(cwd, old, new, max_commits)) if come else (),
        tuple(count_between(cwd, old, new).values()),
        way,
        tuple(subjects_between(cwd, new, old, max_commits)) if lost else (),
        (come, lost),
    )


def shown_of(files: Sequence[FileDiff]) -> list[str]:
    """The paths of files whose differences are worth reading: such as may be shown, small ones rather than large."""
    small = sorted((file for file in files if may_show(file.path)), key=lambda file: file.added + file.removed)
    shown, lines = [], 0
    for file in small[:SHOWN_FILES]:
        lines += file.added + file.removed
        if lines > SHOWN_LINES:
            break
        shown += [file.path] if file.original is None else [file.path, file.original]
    return sorted(shown)
