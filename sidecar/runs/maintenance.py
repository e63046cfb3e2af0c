"""Retention and health checks of stored runs."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import apsw
import orjson

from sidecar.call import Process
from sidecar.context import delete_session_record
from sidecar.core.clock import DAY_MS
from sidecar.core.digests import digest_value
from sidecar.runs import artifact_store, conversations
from sidecar.runs.model import PressureCounters
from sidecar.runs.pre_run_record import details_from_json, texts_from_json
from sidecar.storage.doctor_checks import Finding
from sidecar.storage.purgeable_rows import PurgeScope, RowGroup, remove_rows

_CHATS = "sub_chat_id IN (SELECT sub_chat_id FROM continuity_state WHERE project = ?1)"
_WORKSPACES = "workspace IN (SELECT workspace FROM continuity_state WHERE project = ?1)"

RUNS = (
    RowGroup("runs", "continuity_sessions", _CHATS, "updated_at_ms < ?2", is_counted=False),
    RowGroup("runs", "continuity_snapshots", _CHATS, "at_ms < ?2", is_counted=False),
    RowGroup("runs", "continuity_tests", _WORKSPACES, "recorded_at_ms < ?2", is_counted=False),
    RowGroup("runs", "continuity_calls", before="created_at_ms < ?2", is_counted=False),
    RowGroup("runs", "continuity_runs", before="recorded_at_ms < ?2"),
    RowGroup("runs", "continuity_state", before="updated_at_ms < ?2", is_counted=False),
    RowGroup("runs", "continuity_deleted", project_condition="", before="at_ms < ?2", is_counted=False),
)
"""In order of deletion: tables that are selected by conversation come first. Deliveries are deleted with their
sessions.
"""

_NO_ARTIFACTS = "project = ?1 AND project NOT IN (SELECT project FROM continuity_artifacts)"

ROW_GROUPS = (
    RowGroup("caches", "continuity_pack_cache", _WORKSPACES, "used_at_ms < ?2"),
    *RUNS,
    RowGroup("artifacts", "continuity_artifacts", before="updated_at_ms < ?2"),
    RowGroup("runs", "continuity_projects", _NO_ARTIFACTS, is_counted=False),
)  # fmt: skip


def delete_old_runs(tx: apsw.Connection, now_ms: int, days: int) -> None:
    """Delete runs, and everything stored of their conversations, that are older than this many days."""
    before_ms = now_ms - days * DAY_MS
    oldest = tx.execute("SELECT recorded_at_ms FROM continuity_runs ORDER BY rowid LIMIT 1").get
    if oldest is not None and int(str(oldest)) < before_ms:
        remove_rows(tx, RUNS, PurgeScope(None, before_ms))


def delete_sub_chat(tx: apsw.Connection, sub_chat_id: str, session_id: str | None, now_ms: int) -> None:
    """Delete a conversation, or one session of it: its runs, deliveries and state.

    Its results stay: artifacts, memories, sums. The deletion is remembered until the conversation continues, for a run
    that ends after it.
    """
    tx.execute("INSERT OR REPLACE INTO continuity_deleted VALUES (?, ?, ?)", (sub_chat_id, session_id or "", now_ms))
    counters = conversations.sub_chat(tx, sub_chat_id).counters
    all_sessions = (*counters.sessions, PressureCounters().session_key(sub_chat_id))
    for session in all_sessions if session_id is None else (session_id,):
        delete_session_record(tx, session)
    if session_id is not None:
        tx.execute(
            "DELETE FROM continuity_sessions WHERE sub_chat_id = ? AND session_id = ?", (sub_chat_id, session_id)
        )
        where = "sub_chat_id = ?1 AND coalesce(session_after, session_before) IS ?2"
        parameters = (sub_chat_id, session_id)
        runs = f"run_id IN (SELECT run_id FROM continuity_runs WHERE {where})"
        for table, condition in (("calls", runs), ("snapshots", runs), ("runs", where)):
            tx.execute(f"DELETE FROM continuity_{table} WHERE {condition}", parameters)
        return
    for table in ("sessions", "snapshots", "calls", "runs", "state"):
        tx.execute(f"DELETE FROM continuity_{table} WHERE sub_chat_id = ?", (sub_chat_id,))


def is_deleted(tx: apsw.Connection, sub_chat_id: str, session_ids: Iterable[str | None]) -> bool:
    """Whether a conversation, or one of these sessions of it, was deleted."""
    rows = tx.execute("SELECT session_id FROM continuity_deleted WHERE sub_chat_id = ?", (sub_chat_id,))
    return not {"", *session_ids}.isdisjoint(session for (session,) in rows)


_TABLE_NAMES = {
    "continuity_calls": "pre-runs",
    "continuity_snapshots": "snapshots",
}


def check_records(process: Process) -> Iterator[Finding]:
    """Check artifacts, snapshots and pre-runs."""
    with process.database.read() as tx:
        damaged = [artifact for artifact, is_intact in artifact_store.all_artifacts(tx) if not is_intact]
        unreadable = {table: list(_unreadable(tx, table)) for table in _TABLE_NAMES}
    for artifact in damaged:
        message = f"The artifact {artifact.id} is damaged; it is neither sent nor committed."
        remedy = "Restore it from `backups/`, or remove it with `onecode-sidecar purge --kind damagedArtifacts`."
        yield Finding("error", message, remedy)
    for table, rows in unreadable.items():
        if rows:
            message = f"{len(rows)} of the {_TABLE_NAMES[table]} cannot be read."
            remedy = "`--fix` removes them; their content is rebuilt from the next runs."
            yield Finding("error", message, remedy, partial(_remove, process, table))


def _unreadable(tx: apsw.Connection, table: str) -> Iterator[apsw.SQLiteValue]:
    return _damaged_snapshots(tx) if table == "continuity_snapshots" else _damaged_calls(tx)


def _damaged_calls(tx: apsw.Connection) -> Iterator[apsw.SQLiteValue]:
    rows: Any = tx.execute("SELECT delivery_token, record, blocks FROM continuity_calls")
    for token, details, texts in rows:
        try:
            details_from_json(details)
            texts_from_json(zlib.decompress(texts))
        except (ValueError, KeyError, TypeError, zlib.error):
            yield token


def _damaged_snapshots(tx: apsw.Connection) -> Iterator[apsw.SQLiteValue]:
    for snapshot_id, value, row_hash in tx.execute("SELECT snapshot_id, value, row_hash FROM continuity_snapshots"):
        try:
            is_intact = digest_value(orjson.loads(value)) == row_hash
        except (orjson.JSONDecodeError, TypeError):
            is_intact = False
        if not is_intact:
            yield snapshot_id


def _remove(process: Process, table: str) -> None:
    """Delete damaged rows, checked again under the write lock: rows that were rewritten in the meantime stay."""
    with process.database.write() as tx:
        rows = [(row,) for row in _unreadable(tx, table)]
        tx.executemany(f"DELETE FROM {table} WHERE {_KEYS[table]} = ?", rows)


_KEYS = {"continuity_calls": "delivery_token", "continuity_snapshots": "snapshot_id"}
