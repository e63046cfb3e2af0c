"""Changes of a run in the repository, from its tool parts and from the worktree before and after."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sidecar.call import Call
from sidecar.capture.effects.run_activity import RunActivity, relative_to
from sidecar.capture.effects.shell_commands import merges_others_commits, merges_own_commits
from sidecar.codebase import (
    FileDiff,
    HeadMove,
    RepositoryState,
    StateUnavailable,
    added_file_diff,
    content_identity,
    is_generated,
    may_show,
    merged_commits,
    path_from_cwd,
    split_hunks,
)
from sidecar.core.clean_text import line_count
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.core.redact import redact
from sidecar.runs import DeliveredItem, entries
from sidecar.runs.model import FileChange
from sidecar.runs.pre_run_record import WorktreeBaseline
from sidecar.workspace import Workspace


def grown_lines(
    touched: Collection[str],
    now: Mapping[str, int],
    committed: Mapping[str, int],
    before: Mapping[str, int] | None,
    changed_before: Collection[str],
) -> int | None:
    """Return by how many lines the diff of the touched files grew, including what the run committed.

    `now` and `before` are each file's changed lines against the head commit; `before` is None if they were not counted,
    and then so is the result. A file that had changed before without being counted has not grown. What the user
    switched to or restored does not count.
    """
    if before is None:
        return None
    uncounted = {path for path in changed_before if path not in before}
    return sum(
        max(0, now.get(path, 0) + committed.get(path, 0) - before.get(path, 0))
        for path in touched
        if path not in uncounted and not is_generated(path)
    )


MAX_COMMITS = 10
COMMITS_OF_MERGE = 2
"""A merge brings at least this many new commits: its own and another's."""

NOT_MOVED = HeadMove((), ())


@dataclass
class RunEffects:
    """The worktree after a run, and which part of it is the run's doing."""

    state: RepositoryState | None = None
    changes: list[FileChange] = field(default_factory=list)
    seen_items: list[DeliveredItem] = field(default_factory=list)
    """Ledger items that the agent knows from its own reading and writing, and does not need to receive."""
    own_paths: frozenset[str] = frozenset()
    """Files that the run itself wrote or committed, whether they still differ or not."""
    head: str | None = None
    """The head commit as far as the agent knows it."""
    diff_lines: int = 0
    """Lines of the whole diff, without generated files."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The content id of each existing file."""
    diffs: Mapping[str, FileDiff] = field(default_factory=dict)
    """Diffs of changed files against the head commit; new files have none."""
    moved: HeadMove = NOT_MOVED
    """Commits of the run itself, or the move of the head that it made."""
    merged_commits: tuple[str, ...] = ()
    """Others' commits that the run merged: what is as in one of them is not its doing."""
    originals: Mapping[str, str] = field(default_factory=dict)
    """Previous path of each renamed file."""
    committed_lines: int = 0
    """Lines that the run itself committed, which the diff no longer contains."""
    touched_lines: int = 0
    """Lines of all files that the run changed, earlier changes included."""
    grown_lines: int | None = None
    """Lines that the run added to the diff; None if the lines before it were not counted."""
    has_new_code: bool = False
    """Whether files changed during the run, whoever changed them."""

    @property
    def changed_paths(self) -> frozenset[str]:
        """All changed files, those before the run and the previous paths of renamed ones included."""
        uncommitted = self.state.all_changed if self.state is not None else ()
        return frozenset(
            (
                *(change.path for change in self.changes),
                *(file.path for file in uncommitted),
                *self.originals.values(),
            )
        )


