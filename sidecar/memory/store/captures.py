"""What capture keeps beside the files: what waits, what was met how often, what became of every capture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import orjson

KEPT_CAPTURES = 200
"""So many captures of a project are told one by one; all of them are counted."""

MOST_WAITING = 500
"""So much material waits where the folder cannot be written; older gives way."""

MEETING_DAYS = 60
"""What was met longer ago is forgotten: the same source is not captured again after so long."""

DAY_MS = 86_400_000


class Capture(NamedTuple):
    """What became of what one session left."""

    at_ms: int
    session: str
    origin: str
    """What asked for it: run, preCompact, exit, request, artifact."""
    kept: int
    repeated: int
    withheld: int
    dropped: Mapping[str, int]
    """How many were dropped, by reason."""


def wait(tx: apsw.Connection, project: str, session: str, now_ms: int, value: Any) -> None:
    """Keeps material until it is captured."""
    tx.execute(
        "INSERT INTO continuity_memory_material (project, session, at_ms, value) VALUES (?, ?, ?, ?)",
        (project, session, now_ms, orjson.dumps(value)),
    )
    tx.execute(
        "DELETE FROM continuity_memory_material WHERE project = ?1 AND row_id <="
        " (SELECT row_id FROM continuity_memory_material WHERE project = ?1 ORDER BY row_id DESC LIMIT 1 OFFSET ?2)",
        (project, MOST_WAITING),
    )


def waiting(tx: apsw.Connection, project: str) -> list[tuple[int, Any]]:
    """Gives the material of a project that waits, the oldest first, each with its row."""
    rows: Any = tx.execute(
        "SELECT row_id, value FROM continuity_memory_material WHERE project = ? ORDER BY row_id", (project,)
    )
    return [(row_id, orjson.loads(value)) for row_id, value in rows]


def taken(tx: apsw.Connection, rows: Sequence[int]) -> None:
    """Forgets material that was captured."""
    tx.executemany("DELETE FROM continuity_memory_material WHERE row_id = ?", [(row,) for row in rows])


def meet(tx: apsw.Connection, project: str, digest: str, source: str, at_ms: int) -> bool:
    """Keeps that a source has met a wording; False when it had told so before."""
    tx.execute(
        "INSERT OR IGNORE INTO continuity_memory_meetings (project, digest, source, at_ms) VALUES (?, ?, ?, ?)",
        (project, digest, source, at_ms),
    )
    return tx.changes() > 0


def has_met(tx: apsw.Connection, project: str, digest: str, source: str) -> bool:
    """Says whether a source has told a wording before."""
    found = tx.execute(
        "SELECT 1 FROM continuity_memory_meetings WHERE project = ? AND digest = ? AND source = ?",
        (project, digest, source),
    )
    return found.get is not None


def has_met_under(tx: apsw.Connection, project: str, digest: str, begins: str) -> bool:
    """Says whether any source whose name begins so has told a wording before."""
    found = tx.execute(
        "SELECT 1 FROM continuity_memory_meetings WHERE project = ? AND digest = ? AND substr(source, 1, ?) = ?",
        (project, digest, len(begins), begins),
    )
    return found.get is not None


def put_plan(tx: apsw.Connection, project: str, value: Any) -> int:
    """Keeps what is going to be written, and gives its row."""
    tx.execute("INSERT INTO continuity_memory_plans (project, value) VALUES (?, ?)", (project, orjson.dumps(value)))
    return tx.last_insert_rowid()


def plans(tx: apsw.Connection, project: str) -> list[tuple[int, Any]]:
    """Gives what was going to be written and may not be, the oldest first, each with its row."""
    rows: Any = tx.execute(
        "SELECT row_id, value FROM continuity_memory_plans WHERE project = ? ORDER BY row_id", (project,)
    )
    return [(row_id, orjson.loads(value)) for row_id, value in rows]


def drop_plan(tx: apsw.Connection, row: int) -> None:
    """Forgets what is written now."""
    tx.execute("DELETE FROM continuity_memory_plans WHERE row_id = ?", (row,))


def meetings_since(tx: apsw.Connection, project: str, digest: str, since_ms: int) -> int:
    """Gives how many sources have met a wording since a moment."""
    found = tx.execute(
        "SELECT count(*) FROM continuity_memory_meetings WHERE project = ? AND digest = ? AND at_ms > ?",
        (project, digest, since_ms),
    )
    return int(str(found.get))


def note(tx: apsw.Connection, project: str, owner: str, capture: Capture) -> None:
    """Keeps what became of a capture, and adds it up; old ones are only counted from then on."""
    tx.execute(
        "INSERT INTO continuity_memory_captures (project, owner, at_ms, value) VALUES (?, ?, ?, ?)",
        (project, owner, capture.at_ms, orjson.dumps(capture._asdict())),
    )
    counts = {"kept": capture.kept, "repeated": capture.repeated, "withheld": capture.withheld, "captures": 1}
    counts |= {f"dropped.{reason}": number for reason, number in capture.dropped.items()}
    tx.executemany(
        "INSERT INTO continuity_memory_capture_totals (project, owner, name, total) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (project, owner, name) DO UPDATE SET total = total + excluded.total",
        [(project, owner, name, number) for name, number in counts.items() if number],
    )
    tx.execute(
        "DELETE FROM continuity_memory_captures WHERE project = ?1 AND row_id <="
        " (SELECT row_id FROM continuity_memory_captures WHERE project = ?1 ORDER BY row_id DESC LIMIT 1 OFFSET ?2)",
        (project, KEPT_CAPTURES),
    )
    tx.execute(
        "DELETE FROM continuity_memory_meetings WHERE project = ? AND at_ms < ?",
        (project, capture.at_ms - MEETING_DAYS * DAY_MS),
    )


def heard_until(tx: apsw.Connection, project: str, session: str) -> int:
    """Gives until when a session's words wait or were captured by themselves; 0 where nothing was."""
    found = tx.execute(
        "SELECT max(at_ms) FROM (SELECT at_ms FROM continuity_memory_material WHERE project = ?1 AND session = ?2"
        " UNION ALL SELECT at_ms FROM continuity_memory_captures WHERE project = ?1"
        " AND CAST(value AS TEXT) ->> '$.session' = ?2"
        " AND CAST(value AS TEXT) ->> '$.origin' IN ('run', 'preCompact'))",
        (project, session),
    ).get
    return 0 if found is None else int(str(found))


def last(tx: apsw.Connection, project: str, owners: Sequence[str], limit: int) -> list[Capture]:
    """Gives the last captures within reach, the newest first."""
    rows: Any = tx.execute(
        f"SELECT value FROM continuity_memory_captures WHERE project = ? AND owner IN ({_marks(owners)})"
        " ORDER BY row_id DESC LIMIT ?",
        (project, *owners, limit),
    )
    return [Capture(**orjson.loads(value)) for (value,) in rows]


def totals(tx: apsw.Connection, project: str, owners: Sequence[str]) -> dict[str, int]:
    """Gives what all captures within reach add up to, by name."""
    rows: Any = tx.execute(
        "SELECT name, sum(total) FROM continuity_memory_capture_totals"
        f" WHERE project = ? AND owner IN ({_marks(owners)}) GROUP BY name ORDER BY name",
        (project, *owners),
    )
    return {name: int(total) for name, total in rows}


def material(tx: apsw.Connection, project: str) -> int:
    """Gives how many runs' material of a project waits."""
    found = tx.execute("SELECT count(*) FROM continuity_memory_material WHERE project = ?", (project,))
    return int(str(found.get))


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
