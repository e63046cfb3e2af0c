"""Artifacts in the state file, each with a hash over its whole row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import orjson

from sidecar.core.digests import digest_value
from sidecar.runs.model import ArtifactStatus, ArtifactType

if TYPE_CHECKING:
    from sidecar.runs.artifact_provenance import Artifact, ArtifactProvenance

_ARTIFACT = (
    "artifact_id, project, type, status, title, body, event, event_key, provenance, created_at_ms, updated_at_ms"
)

TALLY_EVENT = "tally"
"""Event of a row that only sums up runs until they are worth an artifact. Nothing that users see contains such rows."""

_IS_ARTIFACT = f"event <> '{TALLY_EVENT}'"

_FULL_ROW = "2:"
"""Prefix of a hash over every column; a hash without it covers type, status, title, body and provenance only."""


def put(tx: apsw.Connection, artifact: Artifact) -> None:
    """Store an artifact, new or changed, with a hash over all of it."""
    row = _row_of(artifact)
    tx.execute(
        f"INSERT OR REPLACE INTO continuity_artifacts ({_ARTIFACT}, row_hash) VALUES ({', '.join('?' * 12)})",
        (
            row.artifact_id, row.project, row.type, row.status, row.title, row.body, row.event, row.event_key,
            orjson.dumps(row.provenance), row.created_at_ms, row.updated_at_ms, _hash(row),
        ),
    )  # fmt: skip


def remove(tx: apsw.Connection, artifact_ids: Iterable[str]) -> None:
    """Delete artifacts permanently."""
    tx.executemany(
        "DELETE FROM continuity_artifacts WHERE artifact_id = ?", [(artifact_id,) for artifact_id in artifact_ids]
    )


def get(tx: apsw.Connection, artifact_id: str) -> tuple[Artifact, bool] | None:
    """Return an artifact, and whether it is intact."""
    rows = _artifacts(tx, f"artifact_id = ? AND {_IS_ARTIFACT}", (artifact_id,))
    return rows[0] if rows else None


def artifacts_of_event(tx: apsw.Connection, project: str, event_key: str, since_ms: int = 0) -> list[Artifact]:
    """Return the intact artifacts and tallies of an event that are not older than a moment, newest first."""
    rows = _artifacts(
        tx, "project = ? AND event_key = ? AND created_at_ms >= ? ORDER BY created_at_ms DESC, rowid DESC",
        (project, event_key, since_ms),
    )  # fmt: skip
    return [row for row, is_intact in rows if is_intact]


def covered_events(tx: apsw.Connection, project: str, since_ms: int, start_commit: str | None = None) -> frozenset[str]:
    """Return the keys of the events that a project's artifacts of any status cover, if not older than a moment.

    With a commit, also those of older artifacts whose runs started at it, because their changes are still visible.
    """
    rows = tx.execute(
        "SELECT DISTINCT coalesce(json_extract(event.value, '$.key'), json_extract(event.value, '$[1]'))"
        " FROM continuity_artifacts AS artifact,"
        " json_each(cast(artifact.provenance AS TEXT), '$.events') AS event WHERE artifact.project = ?1"
        " AND (artifact.updated_at_ms >= ?2 OR json_extract(cast(artifact.provenance AS TEXT), '$.startCommit') = ?3)",
        (project, since_ms, start_commit),
    )
    return frozenset(str(key) for (key,) in rows)


def artifacts_of_project(
    tx: apsw.Connection, project: str, status: str | None, kind: str | None, limit: int, id_prefix: str = ""
) -> list[tuple[Artifact, bool]]:
    """Return a project's artifacts, newest first, each with whether it is intact."""
    return _artifacts(
        tx, f"project = ?1 AND {_IS_ARTIFACT} AND status = coalesce(?2, status) AND type = coalesce(?3, type)"
        " AND substr(artifact_id, 1, length(?5)) = ?5 ORDER BY created_at_ms DESC, artifact_id LIMIT ?4",
        (project, status, kind, limit, id_prefix),
    )  # fmt: skip


def accepted_artifacts(tx: apsw.Connection, project: str, kind: str, limit: int) -> list[Artifact]:
    """Return a project's intact artifacts that the user accepted, committed ones included, newest first.

    A rejected approach that work came back to is left out.
    """
    rows = _artifacts(
        tx, "project = ?1 AND type = ?2 AND (status = 'accepted' OR status = 'committed' AND"
        " coalesce(json_extract(cast(provenance AS TEXT), '$.committed.accepted'), 0))"
        " ORDER BY created_at_ms DESC, artifact_id LIMIT ?3",
        (project, kind, limit),
    )  # fmt: skip
    return [row for row, is_intact in rows if is_intact and not row.returned_in]


