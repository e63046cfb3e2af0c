"""Changes of an iteration in the worktree: files and commits, and committing exactly those files.

A file counts if its content differs from before the iteration, committed or not; a file that was already dirty and is
unchanged does not count.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase import ChangedFile, RepositoryState, StateUnavailable, blob_ids, is_secret_path
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.system.environment import environment
from sidecar.system.git import ANY_PROTOCOL, Git, GitFailed
from sidecar.system.safe_open import path_below, real_path
from sidecar.workspace import Workspace

ABSENT = "absent"

Contents = Mapping[str, str]
"""Content hashes by path."""


class WorktreeSnapshot(NamedTuple):
    """The worktree at one moment."""

    head: str | None
    dirty: Contents
    """Content hashes of the files that differ from the head commit."""
    digest: str
    """Hash of the worktree's state, also outside git."""
    is_git: bool


def dirty_contents(files: Iterable[ChangedFile]) -> dict[str, str]:
    """Return the content hash of each changed file; a renamed file is absent at its old path."""
    contents: dict[str, str] = {}
    for file in files:
        if file.original is not None and "R" in file.code:
            contents.setdefault(file.original, ABSENT)
        contents[file.path] = file.content_hash
    return contents


def candidate_paths(before: WorktreeSnapshot, after: WorktreeSnapshot, between: Iterable[str]) -> list[str]:
    """Return the files that may have changed: dirty before or after, or different between the two head commits."""
    return sorted({*before.dirty, *after.dirty, *between})


def changed_files(
    before: WorktreeSnapshot, after: WorktreeSnapshot, paths: Iterable[str], old: Contents, new: Contents
) -> list[str]:
    """Return the paths whose content differs; `old` and `new` are the contents in the two head commits."""
    return [
        path
        for path in paths
        if before.dirty.get(path, old.get(path, ABSENT)) != after.dirty.get(path, new.get(path, ABSENT))
    ]


def uncommitted_files(
    changed: Iterable[str], before: WorktreeSnapshot, after: WorktreeSnapshot
) -> tuple[list[str], list[str]]:
    """Return the uncommitted changes of an iteration: files only it changed, and files that were dirty before.

    A nested repository that is not a submodule is never committed; its path ends with a slash.
    """
    uncommitted = [path for path in changed if path in after.dirty and not path.endswith("/")]
    own = [path for path in uncommitted if path not in before.dirty]
    return own, [path for path in uncommitted if path in before.dirty]


MAX_COMMITS = 50
COMMIT_SECONDS = 600.0
"""The user's own hooks run."""

_IDENTITY = ("GIT_AUTHOR_", "GIT_COMMITTER_")
_PATHSPEC_OPTIONS = ("--pathspec-from-file=-", "--pathspec-file-nul")


class WorktreeState(NamedTuple):
    """A snapshot of the worktree and the repository state it was taken from."""

    state: RepositoryState
    snapshot: WorktreeSnapshot


class UnreadableWorktree(NamedTuple):
    """A worktree whose state could not be read."""

    problem: str
    """A sentence for the user."""


class IterationChanges(NamedTuple):
    """Changes of an iteration in the worktree."""

    files: list[str] | None
    """None outside git, or if unknown."""
    commits: list[str]
    """Oldest first."""
    own: list[str]
    """Uncommitted files that only the iteration changed."""
    shared: list[str]
    """Uncommitted files that were dirty before the iteration."""
    any_change: bool | None
    """Whether anything changed, also outside git; None if unknown."""
    problem: str = ""


UNKNOWN_CHANGES = IterationChanges(None, [], [], [], None)


def take_snapshot(workspace: Workspace) -> WorktreeState | UnreadableWorktree:
    """Take a snapshot of the worktree."""
    try:
        workspace.require()
        state = workspace.slices.repository.state()
    except (StateUnavailable, WorkspaceUnavailable, OSError) as error:
        why = error.reason if isinstance(error, StateUnavailable) else str(error).rstrip(".")
        return UnreadableWorktree(f"The changes of the iteration are unknown: {why}.")
    return WorktreeState(
        state, WorktreeSnapshot(state.head, dirty_contents(state.changed), state.changed_hash, state.kind == "git")
    )


def compare(before: WorktreeState | UnreadableWorktree, after: WorktreeState | UnreadableWorktree) -> IterationChanges:
    """Compare two snapshots."""
    if isinstance(before, UnreadableWorktree):
        return UNKNOWN_CHANGES._replace(problem=before.problem)
    if isinstance(after, UnreadableWorktree):
        return UNKNOWN_CHANGES._replace(problem=after.problem)
    old, new = before.snapshot, after.snapshot
    any_change = (old.head, old.digest) != (new.head, new.digest)
    if not (old.is_git and new.is_git):
        return UNKNOWN_CHANGES._replace(any_change=any_change)
    try:
        paths = candidate_paths(old, new, _files_between(after.state, old.head, new.head))
        files = changed_files(old, new, paths, _contents(after.state, old.head, paths),
                              _contents(after.state, new.head, paths))  # fmt: skip
        commits = _commits(after.state.root, old.head, new.head)
    except GitFailed as error:
        return UNKNOWN_CHANGES._replace(
            any_change=any_change, problem=f"The changes of the iteration are unknown: {error.reason}."
        )
    own, shared = uncommitted_files(files, old, new)
    return IterationChanges(files, commits, own, shared, bool(files or commits))


