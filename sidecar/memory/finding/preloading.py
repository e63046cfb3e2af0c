"""The memories an agent is given without asking: the HOT ones within reach, as the files have them now."""

from collections.abc import Iterable
from typing import NamedTuple

from sidecar.call import Call
from sidecar.core.errors import PolicyDenied, StateDegraded
from sidecar.memory.access import reach_of
from sidecar.memory.entry import Memory, Tier
from sidecar.memory.files.layout import SHARED
from sidecar.memory.finding.relevant import Relevance, Relevant
from sidecar.memory.index import index_of
from sidecar.memory.store import entries, listing
from sidecar.memory.store.listing import Filter
from sidecar.workspace import Workspace

MAX_PRELOADED = 40


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


def preload(call: Call, workspace: Workspace, token: str | None, tier: Tier = "hot", *, task: str = "") -> Preloaded:
    """Gives the memories of a tier within a token's reach, and what bears on a task; being given counts as no access.

    Raises PolicyDenied for a token that is not valid.
    """
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, token)
    try:
        index_of(call.process, workspace).check()
    except (PolicyDenied, StateDegraded) as error:
        return Preloaded(reach.agent, (), 0, warning=error.message)
    with call.database.read() as tx:
        scope = workspace.project_key, reach.owners, Filter(tier=tier)
        found = listing.listed(tx, *scope, 0, MAX_PRELOADED)
        total = listing.count(tx, *scope)
    ordered = sorted((one.memory for one in found), key=_standing)
    relevance = call.process.part(Relevance, Relevance)
    relevant = relevance.within(call.process, workspace, reach, task) if task.strip() else ()
    return Preloaded(reach.agent, tuple(ordered), total, relevant)


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
