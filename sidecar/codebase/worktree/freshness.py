"""The last state, reused while it is proven that nothing has changed since."""

import os
import threading
import weakref
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase.content_ids import ContentHashes, content_identity
from sidecar.codebase.worktree.git_metadata import IndexEntry, branch_of, head_of
from sidecar.codebase.worktree.incremental_state import IncrementalState, compare_fresh_checkout
from sidecar.codebase.worktree.state import (
    MAX_RECHECKED,
    DetailedState,
    RepositoryState,
    Scan,
    StateUnavailable,
    compose_state,
    is_unchanged,
    masked_branch,
    path_from_root,
    read_detailed_state,
    rechecked,
)
from sidecar.codebase.worktree.worktree_watch import OpenWatch, WatchPlan, WatchResult, WorktreeWatch
from sidecar.core.clock import SystemClock
from sidecar.system.folder_watch import open_watch
from sidecar.system.git import find_root
from sidecar.system.worker_threads import IdleQueue

AUDIT_MS = 60_000.0
"""An answer that was proven by the watch is checked by `git status` this much later."""

INEXACT_AUDIT_MS = 5_000.0
"""The same for a watch that may miss changes."""

FEW_CHANGED = 16
"""Up to this many paths are checked, in a fraction of a millisecond each."""

CONFIRM_SECONDS = 0.2
"""A write in progress may be visible before its event; after this time the event was missed."""


class Watchers:
    """The process's watched worktrees, and the thread that prepares and audits them."""

    def __init__(self, process: Process) -> None:
        log = process.log
        self.idle_queue = IdleQueue(
            process.clock,
            process.closing,
            lambda error: log.error("codebase.watch.failed", kind=type(error).__name__),
        )
        self._all: weakref.WeakSet[WorktreeWatch] = weakref.WeakSet()
        process.close_callbacks.append(self.close)

    def add(self, worktree_watch: WorktreeWatch) -> None:
        """Close a watch with the process."""
        self._all.add(worktree_watch)

    def close(self) -> None:
        """Stop all watches."""
        for worktree_watch in list(self._all):
            worktree_watch.disable()


class _CachedState(NamedTuple):
    """A state and the worktree's generation before it was read."""

    detailed: DetailedState
    generation: int


