"""The packs that all conversations on one task share: the anchor's lines and the task's files.

They are cached by everything that they depend on, in memory and in the state file; a missing one is built. The last
files that were rendered are cached, too.
"""

import threading
from collections.abc import Collection, Generator, Hashable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from operator import is_
from typing import Any, NamedTuple

from sidecar.call import Process
from sidecar.codebase import (
    Listing,
    RankedFile,
    RepositoryState,
    RunningSearch,
    early_matches_first,
    finished,
    paths_in,
)
from sidecar.core.digests import short_id
from sidecar.core.lru_cache import LruCache
from sidecar.core.secret_formats import OWN_PATTERNS
from sidecar.packs.anchor import LINKABLE_FILES, NO_ANCHOR, Anchor, accepted_digest
from sidecar.packs.byte_budget import ContextLimits
from sidecar.packs.context_pack import (
    MAX_POINTERS,
    ContextFile,
    ContextItems,
    ShownRegion,
    context_items,
    path_only_files,
)
from sidecar.packs.relevant_files import (
    CANDIDATE_FILES,
    context_files,
    is_searchable,
    with_early_regions,
)
from sidecar.packs.request import PackQuery
from sidecar.runs import NO_CONTENTS, SessionContents, entries
from sidecar.runs.ledger_entries import SentRegion
from sidecar.storage.two_level_cache import Cache
from sidecar.system.worker_threads import await_future

RECENT_PACKS = 64
"""Number of decoded packs in memory, besides their texts in the hot cache."""


class PackKey(NamedTuple):
    """Everything a cached pack depends on; nothing that differs between conversations."""

    workspace: str
    task_fingerprint: str
    changed_files_hash: str
    head_commit: str
    provider: str
    mode: str
    budget_profile: str
    sources: str


class CachedPack(NamedTuple):
    """The anchor's lines and the context's files."""

    anchor: tuple[str, ...]
    files: tuple[ContextFile, ...]
    omitted: tuple[str, ...] = ()
    """Lines that did not fit into the anchor."""
    weaker: int = 0
    """Number of candidates for the context that match less than its files."""


NO_PACK = CachedPack((), ())


class PackCache:
    """Packs by key, in memory and in the state file."""

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"]) // 4
        self._cache = Cache(
            "continuity_pack_cache", PackKey._fields, process.database, process.hot_cache, limit,
            short_lived=("changed_files_hash", "head_commit"),
        )  # fmt: skip
        self._recent: LruCache[Hashable, object] = LruCache(RECENT_PACKS)
        self._lock = threading.Lock()
        self._builds: dict[PackKey, threading.Event] = {}

    def get(self, key: PackKey) -> CachedPack | None:
        """Return the pack for exactly this key."""
        pack = self.get_in_memory(key)
        if pack is None and (value := self._cache.get(tuple(key))) is not None:
            pack = _from_json(value)
            self._recent.put(key, pack, 1)
        return pack

    def get_in_memory(self, key: PackKey) -> CachedPack | None:
        """Return a recently used pack without reading the state file."""
        pack = self._recent.get(key)
        if not isinstance(pack, CachedPack):
            return None
        self._cache.mark_used(tuple(key))
        return pack

    @contextmanager
    def build_lock(self, key: PackKey, wait_ms: float) -> Generator[None]:
        """Let one thread at a time build a pack: a second one waits at most `wait_ms`, and may then find it cached."""
        with self._lock:
            others = self._builds.get(key)
            mine = None if others else self._builds.setdefault(key, threading.Event())
        if others is not None:
            others.wait(wait_ms / 1000)
        try:
            yield
        finally:
            if mine is not None:
                with self._lock:
                    del self._builds[key]
                mine.set()

    def put(self, key: PackKey, pack: CachedPack, now_ms: int) -> None:
        """Store a pack."""
        self._recent.put(key, pack, 1)
        self._cache.put(tuple(key), partial(_to_json, pack), now_ms)


def _to_json(pack: CachedPack) -> dict[str, Any]:
    files = [
        [
            list(file.ranked),
            file.content,
            file.purpose,
            file.why,
            [_region_to_json(region) for region in file.regions],
            file.is_last,
            file.further,
        ]
        for file in pack.files
    ]  # fmt: skip
    return {"anchor": list(pack.anchor), "files": files, "omitted": list(pack.omitted), "weaker": pack.weaker}


