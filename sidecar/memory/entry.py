"""What a memory is: one entry, stand-alone in a file of its own or one of a group's."""

from typing import Literal, NamedTuple

Keeping = Literal["durable", "daily", "session"]
"""For how long: until removed; thirty days, then archived; until the next session starts."""

Sector = Literal["episodic", "semantic", "procedural", "reflective"]
Tier = Literal["hot", "warm", "cold"]
MemoryType = Literal[
    "episodic", "semantic", "procedural", "reflective",
    "decision", "error_pattern", "resolution", "user_correction", "validated_pattern", "gotcha", "lesson",
]  # fmt: skip
"""The four sectors, and kinds that belong to one of them (decisions.md, Memory Layer)."""

SECTORS: tuple[Sector, ...] = ("episodic", "semantic", "procedural", "reflective")
SECTOR_OF_TYPE: dict[str, Sector] = {
    "episodic": "episodic",
    "semantic": "semantic",
    "procedural": "procedural",
    "reflective": "reflective",
    "decision": "episodic",
    "error_pattern": "episodic",
    "resolution": "procedural",
    "user_correction": "reflective",
    "validated_pattern": "procedural",
    "gotcha": "reflective",
    "lesson": "reflective",
}
"""The sector of a memory that does not name its own (intelligence-layer.md 4.5: what happened, what we know, how to
do it, what we learned)."""

DEFAULT_CONFIDENCE = 0.7
"""Of a memory whose front matter does not say."""


class Memory(NamedTuple):
    """One entry as its file says it; the unit of search.

    The folder it lies in says whose it is and for how long it is kept, whatever the front matter says.
    """

    id: str
    title: str
    text: str
    """The captured wording, without the title's heading; Markdown."""
    path: str
    """Below the memories' folder, joined by slashes."""
    owner: str
    """`shared`, or the agent whose private memory it is."""
    keeping: Keeping
    is_archived: bool
    type: str
    sector: Sector
    agent: str
    """Who wrote it down; empty where nobody said."""
    author: str
    """Whose words these are: user, assistant, …; empty where nobody said."""
    tags: tuple[str, ...]
    confidence: float
    """0.0 to 1.0."""
    evidence: int
    """How often it was met."""
    access_count: int
    last_accessed_ms: int | None
    created_ms: int
    at_ms: int
    """When it happened or was said; `created_ms` where nobody said."""
    tier: Tier
    session: str
    """The provider session it comes from; empty where nobody said."""
    supersedes: tuple[str, ...]
    contradicts: tuple[str, ...]
    """Ids of other memories."""
    group_key: str
    """What it stands in: equal for the entries of one file."""
    position: int
    """Its place in the group, from 0."""
    version: str
    """A digest of where it is and what it says; another one after any change but being counted as read."""


class Document(NamedTuple):
    """A memory file as it was read."""

    memories: tuple[Memory, ...]
    is_group: bool
    warning: str
    """One sentence on what could not be read; empty where all could."""
