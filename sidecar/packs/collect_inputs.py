"""Collect the inputs of a pre-run until its deadline; late or failed sources are named, never fatal.

Whatever is late or incomplete makes the response partial, in `PackInputs.partial`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecar.codebase import (
    ChangedFile,
    HeadMove,
    Listing,
    RankedFile,
    Repository,
    RepositoryState,
    RunningSearch,
    StateUnavailable,
    content_identity,
    early_matches_first,
    finished,
    operation_in_progress,
    places_of_work,
    query_terms,
    search_contents,
    search_paths,
)
from sidecar.core.clean_text import count_noun, one_line
from sidecar.core.clock import Clock, Deadline
from sidecar.language.common_words import is_distinctive
from sidecar.language.message_intent import creation_request
from sidecar.packs.anchor import user_anchor
from sidecar.packs.context_pack import MAX_POINTERS, ContextFile, path_only_files
from sidecar.packs.delta_files import Differences, past_changes, sent_counted_files
from sidecar.packs.delta_pack import MAX_COMMITS
from sidecar.packs.files_of_prompt import (
    NO_FILES,
    FoundFiles,
    PromptFiles,
    PromptSearch,
    search_files,
)
from sidecar.packs.model import PreRunParams
from sidecar.packs.pack_blocks import sent_memory_ids
from sidecar.packs.pack_cache import NO_PACK, CachedPack, PartialPack, TaskPack, cached_pack, get_task_pack
from sidecar.packs.prefetch import EarlyBuild, await_prefetch, build_for_next_call, start_early_build
from sidecar.packs.prompt_text import clean_prompt
from sidecar.packs.relevant_files import with_regions
from sidecar.packs.request import PackQuery, download, files_to_download
from sidecar.packs.task import GENERAL_TERMS
from sidecar.runs import SessionContents, entries
from sidecar.runs.pre_run_record import DEADLINE, Trimmed
from sidecar.system.log import Log
from sidecar.system.worker_threads import await_future

if TYPE_CHECKING:
    from sidecar.memory import Memory, RecallQuery, Relevant
    from sidecar.registry import Hint


MAX_NEW_FILES = 40

INDEX_SHARE = 0.6
"""Maximum share of the time left that is spent waiting for files to be indexed."""

DOWNLOAD_SHARE = 0.5
"""Maximum share of the time left that is spent waiting for files that the prompt names and that are only in a cloud."""

STILL_INDEXING = "files are still being indexed"

WITHOUT_STATE = "only what the user stated or accepted: the repository's state is unknown"

RESPONSE_MS = 50.0
"""Part of the deadline reserved for composing the response."""

INLINE_MS = 300.0
"""With at least this much time left, small refreshes run on the request thread: they take a fraction of a millisecond,
and at most a quarter of a second. A thread hand-off costs ~0.1 ms each way, and more on a busy machine.
"""

INLINE_CHANGES = 64
"""Reading the differences of this many files takes about ten milliseconds."""

PATH_SEARCH_AFTER_MS, PATH_SEARCH_AFTER_SHARE = 120.0, 0.15
"""A refresh that takes longer, or a larger share of the time left, is likely to be late; a search of the paths alone
starts then.
"""


EXPECTED_FILES = 128
"""Number of files found without the index that are indexed first: what a worker reads in one request."""

CONTENTS_SECONDS = 1.0
"""Maximum time of a search of contents without an index."""


@dataclass
class PackInputs:
    """The inputs that were available in time."""

    state: RepositoryState | None = None
    pack: CachedPack = NO_PACK
    prompt_files: tuple[ContextFile, ...] = ()
    """Files of this call alone: mentioned, or found by a follow-up's own words."""
    anchor_is_complete: bool = False
    """Whether the pack's anchor covers all its sources, so that a missing statement no longer holds."""
    memories: tuple[Relevant, ...] = ()
    """Memories of earlier work that are relevant to this prompt."""
    sent_memories: dict[str, Memory] | None = None
    """The memories sent to the session earlier that still exist; None if unknown."""
    hint: Hint | None = None
    """An existing entity that matches what the prompt wants created."""
    differences: Differences | None = None
    """None if they were not available in time."""
    moved: HeadMove | None = None
    cache_hit: bool = False
    file_hits: int = 0
    file_misses: int = 0
    late: bool = False
    """Whether even the repository's state was late, and no file was found without it."""
    partial: bool = False
    """Whether the next call will have more: a source was late, or files are still being indexed."""
    omissions: list[Trimmed] = field(default_factory=list)


