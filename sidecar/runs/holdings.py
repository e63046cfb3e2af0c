"""What is kept of runs, for removing it: by project, by age, or of one conversation."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from sidecar.storage.holding import Holding, Scope, remove

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
