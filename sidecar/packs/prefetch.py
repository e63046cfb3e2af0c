"""Build packs ahead of the next call: after a run, and when the worktree is quiet.

No thread waits while files are indexed: the packs are built once they are.
"""

import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase import IndexReport, Listing, RepositoryState, SharedRepository, StateUnavailable
from sidecar.core.lru_cache import LruCache
from sidecar.memory.standing_instruction_register import load_instructions
from sidecar.packs.anchor import AnchorCache, PointerCache, SharedAnchors, load_pointer_lines
from sidecar.packs.files_of_prompt import FoundFiles
from sidecar.packs.pack_cache import PackCache, RecentQueries, RenderCache, build_ahead, get_task_pack
from sidecar.packs.request import (
    NO_OPENING,
    TOUCHED_RUNS,
    ConversationCache,
    PackQuery,
    accepted_records,
    recent_files_of,
    task_query,
    touched_files_of,
)
from sidecar.runs import conversations, run_records
from sidecar.system.worker_threads import await_future
from sidecar.workspace import Workspace

INDEX_WAIT_MS = 40.0
"""Maximum wait for files that are not indexed yet: a few edited ones are indexed meanwhile."""

BUILD_WAIT_MS = 1_000.0
"""Maximum wait for a thread that builds the same pack."""

AFTER_RUN_MS = 150.0
"""Delay of the packs after a run: what the app requests at its end comes first, and a prompt that follows at once needs
nothing that is built ahead.
"""

QUIET_MS = 150.0
"""Changes closer together than this form one burst; packs are rebuilt after it."""

MAX_BURST_MS = 2_000.0
"""Maximum length of a burst before packs are rebuilt anyway."""

REBUILT_CONVERSATIONS = 8
"""Number of the most recent conversations that are rebuilt; others are built on request."""

FOUND_FILES = 8
"""Number of conversations whose found files are remembered: a change in the worktree makes all of them outdated."""


def prefetch_packs(process: Process, workspace: Workspace, sub_chat_id: str) -> None:
    """Build the packs of a conversation's task for the worktree after a run, while the user reads."""
    recent = workspace.slices.packs.recent_queries
    pack_query = recent.get(sub_chat_id)
    if pack_query is None or process.closing.is_set():
        return
    _cancel_prefetch(recent, sub_chat_id)
    prefetch: Future[None] = Future()
    recent.prefetches.put(sub_chat_id, prefetch, 1)
    start = _reserved(process, _prefetch, prefetch, sub_chat_id, pack_query)
    pack_query.repository.freshness.idle_queue.submit(start, AFTER_RUN_MS)


def _reserved(process: Process, work: Callable[..., None], *arguments: object) -> Callable[[], None]:
    """Return a function that starts work, unless the process is ending; the work counts as unfinished from now on."""
    started = process.prefetching.reserve()

    def start() -> None:
        try:
            if not process.closing.is_set():
                with suppress(RuntimeError):  # the process has begun to end
                    process.prefetching.start(work, *arguments)
        finally:
            started()

    return start


def _cancel_prefetch(recent: RecentQueries, sub_chat_id: str) -> Future[None] | None:
    """Cancel a conversation's prefetch; return it if it is too late for that."""
    prefetch = recent.prefetches.get(sub_chat_id)
    return None if prefetch is None or prefetch.cancel() else prefetch


def await_prefetch(workspace: Workspace, sub_chat_id: str, wait_ms: float) -> None:
    """Wait for a prefetch that has begun: it builds what this conversation's next call needs. Cancel any other."""
    prefetch = _cancel_prefetch(workspace.slices.packs.recent_queries, sub_chat_id)
    if prefetch is not None:
        await_future(prefetch, wait_ms)


class EarlyBuild(NamedTuple):
    """The build of a pack while git reads the worktree's state, and the state that it expects."""

    expected: RepositoryState
    done: Future[None]

    def wait_for(self, state: RepositoryState, wait_ms: float) -> None:
        """Wait for the build if the state is the expected one, so that nothing is computed twice."""
        if self.expected._replace(proof=state.proof) == state:
            await_future(self.done, wait_ms)


