"""The state of a project's sync, its JSON form and its lock; the tables of the sync.

The tables are state, checkpoints, write journal and parsed entries. One process at a time may change the state.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import apsw
import orjson

from sidecar.call import Call
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import Busy, StateDegraded
from sidecar.knowledge.errors import state_corrupted
from sidecar.knowledge.item import Entry
from sidecar.storage.database import Database
from sidecar.storage.purgeable_rows import RowGroup
from sidecar.system import filelock

ENTRY_VERSION = 5
"""Version of parsing and rendering; entries of another version are parsed again."""
MAX_CHECKPOINTS = 5


CheckpointStatus = Literal["running", "done", "rolledBack"]


class Checkpoint(NamedTuple):
    """The start of a sync, to which a rollback can return."""

    id: str
    number: int
    at_ms: int
    kind: str
    status: CheckpointStatus
    writes: int
    reason: str


class FileImage(NamedTuple):
    """A pointer file's bytes before and after a write."""

    path: str
    before: bytes | None
    after: bytes | None


def state_bytes(tx: apsw.Connection, project: str) -> tuple[bytes, bool] | None:
    """Return the state's bytes, and whether their digest matches; None when there is no state."""
    row: Any = tx.execute(
        "SELECT value, digest FROM continuity_knowledge_state WHERE project = ?", (project,)
    ).fetchone()
    if row is None:
        return None
    value = bytes(row[0]) if isinstance(row[0], bytes) else str(row[0]).encode()
    return value, digest_bytes(value) == row[1]


def put_state(tx: apsw.Connection, project: str, value: bytes, now_ms: int) -> None:
    """Store a state, replacing the previous one."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_knowledge_state (project, value, digest, at_ms) VALUES (?, ?, ?, ?)",
        (project, value, digest_bytes(value), now_ms),
    )


def set_aside(tx: apsw.Connection, project: str, now_ms: int) -> str:
    """Move a damaged state to another name, and return that name."""
    name = f"{project} damaged {now_ms}"
    tx.execute("UPDATE OR REPLACE continuity_knowledge_state SET project = ? WHERE project = ?", (name, project))
    return name


def create_checkpoint(tx: apsw.Connection, project: str, checkpoint_id: str, kind: str, now_ms: int) -> None:
    """Create a checkpoint of the present state."""
    tx.execute(
        "INSERT INTO continuity_knowledge_checkpoints (project, checkpoint_id, at_ms, kind, status, reason, value,"
        " digest) SELECT ?1, ?2, ?3, ?4, 'running', '',"
        " (SELECT value FROM continuity_knowledge_state WHERE project = ?1),"
        " (SELECT digest FROM continuity_knowledge_state WHERE project = ?1)",
        (project, checkpoint_id, now_ms, kind),
    )


def finish_checkpoint(tx: apsw.Connection, project: str, checkpoint_id: str) -> None:
    """Record that a sync is done, and delete checkpoints above the limit.

    Those without writes are deleted before others, the oldest first.
    """
    tx.execute(
        "UPDATE continuity_knowledge_checkpoints SET status = 'done' WHERE project = ? AND checkpoint_id = ?",
        (project, checkpoint_id),
    )
    known = checkpoints(tx, project)
    surplus = sorted(known[1:], key=lambda checkpoint: (checkpoint.writes > 0, checkpoint.number))[
        : max(0, len(known) - MAX_CHECKPOINTS)
    ]
    for checkpoint in surplus:
        _delete_checkpoint(tx, project, checkpoint)


def _delete_checkpoint(tx: apsw.Connection, project: str, checkpoint: Checkpoint) -> None:
    """Delete a checkpoint.

    Without its journal no rollback can pass it, so one with writes takes all earlier ones with it.
    """
    where = "number = ?2" if checkpoint.writes == 0 else "number <= ?2"
    checkpoint_ids = f"SELECT checkpoint_id FROM continuity_knowledge_checkpoints WHERE project = ?1 AND {where}"
    tx.execute(
        f"DELETE FROM continuity_knowledge_journal WHERE project = ?1 AND checkpoint_id IN ({checkpoint_ids})",
        (project, checkpoint.number),
    )
    tx.execute(
        f"DELETE FROM continuity_knowledge_checkpoints WHERE project = ?1 AND {where}", (project, checkpoint.number)
    )


def checkpoints(tx: apsw.Connection, project: str) -> list[Checkpoint]:
    """Return a project's checkpoints, the latest first."""
    rows: Any = tx.execute(
        "SELECT checkpoint_id, number, at_ms, kind, status, (SELECT count(*) FROM continuity_knowledge_journal AS j"
        "  WHERE j.project = c.project AND j.checkpoint_id = c.checkpoint_id), reason"
        " FROM continuity_knowledge_checkpoints AS c WHERE project = ? ORDER BY number DESC",
        (project,),
    )
    return [Checkpoint(*row) for row in rows]


