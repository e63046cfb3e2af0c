"""Memories that a new one may repeat or be about: found within reach only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from sidecar.memory.store.entries import Indexed, selected, within

MAX_RELATED = 200


def with_digest(tx: apsw.Connection, project: str, owners: Sequence[str], digest: str) -> Indexed | None:
    """Gives the memory within reach that has a wording, one that is not archived first."""
    found = selected(
        tx, f"m.project = ? AND m.digest = ? AND {within(owners)} ORDER BY m.is_archived, m.path, m.position LIMIT 1",
        (project, digest, *owners),
    )  # fmt: skip
    return found[0] if found else None


def tagged(tx: apsw.Connection, project: str, owner: str, tag: str) -> Indexed | None:
    """Gives an owner's oldest memory with a tag; an archived one where there is no other."""
    found = selected(
        tx, "m.project = ? AND m.owner = ? AND EXISTS (SELECT 1 FROM json_each(m.tags)"
        " WHERE value = ?) ORDER BY m.is_archived, m.created_ms, m.path, m.position LIMIT 1",
        (project, owner, tag),
    )  # fmt: skip
    return found[0] if found else None


def naming(
    tx: apsw.Connection, project: str, owners: Sequence[str], types: Sequence[str], words: Sequence[str]
) -> list[Indexed]:
    """Gives the newest memories within reach, of some types, whose text has one of some words."""
    if not words:
        return []
    any_word = " OR ".join("instr(lower(m.title || ' ' || m.text), ?)" for _ in words)
    marks = ", ".join("?" * len(types))
    return selected(
        tx, f"m.project = ? AND {within(owners)} AND m.is_archived = 0 AND m.type IN ({marks}) AND ({any_word})"
        f" ORDER BY m.at_ms DESC, m.path, m.position LIMIT {MAX_RELATED}",
        (project, *owners, *types, *words),
    )  # fmt: skip


def group_of(tx: apsw.Connection, project: str, folder: str, session: str) -> str | None:
    """Gives the last file of a folder that holds a session's group."""
    rows: Any = tx.execute(
        "SELECT max(path) FROM continuity_memories WHERE project = ? AND session = ? AND path GLOB ? || '/session-*'",
        (project, session, folder),
    )
    return next((path for (path,) in rows), None)


def files_in(tx: apsw.Connection, project: str, folder: str) -> list[str]:
    """Gives the paths of a folder's files."""
    rows: Any = tx.execute(
        "SELECT path FROM continuity_memory_files WHERE project = ? AND path GLOB ? || '/*'", (project, folder)
    )
    return [path for (path,) in rows]
