"""Memories for a run: those relevant to its text, few and likely, and the HOT ones preloaded at a start."""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from sidecar.call import Call, Process
from sidecar.core.clock import DAY_MS
from sidecar.core.errors import PolicyDenied, StateDegraded
from sidecar.core.lru_cache import LruCache
from sidecar.memory.access_control import SHARED_ONLY, Reach, reach_of
from sidecar.memory.entry import Memory, Tier
from sidecar.memory.files.layout import SHARED
from sidecar.memory.files.watch import OpenWatches
from sidecar.memory.index import MAX_INLINE_FILES, Index, IndexFileWrites, IndexRegistry, index_of
from sidecar.memory.indexed_text import significant_terms
from sidecar.memory.memory_search import MemoryHit, search
from sidecar.memory.serialize import Level, render_memory
from sidecar.memory.store import entries, entry_queries
from sidecar.memory.store.entry_queries import EntryFilter, SearchFilters
from sidecar.workspace import Workspace

MIN_QUERY_SHARE = 1 / 3
"""A memory is relevant to a text if it contains this share of the text's weight ..."""

MIN_TITLE_SHARE = 0.6
"""... or the text contains this share of its title's words: a long text has much that no memory contains."""

MIN_SHARED_TERMS = 2
"""One common word is chance, unless there is no other. A wrong memory costs more than a missing one."""

MAX_DOUBTED_CONFIDENCE = 0.5
"""Memories at or below this confidence are never injected automatically; superseded and contradicted ones fall below
it.
"""

MAX_RELEVANT = 6
"""Maximum number of relevant memories besides the HOT ones."""

MAX_CANDIDATES = 50
"""Maximum number of full-text results that are scored, of which a few are returned."""

MAX_CACHED_ANSWERS = 256
"""Maximum number of cached answers, for repeated prompts."""


class Relevant(NamedTuple):
    """A memory relevant to a text, and why."""

    memory: Memory
    terms: tuple[str, ...]
    """The text's significant terms; they determine which lines of the memory matter."""
    factors: dict[str, float]
    """The factors of its score."""

    def render_memory(self, level: Level) -> str:
        """Return its text at a level, without its title."""
        return render_memory(level, self.memory.title, self.memory.tags, self.memory.text, self.terms).text


class _CachedMemories(NamedTuple):
    """Memories as of a generation of the state file."""

    generation: int
    memories: dict[str, Memory]


class Relevance:
    """Cache of the answers to recent texts, valid while no memory changes."""

    def __init__(self) -> None:
        self._answers: LruCache[Hashable, object] = LruCache(MAX_CACHED_ANSWERS)
        self._existing: LruCache[Hashable, object] = LruCache(MAX_CACHED_ANSWERS)

    def cached(self, process: Process, workspace: Workspace, text: str) -> tuple[Relevant, ...] | None:
        """Return the cached answer, or an empty one if there are no memories; None if a search is needed.

        Raise PolicyDenied or StateDegraded if the memories folder cannot be used.
        """
        index = index_of(process, workspace)
        if not index.folder.exists():
            return ()
        is_current = index.refresh_if_quick()
        if index.files() == 0:
            return () if is_current else None
        answer = self._answers.get(_key(process, index, text))
        return answer if isinstance(answer, tuple) else None

    def search(self, process: Process, workspace: Workspace, text: str, limit: int) -> tuple[Relevant, ...]:
        """Search and cache the answer. Scores use the day's start, so a text has the same answer all day."""
        index = index_of(process, workspace)
        if not index.revision():  # more files than can be read before a run, and no index of them yet
            index.refresh()
        key = _key(process, index, text)
        answer = _search(process, index, SHARED_ONLY, text, limit)
        self._answers.put(key, answer, 1)
        return answer

    def existing(self, process: Process, workspace: Workspace, ids: Sequence[str]) -> dict[str, Memory]:
        """Return those of some shared memories that still exist, by id; without archived ones.

        Read again only after a commit.
        """
        index = index_of(process, workspace)
        key, generation = (index.project, *ids), process.database.generation()
        cached = self._existing.get(key)
        if isinstance(cached, _CachedMemories) and cached.generation == generation:
            return cached.memories
        with process.database.read() as tx:
            matches = {
                memory_id: entries.entries_with_id(tx, index.project, memory_id, SHARED_ONLY.owners)
                for memory_id in ids
            }
        memories = {
            memory_id: stored[0].memory
            for memory_id, stored in matches.items()
            if stored and not stored[0].memory.is_archived
        }
        self._existing.put(key, _CachedMemories(generation, memories), 1)
        return memories

    def search_within(self, process: Process, workspace: Workspace, reach: Reach, text: str) -> tuple[Relevant, ...]:
        """Return what is relevant to a text among all a caller may reach, as indexed; best first."""
        index = index_of(process, workspace)
        key = *_key(process, index, text), reach.agent
        cached = self._answers.get(key)
        if isinstance(cached, tuple):
            return cached
        answer = _search(process, index, reach, text, MAX_RELEVANT)
        self._answers.put(key, answer, 1)
        return answer


