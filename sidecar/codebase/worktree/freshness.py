"""The state that was read last, given again while it is proven that nothing happened since."""

import os
import threading
import weakref
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase.worktree.content_hash import ContentHashes, content_identity
from sidecar.codebase.worktree.git_index import Tracked
from sidecar.codebase.worktree.incremental import Advance
from sidecar.codebase.worktree.state import Look, Reading, RepositoryState, StateFailed, is_still, read_in_full
from sidecar.codebase.worktree.watch_plan import Survey
from sidecar.codebase.worktree.worktree_watch import Looked, Open, Watching
from sidecar.system.threads import Idle
from sidecar.system.watch import open_watch

AUDIT_MS = 60_000.0
"""So long after an answer that was proven by watching, a full look checks it."""

SOON_MS = 5_000.0
"""The same where the watch may miss changes."""

FEW_CHANGED = 16
"""So many paths are looked at in a fraction of a millisecond each."""

CONFIRM_SECONDS = 0.2
"""A write that is just ending may be seen before its event; after this it was missed."""


class Watchers:
    """The process's watched worktrees, and the thread that prepares and audits them."""

    def __init__(self, process: Process) -> None:
        log = process.log
        self.idle = Idle(
            process.clock,
            process.closing,
            lambda error: log.error("codebase.watch.failed", kind=type(error).__name__),
        )
        self._all: weakref.WeakSet[Watching] = weakref.WeakSet()
        process.close_callbacks.append(self.close)

    def add(self, watching: Watching) -> None:
        """Has a watch closed with the process."""
        self._all.add(watching)

    def close(self) -> None:
        """Ends all watches."""
        for watching in list(self._all):
            watching.distrust()


class _Kept(NamedTuple):
    """What was read, and the generation of the worktree before it was."""

    reading: Reading
    generation: int


