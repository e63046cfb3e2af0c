"""Where a worktree's repository is, told from the files git itself looks at."""

import os
from pathlib import Path

from sidecar.system.safe_open import content_of, opened

MAX_POINTER_BYTES = 64 * 1024
"""Of a file that holds one path."""

_GITDIR = "gitdir: "


def find_root(cwd: Path) -> Path | None:
    """Gives the nearest folder at or above `cwd` that git would take for a worktree's root.

    A folder `.git` that holds no repository is passed over, as git does; a file `.git` always counts.
    """
    for folder in (cwd, *cwd.parents):
        dot_git = folder / ".git"
        if dot_git.is_file() or (dot_git.is_dir() and is_git_dir(dot_git)):
            return folder
    return None


def git_dir_of(root: Path) -> Path | None:
    """Gives the git directory of a worktree: `.git` itself, or what the file `.git` points at."""
    dot_git = root / ".git"
    if dot_git.is_dir():
        return dot_git
    try:
        text = content_of(str(dot_git), MAX_POINTER_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    return root / text.removeprefix(_GITDIR).rstrip("\r\n") if text.startswith(_GITDIR) else None


def common_dir_of(root: Path) -> Path | None:
    """Gives the git directory that all worktrees of a repository share, without symbolic links."""
    git_dir = git_dir_of(root)
    if git_dir is None:
        return None
    try:
        told = content_of(str(git_dir / "commondir"), MAX_POINTER_BYTES)
    except OSError:
        return git_dir.resolve()
    return (git_dir / told.decode("utf-8", "surrogateescape").strip()).resolve()


def index_signature(root: Path) -> tuple[object, ...] | None:
    """Identifies the index's content: its stat and the checksum at its end; None where there is none."""
    git_dir = git_dir_of(root)
    if git_dir is None:
        return None
    try:
        with os.fdopen(opened(str(git_dir / "index"), follows=True), "rb") as file:
            found = os.fstat(file.fileno())
            file.seek(max(0, found.st_size - 20))
            checksum = file.read(20)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, checksum


def is_git_dir(git_dir: Path) -> bool:
    """Says whether git would take a folder for a git directory, as a bare repository is one."""
    if not os.path.lexists(git_dir / "HEAD"):
        return False
    return (git_dir / "commondir").is_file() or ((git_dir / "objects").is_dir() and (git_dir / "refs").is_dir())
