"""Snapshots of conversations in the state file, each with a hash of its content."""

from __future__ import annotations

import apsw
import orjson

from sidecar.core.digests import digest_value
from sidecar.runs.model import StoredSnapshot

MAX_SNAPSHOTS = 10
"""Maximum number of snapshots stored per conversation; the oldest are deleted."""


def put(tx: apsw.Connection, snapshot: StoredSnapshot) -> None:
    """Store a snapshot, and delete the conversation's oldest ones."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_snapshots"
        " (snapshot_id, sub_chat_id, run_id, at_ms, reasons, value, row_hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*snapshot[:4], orjson.dumps(snapshot.reasons), orjson.dumps(snapshot.value), digest_value(snapshot.value)),
    )
    tx.execute(
        "DELETE FROM continuity_snapshots WHERE snapshot_id IN (SELECT snapshot_id FROM continuity_snapshots"
        " WHERE sub_chat_id = ? ORDER BY at_ms DESC, rowid DESC LIMIT -1 OFFSET ?)",
        (snapshot.sub_chat_id, MAX_SNAPSHOTS),
    )


def latest(tx: apsw.Connection, sub_chat_id: str) -> StoredSnapshot | None:
    """Return a conversation's newest intact snapshot."""
    rows = tx.execute(
        "SELECT snapshot_id, sub_chat_id, run_id, at_ms, reasons, value, row_hash FROM continuity_snapshots"
        " WHERE sub_chat_id = ? ORDER BY at_ms DESC, rowid DESC",
        (sub_chat_id,),
    )
    for *cells, reasons, packed, row_hash in rows:
        try:
            value = orjson.loads(packed)
        except orjson.JSONDecodeError:
            continue
        if digest_value(value) == row_hash:
            return StoredSnapshot._make((*cells, tuple(orjson.loads(reasons)), value))
    return None
