"""Snapshots of conversations in the state file, each with a hash of its content.

JSON form of `Snapshot` (column `value`): one object with its fields; `todos` is a list of `[content, status]`, `files`
a list of `[path, why]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import apsw
import orjson

from sidecar.core.digests import digest_value, short_id

MAX_SNAPSHOTS = 10
"""Maximum number of snapshots stored per conversation; the oldest are deleted."""


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that the conversation changed, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Structured state that a conversation has reached."""

    objective: str = ""
    plan: str = ""
    todos: tuple[tuple[str, str], ...] = ()
    """(content, status) of each step."""
    conclusions: tuple[str, ...] = ()
    """Findings and results of the last runs, the latest first; so are decisions, corrections and risks."""
    decisions: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    """Corrections and preferences of the user that are not standing instructions."""
    risks: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    files: tuple[TouchedFile, ...] = ()
    """Latest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSnapshot:
    """A snapshot with its place in the state file."""

    id: str
    sub_chat_id: str
    run_id: str
    at_ms: int
    reasons: tuple[str, ...]
    content: Snapshot


def put(
    tx: apsw.Connection, sub_chat_id: str, run_id: str, reasons: tuple[str, ...], content: Snapshot, now_ms: int
) -> StoredSnapshot:
    """Store a snapshot, and delete the conversation's oldest ones."""
    value = snapshot_to_json(content)
    snapshot_id = short_id([sub_chat_id, run_id, now_ms, value])
    tx.execute(
        "INSERT OR REPLACE INTO continuity_snapshots"
        " (snapshot_id, sub_chat_id, run_id, at_ms, reasons, value, row_hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (snapshot_id, sub_chat_id, run_id, now_ms, orjson.dumps(reasons), orjson.dumps(value), digest_value(value)),
    )
    tx.execute(
        "DELETE FROM continuity_snapshots WHERE snapshot_id IN (SELECT snapshot_id FROM continuity_snapshots"
        " WHERE sub_chat_id = ? ORDER BY at_ms DESC, rowid DESC LIMIT -1 OFFSET ?)",
        (sub_chat_id, MAX_SNAPSHOTS),
    )
    return StoredSnapshot(
        id=snapshot_id, sub_chat_id=sub_chat_id, run_id=run_id, at_ms=now_ms, reasons=reasons, content=content
    )


def latest(tx: apsw.Connection, sub_chat_id: str) -> StoredSnapshot | None:
    """Return a conversation's newest intact snapshot."""
    rows: Any = tx.execute(
        "SELECT snapshot_id, run_id, at_ms, reasons, value, row_hash FROM continuity_snapshots"
        " WHERE sub_chat_id = ? ORDER BY at_ms DESC, rowid DESC",
        (sub_chat_id,),
    )
    for snapshot_id, run_id, at_ms, reasons, packed, row_hash in rows:
        try:
            value = orjson.loads(packed)
        except orjson.JSONDecodeError:
            continue
        if digest_value(value) == row_hash:
            return StoredSnapshot(
                id=snapshot_id,
                sub_chat_id=sub_chat_id,
                run_id=run_id,
                at_ms=at_ms,
                reasons=tuple(orjson.loads(reasons)),
                content=snapshot_from_json(value),
            )
    return None


def snapshot_to_json(snapshot: Snapshot) -> dict[str, object]:
    """Return the JSON form of a snapshot, as an object for the encoder."""
    return {
        "objective": snapshot.objective,
        "plan": snapshot.plan,
        "todos": [list(todo) for todo in snapshot.todos],
        "conclusions": list(snapshot.conclusions),
        "decisions": list(snapshot.decisions),
        "corrections": list(snapshot.corrections),
        "risks": list(snapshot.risks),
        "failing": list(snapshot.failing),
        "files": [[file.path, file.why] for file in snapshot.files],
    }


def snapshot_from_json(value: Any) -> Snapshot:
    """Return a snapshot from its JSON form; that of the first version has one conclusion and no corrections."""
    earlier = [value["conclusion"]] if value.get("conclusion") else []
    return Snapshot(
        objective=value["objective"],
        plan=value["plan"],
        todos=tuple((content, status) for content, status in value["todos"]),
        conclusions=tuple(value.get("conclusions", earlier)),
        decisions=tuple(value["decisions"]),
        corrections=tuple(value.get("corrections", ())),
        risks=tuple(value["risks"]),
        failing=tuple(value["failing"]),
        files=tuple(TouchedFile(path, why) for path, why in value["files"]),
    )
