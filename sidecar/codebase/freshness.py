"""The state that was read last, given again while it is proven that nothing happened since."""

import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase.state import ChangedFile, RepositoryState, StateFailed
from sidecar.codebase.watching import Watching
from sidecar.system.idle import Idle

AUDIT_MS = 60_000.0
"""So long after an answer that was proven by watching, a full look checks it."""

CONFIRM_SECONDS = 0.2
"""A write that is just ending may be seen before its event; after this it was missed."""


class Watchers:
    """The process's watched worktrees, and the thread that prepares and audits them."""

    def __init__(self, process: Process) -> None:
        log = process.log
        self.idle = Idle(
            process.clock,
            process.ending,
            lambda error: log.error("codebase.watch.failed", kind=type(error).__name__),
        )
        self._all: weakref.WeakSet[Watching] = weakref.WeakSet()
        process.at_end.append(self.close)

    def add(self, watching: Watching) -> None:
        """Has a watch closed with the process."""
        self._all.add(watching)

    def close(self) -> None:
        """Ends all watches."""
        for watching in list(self._all):
            watching.distrust()


class _Kept(NamedTuple):
    """A state, and the generation of the worktree before it was read."""

    state: RepositoryState
    generation: int


class Freshness:
    """Gives a worktree's state as it is at the call, read again only when it may have changed. Thread-safe."""

    def __init__(
        self,
        cwd: Path,
        process: Process,
        read: Callable[[], RepositoryState],
        is_still: Callable[[ChangedFile, RepositoryState], bool],
    ) -> None:
        """Takes how a state is read in full, and how one of its changed files is looked at."""
        self._process = process
        self._read = read
        self._is_still = is_still
        watchers = process.part(Watchers, lambda: Watchers(process))
        self._idle = watchers.idle
        self.watching = Watching(cwd, process.state_dir, self._idle, process.clock, process.log)
        watchers.add(self.watching)
        self._lock = threading.Lock()
        self._kept: _Kept | None = None
        self._audit_is_due = False

    def state(self) -> RepositoryState:
        """Gives the state; raises StateFailed."""
        generation, is_proven = self.watching.look()
        kept = self._kept
        if is_proven and kept is not None and kept.generation == generation and self._stands(kept.state):
            self._plan_audit()
            return kept.state
        state = self._read()
        if state.kind == "git":
            with self._lock:
                self._kept = _Kept(state._replace(proof="watch"), generation)
        return state

    def audit(self) -> bool:
        """Compares what would be given with a full look; says whether the watch missed nothing."""
        self._audit_is_due = False
        before = self.watching.look()
        kept = self._kept
        if kept is None or before != (kept.generation, True) or not self._stands(kept.state):
            return True
        try:
            found = self._read()
        except StateFailed:
            return True
        if found._replace(proof=kept.state.proof) == kept.state:
            return True
        self._process.ending.wait(CONFIRM_SECONDS)
        if self.watching.look() != before or self._process.ending.is_set():
            return True
        self.watching.distrust()
        self._process.log.warning("codebase.watch.missed", watches=self.watching.size)
        return False

    def _stands(self, state: RepositoryState) -> bool:
        """Looks at the files known to be changed: those are being worked on, perhaps in ways no event tells."""
        return all(self._is_still(file, state) for file in state.changed)

    def _plan_audit(self) -> None:
        if not self._audit_is_due:
            self._audit_is_due = True
            reference = weakref.ref(self)
            self._idle.submit(lambda: (alive := reference()) is not None and alive.audit(), AUDIT_MS)
