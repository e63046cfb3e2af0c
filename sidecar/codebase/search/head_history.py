"""The history of one head, brought up to date when the head moves on."""

from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.search.commits import MAX_COMMITS, Commit, read_commits
from sidecar.codebase.search.history import History
from sidecar.system.git import Git, GitFailed


class HistoryOfHead(NamedTuple):
    """The commits a head can reach, newest first, and what they tell."""

    head: str | None
    commits: tuple[Commit, ...]
    history: History


NO_HISTORY = HistoryOfHead(None, (), History(()))
"""Before the first commit, or without a repository."""


def follow(cwd: Path, head: str | None, before: HistoryOfHead) -> HistoryOfHead:
    """Gives the history of a head; raises GitFailed."""
    if head is None:
        return NO_HISTORY
    if before.head is not None and _leads_to(cwd, before.head, head):
        found = [*read_commits(cwd, head, MAX_COMMITS, since=before.head), *before.commits]
    else:
        found = read_commits(cwd, head, MAX_COMMITS)
    commits = tuple(sorted(found, key=lambda one: -one.committed_at)[:MAX_COMMITS])
    return HistoryOfHead(head, commits, History(commits))


def _leads_to(cwd: Path, old: str, new: str) -> bool:
    """Says whether everything the old head can reach the new one can reach too."""
    try:
        return not Git(cwd).text("rev-list", "--max-count=1", old, f"^{new}", "--")
    except GitFailed:
        return False