class Freshness:
    """Gives a worktree's state as it is at the call, read again only when it may have changed. Thread-safe."""

    def __init__(
        self,
        cwd: Path,
        process: Process,
        hashes: ContentHashes,
        open_: Open = open_watch,
    ) -> None:
        self._cwd = cwd
        self._process = process
        self._hashes = hashes
        watchers = process.slices.codebase.watchers
        self.idle = watchers.idle
        self.watching = Watching(cwd, process.state_dir, self.idle, process.clock, process.log, open_)
        watchers.add(self.watching)
        self._lock = threading.Lock()
        self._advancing = threading.Lock()
        self._advance: Advance | None = None
        self._kept: _Kept | None = None
        self._audit_is_due = False

    def state(self) -> RepositoryState:
        """Gives the state; raises StateFailed."""
        kept = self._kept
        looked = self.watching.look(kept.generation if kept is not None else None)
        found = self._advanced(kept, looked) if kept is not None and looked.is_proven else None
        if found is not None:
            return self._given(found, looked)
        with self._advancing:
            self._advance = None  # it has not been told of what made this look necessary
        read = self._read()
        if read.state.kind == "git":
            self._keep(_Kept(read, looked.generation))
        return read.state

    def asked_of(self, paths: list[str]) -> dict[str, int] | None:
        """Tells what attributes and settings ask for paths below the root; None where that is not watched."""
        survey = self.watching.proven_survey()
        if survey is None:
            return None
        with self._advancing:
            advance = self._advance_under(survey)
            return {path: advance.asked_of(path) for path in paths} if advance is not None else None

    def at_once(self) -> RepositoryState | None:
        """Gives the state where nothing or little happened since it was given last, else None; no full look."""
        kept = self._kept
        if kept is None:
            return None
        looked = self.watching.look(kept.generation)
        if not looked.is_proven or looked.changed is None or len(looked.changed) > FEW_CHANGED:
            return None
        found = self._advanced(kept, looked)
        return self._given(found, looked) if found is not None else None

    def confirms(self, paths: list[str]) -> bool:
        """Looks at files (relative to `cwd`) that are about to be told of: whether they are as the last state has them.

        What git tracks is compared with the stat it was seen with, so this takes microseconds a file. True where
        nothing is known that could be compared.
        """
        kept, survey = self._kept, self.watching.proven_survey()
        if kept is None or survey is None or survey.comparing is None:
            return True
        state = kept.reading.state
        dirty = {file.path: file for file in state.changed}
        comparing = survey.comparing
        return all(
            is_still(dirty[path], self._cwd, state, self._hashes)
            if path in dirty
            else self._is_clean(comparing.tracked.find(state.prefix + path), path)
            for path in paths
        )

    def forget(self) -> None:
        """Has the next state read anew."""
        self._kept = None

    def _is_clean(self, tracked: Tracked | None, path: str) -> bool:
        absolute = os.path.join(self._cwd, path)
        try:
            found = os.lstat(absolute)
        except OSError:
            return tracked is None
        if tracked is None or tracked.has_stat(found):
            return tracked is not None
        content = self._hashes.of(absolute, "sha256" if len(tracked.id) == 64 else "sha1")
        return content is not None and content_identity(content).removeprefix("link:") == tracked.id

    def audit(self) -> bool:
        """Compares what would be given with a full look; says whether the watch missed nothing."""
        self._audit_is_due = False
        kept = self._kept
        before = self.watching.look()
        if kept is None or not before.is_proven or before.generation != kept.generation or not self._stands(kept):
            return True
        try:
            found = self._read().state
        except StateFailed:
            return True
        if found._replace(proof=kept.reading.state.proof) == kept.reading.state:
            return True
        self._process.closing.wait(CONFIRM_SECONDS)
        after = self.watching.look()
        if after[:2] != before[:2] or self._process.closing.is_set():
            return True
        self.watching.distrust()
        self._process.log.warning("codebase.watch.missed", watches=self.watching.size)
        return False

    def _read(self) -> Reading:
        return read_in_full(self._cwd, self._look())

    def _look(self) -> Look:
        return Look(self._hashes, self._process.state_dir)

    def _keep(self, kept: _Kept) -> None:
        with self._lock:
            if self._kept is None or self._kept.generation <= kept.generation:
                self._kept = kept

    def _given(self, reading: Reading, looked: Looked) -> RepositoryState:
        """Gives a state that needed no full look, names its proof and plans to have it checked."""
        proof = "watch" if looked.is_exact else "watch+stat"
        if reading.state.proof != proof:
            reading = reading._replace(state=reading.state._replace(proof=proof))
        self._keep(_Kept(reading, looked.generation))
        self._plan_audit(AUDIT_MS if looked.is_exact else SOON_MS)
        return reading.state

    def _advanced(self, kept: _Kept, looked: Looked) -> Reading | None:
        """Gives what was kept, with what changed since looked at again; None where that is not enough."""
        if looked.changed is None or looked.survey is None:
            return None
        if not looked.changed and self._stands(kept):
            return kept.reading
        with self._advancing:
            advance = self._advance_under(looked.survey)
            return advance.after(kept.reading, looked.changed, self._look()) if advance is not None else None

    def _advance_under(self, survey: Survey) -> Advance | None:
        if survey.comparing is None:
            return None
        if self._advance is None or self._advance.known is not survey:
            self._advance = Advance(self._cwd, survey, survey.comparing)
        return self._advance

    def _stands(self, kept: _Kept) -> bool:
        """Looks at the files known to be changed: those are being worked on, perhaps in ways no event tells."""
        state = kept.reading.state
        return all(is_still(file, self._cwd, state, self._hashes) for file in state.changed)

    def _plan_audit(self, delay_ms: float) -> None:
        if not self._audit_is_due:
            self._audit_is_due = True
            reference = weakref.ref(self)
            self.idle.submit(lambda: (alive := reference()) is not None and alive.audit(), delay_ms)
