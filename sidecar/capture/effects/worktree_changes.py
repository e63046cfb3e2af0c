"""What a run did to the repository: from its tool parts and from the worktree before and after."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sidecar.call import Call
from sidecar.capture.effects.tool_parts import Work, relative_to
from sidecar.codebase import (
    FileDiff,
    Moved,
    RepositoryState,
    StateFailed,
    as_added,
    hunks_of,
    is_generated,
    may_show,
    repository_of,
)
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.core.secrets.redact import redact
from sidecar.core.text.sanitize import line_count
from sidecar.runs import Item, keys
from sidecar.workspace import Workspace

# By how many lines a run made the difference grow; what the user switched to or brought back does not count. Pure.


def grown_lines(
    touched: Collection[str],
    now: Mapping[str, int],
    committed: Mapping[str, int],
    before: Mapping[str, int] | None,
    changed_before: Collection[str],
) -> int | None:
    """Gives the lines that the files a run touched differ by more than before it, what it committed included.

    `now` and `before` are the lines by which each file differs from the head commit; None where they were not counted,
    and then so is the growth. A file that had changed before without being counted has not grown.
    """
    if before is None:
        return None
    uncounted = {path for path in changed_before if path not in before}
    return sum(
        max(0, now.get(path, 0) + committed.get(path, 0) - before.get(path, 0))
        for path in touched
        if path not in uncounted and not is_generated(path)
    )


# A changed file, as what a run did is told by.


class Change(NamedTuple):
    """A file a run changed; lines are against the head commit after the run, or of its commits."""

    path: str
    added: int
    removed: int


MAX_COMMITS = 10
NOT_MOVED = Moved((), ())


@dataclass
class Observed:
    """The worktree after a run, and what of it is the run's doing."""

    state: RepositoryState | None = None
    changes: list[Change] = field(default_factory=list)
    seen: list[Item] = field(default_factory=list)
    """What the agent knows from its own reading and writing, and need not be told."""
    own: frozenset[str] = frozenset()
    """Files the run wrote or committed itself, changed or no longer."""
    head: str | None = None
    """The commit the agent knows the worktree stands at."""
    diff_lines: int = 0
    """Lines of the whole difference, generated files left out."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The content id of each file there is."""
    diffs: Mapping[str, FileDiff] = field(default_factory=dict)
    """The differences of changed files to the head commit; new ones have none."""
    moved: Moved = NOT_MOVED
    """What the run itself committed, or where it moved the head to."""
    originals: Mapping[str, str] = field(default_factory=dict)
    """What a renamed file was called before."""
    committed_lines: int = 0
    """Lines of what the run itself committed, and that the difference no longer has."""
    touched_lines: int = 0
    """Lines of what the run changed, those from before it included."""
    grown_lines: int | None = None
    """Lines that the run made the difference grow by; None where the lines before it were not counted."""


def observe(call: Call, workspace: Workspace, cwd: str, work: Work, before: dict[str, Any] | None) -> Observed:
    """Looks at the worktree after a run. A folder that is gone meanwhile leaves what the parts say."""
    repository = repository_of(workspace, call.process)
    try:
        workspace.require()
        state = repository.state()
        listing = repository.listing(state)
        diffs = repository.diffs(state)
    except (StateFailed, WorkspaceUnavailable, OSError) as error:
        call.log.warning("capture.state.unavailable", kind=type(error).__name__)
        return Observed()
    moved = _moved(before, state, repository.moved)
    observed = Observed(state=state, head=_known_head(state, work, before), files=listing.files, diffs=diffs)
    observed.moved = moved if work.may_have_written else NOT_MOVED
    renamed = [(file.path, file.original) for file in moved.files]
    renamed += [(file.path, file.original) for file in state.changed]
    observed.originals = {path: original for path, original in renamed if original is not None}
    counts = _counts(state, diffs, moved, repository.new_file)
    written = _relative(cwd, work.written)
    touched = _touched(state, work, written, before, moved)
    observed.own = frozenset(written) | {file.path for file in observed.moved.files}
    observed.changes = [Change(path, *counts.get(path, (0, 0))) for path in sorted(touched) if may_show(path)]
    _count_lines(observed, counts, touched, before or {})
    observed.seen = _seen(listing.files, written | _read(state, cwd, work, before))
    observed.seen += _own_changes(state, written, diffs, repository.new_file)
    if work.todos:
        todos = tuple((redact(content), status) for content, status in work.todos)
        observed.seen.append(Item(keys.TODOS, keys.todos_digest(todos), 0))
    return observed