def uncommitted(tx: apsw.Connection, project: str, limit: int) -> list[tuple[Artifact, bool]]:
    """Return what is ready to be committed, oldest first, each with whether it is intact.

    Accepted artifacts are ready, and drafts that no further run extends.
    """
    return _artifacts(
        tx, f"project = ?1 AND {_IS_ARTIFACT} AND (status = 'accepted' OR status = 'draft' AND"
        " NOT coalesce(json_extract(cast(provenance AS TEXT), '$.open'), 0)) ORDER BY created_at_ms, rowid LIMIT ?2",
        (project, limit),
    )  # fmt: skip


def all_artifacts(tx: apsw.Connection) -> list[tuple[Artifact, bool]]:
    """Return every artifact and tally, each with whether it is intact."""
    return _artifacts(tx, "1 ORDER BY artifact_id", ())


def drafted_in_arm(tx: apsw.Connection, arm: str, project: str | None) -> set[tuple[str, str]]:
    """Return project and id of the artifacts that chats of an experiment's arm left, in one project or in all."""
    rows: Any = tx.execute(
        f"SELECT project, artifact_id FROM continuity_artifacts WHERE {_IS_ARTIFACT}"
        " AND CAST(provenance AS TEXT) ->> '$.arm' = ? AND project = coalesce(?, project)",
        (arm, project),
    )
    return {(name, artifact_id) for name, artifact_id in rows}


def count_by_status(tx: apsw.Connection, project: str | None) -> dict[tuple[str, str], int]:
    """Return the number of artifacts by type and status, of a project or of all projects."""
    rows: Any = tx.execute(
        "SELECT type, status, count(*) FROM continuity_artifacts WHERE project = coalesce(?, project)"
        f" AND {_IS_ARTIFACT} GROUP BY 1, 2 ORDER BY 1, 2",
        (project,),
    )
    return {(kind, status): number for kind, status, number in rows}


def _artifacts(tx: apsw.Connection, where: str, bindings: tuple[apsw.SQLiteValue, ...]) -> list[tuple[Artifact, bool]]:
    rows: Any = tx.execute(f"SELECT {_ARTIFACT}, row_hash FROM continuity_artifacts WHERE {where}", bindings)
    return [_read(_Row(*cells), str(row_hash)) for *cells, row_hash in rows]


class _Row(NamedTuple):
    """An artifact as the columns of its row; its provenance is JSON, parsed or not."""

    artifact_id: str
    project: str
    type: ArtifactType
    status: ArtifactStatus
    title: str
    body: str
    event: str
    event_key: str
    provenance: Any
    created_at_ms: int
    updated_at_ms: int


def _read(row: _Row, row_hash: str) -> tuple[Artifact, bool]:
    """Return a row's artifact, and whether the row is intact."""
    from sidecar.runs.artifact_provenance import UNKNOWN_PROVENANCE, provenance_from_json

    try:
        row = row._replace(provenance=orjson.loads(row.provenance))
        provenance = provenance_from_json(row.type, row.provenance)
    except (ValueError, TypeError, KeyError, AttributeError):
        return _artifact_of(row, UNKNOWN_PROVENANCE), False
    expected = _hash(row) if row_hash.startswith(_FULL_ROW) else _legacy_hash(row)
    return _artifact_of(row, provenance), row_hash == expected


def _row_of(artifact: Artifact) -> _Row:
    from sidecar.runs.artifact_provenance import provenance_to_json

    return _Row(
        artifact_id=artifact.id,
        project=artifact.project,
        type=artifact.type,
        status=artifact.status,
        title=artifact.title,
        body=artifact.body,
        event=artifact.event,
        event_key=artifact.event_key,
        provenance=provenance_to_json(artifact.provenance),
        created_at_ms=artifact.created_at_ms,
        updated_at_ms=artifact.updated_at_ms,
    )


def _artifact_of(row: _Row, provenance: ArtifactProvenance) -> Artifact:
    from sidecar.runs.artifact_provenance import Artifact  # few first pre-runs meet an artifact

    return Artifact(
        id=row.artifact_id, project=row.project, type=row.type, status=row.status, title=row.title, body=row.body,
        event=row.event, event_key=row.event_key, provenance=provenance, created_at_ms=row.created_at_ms,
        updated_at_ms=row.updated_at_ms,
    )  # fmt: skip


def _hash(row: _Row) -> str:
    return _FULL_ROW + digest_value(list(row))


def _legacy_hash(row: _Row) -> str:
    """Return the hash of a row written before the hash covered every column; a change of the row replaces it."""
    return digest_value([row.type, row.status, row.title, row.body, row.provenance])