def _region_to_json(region: ShownRegion) -> list[Any]:
    sent = [region.sent.name, region.sent.content]
    return [region.order, region.name, region.lines, sent, region.parts, region.goes_on]


def _from_json(value: dict[str, Any]) -> CachedPack:
    files: list[ContextFile] = []
    for (path, score, parts, matched, near), content, purpose, why, regions, is_last, further in value["files"]:
        ranked = RankedFile(path, score, parts, tuple(matched), tuple((kind, seed) for kind, seed in near))
        shown = (
            ShownRegion(order, name, tuple((number, text) for number, text in lines), SentRegion(*sent), *rest)
            for order, name, lines, sent, *rest in regions
        )
        files.append(ContextFile(ranked, content, purpose, why, tuple(shown), is_last, further))
    return CachedPack(tuple(value["anchor"]), tuple(files), tuple(value["omitted"]), value["weaker"])


PACK_VERSION = 40
"""Part of the key: increment it when the content of a pack changes."""

REMEMBERED_CONVERSATIONS = 64

SHORT_WAIT_MS = 400
"""With less time for a cold repository, code that was found without its index is not searched for again."""

MAX_SEARCH_WAIT_MS = 300.0
"""Time for a search of contents alone; after it, files are indexed at the same time."""

FIRST_READ_MS = 40
"""Time for reading a few edited files; after it, files are searched with the index as it is."""


class RecentQueries:
    """The latest query of each conversation in a workspace, for packs that are built between two calls."""

    def __init__(self) -> None:
        self._queries: LruCache[str, PackQuery] = LruCache(REMEMBERED_CONVERSATIONS)
        self.prefetches: LruCache[str, Future[None]] = LruCache(REMEMBERED_CONVERSATIONS)
        """The last prefetch of each conversation."""

    def put(self, sub_chat_id: str, pack_query: PackQuery) -> None:
        """Store a conversation's query; drop the conversation that has been idle longest."""
        self._queries.put(sub_chat_id, pack_query, 1)

    def get(self, sub_chat_id: str) -> PackQuery | None:
        """Return a conversation's latest query."""
        return self._queries.get(sub_chat_id)

    def latest(self, count: int) -> list[tuple[str, PackQuery]]:
        """Return the most recent conversations, newest first, each with its query."""
        return self._queries.items()[: -count - 1 : -1]


class TaskPack(NamedTuple):
    """A task's pack, and how it was built."""

    pack: CachedPack
    cache_hit: bool
    analyzed: int
    """Files that were read meanwhile."""
    complete: bool
    """False while files are still being indexed; such a pack is not cached."""
    anchor_is_complete: bool = True
    """False where a source of the anchor was unreadable; such a pack is not cached either."""


@dataclass
class PartialPack:
    """The finished parts of a pack that is being built; a call that runs out of time uses them."""

    query: str = ""
    anchor: Anchor = NO_ANCHOR
    files: tuple[ContextFile, ...] = ()
    """Files found so far, by path alone or, where contents were searched without an index, with code."""
    contents_search: RunningSearch | None = None
    """A search of contents that was started before the pack."""
    waiting: ExitStack = field(default_factory=ExitStack)
    """Released once there is code: what waits for it."""

    def as_pack(self) -> CachedPack:
        """Return the finished parts."""
        files = self.files or path_only_files(self.query, finished(self.contents_search)[:MAX_POINTERS])
        return CachedPack(self.anchor.lines, files, self.anchor.omitted)


def cached_pack(pack_query: PackQuery, sub_chat_id: str, state: RepositoryState, listing: Listing) -> TaskPack | None:
    """Return a recently used pack if no prefetch is running; never wait."""
    prefetch = pack_query.workspace.slices.packs.recent_queries.prefetches.get(sub_chat_id)
    if not pack_query.repository.is_indexed() or (prefetch is not None and not prefetch.done()):
        return None
    pack = pack_query.process.slices.packs.pack_cache.get_in_memory(_key(pack_query, state, listing))
    return TaskPack(pack, cache_hit=True, analyzed=0, complete=True) if pack is not None else None


