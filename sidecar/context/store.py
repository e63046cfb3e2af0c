"""What is kept of provider sessions: for the spawn decision, and where they stood when they were compacted."""

from __future__ import annotations

from typing import Any, cast

import apsw
import orjson

from sidecar.context.recovery.restart import Counted, after_compaction
from sidecar.context.recovery.resume_point import Halt
from sidecar.storage.retention import Holding

MAX_SESSIONS = 500
"""Sessions of a project that are remembered; the one not heard of for longest goes first."""


def counted_of(tx: apsw.Connection, project: str, session_id: str) -> Counted:
    """Gives what was counted of a session; nothing of one never heard of."""
    found = tx.execute(
        "SELECT counted FROM continuity_context_sessions WHERE project = ? AND session_id = ?", (project, session_id)
    ).get
    if found is None:
        return Counted()
    kept = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in orjson.loads(cast("bytes", found)).items()
        if name in Counted._fields
    }
    return Counted(**cast("Any", kept))


def put_counted(tx: apsw.Connection, project: str, session_id: str, counted: Counted, now_ms: int) -> None:
    """Keeps what was counted of a session, and forgets the oldest ones."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_context_sessions (project, session_id, counted, updated_at_ms)"
        " VALUES (?, ?, ?, ?)",
        (project, session_id, orjson.dumps(counted._asdict()), now_ms),
    )
    _forget_oldest(tx, "continuity_context_sessions", project)


def note_compaction(tx: apsw.Connection, project: str, session_id: str, now_ms: int) -> None:
    """Counts that a session was compacted, as an event tells it."""
    put_counted(tx, project, session_id, after_compaction(counted_of(tx, project, session_id)), now_ms)


def halt_of(tx: apsw.Connection, project: str, session_id: str) -> Halt | None:
    """Gives where a session stood when it was last compacted; None where nobody told before a compaction."""
    found = tx.execute(
        "SELECT value FROM continuity_context_halts WHERE project = ? AND session_id = ?", (project, session_id)
    ).get
    if found is None:
        return None
    kept = {name: value for name, value in orjson.loads(cast("bytes", found)).items() if name in Halt._fields}
    values: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}
    return Halt(**values)


def put_halt(tx: apsw.Connection, project: str, session_id: str, halt: Halt, now_ms: int) -> None:
    """Keeps where a session stands, in place of where it stood before, and forgets the oldest ones."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_context_halts (project, session_id, value, updated_at_ms)"
        " VALUES (?, ?, ?, ?)",
        (project, session_id, orjson.dumps(halt._asdict()), now_ms),
    )
    _forget_oldest(tx, "continuity_context_halts", project)


def _forget_oldest(tx: apsw.Connection, table: str, project: str) -> None:
    tx.execute(
        f"DELETE FROM {table} WHERE project = ?1 AND session_id IN (SELECT session_id FROM {table}"
        " WHERE project = ?1 ORDER BY updated_at_ms DESC, session_id LIMIT -1 OFFSET ?2)",
        (project, MAX_SESSIONS),
    )


# What is kept of provider sessions, for removing it.


HOLDINGS = (
    Holding("runs", "continuity_context_sessions", before="updated_at_ms < ?2", is_counted=False),
    Holding("runs", "continuity_context_halts", before="updated_at_ms < ?2", is_counted=False),
)
