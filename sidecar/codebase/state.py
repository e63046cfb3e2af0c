"""The state of a worktree, asked of git anew at every look: head, branch, changed files with content hashes."""

import os
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.codebase.hashing import ContentHashes
from sidecar.codebase.porcelain import ChangeKind, Entry, parse_status
from sidecar.core.digests import digest_value
from sidecar.system.git import Git, GitFailed

OWN_FOLDERS = (".chati/", ".spool/")
"""Folders of our own making never enter state or hash."""

MAX_SUBMODULE_DEPTH = 3


class ChangedFile(NamedTuple):
    """A file that differs from the head commit; `path` is relative to `cwd`, surrogates stand for odd bytes."""

    path: str
    kind: ChangeKind
    code: str
    content_hash: str
    original: str | None


class RepositoryState(NamedTuple):
    """What the worktree was at one moment, and how that was proven."""

    kind: Literal["git", "folder"]
    """git, or folder where there is no repository."""
    root: Path
    prefix: str
    """`cwd` relative to the root, with a slash at its end; empty at the root."""
    head: str | None
    branch: str | None
    changed: tuple[ChangedFile, ...]
    changed_hash: str
    proof: str
    """status: a full `git status`; walk: every file of a folder without git was looked at."""


class StateFailed(Exception):
    """The state cannot be told; `reason` says why in a few words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_state(cwd: Path, hashes: ContentHashes, empty_git: Path, depth: int = 0) -> RepositoryState:
    """Looks at a worktree, or at a folder without git through git's own ignore rules.

    `empty_git` is where an empty repository may be kept for the latter. Raises StateFailed.
    """
    root = find_root(cwd)
    try:
        if root is not None:
            try:
                return _of_worktree(cwd, root, hashes, empty_git, depth)
            except GitFailed as error:
                if error.reason != "not a git repository":
                    raise
        return _of_folder(cwd, hashes, empty_git)
    except GitFailed as error:
        raise StateFailed(error.reason) from error


def find_root(cwd: Path) -> Path | None:
    """Gives the nearest folder at or above `cwd` that has a `.git`, a folder or a file."""
    for folder in (cwd, *cwd.parents):
        if os.path.lexists(folder / ".git"):
            return folder
    return None


def _of_worktree(cwd: Path, root: Path, hashes: ContentHashes, empty_git: Path, depth: int) -> RepositoryState:
    prefix = "" if cwd == root else cwd.relative_to(root).as_posix() + "/"
    output = Git(cwd).run(
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--untracked-files=all",
        "--find-renames",
        "--ignore-submodules=none",
        "--",
        ".",
    )
    status = parse_status(output)
    changed = tuple(
        _changed_file(entry, root, prefix, hashes, empty_git, depth)
        for entry in status.entries
        if entry.path.startswith(prefix) and not entry.path.startswith(tuple(prefix + own for own in OWN_FOLDERS))
    )
    index_ids = [entry.index_id for entry in status.entries]
    digest = digest_value(
        [[_wire(file.path), file.code, file.content_hash, _wire(file.original or "")] for file in changed] + index_ids
    )
    return RepositoryState("git", root, prefix, status.head, status.branch, changed, digest, "status")


def _changed_file(
    entry: Entry, root: Path, prefix: str, hashes: ContentHashes, empty_git: Path, depth: int
) -> ChangedFile:
    absolute = os.path.join(root, entry.path)
    if entry.is_submodule:
        content = _submodule_hash(Path(absolute), hashes, empty_git, depth)
    else:
        content = hashes.of(absolute) or "absent"
    original = entry.original.removeprefix(prefix) if entry.original is not None else None
    return ChangedFile(entry.path.removeprefix(prefix), entry.kind, entry.code, content, original)


def _submodule_hash(folder: Path, hashes: ContentHashes, empty_git: Path, depth: int) -> str:
    """Identifies the state of a nested repository: its head and its own changes."""
    if depth >= MAX_SUBMODULE_DEPTH or find_root(folder) != folder:
        return "nested"
    try:
        inner = read_state(folder, hashes, empty_git, depth + 1)
    except StateFailed as error:
        return f"nested:{error.reason}"
    return f"nested:{inner.head}:{inner.changed_hash}"


def _of_folder(cwd: Path, hashes: ContentHashes, empty_git: Path) -> RepositoryState:
    paths = list_folder(cwd, empty_git)
    listed = tuple(
        ChangedFile(path, "untracked", "??", hashes.of(os.path.join(cwd, path)) or "absent", None) for path in paths
    )
    digest = digest_value([[_wire(file.path), file.content_hash] for file in listed])
    return RepositoryState("folder", cwd, "", None, None, listed, digest, "walk")


def list_folder(cwd: Path, empty_git: Path) -> list[str]:
    """Lists the files below a folder without git, by git's own rules for `.gitignore`; raises GitFailed."""
    if not (empty_git / "HEAD").exists():
        empty_git.parent.mkdir(parents=True, exist_ok=True)
        Git(empty_git.parent).run("init", "--quiet", "--bare", str(empty_git))
    output = Git(cwd, empty_git).run("ls-files", "--others", "--exclude-standard", "-z")
    paths = output.decode("utf-8", "surrogateescape").split("\0")
    return sorted(path for path in paths if path and not path.endswith("/") and not path.startswith(OWN_FOLDERS))


def _wire(path: str) -> str:
    """Makes a path that orjson accepts and that stays as distinct as its bytes are."""
    return path.encode("utf-8", "surrogateescape").decode("latin-1")