def record_writes(tx: apsw.Connection, project: str, checkpoint_id: str, images: Iterable[FileImage]) -> None:
    """Record writes before they happen."""
    tx.executemany(
        "INSERT INTO continuity_knowledge_journal (project, checkpoint_id, path, before, after) VALUES (?, ?, ?, ?, ?)",
        [(project, checkpoint_id, *image) for image in images],
    )


def images_since(tx: apsw.Connection, project: str, number: int) -> list[FileImage]:
    """Return the recorded writes since a checkpoint, the latest first."""
    rows: Any = tx.execute(
        "SELECT j.path, j.before, j.after FROM continuity_knowledge_journal AS j"
        " JOIN continuity_knowledge_checkpoints AS c USING (project, checkpoint_id)"
        " WHERE j.project = ? AND c.number >= ? ORDER BY j.row_id DESC",
        (project, number),
    )
    return [FileImage(*row) for row in rows]


def restore_checkpoint(tx: apsw.Connection, project: str, checkpoint: Checkpoint, now_ms: int, reason: str) -> None:
    """Restore a checkpoint's state and delete the journal from there on."""
    row: Any = tx.execute(
        "SELECT value, digest FROM continuity_knowledge_checkpoints WHERE project = ? AND checkpoint_id = ?",
        (project, checkpoint.id),
    ).fetchone()
    tx.execute("DELETE FROM continuity_knowledge_state WHERE project = ?", (project,))
    if row[0] is not None:
        tx.execute(
            "INSERT INTO continuity_knowledge_state (project, value, digest, at_ms) VALUES (?, ?, ?, ?)",
            (project, *row, now_ms),
        )
    tx.execute(
        "DELETE FROM continuity_knowledge_journal WHERE project = ?1 AND checkpoint_id IN"
        " (SELECT checkpoint_id FROM continuity_knowledge_checkpoints WHERE project = ?1 AND number >= ?2)",
        (project, checkpoint.number),
    )
    tx.execute(
        "UPDATE continuity_knowledge_checkpoints SET status = 'rolledBack', reason = ? WHERE project = ?"
        " AND number >= ? AND status <> 'rolledBack'",
        (reason, project, checkpoint.number),
    )


def entries(tx: apsw.Connection, project: str) -> dict[str, Entry]:
    """Return the parsed entries of a project's knowledge files, by path."""
    rows: Any = tx.execute("SELECT value FROM continuity_knowledge_items WHERE project = ?", (project,))
    documents = (orjson.loads(value) for (value,) in rows)
    parsed = (Entry(**fields["entry"]) for fields in documents if _is_current(fields))
    return {entry.path: entry for entry in parsed}


def _is_current(fields: Any) -> bool:
    """Whether a stored entry is of this version; older ones are lists."""
    return isinstance(fields, dict) and fields.get("version") == ENTRY_VERSION


def save_entries(tx: apsw.Connection, project: str, before: Mapping[str, Entry], now: Iterable[Entry]) -> None:
    """Store parsed entries; delete those of files that no longer exist."""
    entries_by_path = {entry.path: entry for entry in now}
    tx.executemany(
        "DELETE FROM continuity_knowledge_items WHERE project = ? AND path = ?",
        [(project, path) for path in before if path not in entries_by_path],
    )
    tx.executemany(
        "INSERT OR REPLACE INTO continuity_knowledge_items (project, path, value) VALUES (?, ?, ?)",
        [
            (project, path, orjson.dumps({"version": ENTRY_VERSION, "entry": entry._asdict()}))
            for path, entry in entries_by_path.items()
            if before.get(path) != entry
        ],
    )


