"""State that no memory file holds: access tokens, tombstones, openings, decisions on proposals, upkeep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import orjson

from sidecar.core.clock import DAY_MS

OPENING_DAYS = 60
"""After this many days another opening by the same session counts again."""


def put_token(tx: apsw.Connection, token_hash: str, project: str, agent: str, now_ms: int) -> None:
    """Store a token of a project's agent."""
    tx.execute(
        "INSERT INTO continuity_memory_tokens (token_hash, project, agent, granted_at_ms) VALUES (?, ?, ?, ?)",
        (token_hash, project, agent, now_ms),
    )


def token_agent(tx: apsw.Connection, token_hash: str, project: str) -> str | None:
    """Return the agent a token belongs to; None if it is not valid in this project."""
    value = tx.execute(
        "SELECT agent FROM continuity_memory_tokens WHERE token_hash = ? AND project = ?", (token_hash, project)
    ).get
    return None if value is None else str(value)


def drop_tokens(tx: apsw.Connection, project: str, agent: str | None) -> None:
    """Delete the tokens of a project's agent, or of all its agents."""
    tx.execute(
        "DELETE FROM continuity_memory_tokens WHERE project = ?1 AND agent = coalesce(?2, agent)", (project, agent)
    )


def add_tombstones(tx: apsw.Connection, project: str, deleted: Iterable[tuple[str, str]], now_ms: int) -> None:
    """Record deleted content hashes with their ids."""
    tx.executemany(
        "INSERT OR REPLACE INTO continuity_memory_tombstones (project, digest, id, deleted_at_ms) VALUES (?, ?, ?, ?)",
        [(project, digest, memory_id, now_ms) for memory_id, digest in deleted],
    )


def remove_tombstones(tx: apsw.Connection, project: str, digests: Sequence[str]) -> None:
    """Delete the tombstones of content that exists again."""
    tx.executemany(
        "DELETE FROM continuity_memory_tombstones WHERE project = ? AND digest = ?",
        [(project, digest) for digest in digests],
    )


def is_tombstoned(tx: apsw.Connection, project: str, digest: str, digest_without_values: str) -> bool:
    """Whether content was deleted by the user; an earlier version stored deletions without values."""
    return (
        tx.execute(
            "SELECT 1 FROM continuity_memory_tombstones WHERE project = ?1 AND (digest = ?2 AND without_values = 0"
            " OR digest = ?3 AND without_values = 1)",
            (project, digest, digest_without_values),
        ).get
        is not None
    )


def has_decisions_without_values(tx: apsw.Connection, project: str) -> bool:
    """Whether decisions on proposals are still stored by hashes of an earlier version."""
    return (
        tx.execute(
            "SELECT 1 FROM continuity_memory_resolutions WHERE project = ? AND without_values = 1 LIMIT 1", (project,)
        ).get
        is not None
    )


def adopt_decisions(tx: apsw.Connection, project: str, digests: Iterable[tuple[str, str]]) -> None:
    """Store the decisions on some contents by their hashes; `digests` are hashes with and without values."""
    tx.executemany(
        "UPDATE OR REPLACE continuity_memory_resolutions SET id = ?2, without_values = 0"
        " WHERE project = ?1 AND id = ?3 AND without_values = 1",
        [(project, digest, former) for digest, former in digests],
    )


def add_opening(tx: apsw.Connection, project: str, memory_id: str, session: str, now_ms: int) -> bool:
    """Record that a session opened a memory; False if it had before."""
    tx.execute(
        "INSERT OR IGNORE INTO continuity_memory_openings (project, id, session, opened_at_ms) VALUES (?, ?, ?, ?)",
        (project, memory_id, session, now_ms),
    )
    return tx.changes() > 0


def delete_old_openings(tx: apsw.Connection, project: str, now_ms: int) -> None:
    """Delete old openings."""
    tx.execute(
        "DELETE FROM continuity_memory_openings WHERE project = ? AND opened_at_ms < ?",
        (project, now_ms - OPENING_DAYS * DAY_MS),
    )


def muted_memories(tx: apsw.Connection, project: str) -> frozenset[str]:
    """Return the ids of memories that the user muted or marked wrong."""
    rows: Any = tx.execute(
        "SELECT substr(item, 8) FROM continuity_overrides WHERE project = ? AND item GLOB 'memory:*'"
        " AND kind <> 'always'",
        (project,),
    )
    return frozenset(memory_id for (memory_id,) in rows)


def put_decision(tx: apsw.Connection, project: str, digest: str, decision: str, now_ms: int) -> None:
    """Store the user's decision on a text."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_memory_resolutions (project, id, decision, at_ms) VALUES (?, ?, ?, ?)",
        (project, digest, decision, now_ms),
    )


def last_upkeep_ms(tx: apsw.Connection, project: str) -> int | None:
    """Return when upkeep last ran."""
    value = tx.execute("SELECT at_ms FROM continuity_memory_upkeep WHERE project = ?", (project,)).get
    return None if value is None else int(str(value))


def last_upkeep(tx: apsw.Connection, project: str) -> dict[str, Any] | None:
    """Return the record of the last upkeep."""
    rows: Any = tx.execute("SELECT value FROM continuity_memory_upkeep WHERE project = ?", (project,))
    return next((orjson.loads(value) for (value,) in rows), None)


def put_upkeep(tx: apsw.Connection, project: str, now_ms: int, value: dict[str, Any]) -> None:
    """Store the record of an upkeep."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_memory_upkeep (project, at_ms, value) VALUES (?, ?, ?)",
        (project, now_ms, orjson.dumps(value)),
    )
