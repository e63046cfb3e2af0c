"""Tables of the lock: one row per project, and the files that have its block."""

import os
from typing import NamedTuple

import apsw


class Lock(NamedTuple):
    """A project's session: active or exited, and what a resumption restores."""

    is_active: bool
    agent: str
    ide: str
    language: str
    progress: str
    file_agent: str
    """The agent in the project's own session file when the lock last read it."""
    activated_at_ms: int
    exited_at_ms: int | None


class RecordedFile(NamedTuple):
    """A file that has a block."""

    root: str
    """The agent's working folder."""
    file: str
    created_count: int
    """Number of folders and files created for it; 0 if it existed before."""


def load_lock(tx: apsw.Connection, project: str) -> Lock | None:
    """Return a project's lock; None when there never was a session."""
    row = tx.execute(
        f"SELECT {', '.join(Lock._fields)} FROM continuity_session_locks WHERE project = ?", (project,)
    ).fetchone()
    return Lock._make((bool(row[0]), *row[1:])) if row is not None else None


def save_lock(tx: apsw.Connection, project: str, lock: Lock) -> None:
    """Store a project's lock."""
    tx.execute(
        f"INSERT OR REPLACE INTO continuity_session_locks (project, {', '.join(Lock._fields)})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (project, *lock),
    )


def load_files(tx: apsw.Connection, project: str) -> list[RecordedFile]:
    """Return the files with a project's block, in order."""
    rows = tx.execute(
        "SELECT root, file, created_count FROM continuity_session_files WHERE project = ? ORDER BY root, file",
        (project,),
    )
    return [RecordedFile(os.fsdecode(bytes(root)), file, created_count) for root, file, created_count in rows]


def save_file(tx: apsw.Connection, project: str, recorded: RecordedFile) -> None:
    """Record a file with the block; an earlier record of created folders and files remains."""
    tx.execute(
        "INSERT INTO continuity_session_files (project, root, file, created_count) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (project, root, file) DO UPDATE SET created_count = max(created_count, excluded.created_count)",
        (project, os.fsencode(recorded.root), recorded.file, recorded.created_count),
    )


def delete_file(tx: apsw.Connection, project: str, root: str, file: str) -> None:
    """Delete the record of a file that has no block any more."""
    tx.execute(
        "DELETE FROM continuity_session_files WHERE project = ? AND root = ? AND file = ?",
        (project, os.fsencode(root), file),
    )
