"""Tables of capture: pending material, sightings, interrupted plans, and outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import apsw
import orjson

from sidecar.core.clock import DAY_MS

MAX_CAPTURES = 200
"""Maximum number of recorded captures per project; the totals count all."""

MAX_PENDING = 500
"""Maximum pending material per project if the folder cannot be written; the oldest is dropped."""

MAX_NEAR_MISSES = 20
NEAR_MISS_DAYS = 7
"""The last near misses that are stored per project, and for how long."""

SIGHTING_DAYS = 60
"""Sightings older than this are deleted: the same source is not captured again after so long."""


class CaptureRecord(NamedTuple):
    """Outcome of one capture."""

    at_ms: int
    session: str
    origin: str
    """The trigger: run, preCompact, exit, request, artifact."""
    added: int
    repeated: int
    suppressed: int
    dropped: Mapping[str, int]
    """Number of drops by reason."""
    source: str = ""
    """The run or compaction; empty in records of earlier versions."""
    new: Sequence[str] = ()
    """Ids of the memories that it added."""
    arm: str = ""
    """Mark of the experiment's arm that the chat belongs to."""
    is_statement: bool = False
    """Whether the user's message consists of what it states as lasting."""
    withdrawn: Mapping[str, str] = MappingProxyType({})
    """Statements that no longer hold: the id of the memory that replaced each; empty if the user took it back."""


class NearMissRecord(NamedTuple):
    """A masked sentence that nearly became a memory."""

    at_ms: int
    reason: str
    score: float
    text: str


def add_pending(tx: apsw.Connection, project: str, session: str, now_ms: int, value: Any) -> None:
    """Store material until it is captured."""
    tx.execute(
        "INSERT INTO continuity_memory_pending (project, session, at_ms, value) VALUES (?, ?, ?, ?)",
        (project, session, now_ms, orjson.dumps(value)),
    )
    tx.execute(
        "DELETE FROM continuity_memory_pending WHERE project = ?1 AND row_id <="
        " (SELECT row_id FROM continuity_memory_pending WHERE project = ?1 ORDER BY row_id DESC LIMIT 1 OFFSET ?2)",
        (project, MAX_PENDING),
    )


def pending(tx: apsw.Connection, project: str) -> list[tuple[int, Any]]:
    """Return a project's pending material with row ids, oldest first."""
    rows: Any = tx.execute(
        "SELECT row_id, value FROM continuity_memory_pending WHERE project = ? ORDER BY row_id", (project,)
    )
    return [(row_id, orjson.loads(value)) for row_id, value in rows]


def delete_pending(tx: apsw.Connection, rows: Sequence[int]) -> None:
    """Delete captured material."""
    tx.executemany("DELETE FROM continuity_memory_pending WHERE row_id = ?", [(row,) for row in rows])


def add_sighting(tx: apsw.Connection, project: str, digest: str, source: str, at_ms: int) -> None:
    """Record that a source contains a statement, once."""
    tx.execute(
        "INSERT OR IGNORE INTO continuity_memory_sightings (project, digest, source, at_ms) VALUES (?, ?, ?, ?)",
        (project, digest, source, at_ms),
    )


def was_seen(tx: apsw.Connection, project: str, digest: str, source: str) -> bool:
    """Whether a statement was seen in a source before."""
    cursor = tx.execute(
        "SELECT 1 FROM continuity_memory_sightings WHERE project = ? AND digest = ? AND source = ?",
        (project, digest, source),
    )
    return cursor.get is not None


def sources_by_prefix(tx: apsw.Connection, project: str, digest: str, prefix: str) -> list[str]:
    """Return the sources with this prefix in which a statement was seen."""
    rows: Any = tx.execute(
        "SELECT source FROM continuity_memory_sightings WHERE project = ?1 AND digest = ?2"
        " AND substr(source, 1, ?3) = ?4",
        (project, digest, len(prefix), prefix),
    )
    return [source for (source,) in rows]


def put_plan(tx: apsw.Connection, project: str, value: Any) -> int:
    """Store a plan before it is executed; return its row."""
    tx.execute("INSERT INTO continuity_memory_plans (project, value) VALUES (?, ?)", (project, orjson.dumps(value)))
    return tx.last_insert_rowid()


def plans(tx: apsw.Connection, project: str) -> list[tuple[int, Any]]:
    """Return the plans that may not have been executed, oldest first, with row ids."""
    rows: Any = tx.execute(
        "SELECT row_id, value FROM continuity_memory_plans WHERE project = ? ORDER BY row_id", (project,)
    )
    return [(row_id, orjson.loads(value)) for row_id, value in rows]


