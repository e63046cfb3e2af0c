"""What no memory file tells: who may reach what, what was deleted, which session opened what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import orjson

from sidecar.memory.entry import Memory
from sidecar.memory.store.entries import Indexed, selected, within
from sidecar.memory.upkeep.decay import Row

OPENING_DAYS = 60
"""A session that opens a memory again after so long counts once more."""

DAY_MS = 86_400_000


def put_token(tx: apsw.Connection, token_hash: str, project: str, agent: str, now_ms: int) -> None:
    """Keeps that a token's holder is an agent of a project."""
    tx.execute(
        "INSERT INTO continuity_memory_tokens (token_hash, project, agent, granted_at_ms) VALUES (?, ?, ?, ?)",
        (token_hash, project, agent, now_ms),
    )


def agent_of(tx: apsw.Connection, token_hash: str, project: str) -> str | None:
    """Gives the agent whose token it is in a project; None for one that is not valid there."""
    found = tx.execute(
        "SELECT agent FROM continuity_memory_tokens WHERE token_hash = ? AND project = ?", (token_hash, project)
    ).get
    return None if found is None else str(found)


def drop_tokens(tx: apsw.Connection, project: str, agent: str | None) -> None:
    """Forgets the tokens of a project's agent, or of all of them."""
    tx.execute(
        "DELETE FROM continuity_memory_tokens WHERE project = ?1 AND agent = coalesce(?2, agent)", (project, agent)
    )


def bury(tx: apsw.Connection, project: str, dead: Iterable[tuple[str, str]], now_ms: int) -> None:
    """Keeps that wordings were deleted, each with the id it had."""
    tx.executemany(
        "INSERT OR REPLACE INTO continuity_memory_tombstones (project, digest, id, deleted_at_ms) VALUES (?, ?, ?, ?)",
        [(project, digest, memory_id, now_ms) for memory_id, digest in dead],
    )


def revive(tx: apsw.Connection, project: str, digests: Sequence[str]) -> None:
    """Forgets that wordings were deleted: a file has them again."""
    tx.executemany(
        "DELETE FROM continuity_memory_tombstones WHERE project = ? AND digest = ?",
        [(project, digest) for digest in digests],
    )


def is_buried(tx: apsw.Connection, project: str, digest: str) -> bool:
    """Says whether a wording was deleted by the user."""
    return (
        tx.execute("SELECT 1 FROM continuity_memory_tombstones WHERE project = ? AND digest = ?", (project, digest)).get
        is not None
    )


def is_alive(tx: apsw.Connection, project: str, digest: str) -> bool:
    """Says whether any memory has this wording, the archived among them."""
    found = tx.execute("SELECT 1 FROM continuity_memories WHERE project = ? AND digest = ? LIMIT 1", (project, digest))
    return found.get is not None


def note_opening(tx: apsw.Connection, project: str, memory_id: str, session: str, now_ms: int) -> bool:
    """Keeps that a session opened a memory; False when it had done so before."""
    tx.execute(
        "INSERT OR IGNORE INTO continuity_memory_openings (project, id, session, opened_at_ms) VALUES (?, ?, ?, ?)",
        (project, memory_id, session, now_ms),
    )
    return tx.changes() > 0


def forget_openings(tx: apsw.Connection, project: str, now_ms: int) -> None:
    """Forgets what was opened long ago."""
    tx.execute(
        "DELETE FROM continuity_memory_openings WHERE project = ? AND opened_at_ms < ?",
        (project, now_ms - OPENING_DAYS * DAY_MS),
    )


# Memories that are proposed as rules, and the user's word on each.


def proven(
    tx: apsw.Connection, project: str, owners: Sequence[str], types: Sequence[str], confidence: float, evidence: int
) -> list[Indexed]:
    """Gives memories within reach that are proven enough and undecided, the surest first."""
    return selected(
        tx, f"m.project = ? AND {within(owners)} AND m.is_archived = 0 AND m.type IN ({', '.join('?' * len(types))})"
        " AND m.confidence > ? AND m.evidence >= ? AND NOT EXISTS (SELECT 1 FROM continuity_memory_resolutions AS r"
        " WHERE r.project = m.project AND r.id = m.digest) ORDER BY m.confidence DESC, m.evidence DESC, m.id",
        (project, *owners, *types, confidence, evidence),
    )  # fmt: skip


def accepted(tx: apsw.Connection, project: str, owner: str, tag: str, most: int) -> list[Memory]:
    """Gives an owner's memories with a tag whose present wording the user has accepted, the oldest first."""
    found = selected(
        tx, "m.project = ? AND m.owner = ? AND m.is_archived = 0 AND EXISTS (SELECT 1 FROM json_each(m.tags)"
        " WHERE value = ?) AND EXISTS (SELECT 1 FROM continuity_memory_resolutions AS r WHERE r.project = m.project"
        " AND r.id = m.digest AND r.word = 'accept') ORDER BY m.created_ms, m.id LIMIT ?",
        (project, owner, tag, most),
    )  # fmt: skip
    return [one.memory for one in found]


def resolve(tx: apsw.Connection, project: str, digest: str, word: str, now_ms: int) -> None:
    """Keeps the user's word on a wording."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_memory_resolutions (project, id, word, at_ms) VALUES (?, ?, ?, ?)",
        (project, digest, word, now_ms),
    )


# What upkeep looks at, and when it was done last.


def rows(tx: apsw.Connection, project: str) -> list[Row]:
    """Gives every memory of a project that is not archived, in the order of the files."""
    found: Any = tx.execute(
        f"SELECT {', '.join(Row._fields)} FROM continuity_memories WHERE project = ? AND is_archived = 0"
        " ORDER BY path, position",
        (project,),
    )
    return [Row(*cells) for cells in found]


def done_at_ms(tx: apsw.Connection, project: str) -> int | None:
    """Gives when upkeep was done last."""
    found = tx.execute("SELECT at_ms FROM continuity_memory_upkeep WHERE project = ?", (project,)).get
    return None if found is None else int(str(found))


def last(tx: apsw.Connection, project: str) -> dict[str, Any] | None:
    """Gives what upkeep did last."""
    rows: Any = tx.execute("SELECT value FROM continuity_memory_upkeep WHERE project = ?", (project,))
    return next((orjson.loads(value) for (value,) in rows), None)


def done(tx: apsw.Connection, project: str, now_ms: int, value: dict[str, Any]) -> None:
    """Keeps what upkeep did."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_memory_upkeep (project, at_ms, value) VALUES (?, ?, ?)",
        (project, now_ms, orjson.dumps(value)),
    )
