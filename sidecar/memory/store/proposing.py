"""Memories that are proposed as rules, and the user's word on each."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from sidecar.memory.entry import Memory
from sidecar.memory.store.entries import Indexed, selected, within


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
