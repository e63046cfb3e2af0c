"""Artifacts in the state file, each with a hash over all that is kept of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw
import orjson

from sidecar.core.digests import digest_value
from sidecar.runs.model import Artifact

_ARTIFACT = (
    "artifact_id, project, type, status, title, body, event, event_key, provenance, created_at_ms, updated_at_ms"
)

_WHOLE = "2:"
"""Begins a hash over every column of a row; one without it is over the text, type, status and provenance alone."""


def put(tx: apsw.Connection, artifact: Artifact) -> None:
    """Keeps an artifact, new or changed, with a hash over all of it."""
    tx.execute(
        f"INSERT OR REPLACE INTO continuity_artifacts ({_ARTIFACT}, row_hash) VALUES ({', '.join('?' * 12)})",
        (
            *artifact[:8],
            orjson.dumps(artifact.provenance),
            artifact.created_at_ms,
            artifact.updated_at_ms,
            _hash(artifact),
        ),
    )


def remove(tx: apsw.Connection, artifact_ids: Iterable[str]) -> None:
    """Removes artifacts for good."""
    tx.executemany("DELETE FROM continuity_artifacts WHERE artifact_id = ?", [(one,) for one in artifact_ids])


def get(tx: apsw.Connection, artifact_id: str) -> tuple[Artifact, bool] | None:
    """Gives an artifact, and whether it is what was written."""
    rows = _artifacts(tx, "artifact_id = ?", (artifact_id,))
    return rows[0] if rows else None


def of_event(tx: apsw.Connection, project: str, event_key: str, since_ms: int) -> Artifact | None:
    """Gives the newest artifact of an event not older than a moment; one that is damaged is never built upon."""
    rows = _artifacts(
        tx, "project = ? AND event_key = ? AND created_at_ms >= ? ORDER BY created_at_ms DESC, rowid DESC",
        (project, event_key, since_ms),
    )  # fmt: skip
    return next((row for row, is_whole in rows if is_whole), None)


def all_of_event(tx: apsw.Connection, project: str, event_key: str, since_ms: int) -> list[Artifact]:
    """Gives the artifacts of an event not older than a moment, the newest first; none that is damaged."""
    rows = _artifacts(
        tx, "project = ? AND event_key = ? AND created_at_ms >= ? ORDER BY created_at_ms DESC, rowid DESC",
        (project, event_key, since_ms),
    )  # fmt: skip
    return [row for row, is_whole in rows if is_whole]


def told_events(tx: apsw.Connection, project: str, since_ms: int, start_commit: str | None = None) -> frozenset[str]:
    """Gives the keys of the events that a project's artifacts of any status tell of, not older than a moment.

    With a commit also those of older artifacts whose runs began at it: what they tell of is seen against it still.
    """
    rows = tx.execute(
        "SELECT DISTINCT json_extract(event.value, '$[1]') FROM continuity_artifacts AS artifact,"
        " json_each(cast(artifact.provenance AS TEXT), '$.events') AS event WHERE artifact.project = ?1"
        " AND (artifact.updated_at_ms >= ?2 OR json_extract(cast(artifact.provenance AS TEXT), '$.startCommit') = ?3)",
        (project, since_ms, start_commit),
    )
    return frozenset(str(key) for (key,) in rows)


def listed(
    tx: apsw.Connection, project: str, status: str | None, kind: str | None, limit: int, id_prefix: str = ""
) -> list[tuple[Artifact, bool]]:
    """Gives a project's artifacts, the newest first, each with whether it is what was written."""
    return _artifacts(
        tx, "project = ?1 AND status = coalesce(?2, status) AND type = coalesce(?3, type)"
        " AND substr(artifact_id, 1, length(?5)) = ?5 ORDER BY created_at_ms DESC, artifact_id LIMIT ?4",
        (project, status, kind, limit, id_prefix),
    )  # fmt: skip


def accepted(tx: apsw.Connection, project: str, kind: str, limit: int) -> list[Artifact]:
    """Gives a project's artifacts that the user accepted, also those committed since; none whose record is damaged.

    The newest come first.
    """
    rows = _artifacts(
        tx, "project = ?1 AND type = ?2 AND (status = 'accepted' OR status = 'committed' AND"
        " coalesce(json_extract(cast(provenance AS TEXT), '$.committed.accepted'), 0))"
        " ORDER BY created_at_ms DESC, artifact_id LIMIT ?3",
        (project, kind, limit),
    )  # fmt: skip
    return [row for row, is_whole in rows if is_whole]


def uncommitted(tx: apsw.Connection, project: str, limit: int) -> list[tuple[Artifact, bool]]:
    """Gives what is ready to be committed, the oldest first, each with whether its content is what was written.

    Ready are accepted artifacts, and drafts that no further run adds to.
    """
    return _artifacts(
        tx, "project = ?1 AND (status = 'accepted' OR status = 'draft' AND"
        " NOT coalesce(json_extract(cast(provenance AS TEXT), '$.open'), 0)) ORDER BY created_at_ms, rowid LIMIT ?2",
        (project, limit),
    )  # fmt: skip


def every(tx: apsw.Connection) -> list[tuple[Artifact, bool]]:
    """Gives every artifact, each with whether it is what was written."""
    return _artifacts(tx, "1 ORDER BY artifact_id", ())


def counted(tx: apsw.Connection, project: str | None) -> dict[tuple[str, str], int]:
    """Gives how many artifacts there are by type and status, of a project or of all."""
    rows: Any = tx.execute(
        "SELECT type, status, count(*) FROM continuity_artifacts WHERE project = coalesce(?, project)"
        " GROUP BY 1, 2 ORDER BY 1, 2",
        (project,),
    )
    return {(kind, status): number for kind, status, number in rows}


def _artifacts(tx: apsw.Connection, where: str, bindings: tuple[apsw.SQLiteValue, ...]) -> list[tuple[Artifact, bool]]:
    rows = tx.execute(f"SELECT {_ARTIFACT}, row_hash FROM continuity_artifacts WHERE {where}", bindings)
    return [_read(cells, str(row_hash)) for *cells, row_hash in rows]


def _read(cells: list[Any], row_hash: str) -> tuple[Artifact, bool]:
    try:
        cells[8] = orjson.loads(cells[8])
    except orjson.JSONDecodeError:
        return Artifact._make([*cells[:8], {}, *cells[9:]]), False
    one = Artifact._make(cells)
    return one, row_hash == (_hash(one) if row_hash.startswith(_WHOLE) else _hash_of_text(one))


def _hash(artifact: Artifact) -> str:
    return _WHOLE + digest_value(list(artifact))


def _hash_of_text(artifact: Artifact) -> str:
    """The hash of a row written before the hash was over the whole of it; the row gets the other when it is changed."""
    return digest_value([artifact.type, artifact.status, artifact.title, artifact.body, artifact.provenance])
