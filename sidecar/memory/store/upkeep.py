"""What upkeep looks at, and when it was done last."""

from __future__ import annotations

from typing import Any

import apsw
import orjson

from sidecar.memory.upkeep.due import Row


def rows(tx: apsw.Connection, project: str) -> list[Row]:
    """Gives every memory of a project that is not archived, in the order of the files."""
    found: Any = tx.execute(
        f"SELECT {', '.join(Row._fields)} FROM continuity_memories WHERE project = ? AND is_archived = 0"
        " ORDER BY path, position",
        (project,),
    )
    return [Row(*cells) for cells in found]


def done_at_ms(tx: apsw.Connection, project: str) -> int | None:
    """Gives when upkeep was done last."""
    found = tx.execute("SELECT at_ms FROM continuity_memory_upkeep WHERE project = ?", (project,)).get
    return None if found is None else int(str(found))


def last(tx: apsw.Connection, project: str) -> dict[str, Any] | None:
    """Gives what upkeep did last."""
    rows: Any = tx.execute("SELECT value FROM continuity_memory_upkeep WHERE project = ?", (project,))
    return next((orjson.loads(value) for (value,) in rows), None)


def done(tx: apsw.Connection, project: str, now_ms: int, value: dict[str, Any]) -> None:
    """Keeps what upkeep did."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_memory_upkeep (project, at_ms, value) VALUES (?, ?, ?)",
        (project, now_ms, orjson.dumps(value)),
    )