class Freshness:
    """Returns a worktree's current state, read again only if it may have changed. Thread-safe."""

    def __init__(
        self,
        cwd: Path,
        process: Process,
        hashes: ContentHashes,
        open_: OpenWatch = open_watch,
    ) -> None:
        self._cwd = cwd
        self._process = process
        self._hashes = hashes
        self._state_dir = Path(os.path.realpath(process.state_dir))
        watchers = process.slices.codebase.watchers
        self.idle_queue = watchers.idle_queue
        self.worktree_watch = WorktreeWatch(cwd, self._state_dir, self.idle_queue, process.clock, process.log, open_)
        watchers.add(self.worktree_watch)
        self._lock = threading.Lock()
        self._incremental_lock = threading.Lock()
        self._incremental: IncrementalState | None = None
        self._cached: _CachedState | None = None
        self._audit_is_due = False

    def state(self) -> RepositoryState:
        """Return the state; raise StateUnavailable."""
        cached = self._cached
        result = self.worktree_watch.check(cached.generation if cached is not None else None)
        updated = self._updated(cached, result) if cached is not None and result.is_proven else None
        if updated is not None:
            return self._accept(updated, result)
        with self._incremental_lock:
            self._incremental = None  # it missed what made this read necessary
        read = self._compare_fresh() or self._read()
        if read.state.kind == "git":
            self._store(_CachedState(read, result.generation))
        return read.state

    def attribute_flags(self, paths: list[str]) -> dict[str, int] | None:
        """Return the attribute flags of paths below the root; None if the worktree is not watched."""
        plan = self.worktree_watch.proven_plan()
        if plan is None:
            return None
        with self._incremental_lock:
            incremental = self._incremental_for(plan)
            return {path: incremental.attribute_flags(path) for path in paths} if incremental is not None else None

    def cached_state(self) -> RepositoryState | None:
        """Return the state if little or nothing has changed since the last one, else None.

        Never run `git status`, and never wait for another thread that reads the state.
        """
        cached = self._cached
        if cached is None:
            return None
        result = self.worktree_watch.check(cached.generation)
        if not result.is_proven or result.changed is None or len(result.changed) > FEW_CHANGED:
            return None
        if result.changed and len(cached.detailed.files) > MAX_RECHECKED:
            return None  # the new state is made of all of them
        updated = self._updated(cached, result, may_wait=False)
        return self._accept(updated, result) if updated is not None else None

    def latest_state(self) -> RepositoryState:
        """Return the state as the watch proves it, else as it was read last, without a proof.

        Raise StateUnavailable.
        """
        cached = self._cached
        return self.cached_state() or (cached.detailed.state if cached is not None else self.state())

    def likely_state(self) -> RepositoryState | None:
        """Return the state that another commit's checkout leads to if the last one had no changes, else None.

        It is not proven.
        """
        cached = self._cached
        if cached is None or cached.detailed.entries:
            return None
        state = cached.detailed.state
        head = head_of(state.root)
        if head is None or head == state.head:
            return None
        branch = masked_branch(branch_of(state.root) or None)
        return compose_state(state._replace(head=head, branch=branch), (), ()).state

    def verify_unchanged(self, files: Mapping[str, str | None]) -> bool:
        """Whether files about to be sent (path below `cwd` → content id, if it has one) are still as in the last state.

        Tracked files are compared with their stat in the index, which takes microseconds per file. Where git alone can
        read the index, the files are read.
        """
        cached, plan = self._cached, self.worktree_watch.proven_plan()
        if cached is None:
            return False
        state = cached.detailed.state
        dirty = {file.path: file for file in cached.detailed.files}
        git_index = plan.git_index if plan is not None else None
        return all(
            is_unchanged(dirty[path], self._cwd, state, self._hashes)
            if path in dirty
            else self._is_clean(
                git_index.find(path_from_root(state.prefix, path)) if git_index is not None else None, path, content_id
            )
            for path, content_id in files.items()
        )

    def invalidate(self) -> None:
        """Discard the cached state."""
        self._cached = None

    def _is_clean(self, entry: IndexEntry | None, path: str, content_id: str | None) -> bool:
        """Whether a file without changes is as in the index, else as its content id states."""
        absolute = os.path.join(self._cwd, path)
        expected = entry.id if entry is not None else content_identity(content_id) if content_id is not None else None
        try:
            file_stat = os.lstat(absolute)
        except OSError:
            return expected is None
        if expected is None or (entry is not None and entry.matches_stat(file_stat)):
            return expected is not None
        content = self._hashes.of(absolute, "sha256" if len(expected) == 64 else "sha1")
        return content is not None and content_identity(content).removeprefix("link:") == expected

    def audit(self) -> bool:
        """Compare the cached state with `git status`; return whether the watch missed nothing."""
        self._audit_is_due = False
        cached = self._cached
        before = self.worktree_watch.check()
        if (
            cached is None
            or not before.is_proven
            or before.generation != cached.generation
            or not self._is_still_valid(cached)
        ):
            return True
        try:
            current = self._read().state
        except StateUnavailable:
            return True
        if current._replace(proof=cached.detailed.state.proof) == cached.detailed.state:
            return True
        self._process.closing.wait(CONFIRM_SECONDS)
        after = self.worktree_watch.check()
        has_changed = after.generation != before.generation or after.is_proven != before.is_proven
        if has_changed or self._process.closing.is_set():
            return True
        self.worktree_watch.disable()
        self._process.log.warning("codebase.watch.missed", watches=self.worktree_watch.size)
        return False

    def _compare_fresh(self) -> DetailedState | None:
        """Return the state of a fresh checkout, without `git status`; None where that is needed."""
        root = find_root(self._cwd)
        now_ns = SystemClock().now_ms() * 1_000_000  # file times come from the machine's clock
        return compare_fresh_checkout(self._cwd, root, self._scan(), now_ns) if root is not None else None

    def _read(self) -> DetailedState:
        return read_detailed_state(self._cwd, self._scan())

    def _scan(self) -> Scan:
        return Scan(self._hashes, self._state_dir)

    def _store(self, cached: _CachedState) -> None:
        with self._lock:
            if self._cached is None or self._cached.generation <= cached.generation:
                self._cached = cached

    def _accept(self, detailed: DetailedState, result: WatchResult) -> RepositoryState:
        """Accept a state that needed no `git status`: set its proof and schedule its audit."""
        proof = "watch" if result.is_exact else "watch+stat"
        if detailed.state.proof != proof:
            detailed = detailed._replace(state=detailed.state._replace(proof=proof))
        self._store(_CachedState(detailed, result.generation))
        self._plan_audit(AUDIT_MS if result.is_exact else INEXACT_AUDIT_MS)
        return detailed.state

    def _updated(self, cached: _CachedState, result: WatchResult, *, may_wait: bool = True) -> DetailedState | None:
        """Return the cached state updated by what changed since.

        None if that is insufficient, or, unless it `may_wait`, if another thread is updating it.
        """
        if result.changed is None or result.plan is None:
            return None
        if not result.changed and self._is_still_valid(cached):
            return cached.detailed
        if not self._incremental_lock.acquire(blocking=may_wait):
            return None
        try:
            incremental = self._incremental_for(result.plan)
            return (
                incremental.update(cached.detailed, result.changed, self._scan()) if incremental is not None else None
            )
        finally:
            self._incremental_lock.release()

    def _incremental_for(self, plan: WatchPlan) -> IncrementalState | None:
        if plan.rules is None:
            return None
        if self._incremental is None or self._incremental.plan is not plan:
            self._incremental = IncrementalState(self._cwd, plan, plan.rules)
        return self._incremental

    def _is_still_valid(self, cached: _CachedState) -> bool:
        """Whether the changed files have not changed again: they are being edited, perhaps without events."""
        state = cached.detailed.state
        return all(is_unchanged(file, self._cwd, state, self._hashes) for file in rechecked(cached.detailed.files))

    def _plan_audit(self, delay_ms: float) -> None:
        if not self._audit_is_due:
            self._audit_is_due = True
            self.idle_queue.submit(partial(_audit_if_alive, weakref.ref(self)), delay_ms)


def _audit_if_alive(reference: "weakref.ref[Freshness]") -> bool:
    tracker = reference()
    return tracker is not None and tracker.audit()
