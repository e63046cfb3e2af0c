"""The state after some files changed, computed from the previous state by checking only those files.

git's answer for a tracked file follows from its index entry and the file on disk; the comparison of the index with the
head commit is unchanged, because neither changed. Whatever is not plainly decidable here (conflicts, submodules,
converted contents, odd file types) is left to `git status`.
"""

import functools
import operator
import os
import stat
import struct
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sidecar.codebase.content_ids import MAX_HASHED_BYTES, ContentHashes, content_identity
from sidecar.codebase.worktree.git_metadata import (
    ANYTHING,
    DIFFS,
    FILTERS,
    LINES,
    MAX_INDEX_BYTES,
    IndexEntry,
    IndexUnreadable,
    branch_of,
    flags_in_file,
    head_of,
    index_signature,
)
from sidecar.codebase.worktree.state import (
    ChangeKind,
    DetailedState,
    Scan,
    StatusEntry,
    change_kind,
    changed_file,
    compose_state,
    detailed_state,
    head_contains,
    is_desktop_file,
    is_unchanged,
    masked_branch,
    path_from_root,
    prefix_of,
    rechecked,
    unchanged_state,
)
from sidecar.codebase.worktree.worktree_watch import ComparisonRules, WatchPlan, comparison_rules
from sidecar.system.folder_watch import Unwatchable, WatchedFolders
from sidecar.system.git import Git, GitFailed, common_dir_of, git_dir_of
from sidecar.system.safe_open import read_if_regular, read_regular

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
        flags = self._flags_above(path)
        if flags & (FILTERS | DIFFS):
            self._ask_git([path])
            flags &= ~(FILTERS | DIFFS) | self._known_flags[path]
        return flags

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Ask git once for all paths whose flags only git knows; raise GitFailed."""
        self._ask_git([path for path in paths if self._flags_above(path) & (FILTERS | DIFFS)])

    def clear(self) -> None:
        """Clear the cache, because attribute files may have changed."""
        self._known_flags.clear()

    def _flags_in_folder(self, folder: str) -> int:
        file = f"{self._root}/{folder}{_NAME}"
        if not os.path.lexists(file):
            # A tracked one that was deleted still counts: git reads it from the index.
            return ANYTHING if self._rules.git_index.find(folder + _NAME) is not None else 0
        return flags_in_file(file)

    def _flags_above(self, path: str) -> int:
        """Return the flags that any attribute file for a path may set."""
        flags = self._rules.conversion.global_flags
        for folder in _folders_above(path):
            flags |= self._flags_in_folder(folder)
        return flags

    def _ask_git(self, paths: list[str]) -> None:
        """Read which of FILTERS and DIFFS the attributes of paths set, where that is unknown."""
        unknown = [path for path in paths if path not in self._known_flags]
        if unknown:
            git = Git(Path(self._root), root=Path(self._root))
            names = "".join(f"{path}\0" for path in unknown).encode("utf-8", "surrogateescape")
            values = git.run("check-attr", "-z", "--stdin", *_ATTRIBUTES, stdin=names).split(b"\0")[2::3]
            for path, own in zip(unknown, zip(*[iter(values)] * len(_ATTRIBUTES), strict=True), strict=True):
                pairs = zip(_ATTRIBUTES.values(), own, strict=True)
                plain = (kind for kind, value in pairs if value not in _PLAIN[kind])
                self._known_flags[path] = functools.reduce(operator.or_, plain, 0)


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

    def assume_listed(self, paths: Iterable[str]) -> None:
        """Take from git that it does not ignore these untracked files."""
        self._ignored |= dict.fromkeys(paths, False)

    def read_attributes(self, paths: Iterable[str]) -> None:
        """Ask git once for the attributes of many paths that are about to be compared; raise GitFailed."""
        self._attributes.read_ahead(paths)

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
        for file in rechecked(detailed.files):
            path = path_from_root(prefix, file.path)
            if path not in changed and not is_unchanged(file, self._cwd, detailed.state, scan.hashes):
                changed.add(path)
        on_disk = self._changed_stats(detailed, changed)
        self._require_exact_names(on_disk, detailed)
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

    def _require_exact_names(self, on_disk: Mapping[str, os.stat_result | None], detailed: DetailedState) -> None:
        """Raise Undecidable if a path may be the same file as another one that git or the state has."""
        conversion, state = self._rules.conversion, detailed.state
        if conversion.composes_names and not all(map(str.isascii, on_disk)):
            raise Undecidable
        if conversion.ignores_case and not state.covers_root:
            lowered, paths = state.prefix.lower(), [f"{path}/" for path in on_disk]
            if any(path.lower().startswith(lowered) and not path.startswith(state.prefix) for path in paths):
                raise Undecidable

    def _changed_stats(self, detailed: DetailedState, changed: set[str]) -> dict[str, os.stat_result | None]:
        """Return the current stat of the changed paths and of everything that was or is below them."""
        stats: dict[str, os.stat_result | None] = {}
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
            stats[path] = current
            stats |= {below: is_below.get(below) for below in was_below}
            stats |= is_below
            if len(stats) > MAX_CHECKED_FILES:
                raise Undecidable
        return stats

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
        stats: dict[str, os.stat_result] = {}
        pending = [folder]
        while pending:
            parent = pending.pop()
            with os.scandir(f"{self._root}/{parent}") as entries:
                for entry in entries:
                    path = f"{parent}/{entry.name}"
                    if entry.name.lower() == ".git":
                        raise Undecidable
                    if not entry.is_dir(follow_symlinks=False):
                        stats[path] = entry.stat(follow_symlinks=False)
                    elif self.plan.folders.should_watch(f"{self._root}/{path}"):
                        pending.append(path)
            if len(stats) + len(pending) > MAX_CHECKED_FILES:
                raise Undecidable
        return stats

    def _entries(
        self, on_disk: dict[str, os.stat_result | None], previous: dict[str, StatusEntry], hashes: ContentHashes
    ) -> list[tuple[StatusEntry, str]]:
        updated: list[tuple[StatusEntry, str]] = []
        untracked: list[str] = []
        for path, file_stat in on_disk.items():
            previous_entry = previous.get(path)
            if previous_entry is not None and (previous_entry.is_nested or previous_entry.kind == "conflicted"):
                raise Undecidable
            entry = self._rules.git_index.find(path)
            if entry is not None:
                updated += self._tracked_entries(entry, file_stat, previous_entry, hashes)
                continue
            is_there = file_stat is not None and _is_listed(file_stat)
            if self._rules.conversion.ignores_case and (is_there or previous_entry is None):
                raise Undecidable  # it may be, or may have been, a tracked file whose name differs only in case
            if is_there:
                untracked.append(path)
            elif previous_entry is not None and previous_entry.code[0] == "D":
                updated.append((self._removed(path), "absent"))
        return updated + self._untracked_entries(untracked, previous, hashes)

    def _tracked_entries(
        self,
        entry: IndexEntry,
        file_stat: os.stat_result | None,
        previous_entry: StatusEntry | None,
        hashes: ContentHashes,
    ) -> list[tuple[StatusEntry, str]]:
        if not entry.is_plain or entry.mode not in (*_REGULAR_MODES, _LINK_MODE):
            raise Undecidable
        index_code = previous_entry.code[0] if previous_entry is not None else "."
        if index_code in "?D":
            raise Undecidable  # git reported it as untracked
        worktree_letter, content = self._compare_with_index(entry, file_stat, hashes)
        code = index_code + worktree_letter
        if code == "..":
            return []
        kind: ChangeKind = (
            "renamed" if previous_entry is not None and previous_entry.kind == "renamed" else change_kind(code)
        )
        original = previous_entry.original if previous_entry is not None else None
        return [(StatusEntry(entry.path, kind, code, f"{entry.mode:06o} {entry.id}", original, False), content)]

    def _compare_with_index(
        self, entry: IndexEntry, file_stat: os.stat_result | None, hashes: ContentHashes
    ) -> tuple[str, str]:
        """Return git's letter for the worktree against the index, and the content hash."""
        if file_stat is None or stat.S_ISDIR(file_stat.st_mode):
            return "D", "absent"
        if not _is_listed(file_stat):
            raise Undecidable
        content = self._hash(entry.path, hashes)
        is_link = entry.mode == _LINK_MODE
        if content.startswith("link:") != is_link:
            return "T", content
        if not is_link and self._rules.conversion.compares_mode and _is_executable(file_stat) != _is_executable(entry):
            return "M", content
        is_same = content_identity(content).removeprefix("link:") == entry.id
        if not is_link:
            flags = self._require_unconverted(entry.path)
            if flags & LINES and is_same and file_stat.st_size != entry.size:
                raise Undecidable  # git reports a different size as a change, whatever the conversion yields
        return ("." if is_same else "M"), content

    def _hash(self, path: str, hashes: ContentHashes) -> str:
        content = hashes.of(f"{self._root}/{path}", self._rules.object_format)
        if content is None or content.startswith(("large:", "unreadable:", "other:")):
            raise Undecidable
        return content

    def _require_unconverted(self, path: str) -> int:
        """Raise Undecidable if git might compare converted content; return the attribute flags."""
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
            if not (ignored[path] or (is_desktop_file(self._root, path) and not was_removed)):
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
        unaffected = [pair for pair in zip(detailed.entries, detailed.files, strict=True) if pair[0].path not in paths]
        prefix = detailed.state.prefix
        merged = sorted([*unaffected, *((entry, changed_file(prefix, entry, content)) for entry, content in updated)])
        result = detailed_state(detailed.state, [entry for entry, _ in merged], tuple(file for _, file in merged))
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


