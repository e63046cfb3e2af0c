"""Memories for a run: those relevant to its text, few and likely, and the HOT ones preloaded at a start."""

import threading
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import apsw

from sidecar.call import Call, Process
from sidecar.core.errors import PolicyDenied, StateDegraded
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.terms import count_terms
from sidecar.language.message_intent import is_courtesy
from sidecar.language.own_words import own_words
from sidecar.memory.access_control import SHARED_ONLY, Reach, reach_of
from sidecar.memory.contradictions import claim_of, disagree
from sidecar.memory.detail_levels import Level, render_memory
from sidecar.memory.entry import ARTIFACT_TAG, DROPPED, Memory, Tier
from sidecar.memory.file_index import MAX_INLINE_FILES, IndexFileWrites, MemoryIndex, MemoryIndexes, memory_index_of
from sidecar.memory.files.layout import SHARED
from sidecar.memory.files.watch import OpenWatches
from sidecar.memory.prompt_match import (
    NAME_SCORE,
    STRONG,
    MemoryEvidence,
    MemoryText,
    PromptCues,
    Rarity,
    cues_of,
    evidence,
    lookup_terms,
    memory_text,
    rarest_terms,
    shared_phrase,
    states_limit,
)
from sidecar.memory.standing_instruction_register import NO_INSTRUCTIONS, InstructionState, load_instructions
from sidecar.memory.store import entry_queries, index_tables, local_state
from sidecar.memory.store.entry_queries import (
    EntryFilter,
    SearchFilters,
    best_rows,
    entries_of_rows,
    rows_of_rules,
    rows_of_session,
    titles_beginning,
)
from sidecar.workspace import Workspace

MAX_DOUBTED_CONFIDENCE = 0.5
"""Memories at or below this confidence are never injected automatically; superseded and contradicted ones fall below
it.
"""

MAX_RELEVANT = 8
"""Maximum number of relevant memories that are returned; of those the session has not, three are sent."""

MAX_CANDIDATES = 50
"""Maximum number of full-text results that are examined."""

MAX_SEARCH_TERMS = 40
"""Maximum number of terms by which memories are looked up, the rarest first."""

MAX_LOST = 3
"""Maximum number of statements that a compacted session made itself and gets back."""

MAX_RULES = 50
"""Maximum number of the user's newest rules whose step of the work is compared with the prompt's."""

MAX_DROPPED = 50
"""Maximum number of the newest dropped approaches whose names are looked for in a prompt."""

PREFERENCE_TYPES = frozenset(("user_correction", "preference"))
LOST_TYPES = ("decision", "user_correction", "preference", "lesson")
"""Decisions, corrections, and approaches that were dropped."""

EVENT_TYPES = frozenset(("resolution", "error_pattern", "gotcha", "episodic"))

MAX_CACHED_ANSWERS = 256
"""Maximum number of cached answers, for repeated prompts."""


class Relevant(NamedTuple):
    """A memory relevant to a text, and why."""

    memory: Memory
    terms: tuple[str, ...]
    """The text's significant terms; they determine which lines of the memory matter."""
    factors: dict[str, float]
    """The weight of what it shares with the text, and its confidence."""
    shared: tuple[str, ...]
    """The names and terms it shares with the text."""

    @property
    def shares_little(self) -> bool:
        """Whether it shares fewer than two telling terms with the text, and no name and no path."""
        return self.factors.get("shared", NAME_SCORE) < NAME_SCORE

    def render_memory(self, level: Level) -> str:
        """Return its text at a level, without its title."""
        return render_memory(level, self.memory.title, self.memory.tags, self.memory.text, self.terms).text


class RecallQuery(NamedTuple):
    """A prompt to recall memories for, and the session that receives them."""

    cues: PromptCues
    session: str = ""
    """The provider session that receives them; what it said itself it has, unless it lost that since."""
    compacted_at_ms: int | None = None
    rolled_back: tuple[tuple[int, int | None], ...] = ()
    """Times, since and until, whose messages the user rolled back; an open one has no end."""
    has_lost_all: bool = False
    """Whether the session was compacted and received nothing since: it also gets back what it decided itself."""

    def knows(self, memory: Memory) -> bool:
        """Whether the session said it itself and still has it."""
        if not self.session or memory.session != self.session:
            return False
        if any(since <= memory.at_ms and (until is None or memory.at_ms < until) for since, until in self.rolled_back):
            return False
        return self.compacted_at_ms is None or self.compacted_at_ms < memory.at_ms


