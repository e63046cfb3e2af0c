"""The lock's own state: one row per project, and the files that its block was put into."""

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
    told_agent: str
    """The agent that the project's own session file named when the lock last looked."""
    activated_at_ms: int
    exited_at_ms: int | None


class Written(NamedTuple):
    """A file that a block was put into."""

    root: str
    """The folder the agent worked in."""
    file: str
    made: int
    """How many folders and files were made for it; 0 where it was there before."""


def lock_of(tx: apsw.Connection, project: str) -> Lock | None:
    """Gives a project's lock; None where there never was a session."""
    row = tx.execute(
        f"SELECT {', '.join(Lock._fields)} FROM continuity_session_locks WHERE project = ?", (project,)
    ).fetchone()
    return Lock._make((bool(row[0]), *row[1:])) if row is not None else None


def put_lock(tx: apsw.Connection, project: str, lock: Lock) -> None:
    """Keeps a project's lock."""
    tx.execute(
        f"INSERT OR REPLACE INTO continuity_session_locks (project, {', '.join(Lock._fields)})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (project, *lock),
    )


def files_of(tx: apsw.Connection, project: str) -> list[Written]:
    """Gives the files with a project's block, in order."""
    rows = tx.execute(
        "SELECT root, file, made FROM continuity_session_files WHERE project = ? ORDER BY root, file", (project,)
    )
    return [Written(os.fsdecode(bytes(root)), file, made) for root, file, made in rows]


def put_file(tx: apsw.Connection, project: str, written: Written) -> None:
    """Notes a file with the block; what was made for it earlier stays noted."""
    tx.execute(
        "INSERT INTO continuity_session_files (project, root, file, made) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (project, root, file) DO UPDATE SET made = max(made, excluded.made)",
        (project, os.fsencode(written.root), written.file, written.made),
    )


def forget_file(tx: apsw.Connection, project: str, root: str, file: str) -> None:
    """Forgets a file that has no block any more."""
    tx.execute(
        "DELETE FROM continuity_session_files WHERE project = ? AND root = ? AND file = ?",
        (project, os.fsencode(root), file),
    )
