"""Counters and resume points of provider sessions: their values, and their tables in the state file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import apsw
import orjson

from sidecar.context.restart_counters import SessionRecord, with_compaction
from sidecar.core.clock import rfc3339
from sidecar.core.redact import redact
from sidecar.session import COMPACTIONS, PENDING, PROGRESS, SAVED_AT, TASK
from sidecar.storage.purgeable_rows import RowGroup

MAX_SAVED = 4_000
"""Maximum characters of each text in the project's session file; our own state has the full text."""


class ResumePoint(NamedTuple):
    """The report before a compaction, and the outcome; None for what was not reported. Secrets are masked."""

    compaction_id: str
    at_ms: int
    """Time of the first report; repeated reports do not change it."""
    captured_until_ms: int
    """The session's messages up to this time were captured before."""
    agent: str | None = None
    mode: str | None = None
    task: str | None = None
    progress: str | None = None
    pending: tuple[str, ...] | None = None
    memories: tuple[str, ...] = ()
    """Ids of the memories captured then."""
    result: Mapping[str, Any] | None = None
    """The result, once everything was done."""


def mask_secrets(resume_point: ResumePoint) -> ResumePoint:
    """Mask secrets."""
    return resume_point._replace(
        task=None if resume_point.task is None else redact(resume_point.task),
        progress=None if resume_point.progress is None else redact(resume_point.progress),
        pending=None if resume_point.pending is None else tuple(redact(decision) for decision in resume_point.pending),
    )


def session_file_values(resume_point: ResumePoint, compactions: int) -> dict[str, str]:
    """Return the values for the project's session file; values that were not reported stay unchanged there."""
    pending = None if resume_point.pending is None else "\n".join(resume_point.pending)
    texts = {TASK: resume_point.task, PROGRESS: resume_point.progress, PENDING: pending}
    return {
        **{key: value[:MAX_SAVED] for key, value in texts.items() if value is not None},
        COMPACTIONS: str(compactions),
        SAVED_AT: rfc3339(resume_point.at_ms),
    }


def receives_anchor(tx: apsw.Connection, session_id: str) -> bool:
    """Whether a provider session is served by pre-runs, whose anchor holds the standing instructions."""
    cursor = tx.execute("SELECT 1 FROM continuity_sessions WHERE session_id = ? AND shadow = 0 LIMIT 1", (session_id,))
    return cursor.get is not None


MAX_SESSIONS = 500
"""Maximum number of sessions stored per project; the least recently updated is deleted first."""


def load_session_record(tx: apsw.Connection, project: str, session_id: str) -> SessionRecord:
    """Return a session's stored counters; zeros for an unknown session."""
    row = tx.execute(
        "SELECT counters FROM continuity_context_sessions WHERE project = ? AND session_id = ?", (project, session_id)
    ).get
    if row is None:
        return SessionRecord()
    fields = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in orjson.loads(cast("bytes", row)).items()
        if name in SessionRecord._fields
    }
    return SessionRecord(**cast("Any", fields))


def save_session_record(tx: apsw.Connection, project: str, session_id: str, record: SessionRecord, now_ms: int) -> None:
    """Store a session's counters if they changed; delete the oldest sessions."""
    if record == load_session_record(tx, project, session_id):
        return
    tx.execute(
        "INSERT OR REPLACE INTO continuity_context_sessions (project, session_id, counters, updated_at_ms)"
        " VALUES (?, ?, ?, ?)",
        (project, session_id, orjson.dumps(record._asdict()), now_ms),
    )
    _delete_oldest(tx, "continuity_context_sessions", project)


def delete_session_record(tx: apsw.Connection, session_id: str) -> None:
    """Delete a session's counters."""
    tx.execute("DELETE FROM continuity_context_sessions WHERE session_id = ?", (session_id,))


def record_compaction(tx: apsw.Connection, project: str, session_id: str, now_ms: int) -> None:
    """Count a compaction that was reported as an event."""
    save_session_record(tx, project, session_id, with_compaction(load_session_record(tx, project, session_id)), now_ms)


def compaction_count(tx: apsw.Connection, project: str) -> int:
    """Return how many compactions of a project's sessions are recorded."""
    row = tx.execute(
        "SELECT total(json_extract(CAST(counters AS TEXT), '$.compactions')) FROM continuity_context_sessions"
        " WHERE project = ?",
        (project,),
    ).get
    return int(cast("float", row))


def load_resume_point(tx: apsw.Connection, project: str, session_id: str) -> ResumePoint | None:
    """Return the resume point of a session's last compaction; None when no compaction was announced."""
    row = tx.execute(
        "SELECT value FROM continuity_context_resume_points WHERE project = ? AND session_id = ?", (project, session_id)
    ).get
    if row is None:
        return None
    fields = {name: value for name, value in orjson.loads(cast("bytes", row)).items() if name in ResumePoint._fields}
    values: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return ResumePoint(**values)


def save_resume_point(
    tx: apsw.Connection, project: str, session_id: str, resume_point: ResumePoint, now_ms: int
) -> None:
    """Store a session's resume point, replacing the previous one; delete the oldest ones."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_context_resume_points (project, session_id, value, updated_at_ms)"
        " VALUES (?, ?, ?, ?)",
        (project, session_id, orjson.dumps(resume_point._asdict()), now_ms),
    )
    _delete_oldest(tx, "continuity_context_resume_points", project)


def _delete_oldest(tx: apsw.Connection, table: str, project: str) -> None:
    tx.execute(
        f"DELETE FROM {table} WHERE project = ?1 AND session_id IN (SELECT session_id FROM {table}"
        " WHERE project = ?1 ORDER BY updated_at_ms DESC, session_id LIMIT -1 OFFSET ?2)",
        (project, MAX_SESSIONS),
    )


ROW_GROUPS = (
    RowGroup("runs", "continuity_context_sessions", before="updated_at_ms < ?2", is_counted=False),
    RowGroup("runs", "continuity_context_resume_points", before="updated_at_ms < ?2", is_counted=False),
)
