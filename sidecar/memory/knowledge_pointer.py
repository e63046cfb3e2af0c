"""A memory that points at an item of a knowledge repository, as the sync writes it and as others read it. Pure.

What it points at, its metadata alone says; its text is a line each for summary, blocking constraints and status, each
begun by us, so that no item's words can pass for another line.
"""

from typing import NamedTuple

from sidecar.memory.managed_memories import Written

POINTERS = "shared/durable/pointers"
"""The folder they lie in."""

ITEM, KIND, STATUS = "knowledge_item", "knowledge_type", "knowledge_status"
"""Keys of their front matter."""

POINTER_TAG, BLOCKING_TAG = "pointer", "blocking"
"""Tags: on each of them, and on those that name a constraint that blocks."""

SUMMARY, BLOCKING, STATE, REFERENCE = "Summary: ", "Blocking: ", "Status: ", "Reference: "
"""What their lines begin with."""

ORPHANED = "orphaned"
NO_LONGER = frozenset(("deprecated", "superseded"))
"""What is of this status binds nobody any more."""
PLAIN = frozenset(("active", "accepted", "approved", "current"))
"""What goes without saying."""

MAX_CONSTRAINTS = 3


class Pointed(NamedTuple):
    """What a pointer says."""

    ref: str
    """The item's identity as one word: `company:adr-001`."""
    kind: str
    """adr, policy, pattern or spec."""
    layer: str
    status: str
    title: str
    """With the kind before it: `[ADR] Use PostgreSQL`."""
    summary: str
    blocking: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Says whether its item is there and binds."""
        return self.status not in NO_LONGER and self.status != ORPHANED


def words_of(text: str) -> list[str]:
    """Gives what a pointer's text says, line by line, without what the lines begin with; its status is left out."""
    own = (SUMMARY, BLOCKING, REFERENCE)
    return [line.removeprefix(begin) for line in text.splitlines() for begin in own if line.startswith(begin)]


def pointed_of(memory: Written) -> Pointed | None:
    """Reads a memory's file as a pointer; None for what is none."""
    said = {name: value for name, value in memory.facts.items() if isinstance(value, str)}
    if not said.get(ITEM):
        return None
    lines = memory.text.splitlines()
    summaries = [line.removeprefix(SUMMARY) for line in lines if line.startswith(SUMMARY)]
    return Pointed(
        ref=said[ITEM],
        kind=said.get(KIND, ""),
        layer=said.get("layer", ""),
        status=said.get(STATUS, ""),
        title=memory.title,
        summary=summaries[0] if summaries else "",
        blocking=tuple(line.removeprefix(BLOCKING) for line in lines if line.startswith(BLOCKING))[:MAX_CONSTRAINTS],
    )