def refresh_index(process: Process, workspace: Workspace) -> None:
    """Refresh the index of a folder too large to be refreshed before each run."""
    index = index_of(process, workspace)
    if index.files() > MAX_INLINE_FILES:
        index.refresh()


def _search(process: Process, index: Index, reach: Reach, text: str, limit: int) -> tuple[Relevant, ...]:
    terms = tuple(significant_terms(text))
    day_ms = process.clock.now_ms() // DAY_MS * DAY_MS
    with process.database.read() as tx:
        hits = search(
            tx,
            index.project,
            reach,
            text,
            SearchFilters(),
            limit,
            day_ms,
            max_candidates=MAX_CANDIDATES,
        )
    query_terms = frozenset(terms)
    return tuple(
        Relevant(hit.entry.memory, terms, hit.factors._asdict()) for hit in hits if _is_relevant(hit, query_terms)
    )


def _is_relevant(hit: MemoryHit, query_terms: frozenset[str]) -> bool:
    memory = hit.entry.memory
    if (
        memory.confidence <= MAX_DOUBTED_CONFIDENCE or memory.tier == "cold"
    ):  # COLD ones are returned only by an explicit search (4.6)
        return False
    title = frozenset(significant_terms(memory.title))
    shared = query_terms & (title | frozenset(significant_terms(memory.text)))
    if len(shared) < min(MIN_SHARED_TERMS, len(query_terms)):
        return False
    return hit.query_share >= MIN_QUERY_SHARE or len(query_terms & title) >= max(
        MIN_SHARED_TERMS, MIN_TITLE_SHARE * len(title)
    )


def _key(process: Process, index: Index, text: str) -> tuple[str, int, int, str]:
    return index.project, index.revision(), process.clock.now_ms() // DAY_MS, text


MAX_PRELOADED = 40
MAX_CACHED_LISTS = 16
"""Maximum number of cached lists."""


class Preloaded(NamedTuple):
    """Memories of one tier within reach: the caller's own first, then the most certain and newest."""

    agent: str
    """The calling agent; empty if there is none."""
    memories: tuple[Memory, ...]
    total: int
    """Total number, including the returned ones."""
    relevant: tuple[Relevant, ...] = ()
    """Active HOT or WARM memories within reach that are relevant to the task, best first."""
    warning: str = ""
    """Reason why there are none, if the folder cannot be used."""


class PreloadCache:
    """Cache of each tier's memories by reach, valid while no memory changes."""

    def __init__(self) -> None:
        self._cache: LruCache[Hashable, object] = LruCache(MAX_CACHED_LISTS)

    def of(self, call: Call, index: Index, reach: Reach, tier: Tier) -> tuple[tuple[Memory, ...], int]:
        """Return the memories in order, and their total number."""
        key = index.project, index.revision(), reach.owners, tier
        cached = self._cache.get(key)
        if isinstance(cached, tuple):
            return cached
        with call.database.read() as tx:
            scope = index.project, reach.owners, EntryFilter(tier=tier)
            entries = entry_queries.list_entries(tx, *scope, 0, MAX_PRELOADED)
            total = entry_queries.count_entries(tx, *scope)
        list_entries = tuple(sorted((entry.memory for entry in entries), key=_existing)), total
        self._cache.put(key, list_entries, 1)
        return list_entries


def preload(call: Call, workspace: Workspace, token: str | None, tier: Tier = "hot", *, task: str = "") -> Preloaded:
    """Return the memories of a tier within a token's reach, and what is relevant to a task; does not count as access.

    Raise PolicyDenied for an invalid token.
    """
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, token)
    index = index_of(call.process, workspace)
    try:
        index.refresh()
    except (PolicyDenied, StateDegraded) as error:
        return Preloaded(reach.agent, (), 0, warning=error.message)
    memories, total = call.process.slices.memory.preloads.of(call, index, reach, tier)
    relevance = call.process.slices.memory.relevance
    relevant = relevance.search_within(call.process, workspace, reach, task) if task.strip() else ()
    return Preloaded(reach.agent, memories, total, relevant)


def memories_by_id(call: Call, workspace: Workspace, token: str | None, ids: Iterable[str]) -> tuple[Memory, ...]:
    """Return those of some memories that still exist within a token's reach, without archived ones.

    Raise PolicyDenied for an invalid token.
    """
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, token)
        matches = [entries.entries_with_id(tx, workspace.project_key, memory_id, reach.owners) for memory_id in ids]
    return tuple(stored[0].memory for stored in matches if stored and not stored[0].memory.is_archived)


def _existing(memory: Memory) -> tuple[bool, float, int, str]:
    return memory.owner == SHARED, -memory.confidence, -memory.at_ms, memory.id


class MemoryState:
    """Indexes of memory files, their watches, and results of the last searches."""

    def __init__(self, process: Process) -> None:
        self.indexes = IndexRegistry()
        self.index_files = IndexFileWrites()
        self.watches = OpenWatches(process)
        self.relevance = Relevance()
        self.preloads = PreloadCache()
