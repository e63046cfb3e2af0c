"""Looks whether the index agrees with itself, and the memory files can be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import apsw

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.core.findings import Finding
from sidecar.memory import index
from sidecar.memory.access import THE_USERS
from sidecar.memory.index import index_of
from sidecar.memory.store import entries, entry_queries
from sidecar.memory.store.entries import ENTRIES
from sidecar.memory.writer import Writer
from sidecar.storage.retention import Holding
from sidecar.workspace import Workspace

MAX_TOLD = 20


def indexes(process: Process) -> Iterator[Finding]:
    """Compares the entries of each project with their words for search, and with what is counted of them."""
    with process.database.read() as tx:
        lost = _projects_of_lost_words(tx)
        miscounted = _miscounted(tx)
    for project in sorted(lost | miscounted):
        told = f"The memories' index of the project {project} does not agree with itself; a search may miss some."
        remedy = "`--fix` empties it; it is made anew from the files at the next look."
        yield Finding("error", told, remedy, partial(_empty, process, project))


def files(process: Process, workspace: Workspace) -> Iterator[Finding]:
    """Looks at a project's memory files, each of them."""
    index = index_of(process, workspace)
    try:
        if not index.folder.exists():
            return
        checked = index.look_over()
        with process.database.read() as tx:
            told = entry_queries.warnings(tx, index.project)
            repeated = entry_queries.repeated_ids(tx, index.project, THE_USERS.owners)
    except SidecarError as error:
        yield Finding("error", error.message, error.hint or "Look at `.chati/memories`.")
        return
    for path, sentence in (*checked.warnings, *told)[:MAX_TOLD]:
        yield Finding("warning", f"{path}: {sentence}", "Mend or remove the file; the rest is remembered.")
    for path, memory_id in repeated[:MAX_TOLD]:
        told_ = f"{path}: another memory has the id {memory_id} too."
        yield Finding("warning", told_, "Give one of them another id, or remove it.")
    left = index.folder.left_behind(process.clock.now_ms())
    if left:
        told_ = f"{left} half-written files were left behind by writers that were killed."
        yield Finding("warning", told_, "`--fix` removes them.", lambda: index.folder.sweep(process.clock.now_ms()))


def _projects_of_lost_words(tx: apsw.Connection) -> set[str]:
    """Projects with an entry the full-text search does not know."""
    with suppress(apsw.CorruptError):
        known = {row for (row,) in tx.execute("SELECT id FROM continuity_memory_text_docsize")}
        rows: Any = tx.execute("SELECT row_id, project FROM continuity_memories")
        return {project for row_id, project in rows if row_id not in known}
    return _projects(tx)


def _miscounted(tx: apsw.Connection) -> set[str]:
    """Projects of which another number of entries is counted than there is."""
    there: Any = tx.execute("SELECT project, owner, count(*) FROM continuity_memories GROUP BY 1, 2")
    counted: Any = tx.execute("SELECT project, owner, entries FROM continuity_memory_words WHERE term = ?", (ENTRIES,))
    return {project for project, _, _ in set(there) ^ set(counted)}


def _projects(tx: apsw.Connection) -> set[str]:
    rows: Any = tx.execute("SELECT DISTINCT project FROM continuity_memories")
    return {project for (project,) in rows}


def _empty(process: Process, project: str) -> None:
    with process.database.write() as tx:
        entries.clear(tx, project)
        entries.advance(tx, project)


# What is kept of memories, for removing it: the index, which the files make anew, and what no file tells.


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
    index.write(writer.index)