RemainingMs = Callable[[], float]
"""Returns the milliseconds left."""

ReadRecall = Callable[[], "RecallQuery"]
"""Returns what memories are recalled for."""

Start = Callable[..., "Future[Any]"]
"""Starts a function with its arguments."""


class _Source(NamedTuple):
    """A source that was started: its name among the omissions, and how its result is used."""

    item: str
    result: Future[Any]
    use: Callable[[PackInputs, Any], None]
    partial_pack: PartialPack | None = None
    """Finished parts that are used if the result is late or the source fails."""


class _PackTarget(NamedTuple):
    """A pack to build: its query, the repository's state, and the search of this call alone."""

    pack_query: PackQuery
    sub_chat_id: str
    state: RepositoryState
    listing: Listing
    search: PromptSearch
    known: SessionContents
    contents_search: _ContentsSearch
    early_build: EarlyBuild | None


class _PackResult(NamedTuple):
    """The task's pack, the files of this call alone, and the omissions."""

    task_pack: TaskPack
    prompt_files: tuple[ContextFile, ...]
    omissions: list[Trimmed]


def collect_inputs(
    pack_query: PackQuery,
    params: PreRunParams,
    known: SessionContents,
    read_recall: ReadRecall,
    deadline: Deadline,
    *,
    new_task: bool,
    is_follow_up: bool,
) -> PackInputs:
    """Read the repository's state, then its differences, files and memories side by side, until the deadline."""
    inputs = PackInputs()
    remaining_ms = partial(_remaining_ms, deadline, pack_query.process.clock)
    hint = _start_hint(pack_query, clean_prompt(params.prompt))
    if sys.platform == "darwin" and (absent := files_to_download(pack_query, params)):
        downloads = pack_query.process.background.submit(download, pack_query.workspace.cwd, absent)
        await_future(downloads, remaining_ms() * DOWNLOAD_SHARE)
    with _contents_search(pack_query, remaining_ms) as contents_search:
        cached = pack_query.repository.cached_state() if remaining_ms() >= INLINE_MS else None
        early_build = start_early_build(pack_query) if cached is None and remaining_ms() >= INLINE_MS else None
        is_quick = cached is not None and _is_quick(pack_query, cached[0], known)
        start: Start = _run_inline if is_quick else pack_query.process.background.submit
        lookup = start(_read_state, pack_query.repository) if cached is None else None
        memories = _start_memory_sources(start, inputs, pack_query, known, read_recall)
        state_and_listing = (
            cached if lookup is None else _await_state(inputs, pack_query, lookup, contents_search, remaining_ms)
        )
        if state_and_listing is None:
            _collect_without_state(inputs, pack_query, (memories, hint), remaining_ms)
            return inputs
        inputs.state, listing = state_and_listing
        contents_search.start_if_cold()
        changes = _start_changes(start, inputs, pack_query, inputs.state, known)
        search = PromptSearch.of_prompt(pack_query, params, listing, new_task=new_task, is_follow_up=is_follow_up)
        target = _PackTarget(
            pack_query, params.sub_chat_id, inputs.state, listing, search, known, contents_search, early_build
        )
        if search.is_needed or new_task or not is_follow_up or not pack_query.repository.is_unindexed():
            pack = _start_pack(start, inputs, target, remaining_ms() * INDEX_SHARE)
        else:
            pack = _leave_for_next_call(inputs, target)
        for source in (changes, pack, memories, hint):
            if source is not None:
                _collect(inputs, source, remaining_ms(), pack_query.process.log)
    return inputs


