"""The stored conversations (sub-chats): their sessions, task, counters and place."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import apsw
import orjson

from sidecar.context import SessionRecord, load_session_record, save_session_record
from sidecar.runs.model import (
    NEW_SUB_CHAT,
    ConversationPlace,
    PressureCounters,
    SubChat,
    Task,
)


def sub_chat(tx: apsw.Connection, sub_chat_id: str) -> SubChat:
    """Return what is known about a conversation; a new one if nothing is."""
    row = tx.execute(
        "SELECT project, task, counters, todos, plan FROM continuity_state WHERE sub_chat_id = ?", (sub_chat_id,)
    ).fetchone()
    if row is None:
        return NEW_SUB_CHAT
    project, task, text, todos, plan = row
    value = orjson.loads(text)
    counters = _counters_from_json(value)
    session = load_session_record(tx, project, counters.session_key(sub_chat_id))
    return SubChat(
        _task_from_json(orjson.loads(task)),
        replace(counters, session=session if session != SessionRecord() else _session_of_version_1(value)),
        tuple((content, status) for content, status in orjson.loads(todos)),
        plan,
    )


def _task_from_json(value: Any) -> Task | None:
    if value is None:
        return None
    return Task(
        fingerprint=value["fingerprint"],
        terms=tuple(value["terms"]),
        names=tuple(value["names"]),
        query=value["query"],
        objective=value["objective"],
        recent=tuple(value.get("recent", ())),
    )


_RENAMED_COUNTERS = {"asked": "rehydrate_reason"}


_COUNTERS = frozenset(field.name for field in fields(PressureCounters)) - {"session"}


def _session_of_version_1(value: Any) -> SessionRecord:
    """Return the session's counters of an earlier version, which stored them with those of the conversation."""
    return SessionRecord(
        compactions=value.get("compactions", 0),
        critical_in_a_row=value.get("critical_in_a_row", 0),
        agent=value.get("agent", ""),
        score=value.get("score"),
        score_before=value.get("last_score"),
    )


def _counters_to_json(counters: PressureCounters) -> bytes:
    return orjson.dumps({name: getattr(counters, name) for name in sorted(_COUNTERS)})


def _counters_from_json(value: Any) -> PressureCounters:
    """Return counters; unknown members of another version are ignored, missing ones have their defaults."""
    named = {_RENAMED_COUNTERS.get(name, name): member for name, member in value.items()}
    members: dict[str, Any] = {name: _as_tuples(member) for name, member in named.items() if name in _COUNTERS}
    return PressureCounters(**members)


def _as_tuples(member: Any) -> Any:
    return tuple(map(_as_tuples, member)) if isinstance(member, list) else member


def conversation_place(tx: apsw.Connection, sub_chat_id: str) -> ConversationPlace | None:
    """Return the project and workspace of a conversation; None for an unknown one."""
    row = tx.execute("SELECT project, workspace FROM continuity_state WHERE sub_chat_id = ?", (sub_chat_id,)).fetchone()
    return ConversationPlace(*row) if row else None


def has_runs(tx: apsw.Connection, sub_chat_id: str, chat_id: str | None) -> bool:
    """Whether a run of a conversation, or of a chat, is recorded."""
    query = "SELECT EXISTS (SELECT 1 FROM continuity_runs WHERE sub_chat_id = ?1)"
    if chat_id:
        query += " OR EXISTS (SELECT 1 FROM continuity_runs WHERE chat_id = ?2)"
    return bool(tx.execute(query, (sub_chat_id, chat_id) if chat_id else (sub_chat_id,)).get)


def put_sub_chat(
    tx: apsw.Connection, sub_chat_id: str, project: str, workspace: str, state: SubChat, now_ms: int
) -> None:
    """Store what is known about a conversation, and the counters of its provider session."""
    session_key = state.counters.session_key(sub_chat_id)
    save_session_record(tx, project, session_key, state.counters.session, now_ms)
    tx.execute(
        "INSERT OR REPLACE INTO continuity_state"
        " (sub_chat_id, project, workspace, task, counters, todos, plan, updated_at_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            sub_chat_id,
            project,
            workspace,
            orjson.dumps(state.task),
            _counters_to_json(state.counters),
            orjson.dumps(list(state.todos)),
            state.plan,
            now_ms,
        ),
    )


def unstored_session(tx: apsw.Connection, sub_chat_id: str, provider: str) -> str | None:
    """Return the session of a conversation's last run, if it began without an id and did not complete.

    The host stores the id of a session with an answer, but the provider keeps the prompt of a run that failed.
    """
    row: Any = tx.execute(
        "SELECT session_before, session_after, outcome FROM continuity_runs WHERE sub_chat_id = ? AND provider = ?"
        " AND outcome <> 'notStarted' ORDER BY recorded_at_ms DESC, rowid DESC LIMIT 1",
        (sub_chat_id, provider),
    ).fetchone()
    if row is None:
        return None
    before, after, outcome = row
    return after if before is None and outcome != "completed" else None