def get_task_pack(
    pack_query: PackQuery,
    state: RepositoryState,
    listing: Listing,
    wait_ms: float,
    partial_pack: PartialPack | None = None,
) -> TaskPack:
    """Return the pack from the cache, or build it within `wait_ms` and cache it.

    Parts that are ready early go into `partial_pack`.
    """
    cache, clock = pack_query.process.slices.packs.pack_cache, pack_query.process.clock
    key, started_ms = _key(pack_query, state, listing), clock.monotonic_ms()
    with cache.build_lock(key, wait_ms):
        cached = cache.get(key)
        if cached is not None:
            pack_query.repository.wait_for_index(listing, pack_query.process.indexing, 0)
            return TaskPack(cached, cache_hit=True, analyzed=0, complete=True)
        remaining_ms = max(0.0, wait_ms - (clock.monotonic_ms() - started_ms))
        task_pack = _build(pack_query, state, listing, remaining_ms, partial_pack or PartialPack())
        if task_pack.complete and task_pack.anchor_is_complete:
            cache.put(key, task_pack.pack, clock.now_ms())
        return task_pack


def build_ahead(pack_query: PackQuery, state: RepositoryState) -> None:
    """Build a pack for a state that is not proven yet, for the caches that it fills by content; the pack is dropped."""
    listing = pack_query.repository.listing(state)
    if pack_query.repository.is_indexed():
        _build(pack_query, state, listing, 0, PartialPack())


def _build(
    pack_query: PackQuery, state: RepositoryState, listing: Listing, wait_ms: float, partial_pack: PartialPack
) -> TaskPack:
    anchors = pack_query.workspace.slices.packs.anchors
    pack_query = pack_query._replace(query=_without_unindexed(pack_query.query, listing))
    repository = pack_query.repository
    was_indexed = repository.is_indexed()
    anchor_inputs = (pack_query.host_injects, pack_query.accepted, pack_query.anchor_bytes)
    partial_pack.anchor = anchors.lines(repository, state, listing, *anchor_inputs)
    found = _wait_and_find(pack_query, state, listing, wait_ms, partial_pack)
    complete, matches = found.complete, found.matches
    if complete and not was_indexed:  # dependencies and history are known now
        partial_pack.anchor = anchors.lines(repository, state, listing, *anchor_inputs)
    if not complete and found.early_matches and wait_ms < SHORT_WAIT_MS:
        files = partial_pack.files
    else:
        files, matches = context_files(pack_query, state, listing, None if complete else found.early_matches)
    weaker = len({match.path for match in matches} - {file.ranked.path for file in files})
    pack = CachedPack(partial_pack.anchor.lines, files, partial_pack.anchor.omitted, weaker)
    return TaskPack(
        pack,
        cache_hit=False,
        analyzed=found.analyzed,
        complete=complete,
        anchor_is_complete=partial_pack.anchor.is_complete,
    )


class _Found(NamedTuple):
    """Files found while others were indexed."""

    analyzed: int
    complete: bool
    matches: Sequence[RankedFile]
    early_matches: Sequence[RankedFile]
    """Files found without the index whose words it does not have yet."""


def _wait_and_find(
    pack_query: PackQuery, state: RepositoryState, listing: Listing, wait_ms: float, partial_pack: PartialPack
) -> _Found:
    """Wait for the index; meanwhile put into the partial pack what is found without it, or in what it has.

    Code is shown as soon as the search of contents is over, and again with what the index adds to it. Before that, few
    files in the index rarely are those that a prompt is about.
    """
    repository, indexing, clock = pack_query.repository, pack_query.process.indexing, pack_query.process.clock
    search, started_ms = partial_pack.contents_search, clock.monotonic_ms()
    repository.prioritize(pack_query.query, state, pack_query.touched, search)
    early_matches = _early_matches(pack_query, listing, search, min(wait_ms, MAX_SEARCH_WAIT_MS))
    if early_matches:
        partial_pack.files = path_only_files(pack_query.query, early_matches)
        partial_pack.files = with_early_regions(pack_query, pack_query.query, early_matches, state, listing)
    partial_pack.waiting.close()
    waited_ms = max(float(FIRST_READ_MS), clock.monotonic_ms() - started_ms)
    analyzed, complete = repository.wait_for_index(listing, indexing, min(wait_ms, FIRST_READ_MS))
    matches: Sequence[RankedFile] = ()
    has_code, is_found = bool(early_matches), False
    while not complete:
        is_over = search is None or search.done()
        early_matches = repository.unread(finished(search))
        if waited_ms >= wait_ms and (wait_ms >= SHORT_WAIT_MS or has_code):
            break  # the last search follows, or the code found first is all there is time for
        if not is_found:
            if is_searchable(pack_query):
                matches = repository.find(pack_query.query, state, CANDIDATE_FILES, touched=pack_query.touched)
            candidates = [file for file in early_matches_first(matches, early_matches) if file.path in listing.searched]
            if not partial_pack.files:
                partial_pack.files = path_only_files(pack_query.query, candidates)
            if is_over and candidates:
                partial_pack.files = with_early_regions(pack_query, pack_query.query, candidates, state, listing)
                has_code = is_found = True
        if waited_ms >= wait_ms:
            break
        step_ms = min(wait_ms - waited_ms, max(FIRST_READ_MS, waited_ms / 2))
        newly_analyzed, complete = repository.wait_for_index(listing, indexing, step_ms)
        waited_ms, analyzed = max(waited_ms + step_ms, clock.monotonic_ms() - started_ms), analyzed + newly_analyzed
    return _Found(analyzed, complete, matches, early_matches)


