"""A folder without git, seen by git's own rules: what is there, what is ignored, which repositories lie below."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.codebase.worktree.content_hash import ContentHashes, ObjectFormat
from sidecar.codebase.worktree.git_dir import find_root, is_git_dir
from sidecar.core.digests import digest_value
from sidecar.system.git import DAMAGED, NO_WORK_TREE, NOT_A_REPOSITORY, Git, GitFailed


def list_folder(cwd: Path, empty_git: Path) -> list[str]:
    """Lists the files below a folder by git's rules for `.gitignore`; a repository is one path with a slash at its end.

    `empty_git` is where an empty repository is kept for git to stand in. Raises GitFailed.
    """
    if not (empty_git / "HEAD").exists():
        _make_empty(empty_git)
    output = Git(cwd, empty_git).run("ls-files", "--others", "--exclude-standard", "-z")
    return sorted(path for path in output.decode("utf-8", "surrogateescape").split("\0") if path)


def _make_empty(empty_git: Path) -> None:
    """Makes the repository beside its place and moves it there whole: two looks may be first at once."""
    empty_git.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=empty_git.parent, prefix="folder-") as making:
        made = os.path.join(making, "git")
        Git(empty_git.parent).run("init", "--quiet", "--bare", "--template=", made)
        try:
            os.rename(made, empty_git)
        except OSError:
            if not (empty_git / "HEAD").exists():
                raise


# Reads `git status --porcelain=v2 -z --branch`. Pure.


ChangeKind = Literal["staged", "unstaged", "untracked", "deleted", "renamed", "conflicted"]


class Entry(NamedTuple):
    """One changed path, relative to the repository's root; undecodable bytes are kept as surrogates."""

    path: str
    kind: ChangeKind
    """staged, unstaged, untracked, deleted, renamed or conflicted; what the user would call it first."""
    code: str
    """git's two letters: index, worktree."""
    index_id: str
    """Modes and blob ids in the index; three of each while there is a conflict."""
    original: str | None
    is_nested: bool
    """A submodule, or a repository that is not tracked."""


class Status(NamedTuple):
    """What git says of a worktree."""

    head: str | None
    branch: str | None
    entries: tuple[Entry, ...]
    object_format: ObjectFormat


def parse_status(output: bytes) -> Status:
    """Turns git's answer into a Status; `head` is None before the first commit, `branch` when detached."""
    head = branch = None
    entries: list[Entry] = []
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        if field.startswith("# branch.oid "):
            head = _unless(field[13:], "(initial)")
        elif field.startswith("# branch.head "):
            branch = _unless(field[14:].encode("utf-8", "surrogateescape").decode("utf-8", "replace"), "(detached)")
        elif field[:2] == "1 ":
            _, code, sub, _, mode, _, _, blob, path = field.split(" ", 8)
            entries.append(Entry(path, kind_of(code), code, f"{mode} {blob}", None, sub != "N..."))
        elif field[:2] == "2 ":
            _, code, sub, _, mode, _, _, blob, _, path = field.split(" ", 9)
            entries.append(Entry(path, "renamed", code, f"{mode} {blob}", next(fields), sub != "N..."))
        elif field[:2] == "u ":
            _, code, sub, *stages, path = field.split(" ", 10)
            entries.append(Entry(path, "conflicted", code, " ".join(stages), None, sub != "N..."))
        elif field[:2] == "? ":
            entries.append(Entry(field[2:], "untracked", "??", "", None, field.endswith("/")))
    return Status(head, branch, tuple(sorted(_once_each(entries))), _object_format(head, entries))


def _once_each(entries: list[Entry]) -> list[Entry]:
    """A file taken out of the index and kept in the worktree is two entries of git's; here it is one, untracked."""
    removed = {entry.path: entry for entry in entries if entry.code == "D."}
    kept_on_disk = {entry.path for entry in entries if entry.code == "??" and entry.path in removed}
    if not kept_on_disk:
        return entries
    return [
        entry._replace(code="D?") if entry.code == "??" and entry.path in kept_on_disk else entry
        for entry in entries
        if not (entry.code == "D." and entry.path in kept_on_disk)
    ]


def _object_format(head: str | None, entries: list[Entry]) -> ObjectFormat:
    ids = [head or "", *(entry.index_id.rsplit(" ", 1)[-1] for entry in entries)]
    return "sha256" if any(len(id_) == 64 for id_ in ids) else "sha1"


def kind_of(code: str) -> ChangeKind:
    """Names the change of a tracked file by git's two letters."""
    if "D" in code:
        return "deleted"
    return "staged" if code[1] == "." else "unstaged"


def _unless(text: str, nothing: str) -> str | None:
    return None if text == nothing else text


# The state of a worktree, asked of git: head, branch, changed files with content hashes.


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