def commit(root: Path, files: Sequence[str], message: str) -> str:
    """Commit some files as they are, without other staged or changed files; return the commit id.

    Raise GitFailed; the index is then as it was before.
    """
    # The commit is the user's: identity variables of the environment apply.
    identity = {name: value for name, value in environment().items() if name.startswith(_IDENTITY)}
    git = Git(root, variables={**identity, **ANY_PROTOCOL})
    tracked = _index_lines(git)
    untracked = [name for name in files if name not in tracked and os.path.lexists(root / name)]
    if untracked:
        git.run("add", "--intent-to-add", *_PATHSPEC_OPTIONS, stdin=_pathspecs(untracked))
    message_option = f"--message={message}"
    try:
        git.run(
            "commit",
            "--quiet",
            "--only",
            message_option,
            *_PATHSPEC_OPTIONS,
            stdin=_pathspecs(files),
            timeout=COMMIT_SECONDS,
        )
    except BaseException:
        _restore_index(git, untracked, tracked)
        raise
    return git.text("rev-parse", "HEAD")


def _index_lines(git: Git) -> dict[str, str]:
    """Return the lines of `git ls-files --stage` by path."""
    return {line.partition("\t")[2]: line for line in _split(git.run("ls-files", "--stage", "-z"))}


def _restore_index(git: Git, added: Sequence[str], before: Mapping[str, str]) -> None:
    """Remove added files from the index, and restore the files that those replaced: a folder that was a file.

    Files whose content is in the index stay: a commit that timed out may have succeeded.
    """
    with suppress(GitFailed):
        intents = {*_split(git.run("diff-files", "--ita-invisible-in-index", "--diff-filter=A", "--name-only", "-z"))}
        removed = [name for name in added if name in intents]
        if removed:
            missing = before.keys() - _index_lines(git)
            lost = [path for path in missing if any(_excludes(path, name) for name in removed)]
            git.run("update-index", "--force-remove", "-z", "--stdin", stdin=_joined(removed))
            git.run("update-index", "-z", "--index-info", stdin=_joined(before[path] for path in lost))


def _excludes(path: str, other: str) -> bool:
    """Whether a worktree cannot have both files, as one is a folder of the other."""
    return path.startswith(f"{other}/") or other.startswith(f"{path}/")


def excluded_files(root: Path, files: Sequence[str], old_head: str | None) -> list[str]:
    """Return the files that are never committed: secret by name, or ignored by git and not in the old commit.

    Raise GitFailed.
    """
    git = Git(root)
    # A leading colon would be pathspec magic here.
    names = _joined(f"./{name}" for name in files)
    output = git.run("check-ignore", "--no-index", "-z", "--stdin", stdin=names, success_codes=(0, 1))
    ignored = {name[2:] for name in _split(output)}
    if ignored and old_head is not None:
        ignored.difference_update(_split(git.run("ls-tree", "-r", "-z", "--name-only", old_head)))
    return [name for name in files if name in ignored or is_secret_path(name)]


def relative_paths(root: Path, cwd: Path, paths: Iterable[str]) -> set[str]:
    """Return paths in the worktree, as an agent in `cwd` named them, relative to its top."""
    real = filter(None, (real_path(cwd / path) for path in paths))
    relative = (path_below(os.fspath(root), os.fspath(path)) for path in real)
    return {path for path in relative if path is not None}


def _pathspecs(files: Sequence[str]) -> bytes:
    return "\0".join(f":(top,literal){name}" for name in files).encode("utf-8", "surrogateescape")


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\0" for line in lines).encode("utf-8", "surrogateescape")


def _split(output: bytes) -> list[str]:
    return [name for name in output.decode("utf-8", "surrogateescape").split("\0") if name]


def _files_between(state: RepositoryState, old: str | None, new: str | None) -> list[str]:
    """Return the files that differ between two commits; all files of the new one if there was no commit before."""
    if old == new or new is None:
        return []
    quiet = ("-r", "-z", "--name-only")
    if old is None:
        return _names(state, "ls-tree", *quiet, "--full-tree", new)
    return _names(state, "diff-tree", *quiet, "--no-renames", old, new)


def _names(state: RepositoryState, *arguments: str) -> list[str]:
    output = Git(state.root).run(*arguments).decode("utf-8", "surrogateescape")
    return [name.removeprefix(state.prefix) for name in output.split("\0") if name.startswith(state.prefix) and name]


def _contents(state: RepositoryState, commit_id: str | None, paths: Sequence[str]) -> dict[str, str]:
    return blob_ids(state, commit_id, paths) if commit_id is not None and paths else {}


def _commits(root: Path, old: str | None, new: str | None) -> list[str]:
    if old == new or new is None:
        return []
    which = new if old is None else f"{old}..{new}"
    listed = Git(root).text("rev-list", f"--max-count={MAX_COMMITS}", which, "--").split()
    return listed[::-1]
