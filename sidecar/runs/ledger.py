"""The delivery ledger: what each provider session has received. The unit is the provider session, not the chat.

Text in a prompt stays in the provider's conversation, so an item counts as delivered once a post-run has confirmed
that the run reached the provider. The worst that a crash in between can cause is sending again.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from sidecar.runs import keys
from sidecar.runs.model import NO_CONTENTS, Item, PinnedAnchor, SessionContents, SessionKey


def session_contents(tx: apsw.Connection, key: SessionKey | None) -> SessionContents:
    """Return what a session has; a new, forked or unknown one has nothing."""
    if key is None:
        return NO_CONTENTS
    row = tx.execute(
        "SELECT anchor_id, anchor_text, head_commit FROM continuity_sessions"
        " WHERE provider = ? AND session_id = ? AND shadow = ?",
        key,
    ).fetchone()
    if row is None:
        return NO_CONTENTS
    anchor_id, anchor_text, head_commit = row
    items = tx.execute(
        "SELECT item, digest, bytes FROM continuity_deliveries WHERE provider = ? AND session_id = ? AND shadow = ?",
        key,
    )
    anchor = PinnedAnchor(anchor_id, anchor_text) if anchor_id else None
    items_by_key = {name: Item(name, digest, size) for name, digest, size in items}
    return SessionContents(items_by_key, anchor, head_commit, exists=any(name != keys.ANCHOR for name in items_by_key))


def continue_session(
    tx: apsw.Connection, key: SessionKey, sub_chat_id: str, head: str | None, before: SessionKey | None, now_ms: int
) -> None:
    """Create a session if needed, with what it inherits from the one it continues under a new id."""
    tx.execute(
        "INSERT INTO continuity_sessions (provider, session_id, shadow, sub_chat_id, created_at_ms, updated_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (*key, sub_chat_id, now_ms, now_ms),
    )
    if before is not None and before != key:
        inherited = session_contents(tx, before)
        deliver(tx, key, inherited.items.values(), inherited.anchor, "", now_ms)
    tx.execute(
        "UPDATE continuity_sessions SET head_commit = coalesce(?, head_commit), sub_chat_id = ?, updated_at_ms = ?"
        " WHERE provider = ? AND session_id = ? AND shadow = ?",
        (head, sub_chat_id, now_ms, *key),
    )


def deliver(
    tx: apsw.Connection, key: SessionKey, items: Iterable[Item], anchor: PinnedAnchor | None, run_id: str, now_ms: int
) -> None:
    """Record that a known session received items, and pin its anchor if it has none yet."""
    tx.executemany(
        "INSERT OR REPLACE INTO continuity_deliveries"
        " (provider, session_id, shadow, item, digest, bytes, run_id, delivered_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*key, item.key, item.digest, item.bytes, run_id, now_ms) for item in items],
    )
    if anchor is not None:
        tx.execute(
            "UPDATE continuity_sessions SET anchor_id = ?, anchor_text = ?"
            " WHERE provider = ? AND session_id = ? AND shadow = ? AND anchor_id IS NULL",
            (anchor.id, anchor.text, *key),
        )


def drop_session(tx: apsw.Connection, provider: str, session_id: str | None, sub_chat_id: str) -> None:
    """Delete a session, or without an id a conversation's sessions; the next call sends everything again."""
    if session_id is not None:
        tx.execute("DELETE FROM continuity_sessions WHERE provider = ? AND session_id = ?", (provider, session_id))
    else:
        tx.execute("DELETE FROM continuity_sessions WHERE provider = ? AND sub_chat_id = ?", (provider, sub_chat_id))


def drop_transcript(tx: apsw.Connection, provider: str, session_id: str | None, sub_chat_id: str) -> None:
    """Delete what a compacted session's transcript contained; without an id, for the whole conversation.

    Claude's anchor stays: it is not part of the transcript, and another one would break the provider's prompt cache. An
    anchor that was delivered as an item was in the transcript and is deleted.
    """
    if provider != "claude":
        drop_session(tx, provider, session_id, sub_chat_id)
        return
    rows = tx.execute(
        "UPDATE continuity_sessions SET head_commit = NULL"
        " WHERE provider = ?1 AND CASE WHEN ?2 IS NULL THEN sub_chat_id = ?3 ELSE session_id = ?2 END"
        " RETURNING session_id",
        (provider, session_id, sub_chat_id),
    )
    for (compacted,) in list(rows):
        tx.execute(
            "UPDATE continuity_sessions SET anchor_id = NULL, anchor_text = NULL"
            " WHERE provider = ?1 AND session_id = ?2 AND EXISTS (SELECT 1 FROM continuity_deliveries AS given"
            " WHERE given.provider = ?1 AND given.session_id = ?2 AND given.shadow = continuity_sessions.shadow"
            " AND given.item = ?3)",
            (provider, compacted, keys.ANCHOR),
        )
        tx.execute("DELETE FROM continuity_deliveries WHERE provider = ? AND session_id = ?", (provider, compacted))


def sub_chats_of(tx: apsw.Connection, provider: str, session_id: str) -> set[str]:
    """Return the conversations that had a run in a session."""
    rows = tx.execute(
        "SELECT sub_chat_id FROM continuity_sessions WHERE provider = ? AND session_id = ?", (provider, session_id)
    )
    return {name for (name,) in rows}


def drop_shadow_sessions(tx: apsw.Connection, sub_chat_id: str) -> None:
    """Delete a conversation's passive-mode sessions, whose deliveries were only computed."""
    tx.execute("DELETE FROM continuity_sessions WHERE sub_chat_id = ? AND shadow = 1", (sub_chat_id,))
