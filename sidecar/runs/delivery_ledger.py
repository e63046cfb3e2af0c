"""The delivery ledger: what each conversation's provider session has received, turn by turn.

Text in a prompt stays in the provider's conversation, so an item counts as delivered once a post-run has confirmed that
the run reached the provider. The worst that a crash in between can cause is sending again. Because each turn is
recorded, a session that the user rolled back, or a fork of it, has exactly what the remaining turns left there: the
host states with a prompt a fork, also of another conversation's session, a rollback to a message, a compaction, or a
session that continues although the host did not store its id. The same facts again change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import apsw
import orjson

from sidecar.codebase import has_unsafe_name
from sidecar.runs import conversations, run_records
from sidecar.runs import ledger_entries as entries
from sidecar.runs.ledger_entries import entry_from_json, entry_to_json
from sidecar.runs.model import (
    NO_CONTENTS,
    DeliveredItem,
    PinnedAnchor,
    RolledBackSpan,
    SessionContents,
    SessionFacts,
    SessionHistory,
    SessionKey,
    SessionTurn,
)
from sidecar.runs.pre_run_record import call_of_run, drop_pending

MAX_TURNS = 60
"""Maximum number of turns to which a session can be rolled back; older ones are joined."""

MAX_ROLLED_BACK_SPANS = 20
"""Maximum number of rollbacks recorded of a session; older ones are joined."""

_KEY = "sub_chat_id = ?1 AND provider = ?2 AND session_id = ?3 AND shadow = ?4"


def session_contents(tx: apsw.Connection, key: SessionKey | None) -> SessionContents:
    """Return what a session has; an unknown one has nothing."""
    if key is None:
        return NO_CONTENTS
    row: Any = tx.execute(
        f"SELECT anchor_id, anchor_text, rolled_back FROM continuity_sessions WHERE {_KEY}", key
    ).fetchone()
    if row is None:
        return NO_CONTENTS
    rows: Any = tx.execute(
        f"SELECT item, entry, bytes, max(turn) FROM continuity_deliveries WHERE {_KEY} GROUP BY item ORDER BY item", key
    )
    items = {name: DeliveredItem(name, entry_from_json(entry), size) for name, entry, size, _ in rows}
    head: Any = tx.execute(
        f"SELECT head_commit FROM continuity_session_turns WHERE {_KEY} AND head_commit IS NOT NULL"
        " ORDER BY turn DESC LIMIT 1",
        key,
    ).get
    anchor_id, anchor_text, rolled_back = row
    return _contents(items, _anchor(anchor_id, anchor_text), head, _spans(rolled_back))


def contents_of(history: SessionHistory) -> SessionContents:
    """Return what a session with this history has."""
    items = {item.key: item for turn in history.turns for item in turn.items}
    heads = [turn.head_commit for turn in history.turns if turn.head_commit is not None]
    return _contents(items, history.anchor, heads[-1] if heads else None, history.rolled_back)


def _contents(
    items: dict[str, DeliveredItem],
    anchor: PinnedAnchor | None,
    head: str | None,
    rolled_back: tuple[RolledBackSpan, ...],
) -> SessionContents:
    exists = any(name != entries.ANCHOR for name in items)
    return SessionContents(items, anchor, head, exists, rolled_back)


def _spans(text: str) -> tuple[RolledBackSpan, ...]:
    return tuple(RolledBackSpan(*span) for span in orjson.loads(text)) if text != "[]" else ()


def _anchor(anchor_id: Any, text: Any) -> PinnedAnchor | None:
    return PinnedAnchor(anchor_id, text) if anchor_id else None


def session_history(tx: apsw.Connection, key: SessionKey) -> SessionHistory | None:
    """Return a session's turns; None for an unknown one."""
    row: Any = tx.execute(
        f"SELECT anchor_id, anchor_text, compacted_at_ms, rolled_back FROM continuity_sessions WHERE {_KEY}", key
    ).fetchone()
    if row is None:
        return None
    anchor_id, anchor_text, compacted_at_ms, rolled_back = row
    items: dict[int, list[DeliveredItem]] = {}
    deliveries: Any = tx.execute(
        f"SELECT turn, item, entry, bytes FROM continuity_deliveries WHERE {_KEY} ORDER BY turn, item", key
    )
    for number, name, entry, size in deliveries:
        items.setdefault(number, []).append(DeliveredItem(name, entry_from_json(entry), size))
    turns: Any = tx.execute(
        "SELECT turn, run_id, message_id, head_commit, sent_at_ms FROM continuity_session_turns"
        f" WHERE {_KEY} ORDER BY turn",
        key,
    )
    return SessionHistory(
        anchor=_anchor(anchor_id, anchor_text),
        compacted_at_ms=compacted_at_ms,
        rolled_back=_spans(rolled_back),
        turns=tuple(
            SessionTurn(
                number=number,
                run_id=run_id,
                message_id=message_id,
                head_commit=head,
                sent_at_ms=sent_at_ms,
                items=tuple(items.get(number, ())),
            )
            for number, run_id, message_id, head, sent_at_ms in turns
        ),
    )


