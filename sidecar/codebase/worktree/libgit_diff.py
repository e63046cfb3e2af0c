"""Diffs of a workspace's changed files against the head commit through libgit2, without a git process; cached.

libgit2 contains git's diff code, but not its attributes, conversions and renames; so it only gets files that surely
have none.
"""

import sys
from collections.abc import Hashable, Sequence
from pathlib import Path

from sidecar.codebase.content_ids import ContentHashes, blob_id, content_identity
from sidecar.codebase.files import may_show
from sidecar.codebase.worktree.diff import MAX_PATHS, FileDiff, conflict_hunks, diff_against, diff_of_patch
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.git_files import ANYTHING, DIFFS, FILTERS, LINES
from sidecar.codebase.worktree.state import (
    ChangedFile,
    RepositoryState,
    is_unchanged,
    path_from_cwd,
    path_from_root,
)
from sidecar.core.lru_cache import LruCache
from sidecar.system.git import Git, pygit2
from sidecar.system.safe_open import read_below

MAX_BYTES = 512 * 1024
"""Larger files are left to git, whose process can be killed."""

_CONTEXT_LINES = 2
_BINARY_CHECK_BYTES = 8_000
"""git treats a file as binary if these first bytes contain a zero."""

_REGULAR_MODES = (0o100644, 0o100755)
_CODES = (".M", "M.", "MM")
_CONTENTS_BYTES = 4 * 2**20


def is_loaded() -> bool:
    """Whether pygit2 is imported; the import takes longer than one git command."""
    return "pygit2" in sys.modules


def load() -> None:
    """Import pygit2."""
    pygit2()


class LibgitDiff:
    """Compute diffs, caching the committed contents. Thread-safe."""

    def __init__(self) -> None:
        self._committed: LruCache[Hashable, object] = LruCache(_CONTENTS_BYTES)

    def diff(self, cwd: Path, state: RepositoryState, file: ChangedFile, *, is_line_exact: bool) -> FileDiff | None:
        """Return the diff of a file without filters; None if only git can tell.

        `is_line_exact` is False if git may convert line endings.
        """
        if file.code not in _CODES or file.kind == "renamed" or state.head is None or len(state.head) != 40:
            return None
        new = read_below(str(cwd), file.path, MAX_BYTES)
        if new is None or blob_id(new) != content_identity(file.content_hash) or not _is_plain(new, is_line_exact):
            return None
        old = self._read(state.root, state.head, state.prefix + file.path)
        if old is None or not _is_plain(old, is_line_exact):
            return None
        library = pygit2()
        flag = library.enums.DiffOption.INDENT_HEURISTIC
        patch = library.Patch.create_from(old, new, flag=flag, context_lines=_CONTEXT_LINES)
        # git truncates a hunk's section name to 80 bytes before stripping it, libgit2 after.
        lines = (line.rstrip(b" \t\r") if line.startswith(b"@@ ") else line for line in patch.data.split(b"\n"))
        return diff_of_patch(file.path, b"\n".join(lines))

    def _read(self, root: Path, head: str, path: str) -> bytes | None:
        """Return the content of a regular file in a commit; None if libgit2 cannot read it, or it is not regular."""
        cached = self._committed.get((head, path))
        if isinstance(cached, bytes):
            return cached
        library = pygit2()
        try:
            blob = library.Repository(str(root))[head].tree[path]
            if blob.filemode not in _REGULAR_MODES or blob.size > MAX_BYTES:
                return None
            content = bytes(blob.data)
        except (library.GitError, KeyError, ValueError, OSError):
            return None
        self._committed.put((head, path), content, len(content) + 100)
        return content


def _is_plain(content: bytes, is_line_exact: bool) -> bool:
    if b"\0" in content[:_BINARY_CHECK_BYTES] or b"\f" in content or b"\v" in content:
        return False  # a form feed is whitespace to libgit2 and not to git
    return is_line_exact or b"\r\n" not in content


_REGULAR = ("100644", "100755")
_NAMES_OF_A_COMMAND = 200
_SHA1_CHARACTERS = 40


