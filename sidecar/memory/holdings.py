"""What is kept of memories, for removing it: the index, which the files make anew, and what no file tells."""

from __future__ import annotations

from typing import Any

import apsw

from sidecar.call import Process
from sidecar.memory import index_file
from sidecar.memory.access import THE_USERS
from sidecar.memory.store import entries
from sidecar.memory.writing import Writer
from sidecar.storage.holding import Holding
from sidecar.workspace import Workspace

_OF_INDEX = "rowid IN (SELECT row_id FROM continuity_memories WHERE project = ?1)"

INDEX = "indexes"

HOLDINGS = (
    Holding(INDEX, "continuity_memory_text", _OF_INDEX, is_counted=False),
    Holding(INDEX, "continuity_memory_words", is_counted=False),
    Holding(INDEX, "continuity_memories"),
    Holding(INDEX, "continuity_memory_files", is_counted=False),
    Holding("memories", "continuity_memory_tombstones", before="deleted_at_ms < ?2"),
    Holding("memories", "continuity_memory_openings", before="opened_at_ms < ?2", is_counted=False),
    Holding("memories", "continuity_memory_material", before="at_ms < ?2"),
    Holding("memories", "continuity_memory_meetings", before="at_ms < ?2", is_counted=False),
    Holding("memories", "continuity_memory_captures", before="at_ms < ?2", is_counted=False),
    Holding("memories", "continuity_memory_capture_totals", is_counted=False),
    Holding("memories", "continuity_memory_upkeep", before="at_ms < ?2", is_counted=False),
    Holding("memories", "continuity_memory_resolutions", before="at_ms < ?2"),
    Holding("memories", "continuity_memory_plans", is_counted=False),
)
"""Material waits to become memories; tombstones keep what was deleted from coming back."""


def note_index_gone(tx: apsw.Connection) -> None:
    """Tells every process that what it knows of the indexes holds no more."""
    rows: Any = tx.execute("SELECT project FROM continuity_memory_revisions")
    for (project,) in list(rows):
        entries.advance(tx, project)


def old_files(process: Process, workspace: Workspace, before_ms: int | None) -> list[str]:
    """Gives a project's memory files in which nothing is newer than a moment, the archived too."""
    writer = Writer(process, workspace, THE_USERS)
    if not writer.folder.exists():
        return []
    writer.index.look_over()
    with process.database.read() as tx:
        rows: Any = list(
            tx.execute(
                "SELECT path, max(at_ms) FROM continuity_memories WHERE project = ? GROUP BY path ORDER BY path",
                (writer.project,),
            )
        )
    return [path for path, at_ms in rows if before_ms is None or at_ms < before_ms]


def remove_files(process: Process, workspace: Workspace, paths: list[str]) -> None:
    """Removes memory files for good; what they say may be captured again."""
    writer = Writer(process, workspace, THE_USERS)
    with writer.index.locked():
        for path in paths:
            writer.folder.remove(path)
        writer.index.refresh(paths, buries=False)
    index_file.write(writer.index)