ROW_GROUPS = (
    RowGroup("indexes", "continuity_knowledge_items"),
    RowGroup("knowledge", "continuity_knowledge_state", before="at_ms < ?2"),
    RowGroup("knowledge", "continuity_knowledge_checkpoints", before="at_ms < ?2"),
    RowGroup("knowledge", "continuity_knowledge_journal", is_counted=False),
)


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
    """The state after the last sync."""

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
    sources: str = ""
    """Digest of the repository, ref and scopes of the last sync; empty in states of earlier versions."""


def serialize_state(state: SyncState) -> bytes:
    """Serialize a state as JSON.

    Its mappings are columns in the order of the refs: a few long lists serialize many times faster than many short
    ones, which a single item's sync would notice.
    """
    items = dict(sorted(state.items.items()))
    hashes, rendered, paths, memories, pointers = zip(*items.values(), strict=True) if items else ((),) * 5
    document: dict[str, Any] = {
        "version": VERSION,
        "lastSyncAt": state.last_sync_at_ms,
        "lastKnowledgeCommit": state.last_knowledge_commit,
        "sources": state.sources,
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
            sources=document.get("sources", ""),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not a sync state") from error


def _upgrade_version_2(document: dict[str, Any]) -> None:
    """Version 2 had failures as lists and the rollback's commit under another name, or not at all."""
    document["version"] = VERSION
    document["failed"] = {ref: FailedItem(*values)._asdict() for ref, values in document["failed"].items()}
    document["rollbackCommit"] = document.pop("heldAt", "")


@contextmanager
def sync_lock(database: Database, project: str) -> Generator[None]:
    """Hold a project's sync lock. Raise Busy while another process or thread holds it.

    The operating system releases the lock of a process that died.
    """
    database.require_in_place()
    path = database.path.with_name(f"knowledge-{project}.lock")
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise StateDegraded(
            f"The knowledge sync's lock file cannot be created: {error.strerror or type(error).__name__}.",
            hint="Check the state folder's permissions and disk.",
        ) from error
    with filelock.locked(fd, 0) as is_held:
        if not is_held:
            raise Busy("A knowledge sync of this project is already running.", data={"retryAfterMs": 1_000})
        yield


def load_state(call: Call, project: str) -> SyncState:
    """Return the state, empty when there is none. A damaged one is set aside, and STATE_CORRUPTED is raised."""
    with call.database.read() as tx:
        stored = state_bytes(tx, project)
    if stored is None:
        return SyncState()
    value, digest_matches = stored
    cache = call.process.slices.knowledge.sync_cache
    before = cache.states.get(project)
    if digest_matches and before is not None and before[0] == value:
        return before[1]
    try:
        if digest_matches:
            state = parse_state(value)
            cache.states[project] = (value, state)
            return state
    except ValueError:
        pass
    with call.database.write() as tx:
        name = set_aside(tx, project, call.now_ms())
    call.log.error(
        "knowledge.stateCorrupted", project=project, bytes=len(value), digestMatches=digest_matches, storedAs=name
    )
    raise state_corrupted(name)


def save_state(call: Call, tx: apsw.Connection, project: str, state: SyncState) -> None:
    """Store a state."""
    value = serialize_state(state)
    put_state(tx, project, value, call.now_ms())
    call.process.slices.knowledge.sync_cache.states[project] = (value, state)


def record_rollback(call: Call, tx: apsw.Connection, project: str, commit: str) -> None:
    """Record that the user rolled back at a commit; a damaged state is left for the next sync to report."""
    stored = state_bytes(tx, project)
    try:
        state = parse_state(stored[0]) if stored is not None and stored[1] else SyncState()
    except ValueError:
        return
    if stored is None or stored[1]:
        save_state(call, tx, project, replace(state, rollback_commit=commit))