def _count_lines(
    observed: Observed,
    counts: Mapping[str, tuple[int, int]],
    touched: Collection[str],
    before: Mapping[str, Any],
) -> None:
    """Counts the lines of the difference, and those that are the run's doing. Of another branch's none are."""
    changed = {file.path for file in observed.state.changed} if observed.state is not None else set()
    now = {path: added + removed for path, (added, removed) in counts.items() if path in changed}
    ahead = observed.moved.files if observed.moved.way == "forward" else ()
    committed = {file.path: file.added + file.removed for file in ahead}
    observed.diff_lines = sum(lines for path, lines in now.items() if not is_generated(path))
    observed.committed_lines = sum(lines for path, lines in committed.items() if not is_generated(path))
    own = sum(now.get(path, 0) for path in touched if not is_generated(path))
    observed.touched_lines = own + observed.committed_lines
    observed.grown_lines = grown_lines(touched, now, committed, before.get("lines"), before.get("changed") or ())


def _moved(before: dict[str, Any] | None, state: RepositoryState, between: Any) -> Moved:
    old = before.get("head") if before else None
    if not isinstance(old, str) or state.head is None or old == state.head:
        return NOT_MOVED
    moved: Moved = between(old, state.head, MAX_COMMITS)
    return moved


def _counts(
    state: RepositoryState, diffs: dict[str, FileDiff], moved: Moved, new_file: Any
) -> dict[str, tuple[int, int]]:
    """Added and removed lines of each file that differs from where the run began or from the head commit."""
    counts = {file.path: (file.added, file.removed) for file in moved.files}
    for file in state.changed if state.kind == "git" else ():
        diff = diffs.get(file.path)
        if diff is not None:
            counts[file.path] = (diff.added, diff.removed)
        elif file.kind == "untracked" and (text := new_file(file.path)) is not None:
            counts[file.path] = (line_count(text), 0)
    return counts


def _touched(
    state: RepositoryState, work: Work, written: set[str], before: dict[str, Any] | None, moved: Moved
) -> set[str]:
    """The files this run changed; what the user or another chat changed meanwhile is not its doing.

    A run whose commands only show or check changed what it says it wrote. Any other command may have changed whatever
    differs from before. Where it was seen late how the worktree stood, the run's first edits may have stood there too.
    """
    present = {file.path: keys.change_digest(file) for file in state.changed}
    committed = {file.path for file in moved.files}
    earlier: dict[str, str] | None = before.get("changed") if before else None
    named = {path for path in written if path in present or path in committed}
    if earlier is None:
        return named | committed if work.may_have_written else named
    differing = {path for path, digest in present.items() if earlier.get(path) != digest}
    reverted = {path for path in earlier if path not in present and path not in committed}
    found = differing | committed | reverted
    found = found if work.may_have_written else found & written
    return found | named if before and before.get("late") else found


def _known_head(state: RepositoryState, work: Work, before: dict[str, Any] | None) -> str | None:
    """A run that ran commands may have made the commits itself; another one has not seen them."""
    old = before.get("toldHead") if before else state.head
    was_told = before is None or before.get("head") == old
    return state.head if old is None or (work.may_have_written and was_told) else old


def _read(state: RepositoryState, cwd: str, work: Work, before: dict[str, Any] | None) -> set[str]:
    """What the run read and knows as it is now: a file that somebody changed meanwhile it may know as it was."""
    earlier: dict[str, str] = (before.get("changed") or {}) if before else {}
    meanwhile = {file.path for file in state.changed if earlier.get(file.path) != keys.change_digest(file)}
    return _relative(cwd, work.read) - (meanwhile if state.kind == "git" else set())


def _seen(files: Mapping[str, str], looked_at: set[str]) -> list[Item]:
    return [
        Item(keys.context_key(path), keys.content_digest(files[path]), 0) for path in sorted(looked_at) if path in files
    ]


def _own_changes(state: RepositoryState, written: set[str], diffs: dict[str, FileDiff], new_file: Any) -> list[Item]:
    """The differences of what the run wrote, hunk by hunk: of a later edit there, its own hunk alone is news."""
    own = []
    for file in state.changed:
        if file.path in written:
            diff = diffs.get(file.path)
            text = diff.hunks if diff is not None else as_added(new_file(file.path) or "")
            told = keys.Told(keys.change_digest(file), keys.all_shown(hunks_of(text)))
            own.append(Item(keys.change_key(file.path), keys.told_digest(told), 0))
    return own


def _relative(cwd: str, paths: tuple[str, ...]) -> set[str]:
    found = (relative_to(cwd, path) for path in paths)
    return {path for path in found if path is not None and path != os.curdir}