def put_history(tx: apsw.Connection, key: SessionKey, history: SessionHistory, now_ms: int) -> None:
    """Replace all that the ledger has of a session."""
    tx.execute(f"DELETE FROM continuity_sessions WHERE {_KEY}", key)
    open_session(tx, key, now_ms)
    tx.execute(
        "UPDATE continuity_sessions SET anchor_id = ?5, anchor_text = ?6, compacted_at_ms = ?7, rolled_back = ?8"
        f" WHERE {_KEY}",
        (
            *key,
            history.anchor.id if history.anchor is not None else None,
            history.anchor.text if history.anchor is not None else None,
            history.compacted_at_ms,
            orjson.dumps([list(span) for span in history.rolled_back]).decode(),
        ),
    )
    for turn in history.turns:
        _put_turn(tx, key, turn)


def open_session(tx: apsw.Connection, key: SessionKey, now_ms: int) -> None:
    """Create a session if needed."""
    tx.execute(
        "INSERT INTO continuity_sessions (sub_chat_id, provider, session_id, shadow, created_at_ms, updated_at_ms)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT DO UPDATE SET updated_at_ms = ?5",
        (*key, now_ms),
    )


def _put_turn(tx: apsw.Connection, key: SessionKey, turn: SessionTurn) -> None:
    tx.execute(
        "INSERT INTO continuity_session_turns (sub_chat_id, provider, session_id, shadow, turn, run_id, message_id,"
        " head_commit, sent_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*key, turn.number, turn.run_id, turn.message_id, turn.head_commit, turn.sent_at_ms),
    )
    tx.executemany(
        "INSERT OR REPLACE INTO continuity_deliveries (sub_chat_id, provider, session_id, shadow, item, turn, entry,"
        " bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (*key, item.key, turn.number, entry_to_json(item.entry), item.bytes)
            for item in turn.items
            if not has_unsafe_name(item.key)  # as of a file that a command made
        ],
    )


def add_turn(tx: apsw.Connection, key: SessionKey, turn: SessionTurn, anchor: PinnedAnchor | None) -> None:
    """Record a run in a session that exists, as its last turn, and pin its anchor if it has none yet.

    What was said since the run began is not part of an earlier rollback.
    """
    last: Any = tx.execute(f"SELECT max(turn) FROM continuity_session_turns WHERE {_KEY}", key).get
    number = 1 + (last or 0)
    _put_turn(tx, key, replace(turn, number=number))
    if anchor is not None:
        tx.execute(
            f"UPDATE continuity_sessions SET anchor_id = ?5, anchor_text = ?6 WHERE {_KEY} AND anchor_id IS NULL",
            (*key, anchor.id, anchor.text),
        )
    tx.execute(
        "UPDATE continuity_sessions SET rolled_back = json_set(rolled_back, '$[#-1][1]', ?5)"
        f" WHERE {_KEY} AND json_array_length(rolled_back) > 0 AND json_extract(rolled_back, '$[#-1][1]') IS NULL",
        (*key, turn.sent_at_ms),
    )
    if number > MAX_TURNS:
        _join_turns(tx, key, number - MAX_TURNS)


