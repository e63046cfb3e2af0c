"""Location of a worktree's repository, from the files git itself reads."""

import os
from pathlib import Path
from typing import NamedTuple

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


# How git may convert a file's content on its way into the index, from settings and attribute files.
#
# Content that is surely unconverted has the id of its own bytes; all other content is left to git to compare.


FILTERS, LINES, DIFFS = 1, 2, 4
"""Flags: an attribute that runs programs or re-encodes; one about line endings, which only affects content with CR LF;
one about how diffs are shown.
"""

ANYTHING = FILTERS | LINES | DIFFS

_ATTRIBUTE_WORDS = {
    FILTERS: (b"filter", b"ident", b"working-tree-encoding"),
    LINES: (b"text", b"eol", b"crlf"),
    DIFFS: (b"diff", b"binary"),
}
MAX_ATTRIBUTES_BYTES = 2**20

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_STANDARD_VALUES: dict[str, tuple[str, ...]] = {
    "core.trustctime": _TRUE,
    "core.checkstat": ("default",),
    "core.symlinks": _TRUE,
    "core.sparsecheckout": _FALSE,
    "core.precomposeunicode": _FALSE,
    "attr.tree": (),
}
"""Settings that change what git compares; any other value leaves every comparison to git."""


class Conversion(NamedTuple):
    """How this repository's settings make git compare contents."""

    compares_mode: bool
    ignores_case: bool
    global_flags: int
    """Flags that settings and attribute files outside the worktree may set."""


def conversion_of(settings: dict[str, str]) -> Conversion | None:
    """Evaluate settings (lower-case name → last value); return None if comparing is best left to git."""
    for name, allowed in _STANDARD_VALUES.items():
        if name in settings and settings[name].lower() not in allowed:
            return None
    compares_mode = _boolean(settings.get("core.filemode", "true"))
    ignores_case = _boolean(settings.get("core.ignorecase", "false"))
    lines = LINES if settings.get("core.autocrlf", "false").lower() not in _FALSE else 0
    return None if compares_mode is None or ignores_case is None else Conversion(compares_mode, ignores_case, lines)


def flags_in_file(path: str) -> int:
    """Return the flags an attribute file may set; all of them if it is unreadable."""
    try:
        content = read_regular(path, MAX_ATTRIBUTES_BYTES, follow_links=False)
    except FileNotFoundError:
        return 0
    except OSError:
        return ANYTHING
    return sum(kind for kind, words in _ATTRIBUTE_WORDS.items() if any(word in content for word in words))


def _boolean(value: str) -> bool | None:
    lowered = value.lower()
    return True if lowered in _TRUE else False if lowered in _FALSE else None
