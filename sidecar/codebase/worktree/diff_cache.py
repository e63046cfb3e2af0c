"""The differences of a workspace's changed files to the head commit, each made once."""

from pathlib import Path

from sidecar.codebase.files import may_show
from sidecar.codebase.worktree import libgit_diff
from sidecar.codebase.worktree.attributes import ANYTHING, DIFFS, FILTERS, LINES
from sidecar.codebase.worktree.content_hash import ContentHashes
from sidecar.codebase.worktree.diff import MAX_PATHS, FileDiff, diff_against
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.hunks import conflicts_in
from sidecar.codebase.worktree.state import ChangedFile, RepositoryState, is_still
from sidecar.storage.lru import Lru
from sidecar.system.safe_open import read_below

_KEPT_BYTES = 4 * 2**20


class Differences:
    """Makes differences and keeps them. Thread-safe."""

    def __init__(self, cwd: Path, hashes: ContentHashes, freshness: Freshness) -> None:
        self._cwd = cwd
        self._hashes = hashes
        self._freshness = freshness
        self._kept = Lru(_KEPT_BYTES)
        self._quick = libgit_diff.QuickDiff()

    def of(self, state: RepositoryState) -> dict[str, FileDiff]:
        """Gives the difference of each changed file that may be shown, new ones left out; raises GitFailed."""
        if state.kind != "git" or state.head is None:
            return {}
        wanted = [file for file in state.changed if file.kind != "untracked" and may_show(file.path)][:MAX_PATHS]
        keys = {file.path: (state.head, file.path, file.code, file.content_hash) for file in wanted}
        known = {path: diff for path, key in keys.items() if isinstance(diff := self._kept.get(key), FileDiff)}
        missing = [file for file in wanted if file.path not in known]
        made = self._made(state, state.head, missing) if missing else {}
        for file in missing:
            known[file.path] = made.get(file.path) or FileDiff(file.path, 0, 0, "")
            if is_still(file, self._cwd, state, self._hashes):
                self._kept.put(keys[file.path], known[file.path], len(known[file.path].hunks) + 100)
        return known

    def _made(self, state: RepositoryState, head: str, files: list[ChangedFile]) -> dict[str, FileDiff]:
        made = {file.path: self._conflict(file.path) for file in files if file.kind == "conflicted"}
        made |= self._quickly_made(state, [file for file in files if file.path not in made])
        left = [file for file in files if file.path not in made]
        paths = [path for file in left for path in (file.path, file.original) if path is not None]
        return made | diff_against(self._cwd, head, paths)

    def _conflict(self, path: str) -> FileDiff:
        """The places that are to be decided, which git shows as no difference."""
        content = read_below(str(self._cwd), path, libgit_diff.MAX_BYTES)
        text = content.decode("utf-8", "replace") if content is not None and b"\0" not in content else ""
        return FileDiff(path, 0, 0, conflicts_in(text))

    def _quickly_made(self, state: RepositoryState, files: list[ChangedFile]) -> dict[str, FileDiff]:
        """Makes the differences that need no git command."""
        if not libgit_diff.is_ready():
            self._freshness.idle.submit(libgit_diff.make_ready)
            return {}
        asked = self._freshness.asked_of([state.prefix + file.path for file in files]) or {}
        made: dict[str, FileDiff] = {}
        for file in files:
            wishes = asked.get(state.prefix + file.path, ANYTHING)
            if wishes & (FILTERS | DIFFS):
                continue
            diff = self._quick.of(self._cwd, state, file, keeps_lines=not wishes & LINES)
            if diff is not None:
                made[file.path] = diff
        return made