def drop_turn(tx: apsw.Connection, key: SessionKey, run_id: str) -> None:
    """Delete what the ledger has of a session's run; the anchor stays pinned."""
    tx.execute(f"DELETE FROM continuity_session_turns WHERE {_KEY} AND run_id = ?5", (*key, run_id))


def last_sent_ms(tx: apsw.Connection, key: SessionKey) -> int | None:
    """Return the time at which a session's last run was sent; None without one, or if it was rolled back since.

    A rollback that the host reported is known exactly; nothing else is concluded from the session file.
    """
    rows: Any = tx.execute(
        "SELECT max(sent_at_ms) FROM continuity_session_turns JOIN continuity_sessions USING (sub_chat_id, provider,"
        f" session_id, shadow) WHERE {_KEY} AND (rolled_back = '[]' OR json_extract(rolled_back, '$[#-1][1]') NOTNULL)",
        key,
    )
    return next((at_ms for (at_ms,) in rows), None)


def drop_rolled_back(tx: apsw.Connection, key: SessionKey, now_ms: int) -> None:
    """Delete what a session's turns left in its transcript, after a rollback to an unknown message."""
    history = session_history(tx, key)
    if history is not None:
        put_history(tx, key, with_rollback(without_transcript(history), 0), now_ms)


def _join_turns(tx: apsw.Connection, key: SessionKey, last: int) -> None:
    """Drop what later turns up to `last` replaced, and their message ids: nothing can be rolled back to them."""
    tx.execute(
        f"DELETE FROM continuity_deliveries AS old WHERE {_KEY} AND turn < ?5 AND EXISTS"
        f" (SELECT 1 FROM continuity_deliveries WHERE {_KEY} AND item = old.item AND turn > old.turn AND turn <= ?5)",
        (*key, last),
    )
    tx.execute(f"UPDATE continuity_session_turns SET message_id = NULL WHERE {_KEY} AND turn <= ?5", (*key, last))


def drop_session(tx: apsw.Connection, provider: str, session_id: str | None, sub_chat_id: str) -> None:
    """Delete a conversation's session, or without an id all of them; the next call sends everything again."""
    tx.execute(
        "DELETE FROM continuity_sessions WHERE provider = ?1 AND sub_chat_id = ?2"
        " AND session_id = coalesce(?3, session_id)",
        (provider, sub_chat_id, session_id),
    )


def drop_transcript(
    tx: apsw.Connection, provider: str, session_id: str | None, sub_chat_id: str, now_ms: int, *, is_compaction: bool
) -> None:
    """Delete what a session's transcript contained; without an id, of all sessions of the conversation."""
    rows: Any = tx.execute(
        "SELECT sub_chat_id, provider, session_id, shadow FROM continuity_sessions"
        " WHERE provider = ?1 AND sub_chat_id = ?2 AND session_id = coalesce(?3, session_id)",
        (provider, sub_chat_id, session_id),
    )
    for row in list(rows):
        key = SessionKey(*row)
        history = session_history(tx, key)
        if history is not None:
            emptied = without_transcript(history)
            lost = replace(emptied, compacted_at_ms=now_ms) if is_compaction else with_rollback(emptied, 0)
            put_history(tx, key, lost, now_ms)


def without_transcript(history: SessionHistory, sent_until_ms: int | None = None) -> SessionHistory:
    """Return a history whose turns, up to a time if one is given, left nothing in the transcript."""
    turns = tuple(
        replace(turn, items=(), head_commit=None) if sent_until_ms is None or turn.sent_at_ms <= sent_until_ms else turn
        for turn in history.turns
    )
    return with_turns(history, turns)


def with_turns(history: SessionHistory, turns: Sequence[SessionTurn]) -> SessionHistory:
    """Return a history with some of its turns.

    An anchor that was delivered as an item is lost with it. One that is system text stays: it is not part of the
    transcript, and another one would break the provider's prompt cache.
    """
    is_lost = _has_anchor(history.turns) and not _has_anchor(turns)
    return replace(history, turns=tuple(turns), anchor=None if is_lost else history.anchor)