class _CachedMemories(NamedTuple):
    """Memories as of a generation of the state file."""

    generation: int
    memories: dict[str, Memory]


class Relevance:
    """Cache of the answers to recent texts, valid while no memory changes."""

    def __init__(self) -> None:
        self._answers: LruCache[Hashable, object] = LruCache(MAX_CACHED_ANSWERS)
        self._memories: LruCache[Hashable, object] = LruCache(MAX_CACHED_ANSWERS)

    def cached(self, process: Process, workspace: Workspace, query: RecallQuery) -> tuple[Relevant, ...] | None:
        """Return the cached answer; None if a search is needed."""
        index = memory_index_of(process, workspace)
        answer = self._answers.get((index.project, index.revision(), SHARED_ONLY, query))
        return answer if isinstance(answer, tuple) else None

    def search(self, process: Process, workspace: Workspace, query: RecallQuery) -> tuple[Relevant, ...]:
        """Search the shared memories and cache the answer."""
        index = memory_index_of(process, workspace)
        if not index.revision():  # more files than can be read before a run, and no index of them yet
            index.refresh()
        return self.search_within(process, workspace, SHARED_ONLY, query)

    def existing(self, process: Process, workspace: Workspace, ids: Sequence[str]) -> dict[str, Memory]:
        """Return those of some shared memories that still hold, by id; what upkeep archived by its age does.

        Read again only after a commit.
        """
        index = memory_index_of(process, workspace)
        key, generation = (index.project, *ids), process.database.generation()
        cached = self._memories.get(key)
        if isinstance(cached, _CachedMemories) and cached.generation == generation:
            return cached.memories
        with process.database.read() as tx:
            matches = {
                memory_id: index_tables.entries_with_id(tx, index.project, memory_id, SHARED_ONLY.owners)
                for memory_id in ids
            }
        memories = {
            memory_id: stored[0].memory
            for memory_id, stored in matches.items()
            if stored and not _is_withdrawn(stored[0].memory)
        }
        self._memories.put(key, _CachedMemories(generation, memories), 1)
        return memories

    def search_within(
        self, process: Process, workspace: Workspace, reach: Reach, query: RecallQuery
    ) -> tuple[Relevant, ...]:
        """Return the memories relevant to a query among all a caller may reach: at most MAX_RELEVANT, best first."""
        index = memory_index_of(process, workspace)
        key = index.project, index.revision(), reach, query
        cached = self._answers.get(key)
        if isinstance(cached, tuple):
            return cached
        answer = _search(process, index, reach, query, frozenset(count_terms(workspace.project.name)))
        self._answers.put(key, answer, 1)
        return answer


def recall_query(
    prompt: str,
    objective: str = "",
    touched: Sequence[str] = (),
    *,
    session: str = "",
    compacted_at_ms: int | None = None,
    rolled_back: tuple[tuple[int, int | None], ...] = (),
    has_lost_all: bool = False,
) -> RecallQuery:
    """Return the query of a prompt; that of a courtesy finds nothing by its words."""
    if is_courtesy(prompt):
        prompt, objective, touched = "", "", ()
    quoted = _WHOLE_QUOTATION.fullmatch(prompt)
    own = own_words(quoted[1] if quoted is not None else prompt)
    return RecallQuery(cues_of(prompt, own, objective, touched), session, compacted_at_ms, rolled_back, has_lost_all)


_WHOLE_QUOTATION = lazy_regex(r"\s*[\"“«「]([^\"“”«»「」]+)[\"”»」]\s*")
"""A prompt that somebody put into quotation marks asks for what it says, though it states no rule of the user."""


def refresh_index(process: Process, workspace: Workspace) -> None:
    """Refresh the index of a folder too large to be refreshed before each run."""
    index = memory_index_of(process, workspace)
    if index.files() > MAX_INLINE_FILES:
        index.refresh()