def delete_plan(tx: apsw.Connection, row: int) -> None:
    """Delete an executed plan."""
    tx.execute("DELETE FROM continuity_memory_plans WHERE row_id = ?", (row,))


def count_sightings(tx: apsw.Connection, project: str, digest: str, since_ms: int) -> int:
    """Count the sources that contained a statement since a moment."""
    cursor = tx.execute(
        "SELECT count(*) FROM continuity_memory_sightings WHERE project = ? AND digest = ? AND at_ms > ?",
        (project, digest, since_ms),
    )
    return int(str(cursor.get))


def add_capture(
    tx: apsw.Connection, project: str, owner: str, capture: CaptureRecord, near_misses: Mapping[str, int]
) -> None:
    """Record the outcome of a capture and add it to the totals; delete old records and sightings."""
    tx.execute(
        "INSERT INTO continuity_memory_captures (project, owner, at_ms, value) VALUES (?, ?, ?, ?)",
        (project, owner, capture.at_ms, orjson.dumps({**capture._asdict(), "withdrawn": dict(capture.withdrawn)})),
    )
    counts = {"added": capture.added, "repeated": capture.repeated, "suppressed": capture.suppressed, "captures": 1}
    counts |= {f"dropped.{reason}": number for reason, number in capture.dropped.items()}
    counts |= {f"nearMisses.{reason}": number for reason, number in near_misses.items()}
    tx.executemany(
        "INSERT INTO continuity_memory_capture_totals (project, owner, name, total) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (project, owner, name) DO UPDATE SET total = total + excluded.total",
        [(project, owner, name, number) for name, number in counts.items() if number],
    )
    tx.execute(
        "DELETE FROM continuity_memory_captures WHERE project = ?1 AND row_id <="
        " (SELECT row_id FROM continuity_memory_captures WHERE project = ?1 ORDER BY row_id DESC LIMIT 1 OFFSET ?2)",
        (project, MAX_CAPTURES),
    )
    tx.execute(
        "DELETE FROM continuity_memory_sightings WHERE project = ? AND at_ms < ?",
        (project, capture.at_ms - SIGHTING_DAYS * DAY_MS),
    )


def captured_until(tx: apsw.Connection, project: str, session: str) -> int:
    """Return the time until which a session's words are pending or captured automatically; 0 if none are."""
    cursor = tx.execute(
        "SELECT max(at_ms) FROM (SELECT at_ms FROM continuity_memory_pending WHERE project = ?1 AND session = ?2"
        " UNION ALL SELECT at_ms FROM continuity_memory_captures WHERE project = ?1"
        " AND CAST(value AS TEXT) ->> '$.session' = ?2"
        " AND CAST(value AS TEXT) ->> '$.origin' IN ('run', 'preCompact'))",
        (project, session),
    ).get
    return 0 if cursor is None else int(str(cursor))


def last_captures(tx: apsw.Connection, project: str, owners: Sequence[str], limit: int) -> list[CaptureRecord]:
    """Return the last captures within reach, newest first."""
    rows: Any = tx.execute(
        f"SELECT value FROM continuity_memory_captures WHERE project = ? AND owner IN ({_marks(owners)})"
        " ORDER BY row_id DESC LIMIT ?",
        (project, *owners, limit),
    )
    return [CaptureRecord(**orjson.loads(value)) for (value,) in rows]


def totals(tx: apsw.Connection, project: str, owners: Sequence[str]) -> dict[str, int]:
    """Return the totals of all captures within reach, by name."""
    rows: Any = tx.execute(
        "SELECT name, sum(total) FROM continuity_memory_capture_totals"
        f" WHERE project = ? AND owner IN ({_marks(owners)}) GROUP BY name ORDER BY name",
        (project, *owners),
    )
    return {name: int(total) for name, total in rows}


def add_near_misses(tx: apsw.Connection, project: str, near_misses: Sequence[NearMissRecord], now_ms: int) -> None:
    """Store near misses, and delete those that are too old or too many."""
    tx.executemany(
        "INSERT INTO continuity_memory_near_misses (project, at_ms, reason, score, text) VALUES (?, ?, ?, ?, ?)",
        [(project, *near_miss) for near_miss in near_misses],
    )
    tx.execute(
        "DELETE FROM continuity_memory_near_misses WHERE project = ?1 AND (at_ms < ?2 OR row_id <="
        " (SELECT row_id FROM continuity_memory_near_misses WHERE project = ?1 ORDER BY row_id DESC LIMIT 1 OFFSET"
        " ?3))",
        (project, now_ms - NEAR_MISS_DAYS * DAY_MS, MAX_NEAR_MISSES),
    )