class _ContentsSearch:
    """The search of contents of a repository whose index is not ready, which is started once that is known."""

    def __init__(self, pack_query: PackQuery, remaining_ms: RemainingMs) -> None:
        self._pack_query, self._remaining_ms = pack_query, remaining_ms
        self._lock = threading.Lock()
        self._is_over = False
        self.running: RunningSearch | None = None
        self.waiting = ExitStack()
        """Closed once there is code, or without it at the end: the history of commits waits so long."""

    def start_if_cold(self) -> None:
        """Start the search if the repository is known to be cold."""
        if self._remaining_ms() and self._pack_query.repository.is_unindexed():
            self.start()

    def start(self) -> None:
        """Start the search, once; not after the end."""
        with self._lock:
            if self.running is None and not self._is_over:
                self.running = _start_contents_search(self._pack_query, self._pack_query.process.background)
                if self.running is not None:
                    self.waiting.enter_context(self._pack_query.repository.defer_history())

    def end(self) -> None:
        """Let what waits continue."""
        with self._lock:
            self._is_over = True
        self.waiting.close()


@contextmanager
def _contents_search(pack_query: PackQuery, remaining_ms: RemainingMs) -> Generator[_ContentsSearch]:
    """Start the search at once, or when the files of the repository's state turn out to be unknown."""
    search = _ContentsSearch(pack_query, remaining_ms)
    try:
        with pack_query.repository.when_unindexed(search.start):
            search.start_if_cold()
            yield search
    finally:
        search.end()


def _start_contents_search(pack_query: PackQuery, pool: ThreadPoolExecutor) -> RunningSearch | None:
    """Start to search the contents of a repository without an index, if the prompt says what it is about.

    It runs while the repository's state is read, because the time after that is short.
    """
    if not any(is_distinctive(term) and term not in GENERAL_TERMS for term in query_terms(pack_query.query)):
        return None
    cwd = pack_query.workspace.cwd
    return pool.submit(search_contents, cwd, pack_query.query, EXPECTED_FILES, CONTENTS_SECONDS)


def _remaining_ms(deadline: Deadline, clock: Clock) -> float:
    return max(0.0, deadline.remaining_ms(clock) - RESPONSE_MS)


def _collect(inputs: PackInputs, source: _Source, wait_ms: float, log: Log) -> None:
    """Wait for a source and use its result, or record it as late."""
    await_future(source.result, wait_ms)
    try:
        source.use(inputs, source.result.result(0))
    except Exception as error:
        if (partial_pack := source.partial_pack) is not None:
            inputs.pack, inputs.anchor_is_complete = partial_pack.as_pack(), partial_pack.anchor.is_complete
        record_omission(inputs, source.item, error, log)


def _await_state(
    inputs: PackInputs,
    pack_query: PackQuery,
    lookup: Future[tuple[RepositoryState, Listing]],
    contents_search: _ContentsSearch,
    remaining_ms: RemainingMs,
) -> tuple[RepositoryState, Listing] | None:
    """Return the state with its files. If they are late, record the files found without an index and return None."""
    pool, path_search = pack_query.process.background, None
    if not await_future(lookup, min(remaining_ms() * PATH_SEARCH_AFTER_SHARE, PATH_SEARCH_AFTER_MS)) and remaining_ms():
        path_search = pool.submit(search_paths, pack_query.workspace.cwd, pack_query.query, MAX_POINTERS)
    if not (remaining_ms() and await_future(lookup, remaining_ms())):
        build_for_next_call(pack_query, lookup)
        _use_early_matches(inputs, path_search, contents_search.running, pack_query)
        return None
    try:
        return lookup.result()
    except Exception as error:
        record_omission(inputs, "repository", error, pack_query.process.log)
        return None


def _collect_without_state(
    inputs: PackInputs, pack_query: PackQuery, sources: Iterable[_Source | None], remaining_ms: RemainingMs
) -> None:
    """Use what does not come from the repository: the anchor's lines of the user, and what memories have."""
    lines = user_anchor(pack_query.accepted, pack_query.anchor_bytes)
    inputs.pack = inputs.pack._replace(anchor=lines.lines, omitted=lines.omitted)
    inputs.omissions.append(Trimmed(item=entries.ANCHOR, reason=WITHOUT_STATE))
    for source in sources:
        if source is not None:
            _collect(inputs, source, remaining_ms(), pack_query.process.log)


