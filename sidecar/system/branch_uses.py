"""Location of a repository, uses of its branches, and commits for a branch, from git's own files; read-only."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Conflict, PolicyDenied, WorkspaceUnavailable
from sidecar.system.libgit import pygit2
from sidecar.system.safe_open import read_regular

AUTHOR_NAME, AUTHOR_EMAIL = "1Code continuity", "continuity@onecode.invalid"
"""Author of our commits: never the user, with an address that cannot exist (RFC 2606)."""

HEADS = "refs/heads/"

Files = Mapping[str, bytes]
"""Contents by path, with `/` between the parts."""


class BranchCommit(NamedTuple):
    """Files to add to a branch, with the commit's message and time (seconds since 1970-01-01 UTC)."""

    files: Files
    message: str
    at_s: int


class Tip(NamedTuple):
    """A branch's newest commit that contains the files; `is_new` is False if they were there already."""

    commit: str
    is_new: bool


def require_no_ref_conflict(branch: str, refs: Iterable[str]) -> None:
    """Raise PolicyDenied if a ref's name is a folder of the branch's name, or the other way round."""
    name = HEADS + branch
    parts = name.split("/")
    parent_refs = {"/".join(parts[:count]) for count in range(3, len(parts))}
    for other in refs:
        if other in parent_refs or other.startswith(f"{name}/"):
            raise PolicyDenied(
                f"The branch name `{branch}` conflicts with the existing branch `{other.removeprefix(HEADS)}`.",
                hint="Choose another branch in the setting `memoryBranch`.",
            )


def path_conflict(name: str) -> Conflict:
    """Return the error for a file where the branch has a folder, or the other way round."""
    return Conflict(f"`{name}` on the memory branch is not of the expected kind.", hint="Rename it on that branch.")


# Where a repository is and what its branches are used for, told from git's own files; nothing is written.


_REMOTES = "refs/remotes"
_SYMBOLIC = "ref: "
_IN_PROGRESS_FILES = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START", "rebase-merge/update-refs")
"""Files that name the branches a rebase or bisection returns to, one per line."""

MAX_REF_BYTES = 2**20
"""Maximum size of a file that names refs."""

_MAX_HOPS = 5
"""Maximum length of a chain of symbolic refs; git has the same limit."""


class RepositoryLocation(NamedTuple):
    """A repository: the folder it was found from, and the git directory all its worktrees share."""

    folder: Path
    common_dir: Path


class BranchUses(NamedTuple):
    """What branches are used for, by their short names."""

    checked_out: frozenset[str]
    """Branches that a worktree has checked out, will create with its first commit, or returns to after a rebase or a
    bisection.
    """
    remote_defaults: frozenset[str]
    """Default branches of the remotes."""
    symbolic_target: str | None
    """Target of the requested branch if it is a symbolic ref."""


def locate_repository(folder: Path) -> RepositoryLocation:
    """Return the repository at or above a folder, bare ones included; raise WorkspaceUnavailable if there is none."""
    try:
        git_dir_path = pygit2().discover_repository(str(folder))
    except (ValueError, KeyError, OSError):
        git_dir_path = None
    if git_dir_path is None:
        raise WorkspaceUnavailable(
            "The project is not in a git repository.", hint="Artifacts stay in the state file as drafts."
        )
    git_dir = Path(git_dir_path)
    common_dir = _line(git_dir / "commondir")
    return RepositoryLocation(folder, (git_dir / common_dir).resolve() if common_dir else git_dir)


def branch_uses(location: RepositoryLocation, branch: str) -> BranchUses:
    """Return what the repository's branches are used for, and whether `branch` is a symbolic ref."""
    common = location.common_dir
    return BranchUses(
        frozenset(_checked_out(common)),
        frozenset(_remote_defaults(common)),
        _symbolic_target(common / f"{HEADS}{branch}"),
    )


def _checked_out(common: Path) -> Iterator[str]:
    for git_dir in (common, *_folders(common / "worktrees")):
        yield from _resolve_symbolic(common, _symbolic_target(git_dir / "HEAD"))
        for name in _IN_PROGRESS_FILES:
            for line in _lines(git_dir / name):
                yield line.removeprefix(HEADS)


def _resolve_symbolic(common: Path, ref: str | None) -> Iterator[str]:
    """Yield the branch a ref names, following symbolic refs."""
    for _ in range(_MAX_HOPS):
        if ref is None:
            return
        if ref.startswith(HEADS):
            yield ref.removeprefix(HEADS)
        ref = _symbolic_target(common / ref)


def _remote_defaults(common: Path) -> Iterator[str]:
    """Yield the remotes' default branches. A remote's name may contain slashes; symbolic refs are never packed."""
    root = common / _REMOTES
    for folder, _, names in os.walk(root):
        target = _symbolic_target(Path(folder) / "HEAD") if "HEAD" in names else None
        prefix = f"{_REMOTES}/{Path(folder).relative_to(root).as_posix()}/"
        if target is not None and target.startswith(prefix):
            yield target.removeprefix(prefix)


def _symbolic_target(file: Path) -> str | None:
    """Return the target of a symbolic ref, else None. Old versions of git used symbolic links."""
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
        return read_regular(str(file), MAX_REF_BYTES).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []


def _folders(folder: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir()]
    except OSError:
        return []
