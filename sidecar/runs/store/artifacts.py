"""Artifacts in the state file, each with a hash over its content."""

from __future__ import annotations

import apsw
import orjson

from sidecar.core.digests import digest_value
from sidecar.runs.values import Artifact

_ARTIFACT = (
    "artifact_id, project, type, status, title, body, event, event_key, provenance, created_at_ms, updated_at_ms"
)


def put(tx: apsw.Connection, artifact: Artifact) -> None:
    """Keeps an artifact, new or changed, with a hash over its content."""
    tx.execute(
        f"INSERT OR REPLACE INTO continuity_artifacts ({_ARTIFACT}, row_hash) VALUES ({', '.join('?' * 12)})",
        (
            *artifact[:8],
            orjson.dumps(artifact.provenance),
            artifact.created_at_ms,
            artifact.updated_at_ms,
            _artifact_hash(artifact),
        ),
    )


def get(tx: apsw.Connection, artifact_id: str) -> tuple[Artifact, bool] | None:
    """Gives an artifact, and whether its content is what was written."""
    rows = _artifacts(tx, "artifact_id = ?", (artifact_id,))
    return rows[0] if rows else None


def of_event(tx: apsw.Connection, project: str, event_key: str, since_ms: int) -> Artifact | None:
    """Gives the newest artifact of an event not older than a moment."""
    rows = _artifacts(
        tx, "project = ? AND event_key = ? AND created_at_ms >= ? ORDER BY created_at_ms DESC, rowid DESC LIMIT 1",
        (project, event_key, since_ms),
    )  # fmt: skip
    return rows[0][0] if rows else None


def listed(tx: apsw.Connection, project: str, status: str | None, kind: str | None, limit: int) -> list[Artifact]:
    """Gives a project's artifacts, the newest first."""
    rows = _artifacts(
        tx, "project = ?1 AND status = coalesce(?2, status) AND type = coalesce(?3, type)"
        " ORDER BY created_at_ms DESC, artifact_id LIMIT ?4",
        (project, status, kind, limit),
    )  # fmt: skip
    return [row for row, _ in rows]


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


def _artifacts(tx: apsw.Connection, where: str, bindings: tuple[apsw.SQLiteValue, ...]) -> list[tuple[Artifact, bool]]:
    rows = tx.execute(f"SELECT {_ARTIFACT}, row_hash FROM continuity_artifacts WHERE {where}", bindings)
    found = []
    for *cells, row_hash in rows:
        cells[8] = orjson.loads(cells[8])
        one = Artifact._make(cells)
        found.append((one, _artifact_hash(one) == row_hash))
    return found


def _artifact_hash(artifact: Artifact) -> str:
    return digest_value([artifact.type, artifact.status, artifact.title, artifact.body, artifact.provenance])
