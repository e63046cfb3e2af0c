"""What is added to a branch, as values, and whether a branch of that name can be made. Pure."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Conflict, PolicyDenied, WorkspaceUnavailable
from sidecar.system.libgit import pygit2
from sidecar.system.safe_open import content_of

AUTHOR_NAME, AUTHOR_EMAIL = "1Code continuity", "continuity@onecode.invalid"
"""Who commits: never the user, and an address that cannot be anybody's (RFC 2606)."""

HEADS = "refs/heads/"

Files = Mapping[str, bytes]
"""Contents by path, the parts of one joined by slashes."""


class Addition(NamedTuple):
    """Files to add to a branch, with the commit's message and moment (seconds since 1970-01-01 UTC)."""

    files: Files
    message: str
    at_s: int


class Tip(NamedTuple):
    """A branch's newest commit that holds the files; `is_new` unless they were there already."""

    commit: str
    is_new: bool


def require_room(branch: str, refs: Iterable[str]) -> None:
    """Raises PolicyDenied where a ref's name is a folder of the branch's or the other way round."""
    name = HEADS + branch
    parts = name.split("/")
    above = {"/".join(parts[:count]) for count in range(3, len(parts))}
    for other in refs:
        if other in above or other.startswith(f"{name}/"):
            raise PolicyDenied(
                f"The branch name `{branch}` conflicts with the existing branch `{other.removeprefix(HEADS)}`.",
                hint="Choose another branch in the setting `memoryBranch`.",
            )


def in_another_place(name: str) -> Conflict:
    """Makes the error for a file in a folder's place on the branch, or the other way round."""
    return Conflict(f"`{name}` on the memory branch is not of the expected kind.", hint="Rename it on that branch.")


# Where a repository is and what its branches are used for, told from git's own files; nothing is written.


_REMOTES = "refs/remotes"
_SYMBOLIC = "ref: "
_BUSY_WITH = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START", "rebase-merge/update-refs")
"""What names the branches a rebase or a bisection goes back to, one in a line."""

MAX_REF_BYTES = 2**20
"""Of a file that names refs."""

_MAX_HOPS = 5
"""git follows a symbolic ref so far."""


class Place(NamedTuple):
    """A repository: the folder it was found from, and the git directory that all its worktrees share."""

    folder: Path
    common_dir: Path


class Uses(NamedTuple):
    """What branches are used for; branches by their short names."""

    checked_out: frozenset[str]
    """Those a worktree stands on, is to be born on, or goes back to after a rebase or a bisection."""
    remote_defaults: frozenset[str]
    """Those that a remote calls its default."""
    points_at: str | None
    """The ref that the branch asked for is but another name for."""


def place_of(folder: Path) -> Place:
    """Finds the repository at or above a folder, a bare one too; raises WorkspaceUnavailable where there is none."""
    try:
        found = pygit2().discover_repository(str(folder))
    except (ValueError, KeyError, OSError):
        found = None
    if found is None:
        raise WorkspaceUnavailable(
            "The project is not in a git repository.", hint="Artifacts stay in the state file as drafts."
        )
    git_dir = Path(found)
    shared = _line(git_dir / "commondir")
    return Place(folder, (git_dir / shared).resolve() if shared else git_dir)


def uses_of(place: Place, branch: str) -> Uses:
    """Tells what the repository's branches are used for, and whether `branch` is one of its own."""
    common = place.common_dir
    return Uses(
        frozenset(_checked_out(common)), frozenset(_remote_defaults(common)), _target(common / f"{HEADS}{branch}")
    )


def _checked_out(common: Path) -> Iterator[str]:
    for git_dir in (common, *_folders(common / "worktrees")):
        yield from _followed(common, _target(git_dir / "HEAD"))
        for name in _BUSY_WITH:
            for line in _lines(git_dir / name):
                yield line.removeprefix(HEADS)


def _followed(common: Path, ref: str | None) -> Iterator[str]:
    """Gives the branch a ref names, and those that one is another name for."""
    for _ in range(_MAX_HOPS):
        if ref is None:
            return
        if ref.startswith(HEADS):
            yield ref.removeprefix(HEADS)
        ref = _target(common / ref)


def _remote_defaults(common: Path) -> Iterator[str]:
    """A remote's name may hold slashes; symbolic refs are never packed."""
    root = common / _REMOTES
    for folder, _, names in os.walk(root):
        target = _target(Path(folder) / "HEAD") if "HEAD" in names else None
        own = f"{_REMOTES}/{Path(folder).relative_to(root).as_posix()}/"
        if target is not None and target.startswith(own):
            yield target.removeprefix(own)


def _target(file: Path) -> str | None:
    """Gives the ref a symbolic one names; None for any other. Old versions of git made it a symbolic link."""
    try:
        if file.is_symlink():
            return os.readlink(file).replace(os.sep, "/")
    except OSError:
        return None
    line = _line(file)
    return line.removeprefix(_SYMBOLIC).strip() if line is not None and line.startswith(_SYMBOLIC) else None


def _line(file: Path) -> str | None:
    return next(iter(_lines(file)), None)


def _lines(file: Path) -> list[str]:
    try:
        return content_of(str(file), MAX_REF_BYTES).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []


def _folders(folder: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir()]
    except OSError:
        return []
