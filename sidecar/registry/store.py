"""The registry in the state file: parsed files, what was derived from code, and the last decisions."""

from __future__ import annotations

from typing import Any

import apsw
import orjson

from sidecar.call import Process
from sidecar.registry.entity import Entity, Metadata, Registry, Remark
from sidecar.storage.cache import Cache

VERSION = 1
"""Part of the cache's key: another reading of the same file makes what was parsed before invalid."""

KEPT_DECISIONS = 100
"""Of each project."""


class Parsed:
    """Registries by their file's digest; the projects that hold the same file share it."""

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"]) // 8
        self._cache = Cache("continuity_registry_cache", ("digest",), process.database, process.hot, limit)

    def get(self, digest: str) -> Registry | None:
        """Gives a registry that was parsed before."""
        value = self._cache.get((f"{VERSION}:{digest}",))
        return None if value is None else _registry(value, digest)

    def put(self, registry: Registry, now_ms: int) -> None:
        """Keeps a registry under its digest."""
        self._cache.put((f"{VERSION}:{registry.digest}",), lambda: _value(registry), now_ms)


def put_decision(tx: apsw.Connection, project: str, decision_id: str, now_ms: int, value: dict[str, Any]) -> None:
    """Keeps a decision; the same one made again moves to the front. The oldest beyond `KEPT_DECISIONS` go."""
    tx.execute(
        "INSERT INTO continuity_registry_decisions (project, decision_id, at_ms, times, value) VALUES (?, ?, ?, 1, ?)"
        " ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, times = times + 1",
        (project, decision_id, now_ms, orjson.dumps(value)),
    )
    tx.execute(
        "DELETE FROM continuity_registry_decisions WHERE project = ? AND decision_id NOT IN"
        " (SELECT decision_id FROM continuity_registry_decisions WHERE project = ?"
        "  ORDER BY at_ms DESC, decision_id LIMIT ?)",
        (project, project, KEPT_DECISIONS),
    )


def decisions(tx: apsw.Connection, project: str, limit: int) -> list[tuple[str, int, int, dict[str, Any]]]:
    """Gives (id, when last, how often, value) of a project's decisions, the latest first."""
    rows = tx.execute(
        "SELECT decision_id, at_ms, times, value FROM continuity_registry_decisions WHERE project = ?"
        " ORDER BY at_ms DESC, decision_id LIMIT ?",
        (project, limit),
    )
    return [(str(id_), int(at_ms), int(times), orjson.loads(value)) for id_, at_ms, times, value in rows]


def _value(registry: Registry) -> Any:
    return [
        list(registry.metadata),
        [list(remark) for remark in registry.remarks],
        [list(entity) for entity in registry.entities],
    ]


def _registry(value: Any, digest: str) -> Registry:
    metadata, remarks, entities = value
    return Registry(
        [_entity(*one) for one in entities],
        Metadata(*metadata),
        [Remark(*one) for one in remarks],
        digest,
    )


def _entity(
    category: str,
    key: str,
    path: str,
    type_: str,
    purpose: str,
    keywords: list[str],
    dependencies: list[str],
    *rest: Any,
) -> Entity:
    return Entity(category, key, path, type_, purpose, tuple(keywords), tuple(dependencies), *rest)
