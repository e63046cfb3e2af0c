"""Which files an iteration changed: from two states of the worktree and the commits between them. Pure.

A file counts when its content is another one than before the iteration, whether it was committed meanwhile or not; what
was dirty before and is as it was does not count.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sidecar.codebase import ChangedFile

ABSENT = "absent"

Contents = Mapping[str, str]
"""Content ids by path."""


class Look(NamedTuple):
    """The worktree at one moment."""

    head: str | None
    dirty: Contents
    """What differs from the head commit, and its content."""
    digest: str
    """Tells one state of the worktree from another, without git too."""
    is_git: bool


def dirty_of(files: Iterable[ChangedFile]) -> dict[str, str]:
    """Gives the content of each changed file; a renamed one is gone from where it was."""
    found: dict[str, str] = {}
    for file in files:
        if file.original is not None and "R" in file.code:
            found.setdefault(file.original, ABSENT)
        found[file.path] = file.content_hash
    return found


def suspects(before: Look, after: Look, between: Iterable[str]) -> list[str]:
    """Names the files that may have changed: dirty before or after, or different between the two head commits."""
    return sorted({*before.dirty, *after.dirty, *between})


def changed_files(before: Look, after: Look, paths: Iterable[str], old: Contents, new: Contents) -> list[str]:
    """Gives those of the paths whose content is another one; `old` and `new` are contents in the two head commits."""
    return [
        path
        for path in paths
        if before.dirty.get(path, old.get(path, ABSENT)) != after.dirty.get(path, new.get(path, ABSENT))
    ]


def to_commit(changed: Iterable[str], before: Look, after: Look) -> tuple[list[str], list[str]]:
    """Gives what an iteration changed and did not commit: what is its alone, and what was dirty before it too.

    A repository that lies in the worktree and is no submodule is nobody's to commit; its path ends with a slash.
    """
    left = [path for path in changed if path in after.dirty and not path.endswith("/")]
    own = [path for path in left if path not in before.dirty]
    return own, [path for path in left if path in before.dirty]