def _search(
    process: Process, index: MemoryIndex, reach: Reach, query: RecallQuery, project_terms: frozenset[str]
) -> tuple[Relevant, ...]:
    with process.database.read() as tx:
        counts = index_tables.term_counts(tx, index.project, reach.owners, lookup_terms(query.cues), ())
        rarity = Rarity(counts.entries, counts.document_frequency, project_terms)
        terms = rarest_terms(query.cues, rarity, MAX_SEARCH_TERMS)
        rows = best_rows(tx, index.project, reach.owners, (terms, ()), SearchFilters(), MAX_CANDIDATES) if terms else []
        if query.cues.activities:
            rows = list(dict.fromkeys((*rows, *rows_of_rules(tx, index.project, reach.owners, MAX_RULES))))
        dropped = titles_beginning(tx, index.project, reach.owners, DROPPED.strip(" :"), MAX_DROPPED)
        named = [row for row, title in dropped if shared_phrase(query.cues, title.removeprefix(DROPPED))]
        rows = list(dict.fromkeys((*rows, *named)))
        if query.has_lost_all:
            lost = rows_of_session(tx, index.project, reach.owners, query.session, LOST_TYPES, MAX_CANDIDATES)
            rows = list(dict.fromkeys((*lost, *rows)))
        candidates = [entry.memory for entry in entries_of_rows(tx, rows).values()] if rows else []
        state = load_instructions(tx, index.project) if candidates else NO_INSTRUCTIONS
    sendable = [
        memory
        for memory in candidates
        if _may_be_sent(memory) and memory.id not in state.replaced and not query.knows(memory)
    ]
    found = [
        (memory, shared)
        for memory in sendable
        if (shared := evidence(query.cues, _memory_text(memory), rarity)) is not None
        if not _contradicts_user(memory, state)
    ]
    found.sort(key=lambda pair: _rank(*pair))
    relevant = [
        Relevant(memory, query.cues.terms, {"shared": shared.score, "confidence": memory.confidence}, shared.shared)
        for memory, shared in found[:MAX_RELEVANT]
    ]
    own = _own_lost(sendable, query, state)
    own_ids = {match.memory.id for match in own}
    return (*own, *(match for match in relevant if match.memory.id not in own_ids))[:MAX_RELEVANT]


def _own_lost(memories: Iterable[Memory], query: RecallQuery, state: InstructionState) -> list[Relevant]:
    """Return what a session decided itself, newest first, if a compaction left it nothing."""
    if not query.has_lost_all:
        return []
    own = [memory for memory in memories if memory.session == query.session and memory.type in LOST_TYPES]
    own = [memory for memory in own if not _contradicts_user(memory, state)]
    own.sort(key=lambda memory: (-memory.at_ms, memory.id))
    return [Relevant(memory, query.cues.terms, {"confidence": memory.confidence}, ()) for memory in own[:MAX_LOST]]


def _contradicts_user(memory: Memory, state: InstructionState) -> bool:
    """Whether a memory contradicts a standing instruction that holds."""
    texts = (instruction.text for instruction in state.active if instruction.id != memory.id)
    return any(disagree(memory.text or memory.title, text) for text in texts)


def _may_be_sent(memory: Memory) -> bool:
    """Whether a memory may be sent unasked: certain enough, and not COLD; explicit searches return those too (4.6)."""
    return memory.confidence > MAX_DOUBTED_CONFIDENCE and memory.tier != "cold"


def _memory_text(memory: Memory) -> MemoryText:
    claim = claim_of(memory.text or memory.title)
    names = claim.chosen | claim.rejected if claim.chosen and claim.rejected else ()
    choices = frozenset(term for name in names if len(name) == 1 for term in name)
    is_rule = memory.type in PREFERENCE_TYPES or (memory.author == "user" and memory.type == "decision")
    is_limit = memory.author == "user" and states_limit(memory.text or memory.title)
    return memory_text(memory.title, memory.text, memory.tags, choices, is_rule=is_rule, is_limit=is_limit)


def _rank(memory: Memory, shared: MemoryEvidence) -> tuple[int, float, int, str]:
    """Order preferences before decisions before events, then by what is shared, then newest first.

    A preference that shares only a step of the work comes last.
    """
    kind = 0 if memory.type in PREFERENCE_TYPES else 2 if memory.type in EVENT_TYPES else 1
    if shared.score < STRONG:
        kind = 3
    return kind, -shared.score, -memory.at_ms, memory.id


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
    suppressed: int = 0
    """Number of memories of the tier that are not returned, because they no longer hold or are doubted."""
    relevant: tuple[Relevant, ...] = ()
    """Active HOT or WARM memories within reach that are relevant to the task, best first."""
    warning: str = ""
    """Reason why there are none, if the folder cannot be used."""


