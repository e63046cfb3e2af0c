"""The shared memories that bear on what an agent is about to do: few, and only those that are likely meant."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sidecar.call import Call, Process
from sidecar.core.errors import PolicyDenied, StateDegraded
from sidecar.memory.access import SHARED_ONLY, Reach, reach_of
from sidecar.memory.entry import Memory, Tier
from sidecar.memory.files.layout import SHARED
from sidecar.memory.index import Index, index_of
from sidecar.memory.ranking.indexed_text import significant
from sidecar.memory.retrieval.detail_levels import Level, told
from sidecar.memory.retrieval.memory_search import Found, search
from sidecar.memory.store import entries, entry_queries
from sidecar.memory.store.candidates import Sought
from sidecar.memory.store.entry_queries import Filter
from sidecar.storage.lru import Lru
from sidecar.workspace import Workspace

LEAST_SAID = 1 / 3
"""A memory bears on a text when it holds so much of the text's weight ..."""

LEAST_OF_TITLE = 0.6
"""... or the text so many of its title's words: a long text asks for much that no memory holds."""

LEAST_TERMS = 2
"""One word in common is chance, unless there is no other. A wrong memory costs more than a missing one."""

DOUBTED = 0.5
"""Who is no surer of a memory than this does not tell it unasked: what was superseded or contradicted is no surer."""

AT_ONCE = 200
"""So many files are looked over before each run, in a millisecond, and any number that is watched; of more, the index
is asked as it stands, and the look at the files follows the run."""

DAY_MS = 24 * 60 * 60 * 1000
MAX_WITHIN = 6
"""So many are told beside the HOT ones."""

LOOKED_AT = 50
"""So many of those that full-text search puts first are weighed, of which a few are told."""

MAX_KEPT = 256
"""Answers kept for prompts that come again."""


class Relevant(NamedTuple):
    """A memory that bears on a text, and why."""

    memory: Memory
    terms: tuple[str, ...]
    """Of the text's significant terms; they say which lines of the memory matter."""
    factors: dict[str, float]
    """What its score is the product of."""

    def told(self, level: Level) -> str:
        """Gives its text at a level, without its title."""
        return told(level, self.memory.title, self.memory.tags, self.memory.text, self.terms).text


class _Standing(NamedTuple):
    """What stood at a generation of the state file."""

    generation: int
    memories: dict[str, Memory]


class Relevance:
    """What is asked for again: the answers to the last texts, as long as no memory changes."""

    def __init__(self) -> None:
        self._answers = Lru(MAX_KEPT)
        self._standing = Lru(MAX_KEPT)

    def at_hand(self, process: Process, workspace: Workspace, text: str) -> tuple[Relevant, ...] | None:
        """Gives the answer that is known, or that there is nothing to look for; None when a search is due.

        Raises PolicyDenied, StateDegraded where the memories' folder cannot be used.
        """
        index = index_of(process, workspace)
        if not index.folder.exists():
            return ()
        if index.is_watched or index.files() <= AT_ONCE:
            index.check()
        if index.files() == 0:
            return ()
        kept = self._answers.get(_key(process, index, text))
        return kept if isinstance(kept, tuple) else None

    def look(self, process: Process, workspace: Workspace, text: str, limit: int) -> tuple[Relevant, ...]:
        """Searches, and keeps the answer. Scores are those of the day, so that a text is answered alike all day."""
        index = index_of(process, workspace)
        key = _key(process, index, text)
        answer = _looked_for(process, index, SHARED_ONLY, text, limit)
        self._answers.put(key, answer, 1)
        return answer

    def standing(self, process: Process, workspace: Workspace, ids: Sequence[str]) -> dict[str, Memory]:
        """Gives those of some shared memories that still are, by their ids; archived ones are told of no more.

        Read again only when something was committed.
        """
        index = index_of(process, workspace)
        key, generation = (index.project, *ids), process.database.generation()
        kept = self._standing.get(key)
        if isinstance(kept, _Standing) and kept.generation == generation:
            return kept.memories
        with process.database.read() as tx:
            found = {one: entries.with_id(tx, index.project, one, SHARED_ONLY.owners) for one in ids}
        there = {one: known[0].memory for one, known in found.items() if known and not known[0].memory.is_archived}
        self._standing.put(key, _Standing(generation, there), 1)
        return there

    def within(self, process: Process, workspace: Workspace, reach: Reach, text: str) -> tuple[Relevant, ...]:
        """Gives what bears on a text of all that somebody may reach, as the index has it; the best first."""
        index = index_of(process, workspace)
        key = *_key(process, index, text), reach.agent
        kept = self._answers.get(key)
        if isinstance(kept, tuple):
            return kept
        answer = _looked_for(process, index, reach, text, MAX_WITHIN)
        self._answers.put(key, answer, 1)
        return answer