def with_rollback(history: SessionHistory, since_ms: int) -> SessionHistory:
    """Return a history in which all messages since a moment were rolled back."""
    if any(span.until_ms is None and span.since_ms <= since_ms for span in history.rolled_back):
        return history
    earlier = [
        span._replace(until_ms=min(span.until_ms or since_ms, since_ms))
        for span in history.rolled_back
        if span.since_ms < since_ms
    ]
    while len(earlier) >= MAX_ROLLED_BACK_SPANS:
        earlier[:2] = [RolledBackSpan(earlier[0].since_ms, earlier[1].until_ms)]
    return replace(history, rolled_back=(*earlier, RolledBackSpan(since_ms)))


def _has_anchor(turns: Iterable[SessionTurn]) -> bool:
    return any(item.key == entries.ANCHOR for turn in turns for item in turn.items)


def shared_history(tx: apsw.Connection, key: SessionKey) -> SessionHistory | None:
    """Return what all other conversations with the same provider session have of it; None without one."""
    rows: Any = tx.execute(
        "SELECT sub_chat_id, provider, session_id, shadow FROM continuity_sessions"
        " WHERE provider = ?2 AND session_id = ?3 AND shadow = ?4 AND sub_chat_id <> ?1 ORDER BY updated_at_ms DESC",
        key,
    )
    histories = [session_history(tx, SessionKey(*row)) for row in list(rows)]
    known = [history for history in histories if history is not None]
    return reduce(_in_both, known) if known else None


def _in_both(history: SessionHistory, other: SessionHistory) -> SessionHistory:
    """Return the turns with which two histories begin."""
    turns = [turn for turn, also in zip(history.turns, other.turns, strict=False) if turn == also]
    return with_turns(history, turns)


def sub_chats_of(tx: apsw.Connection, provider: str, session_id: str) -> set[str]:
    """Return the conversations that had a run in a session."""
    rows: Any = tx.execute(
        "SELECT sub_chat_id FROM continuity_sessions WHERE provider = ? AND session_id = ?", (provider, session_id)
    )
    return {name for (name,) in rows}


def chats_with_memories(
    tx: apsw.Connection, project: str, memory_keys: Sequence[str], *, shadow: bool, besides: str
) -> dict[str, int]:
    """Count a project's conversations, without one of them, that were sent each of some memories."""
    rows: Any = tx.execute(
        "SELECT item, count(DISTINCT sub_chat_id) FROM continuity_deliveries JOIN continuity_state USING (sub_chat_id)"
        " WHERE item GLOB 'memory:*' AND item IN (SELECT value FROM json_each(?1))"
        " AND project = ?2 AND shadow = ?3 AND sub_chat_id != ?4 GROUP BY item",
        (orjson.dumps(list(memory_keys)).decode(), project, shadow, besides),
    )
    return dict(rows)


def drop_shadow_sessions(tx: apsw.Connection, sub_chat_id: str) -> None:
    """Delete a conversation's passive-mode sessions, whose deliveries were only computed."""
    tx.execute("DELETE FROM continuity_sessions WHERE sub_chat_id = ? AND shadow = 1", (sub_chat_id,))


_UNSTORED = "run:"
"""Prefix of the ledger's own id of a session whose id the host did not store: that of the run it started with."""


class ResolvedSession(NamedTuple):
    """A session, its contents, and its history if the facts changed it."""

    key: SessionKey | None
    """None if nothing is known of the session that receives the packs."""
    contents: SessionContents = NO_CONTENTS
    changed: SessionHistory | None = None
    """To be stored with the pre-run."""


def resolve_session(
    tx: apsw.Connection, key: SessionKey | None, facts: SessionFacts, run_key: SessionKey
) -> ResolvedSession:
    """Return the session that a run continues. `key` is the one that the host names; `run_key` has no session id."""
    if key is not None and facts == SessionFacts() and (contents := session_contents(tx, key)) != NO_CONTENTS:
        return ResolvedSession(key, contents)
    before: SessionHistory | None = None
    if key is None and facts.resumes_unnamed and facts.continued_run_id is None:
        session_id = conversations.unstored_session(tx, run_key.sub_chat_id, run_key.provider)
        key = run_key._replace(session_id=session_id) if session_id is not None else None
    if key is not None:
        before, origin = _origin(tx, key, facts)
    elif facts.continued_run_id is not None:
        key, before, origin = _unstored(tx, run_key, facts.continued_run_id)
    else:
        return ResolvedSession(None)
    if key is None or origin is None:
        return ResolvedSession(key if not facts.is_fork else None)
    now = _compacted(_truncated(origin, facts), facts)
    return ResolvedSession(key, contents_of(now), now if now != before else None)


