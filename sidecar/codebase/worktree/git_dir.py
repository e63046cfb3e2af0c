"""Location of a worktree's repository, from the files git itself reads."""

import os
from pathlib import Path

from sidecar.system.safe_open import open_regular, read_regular

MAX_POINTER_BYTES = 64 * 1024
"""Maximum size of a file that contains one path."""

_GITDIR = "gitdir: "


def find_root(cwd: Path) -> Path | None:
    """Return the nearest folder at or above `cwd` that git treats as a worktree's root.

    Like git, skip a folder `.git` that contains no repository; a file `.git` always counts.
    """
    for folder in (cwd, *cwd.parents):
        dot_git = folder / ".git"
        if dot_git.is_file() or (dot_git.is_dir() and is_git_dir(dot_git)):
            return folder
    return None


def git_dir_of(root: Path) -> Path | None:
    """Return the git directory of a worktree: `.git` itself, or the target of the file `.git`."""
    dot_git = root / ".git"
    if dot_git.is_dir():
        return dot_git
    try:
        text = read_regular(str(dot_git), MAX_POINTER_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    return root / text.removeprefix(_GITDIR).rstrip("\r\n") if text.startswith(_GITDIR) else None


def common_dir_of(root: Path) -> Path | None:
    """Return the git directory that all worktrees of a repository share, without symbolic links."""
    git_dir = git_dir_of(root)
    if git_dir is None:
        return None
    try:
        content = read_regular(str(git_dir / "commondir"), MAX_POINTER_BYTES)
    except OSError:
        return git_dir.resolve()
    return (git_dir / content.decode("utf-8", "surrogateescape").strip()).resolve()


def index_signature(root: Path) -> tuple[object, ...] | None:
    """Return the index's stat and final checksum, which identify its content; None if there is none."""
    git_dir = git_dir_of(root)
    if git_dir is None:
        return None
    try:
        with os.fdopen(open_regular(str(git_dir / "index"), follow_links=True), "rb") as file:
            file_stat = os.fstat(file.fileno())
            file.seek(max(0, file_stat.st_size - 20))
            checksum = file.read(20)
    except OSError:
        return None
    return file_stat.st_mtime_ns, file_stat.st_ctime_ns, file_stat.st_size, file_stat.st_ino, checksum


def is_git_dir(git_dir: Path) -> bool:
    """Whether git treats a folder as a git directory; a bare repository is one."""
    if not os.path.lexists(git_dir / "HEAD"):
        return False
    return (git_dir / "commondir").is_file() or ((git_dir / "objects").is_dir() and (git_dir / "refs").is_dir())
