"""Doctor checks of the memory index and files, and what a purge removes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import apsw

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.core.text import count_noun
from sidecar.memory.access_control import USER_REACH
from sidecar.memory.index import index_of, write_index_file
from sidecar.memory.standing_instructions import ROW_GROUPS as STANDING_INSTRUCTION_ROWS
from sidecar.memory.store import entries, entry_queries
from sidecar.memory.store.entries import ENTRY_COUNT
from sidecar.memory.writer import Writer
from sidecar.storage.slice_maintenance import Finding, RowGroup
from sidecar.workspace import Workspace

MAX_FINDINGS = 20


def index_findings(process: Process) -> Iterator[Finding]:
    """Compare each project's entries with their full-text rows and with the entry counts."""
    with process.database.read() as tx:
        incomplete = _projects_missing_words(tx)
        miscounted = _miscounted_projects(tx)
    for project in sorted(incomplete | miscounted):
        message = f"The memory index of project {project} is inconsistent; a search may miss memories."
        remedy = "`--fix` clears it; the next refresh rebuilds it from the files."
        yield Finding("error", message, remedy, partial(_clear_index, process, project))


def file_findings(process: Process, workspace: Workspace) -> Iterator[Finding]:
    """Check each memory file of a project."""
    index = index_of(process, workspace)
    try:
        if not index.folder.exists():
            return
        refreshed = index.rescan()
        with process.database.read() as tx:
            warnings = entry_queries.warnings(tx, index.project)
            repeated_ids = entry_queries.duplicate_ids(tx, index.project, USER_REACH.owners)
    except SidecarError as error:
        yield Finding("error", error.message, error.hint or "Check `.chati/memories`.")
        return
    for path, sentence in (*refreshed.warnings, *warnings)[:MAX_FINDINGS]:
        yield Finding(
            "warning", f"{path}: {sentence}", "Repair or remove the file; the other memories are not affected."
        )
    for path, memory_id in repeated_ids[:MAX_FINDINGS]:
        message = f"{path}: another memory also has the id {memory_id}."
        yield Finding("warning", message, "Change the id of one of them, or remove it.")
    unfinished = index.folder.unfinished_files()
    if unfinished:
        message = f"Killed writers left {count_noun(unfinished, 'unfinished file')}."
        yield Finding("warning", message, "`--fix` removes them.", index.folder.sweep)


def _projects_missing_words(tx: apsw.Connection) -> set[str]:
    """Return projects with an entry that is missing from the full-text index."""
    with suppress(apsw.CorruptError):
        known = {row for (row,) in tx.execute("SELECT id FROM continuity_memory_text_docsize")}
        rows: Any = tx.execute("SELECT row_id, project FROM continuity_memories")
        return {project for row_id, project in rows if row_id not in known}
    return _projects(tx)


def _miscounted_projects(tx: apsw.Connection) -> set[str]:
    """Return projects whose stored entry count differs from the actual count."""
    stored: Any = tx.execute("SELECT project, owner, count(*) FROM continuity_memories GROUP BY 1, 2")
    counted: Any = tx.execute(
        "SELECT project, owner, entries FROM continuity_memory_term_counts WHERE term = ?", (ENTRY_COUNT,)
    )
    return {project for project, _, _ in set(stored) ^ set(counted)}


def _projects(tx: apsw.Connection) -> set[str]:
    rows: Any = tx.execute("SELECT DISTINCT project FROM continuity_memories")
    return {project for (project,) in rows}


def _clear_index(process: Process, project: str) -> None:
    with process.database.write() as tx:
        entries.clear(tx, project)
        entries.advance_revision(tx, project)


_INDEX_ROWS = "rowid IN (SELECT row_id FROM continuity_memories WHERE project = ?1)"

INDEX = "indexes"

ROW_GROUPS = (
    RowGroup(INDEX, "continuity_memory_text", _INDEX_ROWS, is_counted=False),
    RowGroup(INDEX, "continuity_memory_term_counts", is_counted=False),
    RowGroup(INDEX, "continuity_memories"),
    RowGroup(INDEX, "continuity_memory_files", is_counted=False),
    RowGroup("memories", "continuity_memory_tombstones", before="deleted_at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_openings", before="opened_at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_pending", before="at_ms < ?2"),
    RowGroup("memories", "continuity_memory_sightings", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_captures", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_capture_totals", is_counted=False),
    RowGroup("memories", "continuity_memory_upkeep", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_resolutions", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_near_misses", before="at_ms < ?2", is_counted=False),
    RowGroup("memories", "continuity_memory_plans", is_counted=False),
    *STANDING_INSTRUCTION_ROWS,
)
"""Pending captures wait to become memories; tombstones prevent deleted memories from being captured again."""


def advance_index_revisions(tx: apsw.Connection) -> None:
    """Invalidate what every process knows of the indexes."""
    rows: Any = tx.execute("SELECT project FROM continuity_memory_revisions")
    for (project,) in list(rows):
        entries.advance_revision(tx, project)


def old_files(process: Process, workspace: Workspace, before_ms: int | None) -> list[str]:
    """Return a project's memory files without entries newer than a moment, archived files included."""
    writer = Writer(process, workspace, USER_REACH)
    if not writer.folder.exists():
        return []
    writer.index.rescan()
    with process.database.read() as tx:
        rows: Any = list(
            tx.execute(
                "SELECT path, max(at_ms) FROM continuity_memories WHERE project = ? GROUP BY path ORDER BY path",
                (writer.project,),
            )
        )
    return [path for path, at_ms in rows if before_ms is None or at_ms < before_ms]


def remove_files(process: Process, workspace: Workspace, paths: list[str]) -> None:
    """Delete memory files; their content may be captured again."""
    writer = Writer(process, workspace, USER_REACH)
    with writer.index.locked():
        for path in paths:
            writer.folder.remove(path)
        writer.index.update_paths(paths, tombstone=False)
    write_index_file(writer.index)