def store_session(tx: apsw.Connection, resolved: ResolvedSession, now_ms: int) -> None:
    """Store what the facts changed; deliveries that wait for their post-run may have been lost with it."""
    if resolved.key is not None and resolved.changed is not None:
        put_history(tx, resolved.key, resolved.changed, now_ms)
        drop_pending(tx, resolved.key.sub_chat_id)


def _origin(
    tx: apsw.Connection, key: SessionKey, facts: SessionFacts
) -> tuple[SessionHistory | None, SessionHistory | None]:
    """Return a session's stored history, and the one it continues; a fork continues a copy of its origin's."""
    own = session_history(tx, key)
    source = facts.forked_from
    if (
        source is not None
        and source != key
        and (facts.is_fork or (own is None and source.session_id == key.session_id))
    ):
        return own, _copied(session_history(tx, source), facts)
    if own is None:
        return None, shared_history(tx, key)
    is_partial = facts.is_fork and source is None and not facts.is_truncated
    return own, None if is_partial else own


def _unstored(
    tx: apsw.Connection, run_key: SessionKey, run_id: str
) -> tuple[SessionKey | None, SessionHistory | None, SessionHistory | None]:
    """Return the session of a run as far as it is known; what the run was sent is in it, whatever its outcome."""
    call = call_of_run(tx, run_id)
    if call is None or (call.sub_chat_id, call.provider, call.shadow) != (
        run_key.sub_chat_id,
        run_key.provider,
        run_key.shadow,
    ):
        return None, None, None
    session_id = run_records.session_of_run(tx, run_id)
    key = run_key._replace(session_id=session_id if session_id is not None else f"{_UNSTORED}{run_id}")
    stored = session_history(tx, key)
    if stored is not None:
        return key, stored, stored
    earlier = None
    if call.session_id is not None:
        earlier = session_history(tx, run_key._replace(session_id=call.session_id))
    history = earlier or SessionHistory()
    turn = SessionTurn(
        number=1 + max((turn.number for turn in history.turns), default=0),
        run_id=run_id,
        message_id=None,
        head_commit=call.details.baseline.sent_head,
        sent_at_ms=call.created_at_ms,
        items=call.details.delivered,
    )
    return key, None, replace(history, turns=(*history.turns, turn), anchor=history.anchor or call.details.anchor)


def _copied(origin: SessionHistory | None, facts: SessionFacts) -> SessionHistory | None:
    """Return the turns of an origin that a copy of its whole session has."""
    if origin is None or facts.copied_at_ms is None:
        return origin
    at_ms = facts.copied_at_ms
    return with_turns(origin, [turn for turn in origin.turns if turn.sent_at_ms <= at_ms])


def _truncated(history: SessionHistory, facts: SessionFacts) -> SessionHistory:
    """Return a history up to the last message; one that is unknown leaves nothing."""
    if not facts.is_truncated:
        return history
    ends = [
        number
        for number, turn in enumerate(history.turns, 1)
        if turn.message_id is not None and turn.message_id == facts.last_message_id
    ]
    count = ends[-1] if ends else 0
    if count and count == len(history.turns):
        return history
    since_ms = history.turns[count].sent_at_ms if count else 0
    return with_rollback(with_turns(history, history.turns[:count]), since_ms)


def _compacted(history: SessionHistory, facts: SessionFacts) -> SessionHistory:
    """Return a history without what was sent before a compaction that the ledger does not know yet."""
    at_ms = facts.compacted_at_ms
    if at_ms is None or (history.compacted_at_ms is not None and at_ms <= history.compacted_at_ms):
        return history
    return replace(without_transcript(history, at_ms), compacted_at_ms=at_ms)
