"""Copy a git repository with its uncommitted state, so that the session can edit without touching the original."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "GIT_OPTIONAL_LOCKS": "0"}


class Copy(NamedTuple):
    """The copied repository, its name, and the number of uncommitted files copied."""

    path: Path
    name: str
    uncommitted: int


class NotARepository(Exception):
    """The folder is not a repository that git can clone."""


def git(where: Path, *arguments: str) -> str:
    """Run git and return its output. Raise CalledProcessError."""
    settings = ("user.name=1Code", "user.email=1code@localhost", "commit.gpgSign=false", f"core.hooksPath={os.devnull}")
    given = [part for setting in settings for part in ("-c", setting)]
    done = subprocess.run(
        ["git", *given, "-C", os.fspath(where), *arguments],
        capture_output=True,
        check=True,
        env={**os.environ, **_QUIET},
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def copy_repository(source: Path, target: Path) -> Copy:
    """Clone a repository and copy its uncommitted files; ignored files are left out."""
    try:
        root = Path(git(source, "rev-parse", "--show-toplevel").strip())
        git(source, "clone", "--quiet", "--no-tags", os.fspath(root), os.fspath(target))
    except (subprocess.CalledProcessError, OSError) as error:
        raise NotARepository(f"{source} is not a git repository that can be cloned.") from error
    changed = _uncommitted(root)
    for name in changed:
        _bring(root / name, target / name)
    _stage(root, target)
    return Copy(target, root.name, len(changed))


def _uncommitted(root: Path) -> list[str]:
    untracked = git(root, "ls-files", "--others", "--exclude-standard", "-z")
    try:
        tracked = git(root, "diff", "--name-only", "--no-renames", "-z", "HEAD")
    except subprocess.CalledProcessError:  # no commit yet: everything in the index is new
        tracked = git(root, "ls-files", "-z")
    return sorted({name for name in (tracked + untracked).split("\0") if name})


def _bring(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        return  # a submodule or a repository of its own
    if target.is_symlink() or target.exists():
        target.unlink()
    if source.is_symlink() or source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)


def _stage(root: Path, target: Path) -> None:
    """Stage in the copy what is staged in the original."""
    try:
        staged = git(root, "diff", "--cached", "--name-only", "--no-renames", "-z").split("\0")
    except subprocess.CalledProcessError:
        return
    names = [name for name in staged if name]
    if names:
        git(target, "add", "--all", "--", *[f":(literal){name}" for name in names])
