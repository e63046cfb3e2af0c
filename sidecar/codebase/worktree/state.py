"""The state of a worktree, asked of git: head, branch, changed files with content hashes."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.codebase.worktree.folder import list_folder
from sidecar.codebase.worktree.gitdir import find_root, is_git_dir
from sidecar.codebase.worktree.hashing import ContentHashes, ObjectFormat
from sidecar.codebase.worktree.porcelain import ChangeKind, Entry, parse_status
from sidecar.core.digests import digest_value
from sidecar.system.git import DAMAGED, NO_WORK_TREE, NOT_A_REPOSITORY, Git, GitFailed

OWN_FOLDERS = (".chati/", ".spool/")
"""Folders of our own making never enter state or hash."""

MAX_NESTED_DEPTH = 3
MAX_NESTED_LOOKS = 50
"""Repositories inside a repository or folder are looked into so deep, and so many of them at one look."""

_STATUS = (
    "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=all", "--find-renames",
    "--ignore-submodules=none", "--", ".",
)  # fmt: skip

_GONE = ("D.", ".D", "MD", "AD", "RD", "CD", "TD")


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
    """status: a full `git status`; watch: the same, and all that changed since then are files that a watch named and
    that were looked at again; watch+stat: the same with a watch that may miss changes; walk: every file
    of a folder without git was looked at."""


class Reading(NamedTuple):
    """A state, and what git said about each of its changed files, in the same order; nothing of a folder."""

    state: RepositoryState
    entries: tuple[Entry, ...]


class StateFailed(Exception):
    """The state cannot be told; `reason` says why in a few words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Look:
    """One look: what it knows of contents, where our own state lies, how many nested repositories it has seen."""

    def __init__(self, hashes: ContentHashes, state_dir: Path) -> None:
        self.hashes = hashes
        self.empty_git = state_dir / "folder.git"
        self._state_dir = f"{state_dir}/"
        self._nested = 0

    def may_enter(self, depth: int) -> bool:
        """Says whether one more nested repository may be looked into."""
        self._nested += 1
        return depth < MAX_NESTED_DEPTH and self._nested <= MAX_NESTED_LOOKS

    def is_own(self, folder: Path, path: str) -> bool:
        """Says whether a path below a folder is of our own making: state, memories, loop."""
        return is_own(path) or f"{folder}/{path}".startswith(self._state_dir)


def is_own(path: str) -> bool:
    """Says whether a relative path lies in one of our own folders, at whatever level."""
    return path.startswith(OWN_FOLDERS) or any(f"/{own}" in path for own in OWN_FOLDERS)


def read_state(cwd: Path, look: Look, depth: int = 0) -> RepositoryState:
    """Looks at a worktree, or at a folder without git through git's own ignore rules; raises StateFailed."""
    return read_in_full(cwd, look, depth).state


def read_in_full(cwd: Path, look: Look, depth: int = 0) -> Reading:
    """The same, with what git said about each changed file."""
    root = find_root(cwd)
    if root is None and is_git_dir(cwd):
        raise StateFailed(NO_WORK_TREE)  # its objects are no files of anybody's
    try:
        if root is None:
            return Reading(_of_folder(cwd, look, depth), ())
        return _of_worktree(cwd, root, look, depth)
    except GitFailed as error:
        # There is a `.git` here, and git, told to look no higher, knows no repository in it.
        raise StateFailed(DAMAGED if error.reason == NOT_A_REPOSITORY else error.reason) from error


def is_still(file: ChangedFile, cwd: Path, state: RepositoryState, hashes: ContentHashes) -> bool:
    """Says whether a changed file has the content it had in a state; never of a nested repository."""
    if file.content_hash == "absent" or file.content_hash.startswith("nested"):
        return file.content_hash == "absent"
    object_format: ObjectFormat = "sha256" if len(state.head or "") == 64 else "sha1"
    return hashes.of(os.path.join(cwd, file.path), object_format) == file.content_hash


def compose(base: RepositoryState, entries: Sequence[Entry], contents: Sequence[str]) -> Reading:
    """Makes the state of `base`'s head with these entries, sorted, and the content hash of each."""
    cut = len(base.prefix)
    changed = tuple(
        ChangedFile(
            entry.path[cut:],
            entry.kind,
            entry.code,
            content,
            entry.original.removeprefix(base.prefix) if entry.original is not None else None,
        )
        for entry, content in zip(entries, contents, strict=True)
    )
    digest = digest_value(
        [[_wire(file.path), file.code, file.content_hash, _wire(file.original or "")] for file in changed]
        + [entry.index_id for entry in entries]
    )
    return Reading(base._replace(changed=changed, changed_hash=digest), tuple(entries))


def _of_worktree(cwd: Path, root: Path, look: Look, depth: int) -> Reading:
    prefix = "" if cwd == root else cwd.relative_to(root).as_posix() + "/"
    status = parse_status(Git(cwd, root=root).run(*_STATUS))
    entries = [
        entry
        for entry in status.entries
        if entry.path.startswith(prefix) and not look.is_own(cwd, entry.path.removeprefix(prefix))
    ]
    contents = [_content(entry, os.path.join(root, entry.path), look, depth, status.object_format) for entry in entries]
    base = RepositoryState("git", root, prefix, status.head, status.branch, (), "", "status")
    return compose(base, entries, contents)


def _content(entry: Entry, absolute: str, look: Look, depth: int, object_format: ObjectFormat) -> str:
    if entry.code in _GONE:
        return "absent"  # whatever lies there now is ignored, or belongs to the target of a link
    if entry.is_nested:
        return _nested_hash(Path(absolute), look, depth)
    return look.hashes.of(absolute, object_format) or "absent"


def _nested_hash(folder: Path, look: Look, depth: int) -> str:
    """Identifies the state of a nested repository: its head and its own changes."""
    if not look.may_enter(depth) or find_root(folder) != folder:
        return "nested"
    try:
        inner = read_state(folder, look, depth + 1)
    except StateFailed as error:
        return f"nested:{error.reason}"
    return f"nested:{inner.head}:{inner.changed_hash}"


def _of_folder(cwd: Path, look: Look, depth: int) -> RepositoryState:
    listed = tuple(
        ChangedFile(path, "untracked", "??", _folder_content(os.path.join(cwd, path), look, depth), None)
        for path in list_folder(cwd, look.empty_git)
        if not look.is_own(cwd, path)
    )
    digest = digest_value([[_wire(file.path), file.content_hash] for file in listed])
    return RepositoryState("folder", cwd, "", None, None, listed, digest, "walk")


def _folder_content(absolute: str, look: Look, depth: int) -> str:
    if absolute.endswith("/"):
        return _nested_hash(Path(absolute), look, depth)
    return look.hashes.of(absolute) or "absent"


def _wire(path: str) -> str:
    """Makes a path that orjson accepts and that stays as distinct as its bytes are."""
    return path.encode("utf-8", "surrogateescape").decode("latin-1")