def _early_matches(
    pack_query: PackQuery, listing: Listing, search: RunningSearch | None, wait_ms: float
) -> list[RankedFile]:
    """Return what a search of contents finds in time, after the files that the prompt names; nothing without one."""
    if search is None or pack_query.repository.is_indexed():
        return []
    await_future(search, wait_ms)
    named = [RankedFile(path, 1.0, {"namedPath": 1.0}, (), ()) for path in dict.fromkeys(paths_in(pack_query.query))]
    matches = early_matches_first(named, finished(search))
    return [file for file in matches if file.path in listing.searched] if finished(search) else []


def _without_unindexed(query: str, listing: Listing) -> str:
    """Remove the paths of files that are not indexed: their words say nothing about others."""
    for path in paths_in(query) if listing.unindexed else ():
        if path in listing.unindexed:
            query = query.replace(path, " ")
    return query


def _key(pack_query: PackQuery, state: RepositoryState, listing: Listing) -> PackKey:
    host = pack_query.host_injects
    sources: list[Any] = [
        PACK_VERSION, pack_query.process.version, host.agents_md, host.claude_md, accepted_digest(pack_query.accepted),
        pack_query.anchor_bytes, list(pack_query.touched), pack_query.query, pack_query.context_bytes,
        *pack_query.opening,
        list(pack_query.plan_paths),
        listing.entries, pack_query.repository.shared.search.histories.boundary,
        [(file.path, file.conversations, file.is_edited, *map(sorted, file.edits)) for file in pack_query.recent],
        *pack_query.repository.texts_above(LINKABLE_FILES, state).items(), *OWN_PATTERNS.texts,
    ]  # fmt: skip
    return PackKey(
        workspace=pack_query.workspace.key,
        task_fingerprint=pack_query.task.fingerprint,
        changed_files_hash=state.changed_hash,
        head_commit=state.head or "",
        provider=pack_query.provider,
        mode=pack_query.mode,
        budget_profile=pack_query.token_mode,
        sources=short_id(sources),
    )


class RenderCache:
    """Cache of the last call's rendered files. Thread-safe."""

    def __init__(self) -> None:
        self._last: tuple[Sequence[ContextFile], Hashable, ContextItems] = ((), None, ContextItems([], 0))

    def items(
        self,
        files: Sequence[ContextFile],
        limits: ContextLimits,
        known: SessionContents = NO_CONTENTS,
        own_files: int = 0,
        changes_shown: Collection[str] = (),
    ) -> ContextItems:
        """Render the files; return the previous items if the very same files are given again to the same session."""
        last_files, last_inputs, last_items = self._last
        before = [known.items.get(entries.context_key(file.ranked.path)) for file in files]
        covered = tuple(file.ranked.path in changes_shown for file in files)
        inputs = (own_files, limits, tuple(item and item.entry for item in before), covered)
        if last_inputs == inputs and _are_same(files, last_files):
            return last_items
        items = context_items(files, own_files, known, limits, changes_shown)
        self._last = (tuple(files), inputs, items)
        return items


def _are_same(values: Sequence[object], others: Sequence[object]) -> bool:
    return len(values) == len(others) and all(map(is_, values, others))