class PreloadCache:
    """Cache of each tier's memories by reach, valid while no memory changes."""

    def __init__(self) -> None:
        self._cache: LruCache[Hashable, object] = LruCache(MAX_CACHED_LISTS)

    def of(self, call: Call, index: MemoryIndex, reach: Reach, tier: Tier) -> tuple[tuple[Memory, ...], int]:
        """Return the memories in order, and their total number."""
        key = index.project, index.revision(), reach.owners, tier
        cached = self._cache.get(key)
        if isinstance(cached, tuple):
            return cached
        with call.database.read() as tx:
            scope = index.project, reach.owners, EntryFilter(tier=tier)
            listed = entry_queries.list_entries(tx, *scope, 0, MAX_PRELOADED)
            total = entry_queries.count_entries(tx, *scope)
        preloaded = tuple(sorted((entry.memory for entry in listed), key=_preload_order)), total
        self._cache.put(key, preloaded, 1)
        return preloaded


def preload(
    call: Call, workspace: Workspace, token: str | None, tier: Tier = "hot", *, query: RecallQuery | None = None
) -> Preloaded:
    """Return the memories of a tier within a token's reach, and those relevant to a query; does not count as access.

    Raise PolicyDenied for an invalid token.
    """
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, token)
    index = memory_index_of(call.process, workspace)
    try:
        index.refresh()
    except (PolicyDenied, StateDegraded) as error:
        return Preloaded(reach.agent, (), 0, warning=error.message)
    memories, total = call.process.slices.memory.preloads.of(call, index, reach, tier)
    relevance = call.process.slices.memory.relevance
    relevant = relevance.search_within(call.process, workspace, reach, query) if query is not None else ()
    with call.database.read() as tx:
        muted = local_state.muted_memories(tx, workspace.project_key)
        active = active_memories(tx, index.project, reach, memories)
    return Preloaded(
        reach.agent,
        active,
        total,
        len(memories) - len(active),
        tuple(match for match in relevant if match.memory.id not in muted),
    )


def active_memories(tx: apsw.Connection, project: str, reach: Reach, memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Return those of some memories that a session may receive unasked.

    Left out are memories that are archived, doubted, muted or withdrawn, and, unless they are standing instructions
    themselves, those that are superseded or contradict one.
    """
    certain = [memory for memory in memories if memory.confidence > MAX_DOUBTED_CONFIDENCE and not memory.is_archived]
    if not certain:
        return ()
    muted, state = local_state.muted_memories(tx, project), load_instructions(tx, project)
    superseded = index_tables.superseding_ids(tx, project, reach.owners, (memory.id for memory in certain))
    instruction_ids = {instruction.id for instruction in state.active}
    return tuple(
        memory
        for memory in certain
        if memory.id not in muted and memory.id not in state.replaced
        if memory.id in instruction_ids or (memory.id not in superseded and not _contradicts_user(memory, state))
    )


def _is_withdrawn(memory: Memory) -> bool:
    """Whether a memory was archived because the user revoked its artifact, not because of its age."""
    return memory.is_archived and any(tag.startswith(ARTIFACT_TAG) for tag in memory.tags)


def memories_by_id(call: Call, workspace: Workspace, token: str | None, ids: Iterable[str]) -> tuple[Memory, ...]:
    """Return those of some memories within a token's reach that a session may receive unasked.

    Raise PolicyDenied for an invalid token.
    """
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, token)
        matches = [
            index_tables.entries_with_id(tx, workspace.project_key, memory_id, reach.owners) for memory_id in ids
        ]
        memories = [stored[0].memory for stored in matches if stored]
        return active_memories(tx, workspace.project_key, reach, memories)


def _preload_order(memory: Memory) -> tuple[bool, float, int, str]:
    return memory.owner == SHARED, -memory.confidence, -memory.at_ms, memory.id


class MemoryState:
    """Indexes of memory files, their watches, results of the last searches, and locks."""

    def __init__(self, process: Process) -> None:
        self.indexes = MemoryIndexes()
        self.index_files = IndexFileWrites()
        self.watches = OpenWatches(process)
        self.relevance = Relevance()
        self.preloads = PreloadCache()
        self._capture_locks: dict[str, threading.Lock] = {}

    def capture_lock(self, project: str) -> threading.Lock:
        """Return the lock for capturing a project's pending material, so that no two threads capture the same."""
        return self._capture_locks.setdefault(project, threading.Lock())