def start_early_build(pack_query: PackQuery) -> EarlyBuild | None:
    """Start to build a pack for the state that git probably reports; None where that is open."""
    expected = pack_query.repository.likely_state()
    if expected is None:
        return None
    return EarlyBuild(expected, pack_query.process.background.submit(_build_early, pack_query, expected))


def _build_early(pack_query: PackQuery, expected: RepositoryState) -> None:
    try:
        build_ahead(pack_query, expected)
    except Exception as error:
        log_skipped(pack_query.process, error)


def schedule_rebuild(process: Process, workspace: Workspace) -> None:
    """Rebuild the packs of the latest conversations once the worktree is quiet."""
    workspace.slices.packs.rebuild_burst.note(process, workspace)


class RebuildBurst:
    """Change hints in quick succession, and the one rebuild they cause."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started_ms: float | None = None
        self._last_ms = 0.0

    def note(self, process: Process, workspace: Workspace) -> None:
        """Record a hint; the first of a burst schedules the rebuild."""
        with self._lock:
            self._last_ms = process.clock.monotonic_ms()
            if self._started_ms is not None:
                return
            self._started_ms = self._last_ms
        self._schedule(process, workspace, QUIET_MS, _reserved(process, _rebuild, process, workspace))

    def _schedule(self, process: Process, workspace: Workspace, delay_ms: float, start: Callable[[], None]) -> None:
        idle = workspace.slices.repository.freshness.idle_queue
        idle.submit(lambda: self._check_quiet(process, workspace, start), delay_ms)

    def _check_quiet(self, process: Process, workspace: Workspace, start: Callable[[], None]) -> None:
        now_ms = process.clock.monotonic_ms()
        with self._lock:
            quiet_at_ms = min(self._last_ms + QUIET_MS, (self._started_ms or now_ms) + MAX_BURST_MS)
            remaining_ms = quiet_at_ms - now_ms
            if remaining_ms <= 0:
                self._started_ms = None
        if remaining_ms > 0:
            self._schedule(process, workspace, remaining_ms, start)
        else:
            start()


def as_of_now(sub_chat_id: str, pack_query: PackQuery) -> PackQuery:
    """Return a query as the conversation's next call will ask it: runs may have changed files and left memories.

    A session that had lost its context has one again, so the query is that of its task.
    """
    project_key = pack_query.workspace.project_key
    pointers = load_pointer_lines(pack_query.process, pack_query.workspace)
    with pack_query.process.database.read() as tx:
        touched = touched_files_of(tx, sub_chat_id, pack_query.task.fingerprint)
        work = run_records.recent_work(tx, sub_chat_id, TOUCHED_RUNS)
        recent = recent_files_of(tx, pack_query.workspace, sub_chat_id, work)
        accepted = accepted_records(tx, project_key)._replace(
            pointers=pointers, standing_instructions=load_instructions(tx, project_key).active
        )
        sub_chat = conversations.sub_chat(tx, sub_chat_id)
    query = task_query(pack_query.task, sub_chat, pack_query.mode) if pack_query.query else ""
    return pack_query._replace(query=query, opening=NO_OPENING, touched=touched, recent=recent, accepted=accepted)


def log_skipped(process: Process, error: Exception) -> None:
    """Log why a background build failed."""
    reason = error.reason if isinstance(error, StateUnavailable) else type(error).__name__
    process.log.info("packs.prefetch.skipped", reason=reason)


def _prefetch(prefetch: Future[None], sub_chat_id: str, pack_query: PackQuery) -> None:
    if not prefetch.set_running_or_notify_cancel():
        return
    try:
        pack_query = as_of_now(sub_chat_id, pack_query)
        state = pack_query.repository.freshness.latest_state()  # a pack of another one is not used
        listing = pack_query.repository.listing(state)
        if _is_indexed(pack_query, state, listing):
            _build_pack(pack_query, state, listing)
            if pack_query.mode == "plan":  # the next run may carry out the plan
                _build_pack(as_of_now(sub_chat_id, pack_query._replace(mode="agent")), state, listing)
        from sidecar.memory import refresh_index

        refresh_index(pack_query.process, pack_query.workspace)
    except Exception as error:
        log_skipped(pack_query.process, error)
    finally:
        prefetch.set_result(None)


def build_for_next_call(pack_query: PackQuery, lookup: Future[tuple[RepositoryState, Listing]]) -> None:
    """Build the pack of a call that had to do without it, for the next call, once the state is known."""
    start = _reserved(pack_query.process, _build_from_lookup, pack_query, lookup)
    lookup.add_done_callback(lambda _lookup: start())


def _build_from_lookup(pack_query: PackQuery, lookup: Future[tuple[RepositoryState, Listing]]) -> None:
    try:
        state, listing = lookup.result()
        if _is_indexed(pack_query, state, listing):
            _build_pack(pack_query, state, listing)
    except Exception as error:
        log_skipped(pack_query.process, error)


def _rebuild(process: Process, workspace: Workspace) -> None:
    """Index changed files and rebuild the packs; packs that exist for this state are only looked up."""
    repository = workspace.slices.repository
    try:
        state = repository.state()
        listing = repository.listing(state)
        repository.start_indexing(listing, process.indexing)
        for sub_chat_id, pack_query in workspace.slices.packs.recent_queries.latest(REBUILT_CONVERSATIONS):
            if process.closing.is_set() or not _is_indexed(pack_query, state, listing):
                return
            _build_pack(as_of_now(sub_chat_id, pack_query), state, listing)
    except Exception as error:
        log_skipped(process, error)


def _is_indexed(pack_query: PackQuery, state: RepositoryState, listing: Listing) -> bool:
    """Whether every file is indexed; if not, the packs of the workspace's conversations are rebuilt once they are."""
    repository, process = pack_query.repository, pack_query.process
    repository.prioritize(pack_query.query, state, pack_query.touched, None)
    _, is_complete = repository.wait_for_index(listing, process.indexing, INDEX_WAIT_MS)
    if is_complete:
        return True
    indexing = repository.start_indexing(listing, process.indexing)
    ended = process.prefetching.reserve()

    def rebuild(run: Future[IndexReport]) -> None:
        try:
            made_progress = not run.cancelled() and run.exception() is None and run.result().analysed > 0
            if repository.is_indexed() or made_progress:
                schedule_rebuild(process, pack_query.workspace)
        finally:
            ended()

    indexing.add_done_callback(rebuild)
    return False


