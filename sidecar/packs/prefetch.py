"""Packs made ahead of the call that will ask for them: after a run, and when the worktree has come to rest."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

from sidecar.call import Process
from sidecar.codebase import Listing, RepositoryState, StateFailed, repository_of
from sidecar.packs.request import touched_on
from sidecar.packs.task_pack import Asked, Question, shared_pack
from sidecar.workspace import Workspace

PREPARE_WAIT_MS = 20_000
"""How long such a pack may wait for files still being read."""

QUIET_MS = 150.0
"""Changes that follow one another sooner are one burst: only then are packs made anew."""

LONGEST_MS = 2_000.0
"""A burst that does not end is not waited for any longer."""

REBUILT_CONVERSATIONS = 8
"""Those that asked last; the packs of others are made when they are asked for."""


def prepare(process: Process, workspace: Workspace, sub_chat_id: str) -> "Future[None] | None":
    """Makes the packs of a conversation's task for the worktree as a run left it, while the user reads."""
    asked = workspace.part(Asked, Asked)
    question = asked.of(sub_chat_id)
    if question is None or process.ending.is_set():
        return None
    question = as_after(sub_chat_id, question)
    future = asked.preparing[sub_chat_id] = process.background.submit(_prepare, question)
    return future


def await_preparation(workspace: Workspace, sub_chat_id: str, wait_ms: float) -> None:
    """Waits for a preparation that is under way: what it makes is what this conversation's next call asks for."""
    preparing = workspace.part(Asked, Asked).preparing.get(sub_chat_id)
    if preparing is not None:
        wait((preparing,), timeout=wait_ms / 1000)


def rebuild_soon(process: Process, workspace: Workspace) -> None:
    """Makes the packs of the latest conversations anew once the worktree has come to rest."""
    workspace.part(_Burst, _Burst).note(process, workspace)


class _Burst:
    """Hints that follow one another, and the one rebuild that they lead to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began_ms: float | None = None
        self._last_ms = 0.0

    def note(self, process: Process, workspace: Workspace) -> None:
        """Takes a hint; the first of a burst plans the rebuild."""
        with self._lock:
            self._last_ms = process.clock.monotonic_ms()
            if self._began_ms is not None:
                return
            self._began_ms = self._last_ms
        self._plan(process, workspace, QUIET_MS, process.background.expect())

    def _plan(self, process: Process, workspace: Workspace, delay_ms: float, begun: Callable[[], None]) -> None:
        idle = repository_of(workspace, process).freshness.idle
        idle.submit(lambda: self._look(process, workspace, begun), delay_ms)

    def _look(self, process: Process, workspace: Workspace, begun: Callable[[], None]) -> None:
        now_ms = process.clock.monotonic_ms()
        with self._lock:
            rest_at_ms = min(self._last_ms + QUIET_MS, (self._began_ms or now_ms) + LONGEST_MS)
            left_ms = rest_at_ms - now_ms
            if left_ms <= 0:
                self._began_ms = None
        if left_ms > 0:
            self._plan(process, workspace, left_ms, begun)
            return
        try:
            if not process.ending.is_set():
                process.background.submit(_rebuild, process, workspace)
        finally:
            begun()


def as_after(sub_chat_id: str, question: Question) -> Question:
    """Gives a question as the conversation's next call will ask it: its runs meanwhile may have changed more files."""
    with question.process.database.read() as tx:
        touched = touched_on(tx, sub_chat_id, question.task.fingerprint)
    return question._replace(touched=touched)


def skipped(process: Process, error: Exception) -> None:
    """Logs why a pack was not made that nobody waits for."""
    reason = error.reason if isinstance(error, StateFailed) else type(error).__name__
    process.log.info("packs.prepare.skipped", reason=reason)


def _prepare(question: Question) -> None:
    try:
        state = question.repository.state()
        listing = question.repository.listing(state)
        _make(question, state, listing)
        if question.mode == "plan":  # the next run may carry the plan out
            _make(question._replace(mode="agent"), state, listing)
        from sidecar.memory import look_over

        look_over(question.process, question.workspace)
    except Exception as error:
        skipped(question.process, error)


def _rebuild(process: Process, workspace: Workspace) -> None:
    """Reads the words of what changed, and makes the packs; what exists for the state already is only looked up."""
    repository = repository_of(workspace, process)
    try:
        state = repository.state()
        listing = repository.listing(state)
        repository.start_filling(listing, process.indexing)
        for sub_chat_id, question in workspace.part(Asked, Asked).latest(REBUILT_CONVERSATIONS):
            if process.ending.is_set():
                return
            _make(as_after(sub_chat_id, question), state, listing)
    except Exception as error:
        skipped(process, error)


def _make(question: Question, state: RepositoryState, listing: Listing) -> None:
    shared_pack(question, state, listing, PREPARE_WAIT_MS)
