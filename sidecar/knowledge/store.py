"""The sync's tables: state, checkpoints, the journal of what was written, and what files were read as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import apsw
import orjson

from sidecar.core.digests import digest_bytes
from sidecar.knowledge.manifest import Entry
from sidecar.storage.retention import Holding

READ_VERSION = 2
"""Another way of reading or rendering items makes all of them be read anew."""
KEPT_CHECKPOINTS = 5


Status = Literal["running", "done", "rolledBack"]


class Checkpoint(NamedTuple):
    """A sync's beginning."""

    id: str
    number: int
    at_ms: int
    kind: str
    status: Status
    writes: int
    reason: str


class Image(NamedTuple):
    """A pointer's file before and after an intended write."""

    path: str
    before: bytes | None
    after: bytes | None


def state_bytes(tx: apsw.Connection, project: str) -> tuple[bytes, bool] | None:
    """Gives the state's bytes, and whether they are sound; None where there is none."""
    row: Any = tx.execute(
        "SELECT value, digest FROM continuity_knowledge_state WHERE project = ?", (project,)
    ).fetchone()
    if row is None:
        return None
    value = bytes(row[0]) if isinstance(row[0], bytes) else str(row[0]).encode()
    return value, digest_bytes(value) == row[1]


def put_state(tx: apsw.Connection, project: str, value: bytes, now_ms: int) -> None:
    """Keeps a state in place of the one before."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_knowledge_state (project, value, digest, at_ms) VALUES (?, ?, ?, ?)",
        (project, value, digest_bytes(value), now_ms),
    )


def set_aside(tx: apsw.Connection, project: str, now_ms: int) -> str:
    """Keeps a damaged state under another name, and gives that."""
    name = f"{project} damaged {now_ms}"
    tx.execute("UPDATE OR REPLACE continuity_knowledge_state SET project = ? WHERE project = ?", (name, project))
    return name


def begin(tx: apsw.Connection, project: str, checkpoint_id: str, kind: str, now_ms: int) -> None:
    """Makes a checkpoint of the state as it stands."""
    tx.execute(
        "INSERT INTO continuity_knowledge_checkpoints (project, checkpoint_id, at_ms, kind, status, reason, value,"
        " digest) SELECT ?1, ?2, ?3, ?4, 'running', '',"
        " (SELECT value FROM continuity_knowledge_state WHERE project = ?1),"
        " (SELECT digest FROM continuity_knowledge_state WHERE project = ?1)",
        (project, checkpoint_id, now_ms, kind),
    )


def end(tx: apsw.Connection, project: str, checkpoint_id: str, status: Status, reason: str) -> None:
    """Says how a sync ended; the oldest checkpoints beyond those kept go, those that changed nothing first."""
    tx.execute(
        "UPDATE continuity_knowledge_checkpoints SET status = ?, reason = ? WHERE project = ? AND checkpoint_id = ?",
        (status, reason, project, checkpoint_id),
    )
    known = checkpoints(tx, project)
    surplus = sorted(known[1:], key=lambda one: (one.writes > 0, one.number))[: max(0, len(known) - KEPT_CHECKPOINTS)]
    for one in surplus:
        _forget(tx, project, one)


def _forget(tx: apsw.Connection, project: str, one: Checkpoint) -> None:
    """Removes a checkpoint; one that wrote leads no further back than to itself, so all before it go too."""
    where = "number = ?2" if one.writes == 0 else "number <= ?2"
    gone = f"SELECT checkpoint_id FROM continuity_knowledge_checkpoints WHERE project = ?1 AND {where}"
    tx.execute(
        f"DELETE FROM continuity_knowledge_journal WHERE project = ?1 AND checkpoint_id IN ({gone})",
        (project, one.number),
    )
    tx.execute(f"DELETE FROM continuity_knowledge_checkpoints WHERE project = ?1 AND {where}", (project, one.number))


def checkpoints(tx: apsw.Connection, project: str) -> list[Checkpoint]:
    """Gives a project's checkpoints, the latest first."""
    rows: Any = tx.execute(
        "SELECT checkpoint_id, number, at_ms, kind, status, (SELECT count(*) FROM continuity_knowledge_journal AS j"
        "  WHERE j.project = c.project AND j.checkpoint_id = c.checkpoint_id), reason"
        " FROM continuity_knowledge_checkpoints AS c WHERE project = ? ORDER BY number DESC",
        (project,),
    )
    return [Checkpoint(*row) for row in rows]