_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")
_STAGED = ("diff-index", "--cached", "--raw", "-z")

MIN_REREAD_FILES, REREAD_SHARE = 64, 8
"""With at least this number of files, and this share, that `git status` would read again, their stat is compared here.
"""

MIN_ENTRY_BYTES = 62
"""Bytes of an entry of git's index without its path."""

_HAS_EXACT_STAT = sys.platform != "win32"
"""Whether the stat of a file has all that git stores in its index."""


def compare_fresh_checkout(cwd: Path, root: Path, scan: Scan, now_ns: int) -> DetailedState | None:
    """Return the state of a worktree that was just checked out; None if `git status` is as fast, or is needed.

    Git compares file times by the second, and reads every file again that was written in the same second as the index.
    Here nanoseconds are compared; the files that remain in doubt are read. Meanwhile git lists the untracked files, and
    compares the index with the head commit.
    """
    git_dir = git_dir_of(root)
    if not _HAS_EXACT_STAT or git_dir is None or _has_few_files(git_dir):
        return None
    common = common_dir_of(root)
    before = index_signature(root), head_of(root), branch_of(root)
    _, head, branch = before
    if common is None or head is None or branch is None:
        return None
    try:
        file_stat = os.stat(git_dir / "index")
        content = read_regular(str(git_dir / "index"), MAX_INDEX_BYTES)
        if not _is_fresh(content, file_stat) or file_stat.st_dev != os.stat(root).st_dev:
            return None
        git = Git(root, root=root)
        with git.running(*_UNTRACKED) as untracked, git.running(*_STAGED, head) as staged:
            rules = comparison_rules(root, git_dir, common, now_ns, content)
            if rules is None:
                return None
            changed = rules.git_index.uncertain_paths(str(root), file_stat.st_mtime_ns)
            if len(changed) > MAX_CHECKED_FILES or staged():
                return None
            new = [path for path in os.fsdecode(untracked()).split("\0") if path]
    except (GitFailed, IndexUnreadable, OSError, Unwatchable):
        return None
    if (index_signature(root), head_of(root), branch_of(root)) != before or any(path.endswith("/") for path in new):
        return None
    incremental = IncrementalState(cwd, _plan_of(root, git_dir, common, rules), rules)
    incremental.assume_listed(new)
    with suppress(GitFailed):
        incremental.read_attributes(changed)
    paths = {f"{root}/{path}" for path in (*changed, *new)}
    return incremental.update(_clean_state(cwd, root, head, branch or None), paths, scan)