def _build_pack(pack_query: PackQuery, state: RepositoryState, listing: Listing) -> None:
    get_task_pack(pack_query, state, listing, BUILD_WAIT_MS)


class PacksState:
    """Caches of packs and memory pointers, for the lifetime of the process."""

    def __init__(self, process: Process) -> None:
        self.pack_cache = PackCache(process)
        self.pointers = PointerCache()
        self._anchors: weakref.WeakKeyDictionary[SharedRepository, SharedAnchors] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def shared_anchors(self, repository: SharedRepository) -> SharedAnchors:
        """Return what the anchors of a repository's worktrees share."""
        with self._lock:
            return self._anchors.setdefault(repository, SharedAnchors())


class WorkspacePacks:
    """Conversations, recent queries, and caches of rendered parts, for the lifetime of a workspace."""

    def __init__(self, workspace: Workspace, process: Process) -> None:
        self.conversations = ConversationCache()
        self.recent_queries = RecentQueries()
        self.found_files: LruCache[str, FoundFiles] = LruCache(FOUND_FILES)
        """The files found for each conversation's last prompt."""
        self.anchors = AnchorCache(process.slices.packs.shared_anchors(workspace.slices.repository.shared))
        self.rendered = RenderCache()
        self.rebuild_burst = RebuildBurst()
