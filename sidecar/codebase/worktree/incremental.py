"""The state after some files changed, computed from the previous state by checking only those files.

git's answer for a tracked file follows from its index entry and the file on disk; the comparison of the index with the
head commit is unchanged, because neither changed. Whatever is not plainly decidable here (conflicts, submodules,
converted contents, odd file types) is left to `git status`.
"""

import functools
import operator
import os
import stat
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecar.codebase.worktree.content_hash import MAX_HASHED_BYTES, ContentHashes, content_identity
from sidecar.codebase.worktree.git_files import ANYTHING, DIFFS, FILTERS, LINES, IndexEntry, flags_in_file
from sidecar.codebase.worktree.state import (
    ChangeKind,
    DetailedState,
    Scan,
    StatusEntry,
    change_kind,
    compose_state,
    is_unchanged,
)
from sidecar.codebase.worktree.worktree_watch import ComparisonRules, WatchPlan
from sidecar.system.git import Git, GitFailed
from sidecar.system.safe_open import read_if_regular

_NAME = ".gitattributes"
_ATTRIBUTES = {"filter": FILTERS, "ident": FILTERS, "working-tree-encoding": FILTERS, "diff": DIFFS}
_PLAIN = {FILTERS: (b"unspecified", b"unset"), DIFFS: (b"unspecified",)}


class Attributes:
    """Attribute flags of single files. One thread at a time."""

    def __init__(self, root: str, rules: ComparisonRules) -> None:
        self._root = root
        self._rules = rules
        self._known_flags: dict[str, int] = {}

    def attribute_flags(self, path: str) -> int:
        """Return how a tracked file's content may be converted: FILTERS, LINES, DIFFS; raise GitFailed."""
        flags = self._rules.conversion.global_flags
        for folder in _folders_above(path):
            flags |= self._flags_in_folder(folder)
        if flags & (FILTERS | DIFFS):
            flags &= ~(FILTERS | DIFFS) | self._flags_from_git(path)
        return flags

    def clear(self) -> None:
        """Clear the cache, because attribute files may have changed."""
        self._known_flags.clear()

    def _flags_in_folder(self, folder: str) -> int:
        file = f"{self._root}/{folder}{_NAME}"
        if not os.path.lexists(file):
            # A tracked one that was deleted still counts: git reads it from the index.
            return ANYTHING if self._rules.git_index.find(folder + _NAME) is not None else 0
        return flags_in_file(file)

    def _flags_from_git(self, path: str) -> int:
        """Return which of FILTERS and DIFFS the attributes of a path set."""
        if path not in self._known_flags:
            flags = path.encode("utf-8", "surrogateescape") + b"\0"
            git = Git(Path(self._root), root=Path(self._root))
            values = git.run("check-attr", "-z", "--stdin", *_ATTRIBUTES, stdin=flags).split(b"\0")[2::3]
            pairs = zip(_ATTRIBUTES.values(), values, strict=True)
            self._known_flags[path] = functools.reduce(
                operator.or_, (kind for kind, value in pairs if value not in _PLAIN[kind]), 0
            )
        return self._known_flags[path]


def _folders_above(path: str) -> Iterator[str]:
    """Yield the root and each folder above a path, relative, with a trailing slash."""
    yield ""
    slash = path.find("/")
    while slash >= 0:
        yield path[: slash + 1]
        slash = path.find("/", slash + 1)


MAX_CHECKED_FILES = 1_000
"""More files than this are left to git, which is faster then (about 50 µs per file here)."""

_LINK_MODE = 0o120000
_REGULAR_MODES = (0o100644, 0o100755)


class Undecidable(Exception):
    """Only `git status` can decide."""


