"""The differences of a worktree against a commit, file by file, as text."""

from pathlib import Path
from typing import NamedTuple

from sidecar.system.git import Git

_OPTIONS = (
    "--patch-with-raw", "-z", "--abbrev=40", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
    "--unified=2", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--relative",
)  # fmt: skip

MAX_PATHS = 200
"""More files than this are told apart by their counts, not shown by hunk."""


class FileDiff(NamedTuple):
    """One file's difference; `hunks` is unified text from the first `@@` on, empty where git shows none."""

    path: str
    added: int
    removed: int
    hunks: str


class Moved(NamedTuple):
    """What happened between two commits: subjects of the new ones, newest first, and the files' differences."""

    subjects: tuple[str, ...]
    files: tuple[FileDiff, ...]


def diff_against(cwd: Path, base: str, paths: list[str]) -> dict[str, FileDiff]:
    """Gives the difference between a commit and the worktree for some paths; raises GitFailed."""
    if not paths:
        return {}
    literal = [f":(literal){path}" for path in paths]
    return _parsed(Git(cwd).run("diff", *_OPTIONS, base, "--", *literal))


def diff_between(cwd: Path, old: str, new: str) -> dict[str, FileDiff]:
    """Gives the difference between two commits below `cwd`; raises GitFailed."""
    return _parsed(Git(cwd).run("diff", *_OPTIONS, old, new, "--", "."))


def subjects_between(cwd: Path, old: str, new: str, limit: int) -> list[str]:
    """Gives the commits in `new` that are not in `old`, newest first: short id and subject; raises GitFailed."""
    text = Git(cwd).text("log", f"--max-count={limit}", "--format=%h %s", f"{old}..{new}", "--")
    return [line for line in text.splitlines() if line]


def count_lines(hunks: str) -> tuple[int, int]:
    """Counts added and removed lines of unified text."""
    added = removed = 0
    for line in hunks.splitlines():
        added += line.startswith("+")
        removed += line.startswith("-")
    return added, removed


def _parsed(output: bytes) -> dict[str, FileDiff]:
    """Reads raw entries, which give exact paths, and the patches that follow them in the same order."""
    raw, separator, patch_text = output.partition(b"\0\0")
    paths = _raw_paths(raw + b"\0" if separator else raw)
    patches = _split_patches(patch_text)
    found: dict[str, FileDiff] = {}
    for path, patch in zip(paths, patches, strict=False):
        start = patch.find("\n@@ ")
        hunks = patch[start + 1 :] if start >= 0 else ""
        added, removed = count_lines(hunks)
        found[path] = FileDiff(path, added, removed, hunks)
    return found


def _raw_paths(raw: bytes) -> list[str]:
    """The present path of each raw entry that has a patch; an unmerged one has none."""
    paths: list[str] = []
    fields = iter(raw.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        if not field.startswith(":"):
            continue
        status = field.rsplit(" ", 1)[-1]
        path = next(fields, "")
        if status[:1] in ("R", "C"):
            path = next(fields, path)
        if status[:1] != "U":
            paths.append(path)
    return paths


def _split_patches(text: bytes) -> list[str]:
    """Cuts at the lines that begin a file; a line of content always has a mark before it."""
    decoded = "\n" + text.decode("utf-8", "replace")
    return ["\n" + part for part in decoded.split("\ndiff --git ")[1:]]
