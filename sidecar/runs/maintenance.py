"""What is kept of runs, for removing it: by project, by age, or of one conversation."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import partial

import apsw
import orjson

from sidecar.call import Process
from sidecar.core.digests import digest_value
from sidecar.core.findings import Finding
from sidecar.runs import artifacts
from sidecar.storage.retention import Holding, Scope, remove

DAY_MS = 86_400_000

_CHATS = "sub_chat_id IN (SELECT sub_chat_id FROM continuity_state WHERE project = ?1)"
_WORKSPACES = "workspace IN (SELECT workspace FROM continuity_state WHERE project = ?1)"

RUNS = (
    Holding("runs", "continuity_sessions", _CHATS, "updated_at_ms < ?2", is_counted=False),
    Holding("runs", "continuity_snapshots", _CHATS, "at_ms < ?2", is_counted=False),
    Holding("runs", "continuity_tests", _WORKSPACES, "recorded_at_ms < ?2", is_counted=False),
    Holding("runs", "continuity_calls", before="created_at_ms < ?2", is_counted=False),
    Holding("runs", "continuity_runs", before="recorded_at_ms < ?2"),
    Holding("runs", "continuity_state", before="updated_at_ms < ?2", is_counted=False),
    Holding("runs", "continuity_deleted", of_project="", before="at_ms < ?2", is_counted=False),
)
"""In the order in which they are removed: what is found by conversations goes before these. Deliveries go with their
sessions."""

HOLDINGS = (
    Holding("caches", "continuity_pack_cache", _WORKSPACES, "used_at_ms < ?2"),
    *RUNS,
    Holding("artifacts", "continuity_artifacts", before="updated_at_ms < ?2"),
    Holding("runs", "continuity_projects", "project = ?1 AND project NOT IN (SELECT project FROM continuity_artifacts)",
            is_counted=False),
)  # fmt: skip


def forget_old(tx: apsw.Connection, now_ms: int, days: int) -> None:
    """Removes runs, and what was kept of their conversations, that are older than so many days."""
    before_ms = now_ms - days * DAY_MS
    oldest = tx.execute("SELECT recorded_at_ms FROM continuity_runs ORDER BY rowid LIMIT 1").get
    if oldest is not None and int(str(oldest)) < before_ms:
        remove(tx, RUNS, Scope(None, before_ms))


def forget_sub_chat(tx: apsw.Connection, sub_chat_id: str, session_id: str | None, now_ms: int) -> None:
    """Forgets a conversation that was deleted, or of it one session: its runs, what it was given, how it stood.

    What came of it stays: artifacts, memories, sums. That it was deleted is known until it is spoken in again, for the
    run that ends after it.
    """
    tx.execute("INSERT OR REPLACE INTO continuity_deleted VALUES (?, ?, ?)", (sub_chat_id, session_id or "", now_ms))
    if session_id is not None:
        tx.execute("DELETE FROM continuity_sessions WHERE session_id = ?", (session_id,))
        where = "sub_chat_id = ?1 AND coalesce(session_after, session_before) IS ?2"
        told = (sub_chat_id, session_id)
        runs = f"run_id IN (SELECT run_id FROM continuity_runs WHERE {where})"
        for table, which in (("calls", runs), ("snapshots", runs), ("runs", where)):
            tx.execute(f"DELETE FROM continuity_{table} WHERE {which}", told)
        return
    for table in ("sessions", "snapshots", "calls", "runs", "state"):
        tx.execute(f"DELETE FROM continuity_{table} WHERE sub_chat_id = ?", (sub_chat_id,))


def is_deleted(tx: apsw.Connection, sub_chat_id: str, session_ids: Iterable[str | None]) -> bool:
    """Says whether a conversation was deleted, or one of these sessions of it."""
    rows = tx.execute("SELECT session_id FROM continuity_deleted WHERE sub_chat_id = ?", (sub_chat_id,))
    return not {"", *session_ids}.isdisjoint(session for (session,) in rows)


# Looks whether what is kept of runs is what was written.


JSON_CELLS = {
    "continuity_state": ("task", "counters", "todos"),
    "continuity_runs": ("touched", "result"),
    "continuity_calls": ("record",),
    "continuity_tests": ("failing",),
}
"""Cells without which a row is of no use."""

_TOLD = {
    "continuity_state": "states of conversations",
    "continuity_runs": "runs",
    "continuity_calls": "pre-runs",
    "continuity_tests": "outcomes of tests",
    "continuity_snapshots": "snapshots",
}


def records(process: Process) -> Iterator[Finding]:
    """Looks at artifacts, snapshots, conversations, pre-runs and runs."""
    with process.database.read() as tx:
        damaged = [one for one, is_whole in artifacts.every(tx) if not is_whole]
        unreadable = {table: list(_unreadable(tx, table)) for table in _TOLD}
    for one in damaged:
        told = f"The artifact {one.id} is not what was written; it is neither told nor committed."
        remedy = "Look into `backups/` for it, or remove it by `onecode-sidecar purge --kind damagedArtifacts`."
        yield Finding("error", told, remedy)
    for table, rows in unreadable.items():
        if rows:
            told = f"{len(rows)} of the {_TOLD[table]} cannot be read."
            remedy = "`--fix` removes them; what they told is begun anew."
            yield Finding("error", told, remedy, partial(_remove, process, table))


def _unreadable(tx: apsw.Connection, table: str) -> Iterator[apsw.SQLiteValue]:
    if table == "continuity_snapshots":
        yield from _damaged_snapshots(tx)
        return
    key, cells = _key(tx, table), JSON_CELLS[table]
    more = ", blocks" if table == "continuity_calls" else ""
    for row in tx.execute(f"SELECT {key}, {', '.join(cells)}{more} FROM {table}"):
        try:
            for cell in row[1 : 1 + len(cells)]:
                orjson.loads(cell)
            if more:
                orjson.loads(zlib.decompress(row[-1]))
        except (orjson.JSONDecodeError, zlib.error, TypeError):
            yield row[0]


def _damaged_snapshots(tx: apsw.Connection) -> Iterator[apsw.SQLiteValue]:
    for snapshot_id, value, row_hash in tx.execute("SELECT snapshot_id, value, row_hash FROM continuity_snapshots"):
        try:
            is_whole = digest_value(orjson.loads(value)) == row_hash
        except (orjson.JSONDecodeError, TypeError):
            is_whole = False
        if not is_whole:
            yield snapshot_id


def _remove(process: Process, table: str) -> None:
    """Looks again under the write lock: what was written anew meanwhile stays."""
    with process.database.write() as tx:
        rows = [(row,) for row in _unreadable(tx, table)]
        tx.executemany(f"DELETE FROM {table} WHERE {_key(tx, table)} = ?", rows)


def _key(tx: apsw.Connection, table: str) -> str:
    """The column that names a row, or for one named by two what puts them together."""
    names = [
        str(name) for (name,) in tx.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,))
    ]
    return " || char(10) || ".join(names)