class IncrementalState:
    """Computes states of one worktree under one watch plan. One thread at a time."""

    def __init__(self, cwd: Path, plan: WatchPlan, rules: ComparisonRules) -> None:
        self.plan = plan
        self._cwd = cwd
        self._root = plan.root
        self._rules = rules
        self._attributes = Attributes(plan.root, rules)
        self._ignored: dict[str, bool] = {}

    def update(self, detailed: DetailedState, changed: Iterable[str], scan: Scan) -> DetailedState | None:
        """Return the state after these absolute paths changed; None if only `git status` can tell."""
        try:
            return self._update(detailed, self._below_root(changed), scan)
        except (Undecidable, GitFailed, OSError, ValueError):
            return None

    def attribute_flags(self, path: str) -> int:
        """Return the attribute flags of a path below the root; all flags if git cannot tell."""
        try:
            return self._attributes.attribute_flags(path)
        except (GitFailed, OSError, ValueError):
            return ANYTHING

    def _below_root(self, changed: Iterable[str]) -> set[str]:
        top = f"{self._root}/"
        if self._root in changed:
            raise Undecidable
        return {path.removeprefix(top) for path in changed if path.startswith(top)}

    def _update(self, detailed: DetailedState, changed: set[str], scan: Scan) -> DetailedState:
        prefix = detailed.state.prefix
        if any(prefix.startswith(f"{path}/") for path in changed):
            raise Undecidable  # the workspace's folder may have been replaced
        for entry, file in zip(detailed.entries, detailed.files, strict=True):
            if entry.path not in changed and not is_unchanged(file, self._cwd, detailed.state, scan.hashes):
                changed.add(entry.path)
        on_disk = self._changed_stats(detailed, changed)
        relevant = {
            path: file_stat
            for path, file_stat in on_disk.items()
            if (detailed.state.covers_root or path.startswith(prefix))
            and not scan.is_sidecar_path(Path(self._root), path)
        }
        if not relevant:
            return detailed
        previous = {entry.path: entry for entry in detailed.entries if entry.path in relevant}
        updated = self._entries(relevant, previous, scan.hashes)
        return self._merged(detailed, relevant, updated)

    def _changed_stats(self, detailed: DetailedState, changed: set[str]) -> dict[str, os.stat_result | None]:
        """Return the current stat of the changed paths and of everything that was or is below them."""
        file_stat: dict[str, os.stat_result | None] = {}
        for path in sorted(changed):
            was_below = [entry.path for entry in self._rules.git_index.below(path)]
            was_below += _below(detailed.entries, path)
            is_below: dict[str, os.stat_result] = {}
            current = None if self._has_no_parent_folder(path) else _lstat(f"{self._root}/{path}")
            if current is not None and stat.S_ISDIR(current.st_mode):
                is_below = self._walk(path)
            if was_below or is_below:
                self._ignored.clear()  # a folder may contain ignore and attribute rules
                self._attributes.clear()
            file_stat[path] = current
            file_stat |= {below: is_below.get(below) for below in was_below}
            file_stat |= is_below
            if len(file_stat) > MAX_CHECKED_FILES:
                raise Undecidable
        return file_stat

    def _has_no_parent_folder(self, path: str) -> bool:
        """Whether something above a path is not a folder, or no longer."""
        slash = path.find("/")
        while slash >= 0:
            parent = _lstat(f"{self._root}/{path[:slash]}")
            if parent is None or not stat.S_ISDIR(parent.st_mode):
                return True
            slash = path.find("/", slash + 1)
        return False

    def _walk(self, folder: str) -> dict[str, os.stat_result]:
        """Return the files in a folder and below, except for ignored folders and the sidecar's own."""
        file_stat: dict[str, os.stat_result] = {}
        pending = [folder]
        while pending:
            parent = pending.pop()
            with os.scandir(f"{self._root}/{parent}") as entries:
                for entry in entries:
                    path = f"{parent}/{entry.name}"
                    if entry.name.lower() == ".git":
                        raise Undecidable
                    if not entry.is_dir(follow_symlinks=False):
                        file_stat[path] = entry.stat(follow_symlinks=False)
                    elif self.plan.folders.should_watch(f"{self._root}/{path}"):
                        pending.append(path)
            if len(file_stat) + len(pending) > MAX_CHECKED_FILES:
                raise Undecidable
        return file_stat

    def _entries(
        self, on_disk: dict[str, os.stat_result | None], previous: dict[str, StatusEntry], hashes: ContentHashes
    ) -> list[tuple[StatusEntry, str]]:
        updated: list[tuple[StatusEntry, str]] = []
        untracked: list[str] = []
        for path, file_stat in on_disk.items():
            previous_entry = previous.get(path)
            if previous_entry is not None and (previous_entry.is_nested or previous_entry.kind == "conflicted"):
                raise Undecidable
            git_index = self._rules.git_index.find(path)
            if git_index is not None:
                updated += self._tracked_entries(git_index, file_stat, previous_entry, hashes)
                continue
            if file_stat is not None and _is_listed(file_stat):
                if self._rules.conversion.ignores_case:
                    raise Undecidable  # it may be a tracked file whose name differs only in case
                untracked.append(path)
            elif previous_entry is not None and previous_entry.code[0] == "D":
                updated.append((self._removed(path), "absent"))
        return updated + self._untracked_entries(untracked, previous, hashes)

    def _tracked_entries(
        self,
        git_index: IndexEntry,
        file_stat: os.stat_result | None,
        previous_entry: StatusEntry | None,
        hashes: ContentHashes,
    ) -> list[tuple[StatusEntry, str]]:
        if not git_index.is_plain or git_index.mode not in (*_REGULAR_MODES, _LINK_MODE):
            raise Undecidable
        index_code = previous_entry.code[0] if previous_entry is not None else "."
        if index_code in "?D":
            raise Undecidable  # git reported it as untracked
        worktree_letter, content = self._compare_with_index(git_index, file_stat, hashes)
        code = index_code + worktree_letter
        if code == "..":
            return []
        kind: ChangeKind = (
            "renamed" if previous_entry is not None and previous_entry.kind == "renamed" else change_kind(code)
        )
        original = previous_entry.original if previous_entry is not None else None
        return [
            (StatusEntry(git_index.path, kind, code, f"{git_index.mode:06o} {git_index.id}", original, False), content)
        ]

    def _compare_with_index(
        self, git_index: IndexEntry, file_stat: os.stat_result | None, hashes: ContentHashes
    ) -> tuple[str, str]:
        """Return git's letter for the worktree against the index, and the content hash."""
        if file_stat is None or stat.S_ISDIR(file_stat.st_mode):
            return "D", "absent"
        if not _is_listed(file_stat):
            raise Undecidable
        content = self._hash(git_index.path, hashes)
        is_link = git_index.mode == _LINK_MODE
        if content.startswith("link:") != is_link:
            return "T", content
        if (
            not is_link
            and self._rules.conversion.compares_mode
            and _is_executable(file_stat) != _is_executable(git_index)
        ):
            return "M", content
        is_same = content_identity(content).removeprefix("link:") == git_index.id
        if not is_link:
            flags = self._require_unconverted(git_index.path)
            if flags & LINES and is_same and file_stat.st_size != git_index.size:
                raise Undecidable  # git reports a different size as a change, whatever the conversion yields
        return ("." if is_same else "M"), content

    def _hash(self, path: str, hashes: ContentHashes) -> str:
        content = hashes.of(f"{self._root}/{path}", self._rules.object_format)
        if content is None or content.startswith(("large:", "unreadable:", "other:")):
            raise Undecidable
        return content

    def _require_unconverted(self, path: str) -> int:
        """Raise Undecided if git might compare converted content; return the attribute flags."""
        flags = self._attributes.attribute_flags(path)
        if flags & FILTERS:
            raise Undecidable
        if flags & LINES:
            content = read_if_regular(f"{self._root}/{path}", MAX_HASHED_BYTES)
            if content is None or b"\r\n" in content:
                raise Undecidable
        return flags

    def _untracked_entries(
        self, paths: list[str], previous: dict[str, StatusEntry], hashes: ContentHashes
    ) -> list[tuple[StatusEntry, str]]:
        ignored = self._are_ignored(paths)
        updated: list[tuple[StatusEntry, str]] = []
        for path in paths:
            was_removed = path in previous and previous[path].code[0] == "D"
            if not ignored[path]:
                code = "D?" if was_removed else "??"
                content = hashes.of(f"{self._root}/{path}", self._rules.object_format)
                updated.append((StatusEntry(path, "untracked", code, "", None, False), content or "absent"))
            elif was_removed:
                updated.append((self._removed(path), "absent"))
        return updated

    def _removed(self, path: str) -> StatusEntry:
        """Return the entry of a file removed from the index that is not on disk, or is ignored there."""
        zero_id = "0" * (64 if self._rules.object_format == "sha256" else 40)
        return StatusEntry(path, "deleted", "D.", f"000000 {zero_id}", None, False)

    def _are_ignored(self, paths: list[str]) -> dict[str, bool]:
        """Return which paths git ignores; git is called once per path under the same rules."""
        unknown = [path for path in paths if path not in self._ignored]
        if unknown:
            # A leading colon would be pathspec magic to git, which does not take names literally here.
            flags = b"".join(f"./{path}\0".encode("utf-8", "surrogateescape") for path in unknown)
            git = Git(Path(self._root), root=Path(self._root))
            answer = git.run("check-ignore", "--no-index", "-z", "--stdin", stdin=flags, success_codes=(0, 1))
            ignored = {path[2:] for path in answer.decode("utf-8", "surrogateescape").split("\0")}
            self._ignored |= {path: path in ignored for path in unknown}
        return {path: self._ignored[path] for path in paths}

    def _merged(
        self, detailed: DetailedState, paths: Iterable[str], updated: list[tuple[StatusEntry, str]]
    ) -> DetailedState:
        unaffected = [
            (entry, file.content_hash)
            for entry, file in zip(detailed.entries, detailed.files, strict=True)
            if entry.path not in paths
        ]
        merged = sorted(unaffected + updated)
        result = compose_state(detailed.state, [entry for entry, _ in merged], [content for _, content in merged])
        return detailed if result == detailed else result


def _below(entries: tuple[StatusEntry, ...], folder: str) -> list[str]:
    """Return the paths below a folder; the entries are sorted by path."""
    prefix = f"{folder}/"
    number = bisect_left(entries, prefix, key=lambda entry: entry.path)
    file_stat: list[str] = []
    while number < len(entries) and entries[number].path.startswith(prefix):
        file_stat.append(entries[number].path)
        number += 1
    return file_stat


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_listed(file_stat: os.stat_result) -> bool:
    """Whether git lists this file type: files and links, not sockets, pipes or devices."""
    return stat.S_ISREG(file_stat.st_mode) or stat.S_ISLNK(file_stat.st_mode)


def _is_executable(file: os.stat_result | IndexEntry) -> bool:
    mode = file.mode if isinstance(file, IndexEntry) else file.st_mode
    return bool(mode & stat.S_IXUSR)
