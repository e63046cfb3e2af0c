"""Cache of the diffs between a workspace's changed files and the head commit."""

from pathlib import Path

from sidecar.codebase.files import may_show
from sidecar.codebase.worktree import libgit_diff
from sidecar.codebase.worktree.attributes import ANYTHING, DIFFS, FILTERS, LINES
from sidecar.codebase.worktree.content_hash import ContentHashes
from sidecar.codebase.worktree.diff import MAX_PATHS, FileDiff, diff_against
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.hunks import conflict_hunks
from sidecar.codebase.worktree.state import ChangedFile, RepositoryState, is_unchanged
from sidecar.storage.lru import LruCache
from sidecar.system.safe_open import read_below

_CACHE_BYTES = 4 * 2**20


class DiffCache:
    """Compute and cache diffs. Thread-safe."""

    def __init__(self, cwd: Path, hashes: ContentHashes, freshness: Freshness) -> None:
        self._cwd = cwd
        self._hashes = hashes
        self._freshness = freshness
        self._cache = LruCache(_CACHE_BYTES)
        self._libgit = libgit_diff.LibgitDiff()

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
                self._cache.put(keys[file.path], diffs[file.path], len(diffs[file.path].hunks) + 100)
        return diffs

    def _compute(self, state: RepositoryState, head: str, files: list[ChangedFile]) -> dict[str, FileDiff]:
        computed = {file.path: self._conflict(file.path) for file in files if file.kind == "conflicted"}
        computed |= self._compute_with_libgit(state, [file for file in files if file.path not in computed])
        remaining = [file for file in files if file.path not in computed]
        paths = [path for file in remaining for path in (file.path, file.original) if path is not None]
        return computed | diff_against(self._cwd, head, paths)

    def _conflict(self, path: str) -> FileDiff:
        """Return the unresolved places, for which git shows no diff."""
        content = read_below(str(self._cwd), path, libgit_diff.MAX_BYTES)
        text = content.decode("utf-8", "replace") if content is not None and b"\0" not in content else ""
        return FileDiff(path, 0, 0, conflict_hunks(text))

    def _compute_with_libgit(self, state: RepositoryState, files: list[ChangedFile]) -> dict[str, FileDiff]:
        """Return the diffs that need no git command."""
        if not libgit_diff.is_loaded():
            self._freshness.idle_queue.submit(libgit_diff.load)
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