def _clean_state(cwd: Path, root: Path, head: str, branch: str | None) -> DetailedState:
    prefix = prefix_of(cwd, root)
    covers_root = head_contains(Git(cwd, root=root), prefix)
    state = unchanged_state(root, prefix, head, masked_branch(branch), covers_root=covers_root)
    return compose_state(state, (), ())


def _plan_of(root: Path, git_dir: Path, common: Path, rules: ComparisonRules) -> WatchPlan:
    folders = WatchedFolders(*4 * (frozenset[str](),), "")
    return WatchPlan(folders, str(root), str(git_dir), str(common), (), (), rules.git_index, rules)


def _has_few_files(git_dir: Path) -> bool:
    """Whether the index has too few files to be worth a comparison, by its size, which takes microseconds to read."""
    try:
        return os.stat(git_dir / "index").st_size < MIN_REREAD_FILES * MIN_ENTRY_BYTES
    except OSError:
        return True


def _is_fresh(content: bytes, file_stat: os.stat_result) -> bool:
    """Whether git would read many files again, because they were written in the same second as the index."""
    at_risk = content.count(struct.pack(">I", file_stat.st_mtime_ns // 1_000_000_000 & 0xFFFFFFFF)) // 2
    return at_risk >= MIN_REREAD_FILES and at_risk * REREAD_SHARE >= struct.unpack_from(">I", content, 8)[0]