def _is_quick(pack_query: PackQuery, state: RepositoryState, known: SessionContents) -> bool:
    """Whether so little is left to read that the response is ready long before the deadline."""
    is_same_head = known.head_commit in (None, state.head)
    return is_same_head and len(state.changed) <= INLINE_CHANGES and pack_query.repository.is_nearly_indexed()


def _run_inline(run: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Run a function in this thread, with the interface of a pool."""
    future: Future[Any] = Future()
    try:
        future.set_result(run(*arguments))
    except Exception as error:
        future.set_exception(error)
    return future


def _start_changes(
    start: Start, inputs: PackInputs, pack_query: PackQuery, state: RepositoryState, known: SessionContents
) -> _Source | None:
    """Start to read the differences, where there are any."""
    has_past_changes = state.kind == "git" and bool(past_changes(state, known))
    if not (state.changed or has_past_changes) and known.head_commit in (None, state.head):
        inputs.differences = Differences({}, {})
        return None
    if has_past_changes or operation_in_progress(state) == "merge" or not pack_query.repository.has_diffs(state):
        start = pack_query.process.background.submit  # git may be needed, which may be slow
    return _Source("delta", start(_changes, pack_query.repository, state, known), _use_changes)


def _start_pack(start: Start, inputs: PackInputs, target: _PackTarget, wait_ms: float) -> _Source | None:
    """Use a cached pack, or start to build one."""
    pack_query = target.pack_query
    cached = None
    if not target.search.is_needed:
        cached = cached_pack(pack_query, target.sub_chat_id, target.state, target.listing)
    if cached is not None:
        _use_pack(inputs, _pack_result(target, cached))
        return None
    early = target.contents_search
    partial_pack = PartialPack(pack_query.query, contents_search=early.running, waiting=early.waiting)
    return _Source("context", start(_build_pack, target, wait_ms, partial_pack), _use_pack, partial_pack)


def _leave_for_next_call(inputs: PackInputs, target: _PackTarget) -> None:
    """Start indexing for a later prompt: this one searches for nothing, and its session has code of the task."""
    target.pack_query.repository.wait_for_index(target.listing, target.pack_query.process.indexing, 0)
    inputs.partial = True
    inputs.omissions.append(Trimmed(item="context", reason=STILL_INDEXING))


def _read_state(repository: Repository) -> tuple[RepositoryState, Listing]:
    state = repository.state()
    return state, repository.listing(state)


def _use_early_matches(
    inputs: PackInputs, path_search: RunningSearch | None, contents_search: RunningSearch | None, pack_query: PackQuery
) -> None:
    """Use the files found without an index, if any: without a state, differences and summaries."""
    found = early_matches_first(finished(path_search), finished(contents_search))
    files = path_only_files(pack_query.query, found[:MAX_POINTERS])
    inputs.pack = CachedPack((), files)
    inputs.partial, inputs.late = True, not files
    inputs.omissions.append(Trimmed(item="repository", reason=DEADLINE))


def _changes(
    repository: Repository, state: RepositoryState, known: SessionContents
) -> tuple[Differences, HeadMove | None]:
    diffs = repository.diffs(state)
    new = [file.path for file in state.changed if file.kind == "untracked" or state.head is None]
    changes = entries.changes_of(state)
    if changes.folders:
        new = [*sent_counted_files(changes, known), *(path for path in new if changes.counted(path) is None)]
    shown = new[:MAX_NEW_FILES] if state.kind == "git" else []
    texts = {path: text for path in shown if (text := repository.new_file_text(path)) is not None}
    moved, committed = None, {}
    if known.head_commit is not None and state.head is not None and known.head_commit != state.head:
        moved = repository.head_move(known.head_commit, state.head, MAX_COMMITS)
        committed = repository.committed_diffs(known.head_commit, state.head, moved)
    places = _places_of_past_changes(repository, state, known)
    return Differences(diffs, texts, committed, _merged_files(repository, state), places), moved


def _places_of_past_changes(repository: Repository, state: RepositoryState, known: SessionContents) -> dict[str, str]:
    """Return the stash or the branch that has what a session knows of a file that no longer differs, by path."""
    changes = {path: known.items[entries.change_key(path)].entry for path in past_changes(state, known)}
    places: dict[str, str] = {}
    for place, commit in places_of_work(state) if changes else ():
        contents = repository.content_ids_at(commit, sorted(changes.keys() - places.keys()), state)
        for path, content in contents.items():
            entry, file = changes[path], ChangedFile(path, "unstaged", ".M", content, None)
            if isinstance(entry, entries.ChangeEntry) and entry.change == entries.change_digest(file):
                places[path] = place
    return places


def _merged_files(repository: Repository, state: RepositoryState) -> frozenset[str]:
    """Return the staged files that are as in the commit whose merge is in progress: nobody edited them here."""
    if operation_in_progress(state) != "merge":
        return frozenset()
    staged = {file.path: file.content_hash for file in state.changed if file.code.endswith(".")}
    merged = repository.content_ids_at("MERGE_HEAD", list(staged), state)
    return frozenset(
        path for path, content in staged.items() if merged.get(path, "absent") == content_identity(content)
    )


def _use_changes(inputs: PackInputs, changes: tuple[Differences, HeadMove | None]) -> None:
    inputs.differences, inputs.moved = changes


def _use_pack(inputs: PackInputs, pack_result: _PackResult) -> None:
    task_pack, inputs.prompt_files, omissions = pack_result
    inputs.pack, inputs.cache_hit = task_pack.pack, task_pack.cache_hit
    inputs.anchor_is_complete = task_pack.anchor_is_complete
    shown = len(task_pack.pack.files) + len(inputs.prompt_files)
    inputs.file_misses = min(task_pack.analyzed, shown)
    inputs.file_hits = shown - inputs.file_misses
    inputs.omissions.extend(omissions)
    inputs.partial |= not task_pack.complete


def _build_pack(target: _PackTarget, wait_ms: float, partial_pack: PartialPack) -> _PackResult:
    """Build the task's pack, and find the files for this prompt alone."""
    pack_query, clock = target.pack_query, target.pack_query.process.clock
    started_ms = clock.monotonic_ms()
    await_prefetch(pack_query.workspace, target.sub_chat_id, wait_ms)
    if target.early_build is not None:
        target.early_build.wait_for(target.state, wait_ms)
    remaining_ms = max(0.0, wait_ms - (clock.monotonic_ms() - started_ms))
    task_pack = get_task_pack(pack_query, target.state, target.listing, remaining_ms, partial_pack)
    return _pack_result(target, task_pack, _found_files(target) if target.search.is_needed else NO_FILES)


def _found_files(target: _PackTarget) -> PromptFiles:
    """Return the files for a prompt alone; those found last, if nothing they depend on has changed since."""
    pack_query, state, search, known = target.pack_query, target.state, target.search, target.known
    work = (pack_query.touched, pack_query.work)
    depends_on = (search, state.head, state.changed_hash, target.listing.entries, work, pack_query.context_bytes, known)
    cache = pack_query.workspace.slices.packs.found_files
    last = cache.get(target.sub_chat_id)
    if last is not None and last.depends_on == depends_on:
        return last.files
    files = search_files(search, pack_query, state, target.listing, known)
    if pack_query.repository.is_indexed():
        cache.put(target.sub_chat_id, FoundFiles(depends_on, files), 1)
    return files


def _pack_result(target: _PackTarget, task_pack: TaskPack, found: PromptFiles = NO_FILES) -> _PackResult:
    pack_query, listing, search = target.pack_query, target.listing, target.search
    prompt_files = found.files
    present = {file.ranked.path for file in (*prompt_files, *task_pack.pack.files)}
    if pack_query.pinned_paths:
        prompt_files += _pinned_files(pack_query, target.state, listing, present)
    omissions = []
    if not task_pack.anchor_is_complete:
        omissions.append(Trimmed(item=entries.ANCHOR, reason="not all of its sources were readable"))
    if not task_pack.complete:
        omissions.append(Trimmed(item="context", reason=STILL_INDEXING))
    if listing.cut_at is not None:
        reason = f"only the first {len(listing.searched)} of {listing.cut_at} files are indexed"
        omissions.append(Trimmed(item="context", reason=reason))
    weaker = task_pack.pack.weaker + found.weaker
    if weaker:
        omissions.append(Trimmed(item="context", reason=f"{count_noun(weaker, 'more candidate')} matching less"))
    named = dict.fromkeys((*search.named, *found.further_named))
    omissions.extend(omitted_files([path for path in named if path not in present], NAMED))
    omissions.extend(
        Trimmed(item=one_line(path, 200), reason="missing, outside the workspace, or excluded")
        for path in search.unresolved
    )
    return _PackResult(task_pack, prompt_files, omissions)


NAMED = "named, but other files match the request better"
MAX_LISTED_OMISSIONS = 40


def omitted_files(paths: Sequence[str], reason: str) -> Iterator[Trimmed]:
    """Yield the omissions of files of which a call shows nothing: one each, and the number of those beyond a limit."""
    for path in paths[:MAX_LISTED_OMISSIONS]:
        yield Trimmed(item=entries.context_key(path), reason=reason)
    if len(paths) > MAX_LISTED_OMISSIONS:
        yield Trimmed(item="context", reason=f"{count_noun(len(paths) - MAX_LISTED_OMISSIONS, 'more file')}: {reason}")


def record_omission(inputs: PackInputs, item: str, error: Exception, log: Log) -> None:
    """Record that a source is late or failed; the call continues with the rest."""
    if isinstance(error, TimeoutError):
        inputs.partial, reason = True, DEADLINE
    elif isinstance(error, StateUnavailable):
        reason = error.reason
    else:
        log.error("packs.source.failed", item=item, kind=type(error).__name__)
        reason = "it could not be read"
    inputs.omissions.append(Trimmed(item=item, reason=reason))


def _start_memory_sources(
    start: Start,
    inputs: PackInputs,
    pack_query: PackQuery,
    known: SessionContents,
    read_recall: ReadRecall,
) -> _Source | None:
    """Use the cached memories of the prompt, or start to search for them."""
    from sidecar.memory import memory_index_of

    process, workspace = pack_query.process, pack_query.workspace
    relevance = process.slices.memory.relevance
    try:
        recall = read_recall() if memory_index_of(process, workspace).may_have_memories() else None
        matches = relevance.cached(process, workspace, recall) if recall is not None else ()
        sent_ids = sent_memory_ids(known)
        inputs.sent_memories = relevance.existing(process, workspace, sent_ids) if sent_ids else None
    except Exception as error:
        record_omission(inputs, "memories", error, process.log)
        return None
    if recall is None or matches is not None:
        inputs.memories = matches or ()
        return None
    return _Source("memories", start(relevance.search, process, workspace, recall), _use_memories)


def _use_memories(inputs: PackInputs, memories: tuple[Relevant, ...]) -> None:
    inputs.memories = memories


def _start_hint(pack_query: PackQuery, prompt: str) -> _Source | None:
    """Use the registry's hint for what a prompt asks to create; read a registry that is not in memory meanwhile."""
    process, workspace = pack_query.process, pack_query.workspace
    request = creation_request(prompt)
    if request is None:
        return None
    from sidecar.registry import hint_for, is_unread  # few prompts need it

    if is_unread(workspace, process):
        search = process.background.submit(hint_for, workspace, process, request.text, reads=True)
    else:
        search = _run_inline(hint_for, workspace, process, request.text)
    return _Source("registry", search, _use_hint)


def _use_hint(inputs: PackInputs, hint: Hint | None) -> None:
    inputs.hint = hint


def _pinned_files(
    pack_query: PackQuery, state: RepositoryState, listing: Listing, present: Container[str]
) -> tuple[ContextFile, ...]:
    """Return the pinned files that are not in the pack yet."""
    missing = [
        RankedFile(path, 0.0, {}, (), ())
        for path in pack_query.pinned_paths
        if path in listing.searched and path not in present
    ]
    files = with_regions(pack_query, pack_query.query, missing, state, listing) if missing else ()
    return tuple(file._replace(why="pinned by the user") for file in files)