def look_over(process: Process, workspace: Workspace) -> None:
    """Takes in what changed in a folder too large to be looked over before each run."""
    index = index_of(process, workspace)
    if index.files() > AT_ONCE:
        index.check()


def _looked_for(process: Process, index: Index, reach: Reach, text: str, limit: int) -> tuple[Relevant, ...]:
    terms = tuple(significant(text))
    day_ms = process.clock.now_ms() // DAY_MS * DAY_MS
    with process.database.read() as tx:
        found = search(
            tx,
            index.project,
            reach,
            text,
            Sought(),
            limit,
            day_ms,
            most=LOOKED_AT,
        )
    asked = frozenset(terms)
    return tuple(Relevant(one.entry.memory, terms, one.factors._asdict()) for one in found if _bears_on(one, asked))


def _bears_on(one: Found, asked: frozenset[str]) -> bool:
    memory = one.entry.memory
    if memory.confidence <= DOUBTED or memory.tier == "cold":  # COLD ones are found by who searches (4.6)
        return False
    title = frozenset(significant(memory.title))
    both = asked & (title | frozenset(significant(memory.text)))
    if len(both) < min(LEAST_TERMS, len(asked)):
        return False
    return one.said >= LEAST_SAID or len(asked & title) >= max(LEAST_TERMS, LEAST_OF_TITLE * len(title))


def _key(process: Process, index: Index, text: str) -> tuple[str, int, int, str]:
    return index.project, index.revision(), process.clock.now_ms() // DAY_MS, text


# The memories an agent is given without asking: the HOT ones within reach, as the files have them now.


MAX_PRELOADED = 40
MAX_KEPT_PRELOADING = 16
"""So many lists are kept for those who ask again."""


class Preloaded(NamedTuple):
    """Memories of one tier within reach of who asks, those of their own first, then the most certain and newest."""

    agent: str
    """The agent that asks; empty where none does."""
    memories: tuple[Memory, ...]
    total: int
    """How many there are, those given among them."""
    relevant: tuple[Relevant, ...] = ()
    """Those, HOT or WARM, within reach that bear on the task, the best first; archived ones are not among them."""
    warning: str = ""
    """Why there are none, where the folder cannot be used."""


class PreloadCache:
    """The memories of each tier that somebody may reach, as long as no memory changes."""

    def __init__(self) -> None:
        self._kept = Lru(MAX_KEPT_PRELOADING)

    def of(self, call: Call, index: Index, reach: Reach, tier: Tier) -> tuple[tuple[Memory, ...], int]:
        """Gives them in their order, and how many there are."""
        key = index.project, index.revision(), reach.owners, tier
        kept = self._kept.get(key)
        if isinstance(kept, tuple):
            return kept
        with call.database.read() as tx:
            scope = index.project, reach.owners, Filter(tier=tier)
            found = entry_queries.listed(tx, *scope, 0, MAX_PRELOADED)
            total = entry_queries.count(tx, *scope)
        listed = tuple(sorted((one.memory for one in found), key=_standing)), total
        self._kept.put(key, listed, 1)
        return listed


def preload(call: Call, workspace: Workspace, token: str | None, tier: Tier = "hot", *, task: str = "") -> Preloaded:
    """Gives the memories of a tier within a token's reach, and what bears on a task; being given counts as no access.

    Raises PolicyDenied for a token that is not valid.
    """
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, token)
    index = index_of(call.process, workspace)
    try:
        index.check()
    except (PolicyDenied, StateDegraded) as error:
        return Preloaded(reach.agent, (), 0, warning=error.message)
    memories, total = call.process.slices.memory.preloads.of(call, index, reach, tier)
    relevance = call.process.slices.memory.relevance
    relevant = relevance.within(call.process, workspace, reach, task) if task.strip() else ()
    return Preloaded(reach.agent, memories, total, relevant)


def recalled(call: Call, workspace: Workspace, token: str | None, ids: Iterable[str]) -> tuple[Memory, ...]:
    """Gives those of some memories that still are and are within a token's reach; archived ones are told no more.

    Raises PolicyDenied for a token that is not valid.
    """
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, token)
        found = [entries.with_id(tx, workspace.project_key, one, reach.owners) for one in ids]
    return tuple(known[0].memory for known in found if known and not known[0].memory.is_archived)


def _standing(memory: Memory) -> tuple[bool, float, int, str]:
    return memory.owner == SHARED, -memory.confidence, -memory.at_ms, memory.id
