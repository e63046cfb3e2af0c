"""Memories that point at an item of a knowledge repository: their file format. Pure.

The front matter alone identifies the item. The text has one line each for summary, blocking constraints and status,
with prefixes of our own, so that an item's text cannot imitate another line.
"""

from typing import NamedTuple

from sidecar.memory.managed_memories import MemoryFile

POINTERS = "shared/durable/pointers"
"""Folder of the pointers."""

ITEM, KIND, STATUS = "knowledge_item", "knowledge_type", "knowledge_status"
"""Front-matter keys, with KIND and STATUS."""

POINTER_TAG, BLOCKING_TAG = "pointer", "blocking"
"""Tag of every pointer; BLOCKING_TAG marks those with a blocking constraint."""

SUMMARY, BLOCKING, STATE, REFERENCE = "Summary: ", "Blocking: ", "Status: ", "Reference: "
"""Line prefixes, with BLOCKING, STATE and REFERENCE."""

ORPHANED = "orphaned"
NO_LONGER = frozenset(("deprecated", "superseded"))
"""An item with one of these statuses is no longer binding."""
PLAIN = frozenset(("active", "accepted", "approved", "current"))
"""Statuses that need no mention."""

MAX_CONSTRAINTS = 3


class Pointer(NamedTuple):
    """Content of a pointer."""

    ref: str
    """The item's identity as one word: `company:adr-001`."""
    kind: str
    """adr, policy, pattern or spec."""
    layer: str
    status: str
    title: str
    """With the kind as prefix: `[ADR] Use PostgreSQL`."""
    summary: str
    blocking: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the item exists and is binding."""
        return self.status not in NO_LONGER and self.status != ORPHANED


def pointer_statements(text: str) -> list[str]:
    """Return a pointer's statements line by line, without prefixes and without its status."""
    own = (SUMMARY, BLOCKING, REFERENCE)
    return [line.removeprefix(begin) for line in text.splitlines() for begin in own if line.startswith(begin)]


def parse_pointer(memory: MemoryFile) -> Pointer | None:
    """Parse a memory file as a pointer; None if it is not one."""
    facts = {name: value for name, value in memory.facts.items() if isinstance(value, str)}
    if not facts.get(ITEM):
        return None
    lines = memory.text.splitlines()
    summaries = [line.removeprefix(SUMMARY) for line in lines if line.startswith(SUMMARY)]
    return Pointer(
        ref=facts[ITEM],
        kind=facts.get(KIND, ""),
        layer=facts.get("layer", ""),
        status=facts.get(STATUS, ""),
        title=memory.title,
        summary=summaries[0] if summaries else "",
        blocking=tuple(line.removeprefix(BLOCKING) for line in lines if line.startswith(BLOCKING))[:MAX_CONSTRAINTS],
    )