def observe_effects(
    call: Call, workspace: Workspace, cwd: str, activity: RunActivity, baseline: WorktreeBaseline | None
) -> RunEffects:
    """Examine the worktree after a run. If the folder is gone, only the message parts count."""
    repository = workspace.slices.repository
    try:
        workspace.require()
        state = repository.state()
        listing = repository.listing(state)
        diffs = repository.diffs(state)
    except (StateUnavailable, WorkspaceUnavailable, OSError) as error:
        call.log.warning("capture.state.unavailable", kind=type(error).__name__)
        return RunEffects()
    moved = _moved(baseline, state, repository.head_move)
    effects = RunEffects(state=state, head=_known_head(state, activity, baseline), files=listing.searched, diffs=diffs)
    effects.moved = moved if activity.may_have_written else NOT_MOVED
    if activity.may_have_written:
        commands = [command.command for command in activity.commands]
        effects.merged_commits = _merged_commits(call, state, baseline, moved, commands)
    renamed = [(file.path, file.original) for file in moved.files]
    renamed += [(file.path, file.original) for file in state.changed]
    effects.originals = {path: original for path, original in renamed if original is not None}
    written = _relative(cwd, state, activity.written)
    touched = _touched(state, activity, written, baseline, moved)
    counts = _counts(state, diffs, moved, repository.new_file_text, written | touched)
    effects.own_paths = frozenset(written) | touched | {file.path for file in effects.moved.files}
    effects.has_new_code = bool(effects.own_paths) or moved != NOT_MOVED or _has_changed(state, baseline)
    effects.changes = [_change(path, counts.get(path, (0, 0))) for path in sorted(touched) if may_show(path)]
    _count_lines(effects, counts, touched, baseline or WorktreeBaseline())
    whole = _relative(cwd, state, activity.seen_whole)
    effects.seen_items = _seen(listing.searched, written | _read(state, cwd, activity, baseline), whole)
    effects.seen_items += _sent_changes_of_own_edits(state, written | touched, diffs, repository.new_file_text)
    if activity.todos:
        todos = tuple((redact(content), status) for content, status in activity.todos)
        effects.seen_items.append(DeliveredItem(entries.TODOS, entries.task_list_entry(todos), 0))
    return effects


def _change(path: str, counts: tuple[int, int]) -> FileChange:
    added, removed = counts
    return FileChange(path=path, added=added, removed=removed)


def _count_lines(
    effects: RunEffects,
    counts: Mapping[str, tuple[int, int]],
    touched: Collection[str],
    baseline: WorktreeBaseline,
) -> None:
    """Count the lines of the diff and those that are the run's doing. Lines of another branch do not count."""
    changed = {file.path for file in effects.state.all_changed} if effects.state is not None else set()
    now = {path: added + removed for path, (added, removed) in counts.items() if path in changed}
    ahead = effects.moved.files if effects.moved.direction == "forward" else ()
    committed = {file.path: file.added + file.removed for file in ahead}
    effects.diff_lines = sum(lines for path, lines in now.items() if not is_generated(path))
    effects.committed_lines = sum(lines for path, lines in committed.items() if not is_generated(path))
    own_lines = sum(now.get(path, 0) for path in touched if not is_generated(path))
    effects.touched_lines = own_lines + effects.committed_lines
    effects.grown_lines = grown_lines(touched, now, committed, baseline.lines, baseline.changed or ())


def _moved(baseline: WorktreeBaseline | None, state: RepositoryState, changes_between: Any) -> HeadMove:
    old = baseline.head if baseline is not None else None
    if old is None or state.head is None or old == state.head:
        return NOT_MOVED
    moved: HeadMove = changes_between(old, state.head, MAX_COMMITS)
    return moved


def _merged_commits(
    call: Call, state: RepositoryState, baseline: WorktreeBaseline | None, moved: HeadMove, commands: Sequence[str]
) -> tuple[str, ...]:
    """Return the others' commits that a run merged, or is merging; the head too if all its new commits are theirs."""
    if state.kind != "git" or state.head is None or merges_own_commits(commands):
        return ()
    start = baseline.head if baseline is not None and moved.counts[0] >= COMMITS_OF_MERGE else None
    try:
        merged = tuple(merged_commits(state, start or state.head))
    except StateUnavailable as error:
        call.log.warning("capture.merges.unavailable", reason=error.reason)
        return ()
    return (*merged, state.head) if merges_others_commits(commands) else merged


def _counts(
    state: RepositoryState, diffs: dict[str, FileDiff], moved: HeadMove, new_file: Any, own: Collection[str]
) -> dict[str, tuple[int, int]]:
    """Return added and removed lines of each file that differs from the run's start or from the head commit.

    In a counted folder, only the run's own files are read.
    """
    changes = entries.changes_of(state)
    counts = {file.path: (file.added, file.removed) for file in moved.files}
    for file in state.changed if state.kind == "git" else ():
        diff = diffs.get(file.path)
        if diff is not None:
            counts[file.path] = (diff.added, diff.removed)
        elif changes.counted(file.path) is not None and file.path not in own:
            continue
        elif file.kind == "untracked" and (text := new_file(file.path)) is not None:
            counts[file.path] = (line_count(text), 0)
    return counts


