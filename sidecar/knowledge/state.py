"""The sync state of one project, with the specification's fields; as bytes and back. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

VERSION = 2
PARKED_AFTER = 5
"""An item that failed so often is left alone until it changes."""


class Known(NamedTuple):
    """An item as it was synced."""

    content_hash: str
    render_hash: str
    path: str
    """Of its file in the repository."""
    memory_id: str
    pointer: str
    """The pointer's path in memory; empty where the user wants none."""


class Failed(NamedTuple):
    """An item or file that failed, how often, and a fingerprint that changes with it."""

    times: int
    fingerprint: str
    problem: str

    @property
    def is_parked(self) -> bool:
        """Says whether it failed so often that it is left alone."""
        return self.times >= PARKED_AFTER


@dataclass(frozen=True)
class SyncState:
    """What the last syncs left (knowledge-sync.md, Sync State Persistence)."""

    last_sync_at_ms: int | None = None
    last_knowledge_commit: str = ""
    items: Mapping[str, Known] = field(default_factory=dict)
    """By ref: `knowledgeHashes` and `pointerMapping` in one."""
    pending: tuple[str, ...] = ()
    """Refs that `maxItems` left over."""
    target_commit: str = ""
    """The commit that is reached once nothing is pending."""
    failed: Mapping[str, Failed] = field(default_factory=dict)
    """By ref, or by path for a file that never held an item."""
    held_at: str = ""
    """The commit at which the user rolled back: until the head is another, no sync runs by itself."""


def to_bytes(state: SyncState) -> bytes:
    """Gives a state as JSON under the specification's names.

    Its mappings are columns in the order of the refs: a few long lists are written many times faster than many short
    ones, which a single item's sync would feel.
    """
    items = dict(sorted(state.items.items()))
    hashes, rendered, paths, memories, pointers = zip(*items.values(), strict=True) if items else ((),) * 5
    told: dict[str, Any] = {
        "version": VERSION,
        "lastSyncAt": state.last_sync_at_ms,
        "lastKnowledgeCommit": state.last_knowledge_commit,
        "knowledgeHashes": {"refs": list(items), "content": hashes, "rendered": rendered, "paths": paths},
        "pointerMapping": {"memories": memories, "pointers": pointers},
        "pending": state.pending,
        "targetCommit": state.target_commit,
        "failed": {key: list(one) for key, one in sorted(state.failed.items())},
        "heldAt": state.held_at,
    }
    return orjson.dumps(told)


def from_bytes(content: bytes) -> SyncState:
    """Reads what `to_bytes` gave; raises ValueError for anything else."""
    try:
        told = orjson.loads(content)
        if told["version"] != VERSION:
            raise ValueError("of another version")
        hashes, mapping = told["knowledgeHashes"], told["pointerMapping"]
        columns = (hashes["content"], hashes["rendered"], hashes["paths"], mapping["memories"], mapping["pointers"])
        return SyncState(
            told["lastSyncAt"],
            told["lastKnowledgeCommit"],
            dict(zip(hashes["refs"], map(Known, *columns), strict=True)),
            tuple(told["pending"]),
            told["targetCommit"],
            {ref: Failed(*one) for ref, one in told["failed"].items()},
            told.get("heldAt", ""),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("no sync state") from error
