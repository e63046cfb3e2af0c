"""The sync state of one project, with the specification's fields, and its JSON form. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

VERSION = 3
QUARANTINE_AFTER = 5
"""An item that failed this many times is quarantined until it changes."""


class SyncedItem(NamedTuple):
    """An item as last synced."""

    content_hash: str
    render_hash: str
    path: str
    """Path of its file in the repository."""
    memory_id: str
    pointer: str
    """The pointer's path in memory; empty when the user wants none."""


class FailedItem(NamedTuple):
    """A failed item or file: the number of attempts, and a fingerprint that changes with it."""

    attempts: int
    fingerprint: str
    problem: str

    @property
    def is_quarantined(self) -> bool:
        """Whether it failed so often that syncs skip it."""
        return self.attempts >= QUARANTINE_AFTER


@dataclass(frozen=True)
class SyncState:
    """The state after the last sync (knowledge-sync.md, Sync State Persistence)."""

    last_sync_at_ms: int | None = None
    last_knowledge_commit: str = ""
    items: Mapping[str, SyncedItem] = field(default_factory=dict)
    """By ref: `knowledgeHashes` and `pointerMapping` in one."""
    pending: tuple[str, ...] = ()
    """Refs beyond `maxItems`, left for the next sync."""
    target_commit: str = ""
    """The commit that is reached once nothing is pending."""
    failed: Mapping[str, FailedItem] = field(default_factory=dict)
    """By ref, or by path for a file that never had an item."""
    rollback_commit: str = ""
    """The head at the last rollback. While it is the head, no sync runs automatically."""


def serialize_state(state: SyncState) -> bytes:
    """Serialize a state as JSON with the specification's names.

    Its mappings are columns in the order of the refs: a few long lists serialize many times faster than many short
    ones, which a single item's sync would notice.
    """
    items = dict(sorted(state.items.items()))
    hashes, rendered, paths, memories, pointers = zip(*items.values(), strict=True) if items else ((),) * 5
    document: dict[str, Any] = {
        "version": VERSION,
        "lastSyncAt": state.last_sync_at_ms,
        "lastKnowledgeCommit": state.last_knowledge_commit,
        "knowledgeHashes": {"refs": list(items), "content": hashes, "rendered": rendered, "paths": paths},
        "pointerMapping": {"memories": memories, "pointers": pointers},
        "pending": state.pending,
        "targetCommit": state.target_commit,
        "failed": {key: failed._asdict() for key, failed in sorted(state.failed.items())},
        "rollbackCommit": state.rollback_commit,
    }
    return orjson.dumps(document)


def parse_state(content: bytes) -> SyncState:
    """Parse the output of `serialize_state`, also of version 2. Raise ValueError for anything else."""
    try:
        document = orjson.loads(content)
        if document["version"] == 2:
            _upgrade_version_2(document)
        if document["version"] != VERSION:
            raise ValueError("another version")
        hashes, mapping = document["knowledgeHashes"], document["pointerMapping"]
        columns = (hashes["content"], hashes["rendered"], hashes["paths"], mapping["memories"], mapping["pointers"])
        return SyncState(
            last_sync_at_ms=document["lastSyncAt"],
            last_knowledge_commit=document["lastKnowledgeCommit"],
            items=dict(zip(hashes["refs"], map(SyncedItem, *columns), strict=True)),
            pending=tuple(document["pending"]),
            target_commit=document["targetCommit"],
            failed={ref: FailedItem(**fields) for ref, fields in document["failed"].items()},
            rollback_commit=document["rollbackCommit"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not a sync state") from error


def _upgrade_version_2(document: dict[str, Any]) -> None:
    """Version 2 had failures as lists and the rollback's commit under another name, or not at all."""
    document["version"] = VERSION
    document["failed"] = {ref: FailedItem(*values)._asdict() for ref, values in document["failed"].items()}
    document["rollbackCommit"] = document.pop("heldAt", "")