def blob_ids(state: RepositoryState, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """Return the blob ids of those paths, relative to `cwd`, that are regular files in a commit.

    Raise GitFailed.
    """
    if is_loaded() and len(commit) == _SHA1_CHARACTERS:
        blobs = _blob_ids_by_libgit(state, commit, paths)
        if blobs is not None:
            return blobs
    names = [f":(literal){path_from_root(state.prefix, path)}" for path in paths]
    blobs = {}
    for start in range(0, len(names), _NAMES_OF_A_COMMAND):
        part = names[start : start + _NAMES_OF_A_COMMAND]
        output = Git(state.root).run("ls-tree", "-z", "--full-tree", commit, "--", *part)
        for entry in output.decode("utf-8", "surrogateescape").split("\0"):
            meta, _, path = entry.partition("\t")
            mode, _, blob = meta.replace(" blob ", " ").partition(" ")
            if mode in _REGULAR:
                blobs[path_from_cwd(state.prefix, path)] = blob
    return blobs


def _blob_ids_by_libgit(state: RepositoryState, commit: str, paths: Sequence[str]) -> dict[str, str] | None:
    library = pygit2()
    try:
        tree = library.Repository(str(state.root))[commit].peel(library.Tree)
    except (library.GitError, KeyError, ValueError, OSError):
        return None
    blobs = {}
    for path in paths:
        try:
            entry = tree[path_from_root(state.prefix, path)]
        except KeyError:
            continue
        if f"{int(entry.filemode):o}" in _REGULAR:
            blobs[path] = str(entry.id)
    return blobs


_CACHE_BYTES = 2**20
_DIFF_BYTES = 700
"""Size of a diff besides its text: objects and keys."""


class DiffCache:
    """Compute and cache diffs. Thread-safe."""

    def __init__(self, cwd: Path, hashes: ContentHashes, freshness: Freshness) -> None:
        self._cwd = cwd
        self._hashes = hashes
        self._freshness = freshness
        self._cache: LruCache[Hashable, object] = LruCache(_CACHE_BYTES)
        self._libgit = LibgitDiff()

    def diffs(self, state: RepositoryState) -> dict[str, FileDiff]:
        """Return the diff of each visible changed file, except new ones; raise GitFailed."""
        if state.kind != "git" or state.head is None:
            return {}
        files = [file for file in state.changed if file.kind != "untracked" and may_show(file.path)][:MAX_PATHS]
        keys = {file.path: (state.head, file.path, file.code, file.content_hash) for file in files}
        diffs = {path: diff for path, key in keys.items() if isinstance(diff := self._cache.get(key), FileDiff)}
        uncached = [file for file in files if file.path not in diffs]
        computed = self._compute(state, state.head, uncached) if uncached else {}
        for file in uncached:
            diffs[file.path] = computed.get(file.path) or FileDiff(file.path, 0, 0, "")
            if is_unchanged(file, self._cwd, state, self._hashes):
                self._cache.put(keys[file.path], diffs[file.path], len(diffs[file.path].hunks) + _DIFF_BYTES)
        return diffs

    def _compute(self, state: RepositoryState, head: str, files: list[ChangedFile]) -> dict[str, FileDiff]:
        computed = {file.path: self._conflict(file.path) for file in files if file.kind == "conflicted"}
        computed |= self._compute_with_libgit(state, [file for file in files if file.path not in computed])
        remaining = [file for file in files if file.path not in computed]
        paths = [path for file in remaining for path in (file.path, file.original) if path is not None]
        return computed | diff_against(self._cwd, head, paths)

    def _conflict(self, path: str) -> FileDiff:
        """Return the unresolved places, for which git shows no diff."""
        content = read_below(str(self._cwd), path, MAX_BYTES)
        text = content.decode("utf-8", "replace") if content is not None and b"\0" not in content else ""
        return FileDiff(path, 0, 0, conflict_hunks(text))

    def _compute_with_libgit(self, state: RepositoryState, files: list[ChangedFile]) -> dict[str, FileDiff]:
        """Return the diffs that need no git command."""
        if not is_loaded():
            self._freshness.idle_queue.submit(load)
            return {}
        flags = self._freshness.attribute_flags([state.prefix + file.path for file in files]) or {}
        computed: dict[str, FileDiff] = {}
        for file in files:
            file_flags = flags.get(state.prefix + file.path, ANYTHING)
            if file_flags & (FILTERS | DIFFS):
                continue
            diff = self._libgit.diff(self._cwd, state, file, is_line_exact=not file_flags & LINES)
            if diff is not None:
                computed[file.path] = diff
        return computed