def _touched(
    state: RepositoryState, activity: RunActivity, written: set[str], baseline: WorktreeBaseline | None, moved: HeadMove
) -> set[str]:
    """Return the files that this run changed, without what the user or another chat changed in the meantime.

    A run whose commands only display or check changed what it reports as written. Any other command may have changed
    everything that differs from before. If the starting worktree was recorded late, it may include the run's first
    edits.
    """
    changes = entries.changes_of(state)
    present = changes.paths
    committed = {file.path for file in moved.files}
    earlier = baseline.changed if baseline is not None else None
    named = {path for path in written if path in present or path in committed}
    if earlier is None:
        return named | committed if activity.may_have_written else named
    differing = {file.path for file in state.all_changed if not entries.is_as_before(file, earlier)}
    reverted = {path for path in earlier if path not in present and path not in committed}
    reverted = {path for path in reverted if not entries.is_counted_key(path)}
    changed = differing | committed | reverted
    changed = changed if activity.may_have_written else changed & written
    changed |= {path for path in named if changes.counted(path) is not None}  # of these no earlier content is known
    return changed | named if baseline is not None and baseline.is_late else changed


def _has_changed(state: RepositoryState, baseline: WorktreeBaseline | None) -> bool:
    """Whether uncommitted changes differ from those at the run's start."""
    earlier = baseline.changed if baseline is not None else None
    if earlier is None:
        return False
    return earlier != entries.changes_of(state).digests


def _known_head(state: RepositoryState, activity: RunActivity, baseline: WorktreeBaseline | None) -> str | None:
    """Return the head commit that the agent knows.

    A run with commands may have made the commits itself; any other run has not seen them.
    """
    old = baseline.sent_head if baseline is not None else state.head
    was_sent = baseline is None or baseline.head == old
    return state.head if old is None or (activity.may_have_written and was_sent) else old


def _read(state: RepositoryState, cwd: str, activity: RunActivity, baseline: WorktreeBaseline | None) -> set[str]:
    """Return the files that the run read, without those that others changed in the meantime."""
    earlier = (baseline.changed or {}) if baseline is not None else {}
    meanwhile = {file.path for file in state.all_changed if not entries.is_as_before(file, earlier)}
    return _relative(cwd, state, activity.read) - (meanwhile if state.kind == "git" else set())


def _seen(files: Mapping[str, str], paths: set[str], whole: set[str]) -> list[DeliveredItem]:
    """Return what the run saw of files; of one that it read or edited in part, that it did."""
    contents = {path: content_identity(files[path]) if path in whole else "" for path in paths if path in files}
    return [
        DeliveredItem(entries.context_key(path), entries.FileEntry(content, is_opened=True), 0)
        for path, content in sorted(contents.items())
    ]


def _sent_changes_of_own_edits(
    state: RepositoryState, changed: set[str], diffs: dict[str, FileDiff], new_file: Any
) -> list[DeliveredItem]:
    """Return the diffs of what the run changed, by its tools, commands and sub-agents, hunk by hunk.

    So that of a later edit only its own hunk is news.
    """
    items = []
    own = {file.path for file in state.changed}
    for file in state.all_changed:
        if file.path in changed:
            diff = diffs.get(file.path)
            added = new_file(file.path) if file.path in own else None  # of a submodule's file, no difference is sent
            text = diff.hunks if diff is not None else added_file_diff(added or "")
            sent = entries.ChangeEntry(entries.change_digest(file), entries.shown_hunks(split_hunks(text)))
            items.append(DeliveredItem(entries.change_key(file.path), sent, 0))
    return items


def _relative(cwd: str, state: RepositoryState, paths: tuple[str, ...]) -> set[str]:
    """Return paths of a tool relative to `cwd`, also those of the repository outside of it."""
    relative = {path for path in (relative_to(cwd, path) for path in paths) if path is not None}
    if state.prefix:
        from_root = (relative_to(str(state.root), os.path.join(cwd, path)) for path in paths)
        relative |= {path_from_cwd(state.prefix, path) for path in from_root if path is not None}
    return relative - {os.curdir}