def last_near_misses(tx: apsw.Connection, project: str, now_ms: int) -> list[NearMissRecord]:
    """Return the near misses of the last days, newest first."""
    rows: Any = tx.execute(
        "SELECT at_ms, reason, score, text FROM continuity_memory_near_misses WHERE project = ? AND at_ms >= ?"
        " ORDER BY row_id DESC LIMIT ?",
        (project, now_ms - NEAR_MISS_DAYS * DAY_MS, MAX_NEAR_MISSES),
    )
    return [NearMissRecord(*row) for row in rows]


def added_by(tx: apsw.Connection, project: str, source: str) -> list[str]:
    """Return the ids of the memories that the captures of a source added, oldest first."""
    rows: Any = tx.execute(
        "SELECT new.value FROM continuity_memory_captures AS c, json_each(CAST(c.value AS TEXT), '$.new') AS new"
        " WHERE c.project = ?1 AND CAST(c.value AS TEXT) ->> '$.source' = ?2 ORDER BY c.row_id, new.key",
        (project, source),
    )
    return list(dict.fromkeys(memory_id for (memory_id,) in rows))


def withdrawn_by(tx: apsw.Connection, project: str, source: str) -> dict[str, str]:
    """Return the statements that a source withdrew, each with the id of the memory that replaced it, or empty."""
    rows: Any = tx.execute(
        "SELECT old.key, old.value FROM continuity_memory_captures AS c,"
        " json_each(CAST(c.value AS TEXT), '$.withdrawn') AS old"
        " WHERE c.project = ?1 AND CAST(c.value AS TEXT) ->> '$.source' = ?2 ORDER BY c.row_id",
        (project, source),
    )
    return dict(rows)


def was_withdrawn(tx: apsw.Connection, project: str, memory_id: str) -> bool:
    """Whether the user once took a statement back in a conversation, with nothing in its place."""
    rows = tx.execute(
        "SELECT 1 FROM continuity_memory_captures AS c, json_each(CAST(c.value AS TEXT), '$.withdrawn') AS old"
        " WHERE c.project = ? AND old.key = ? AND old.value = '' LIMIT 1",
        (project, memory_id),
    )
    return rows.fetchone() is not None


def added_by_statement(tx: apsw.Connection, project: str, source: str) -> list[str]:
    """Return the ids of the memories that a source added if its message consists of what it states as lasting."""
    cursor = tx.execute(
        "SELECT 1 FROM continuity_memory_captures WHERE project = ?1 AND CAST(value AS TEXT) ->> '$.source' = ?2"
        " AND CAST(value AS TEXT) ->> '$.is_statement' = 1 LIMIT 1",
        (project, source),
    )
    return [] if cursor.get is None else added_by(tx, project, source)


def added_in_arm(tx: apsw.Connection, arm: str, project: str | None) -> set[tuple[str, str]]:
    """Return project and id of the memories that chats of an experiment's arm added, in one project or in all."""
    rows: Any = tx.execute(
        "SELECT DISTINCT c.project, new.value"
        " FROM continuity_memory_captures AS c, json_each(CAST(c.value AS TEXT), '$.new') AS new"
        " WHERE CAST(c.value AS TEXT) ->> '$.arm' = ? AND c.project = coalesce(?, c.project)",
        (arm, project),
    )
    return {(name, memory_id) for name, memory_id in rows}


def added_in_session(tx: apsw.Connection, project: str, session: str, since_ms: int) -> list[str]:
    """Return the ids of the memories that a session's captures added since a moment, oldest first."""
    rows: Any = tx.execute(
        "SELECT new.value FROM continuity_memory_captures AS c, json_each(CAST(c.value AS TEXT), '$.new') AS new"
        " WHERE c.project = ?1 AND CAST(c.value AS TEXT) ->> '$.session' = ?2 AND c.at_ms > ?3"
        " ORDER BY c.row_id, new.key",
        (project, session, since_ms),
    )
    return list(dict.fromkeys(memory_id for (memory_id,) in rows))


def count_pending(tx: apsw.Connection, project: str) -> int:
    """Count a project's summaries of runs and decisions on artifacts that are not captured yet."""
    cursor = tx.execute("SELECT count(*) FROM continuity_memory_pending WHERE project = ?", (project,))
    return int(str(cursor.get))


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
