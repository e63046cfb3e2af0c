"""The memories an agent is given without asking: the HOT ones within reach, as the files have them now."""

from collections.abc import Iterable
from typing import NamedTuple

from sidecar.call import Call
from sidecar.core.errors import PolicyDenied, StateDegraded
from sidecar.memory.access import Reach, reach_of
from sidecar.memory.entry import Memory, Tier
from sidecar.memory.files.layout import SHARED
from sidecar.memory.finding.relevant import Relevance, Relevant
from sidecar.memory.index import Index, index_of
from sidecar.memory.store import entries, listing
from sidecar.memory.store.listing import Filter
from sidecar.storage.lru import Lru
from sidecar.workspace import Workspace

MAX_PRELOADED = 40
MAX_KEPT = 16
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


class _Listed:
    """The memories of each tier that somebody may reach, as long as no memory changes."""

    def __init__(self) -> None:
        self._kept = Lru(MAX_KEPT)

    def of(self, call: Call, index: Index, reach: Reach, tier: Tier) -> tuple[tuple[Memory, ...], int]:
        """Gives them in their order, and how many there are."""
        key = index.project, index.revision(), reach.owners, tier
        kept = self._kept.get(key)
        if isinstance(kept, tuple):
            return kept
        with call.database.read() as tx:
            scope = index.project, reach.owners, Filter(tier=tier)
            found = listing.listed(tx, *scope, 0, MAX_PRELOADED)
            total = listing.count(tx, *scope)
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
    memories, total = call.process.part(_Listed, _Listed).of(call, index, reach, tier)
    relevance = call.process.part(Relevance, Relevance)
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
