"""The worktree an iteration works in: what it changed, which commits were made, and committing that alone."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase import ChangedFile, RepositoryState, StateFailed, blobs_of, repository_of
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.system.environment import environment
from sidecar.system.git import ANY_PROTOCOL, Git, GitFailed
from sidecar.workspace import Workspace

# Which files an iteration changed: from two states of the worktree and the commits between them. Pure.
#
# A file counts when its content is another one than before the iteration, whether it was committed meanwhile or not;
# what was dirty before and is as it was does not count.


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


MAX_COMMITS = 50
COMMIT_SECONDS = 600.0
"""The user's own hooks run."""

_IDENTITY = ("GIT_AUTHOR_", "GIT_COMMITTER_")
_GIVEN = ("--pathspec-from-file=-", "--pathspec-file-nul")


class Seen(NamedTuple):
    """A look at the worktree, and the state it was taken from."""

    state: RepositoryState
    look: Look


class Changes(NamedTuple):
    """What an iteration did to the worktree."""

    files: list[str] | None
    """None outside git, and where it cannot be told."""
    commits: list[str]
    """Oldest first."""
    own: list[str]
    """Files not committed that are the iteration's alone."""
    shared: list[str]
    """Files not committed that were dirty before the iteration."""
    is_other: bool | None
    """Whether anything is different now, without git too; None where it cannot be told."""
    problem: str = ""


UNKNOWN = Changes(None, [], [], [], None)


def see(process: Process, workspace: Workspace) -> Seen | str:
    """Looks at the worktree; gives a sentence where that cannot be done."""
    try:
        workspace.require()
        state = repository_of(workspace, process).state()
    except (StateFailed, WorkspaceUnavailable, OSError) as error:
        why = error.reason if isinstance(error, StateFailed) else type(error).__name__
        return f"What the iteration changed cannot be told: {why}."
    return Seen(state, Look(state.head, dirty_of(state.changed), state.changed_hash, state.kind == "git"))


def changes(before: Seen | str, after: Seen | str) -> Changes:
    """Compares two looks."""
    if isinstance(before, str) or isinstance(after, str):
        return UNKNOWN._replace(problem=before if isinstance(before, str) else str(after))
    one, other = before.look, after.look
    is_other = (one.head, one.digest) != (other.head, other.digest)
    if not (one.is_git and other.is_git):
        return UNKNOWN._replace(is_other=is_other)
    try:
        paths = suspects(one, other, _between(after.state, one.head, other.head))
        files = changed_files(one, other, paths, _contents(after.state, one.head, paths),
                              _contents(after.state, other.head, paths))  # fmt: skip
        commits = _commits(after.state.root, one.head, other.head)
    except GitFailed as error:
        return UNKNOWN._replace(is_other=is_other, problem=f"What the iteration changed is not known: {error.reason}.")
    own, shared = to_commit(files, one, other)
    return Changes(files, commits, own, shared, bool(files or commits))


def commit(root: Path, files: Sequence[str], message: str) -> str:
    """Commits some files as they are, and nothing else that is staged or changed; gives the id. Raises GitFailed."""
    # The user commits: also where the variables of the environment say who that is.
    who = {name: value for name, value in environment().items() if name.startswith(_IDENTITY)}
    git = Git(root, variables={**who, **ANY_PROTOCOL})
    there = [name for name in files if os.path.lexists(root / name)]
    if there:
        git.run("add", "--intent-to-add", *_GIVEN, stdin=_pathspecs(there))
    told = f"--message={message}"
    git.run("commit", "--quiet", "--only", told, *_GIVEN, stdin=_pathspecs(files), timeout=COMMIT_SECONDS)
    return git.text("rev-parse", "HEAD")


def _pathspecs(files: Sequence[str]) -> bytes:
    return "\0".join(f":(top,literal){name}" for name in files).encode("utf-8", "surrogateescape")


def _between(state: RepositoryState, old: str | None, new: str | None) -> list[str]:
    """Names the files that differ between two commits; all of one where there was none before."""
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
    return blobs_of(state, commit_id, paths) if commit_id is not None and paths else {}


def _commits(root: Path, old: str | None, new: str | None) -> list[str]:
    if old == new or new is None:
        return []
    which = new if old is None else f"{old}..{new}"
    listed = Git(root).text("rev-list", f"--max-count={MAX_COMMITS}", which, "--").split()
    return listed[::-1]