def intend(tx: apsw.Connection, project: str, checkpoint_id: str, images: Iterable[Image]) -> None:
    """Writes down what is about to be written, before it is."""
    tx.executemany(
        "INSERT INTO continuity_knowledge_journal (project, checkpoint_id, path, before, after) VALUES (?, ?, ?, ?, ?)",
        [(project, checkpoint_id, *image) for image in images],
    )


def images_since(tx: apsw.Connection, project: str, number: int) -> list[Image]:
    """Gives what was intended since a checkpoint, the latest first."""
    rows: Any = tx.execute(
        "SELECT j.path, j.before, j.after FROM continuity_knowledge_journal AS j"
        " JOIN continuity_knowledge_checkpoints AS c USING (project, checkpoint_id)"
        " WHERE j.project = ? AND c.number >= ? ORDER BY j.row_id DESC",
        (project, number),
    )
    return [Image(*row) for row in rows]


def return_to(tx: apsw.Connection, project: str, one: Checkpoint, now_ms: int, reason: str) -> None:
    """Puts a checkpoint's state back and forgets the journal from there on."""
    row: Any = tx.execute(
        "SELECT value, digest FROM continuity_knowledge_checkpoints WHERE project = ? AND checkpoint_id = ?",
        (project, one.id),
    ).fetchone()
    tx.execute("DELETE FROM continuity_knowledge_state WHERE project = ?", (project,))
    if row[0] is not None:
        tx.execute(
            "INSERT INTO continuity_knowledge_state (project, value, digest, at_ms) VALUES (?, ?, ?, ?)",
            (project, *row, now_ms),
        )
    tx.execute(
        "DELETE FROM continuity_knowledge_journal WHERE project = ?1 AND checkpoint_id IN"
        " (SELECT checkpoint_id FROM continuity_knowledge_checkpoints WHERE project = ?1 AND number >= ?2)",
        (project, one.number),
    )
    tx.execute(
        "UPDATE continuity_knowledge_checkpoints SET status = 'rolledBack', reason = ? WHERE project = ?"
        " AND number >= ? AND status <> 'rolledBack'",
        (reason, project, one.number),
    )


def entries(tx: apsw.Connection, project: str) -> dict[str, Entry]:
    """Gives what a project's knowledge files were read as, by path."""
    rows: Any = tx.execute("SELECT value FROM continuity_knowledge_items WHERE project = ?", (project,))
    read = (orjson.loads(value) for (value,) in rows)
    return {entry[0]: Entry(*entry) for version, *entry in read if version == READ_VERSION}


def put_entries(tx: apsw.Connection, project: str, before: Mapping[str, Entry], now: Iterable[Entry]) -> None:
    """Keeps what files were read as; those that are no more go."""
    found = {entry.path: entry for entry in now}
    tx.executemany(
        "DELETE FROM continuity_knowledge_items WHERE project = ? AND path = ?",
        [(project, path) for path in before if path not in found],
    )
    tx.executemany(
        "INSERT OR REPLACE INTO continuity_knowledge_items (project, path, value) VALUES (?, ?, ?)",
        [
            (project, path, orjson.dumps([READ_VERSION, *entry]))
            for path, entry in found.items()
            if before.get(path) != entry
        ],
    )


# What the knowledge sync left, for removing it; without its state a sync takes up what it finds.


HOLDINGS = (
    Holding("indexes", "continuity_knowledge_items"),
    Holding("knowledge", "continuity_knowledge_state", before="at_ms < ?2"),
    Holding("knowledge", "continuity_knowledge_checkpoints", before="at_ms < ?2"),
    Holding("knowledge", "continuity_knowledge_journal", is_counted=False),
)
