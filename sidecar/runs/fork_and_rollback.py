"""Contents of a provider session by the ledger and by the facts that the host states with a prompt.

The facts: a fork, also of another conversation's session; a rollback to a message; a compaction; a session that goes on
although the host stored no id of it. The same facts again change nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import apsw

from sidecar.runs import delivery_ledger, records
from sidecar.runs.model import NO_CONTENTS, SessionContents, SessionFacts, SessionHistory, SessionKey, SessionTurn

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
    if (
        key is not None
        and facts == SessionFacts()
        and (contents := delivery_ledger.session_contents(tx, key)) != NO_CONTENTS
    ):
        return ResolvedSession(key, contents)
    before: SessionHistory | None = None
    if key is None and facts.resumes_unnamed and facts.continued_run_id is None:
        session_id = records.unstored_session(tx, run_key.sub_chat_id, run_key.provider)
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
    return ResolvedSession(key, delivery_ledger.contents_of(now), now if now != before else None)


def store_session(tx: apsw.Connection, resolved: ResolvedSession, now_ms: int) -> None:
    """Store what the facts changed; deliveries that wait for their post-run may have been lost with it."""
    if resolved.key is not None and resolved.changed is not None:
        delivery_ledger.put_history(tx, resolved.key, resolved.changed, now_ms)
        records.drop_pending(tx, resolved.key.sub_chat_id)


def _origin(
    tx: apsw.Connection, key: SessionKey, facts: SessionFacts
) -> tuple[SessionHistory | None, SessionHistory | None]:
    """Return a session's stored history, and the one it goes on from; a fork goes on from a copy of its origin's."""
    own = delivery_ledger.session_history(tx, key)
    source = facts.forked_from
    if (
        source is not None
        and source != key
        and (facts.is_fork or (own is None and source.session_id == key.session_id))
    ):
        return own, _copied(delivery_ledger.session_history(tx, source), facts)
    if own is None:
        return None, delivery_ledger.shared_history(tx, key)
    is_partial = facts.is_fork and source is None and not facts.is_truncated
    return own, None if is_partial else own


def _unstored(
    tx: apsw.Connection, run_key: SessionKey, run_id: str
) -> tuple[SessionKey | None, SessionHistory | None, SessionHistory | None]:
    """Return the session of a run as far as it is known; what the run was sent is in it, whatever its outcome."""
    call = records.call_of_run(tx, run_id)
    if call is None or (call.sub_chat_id, call.provider, call.shadow) != (
        run_key.sub_chat_id,
        run_key.provider,
        run_key.shadow,
    ):
        return None, None, None
    session_id = records.session_of_run(tx, run_id)
    key = run_key._replace(session_id=session_id if session_id is not None else f"{_UNSTORED}{run_id}")
    stored = delivery_ledger.session_history(tx, key)
    if stored is not None:
        return key, stored, stored
    earlier = None
    if call.session_id is not None:
        earlier = delivery_ledger.session_history(tx, run_key._replace(session_id=call.session_id))
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
    return delivery_ledger.with_turns(origin, [turn for turn in origin.turns if turn.sent_at_ms <= at_ms])


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
    return delivery_ledger.with_rollback(delivery_ledger.with_turns(history, history.turns[:count]), since_ms)


def _compacted(history: SessionHistory, facts: SessionFacts) -> SessionHistory:
    """Return a history without what was sent before a compaction that the ledger does not know yet."""
    at_ms = facts.compacted_at_ms
    if at_ms is None or (history.compacted_at_ms is not None and at_ms <= history.compacted_at_ms):
        return history
    return replace(delivery_ledger.without_transcript(history, at_ms), compacted_at_ms=at_ms)
