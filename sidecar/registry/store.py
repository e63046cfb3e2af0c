"""The registry in the state file: parsed files, what was derived from code, and the last decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import orjson

from sidecar.call import Process
from sidecar.core.digests import digest_bytes, digest_value
from sidecar.registry.code_entities import Facts, Named
from sidecar.registry.entity import Entity, Metadata, Registry, Remark
from sidecar.registry.index import Words
from sidecar.storage.cache import Cache
from sidecar.storage.lru import Lru
from sidecar.storage.retention import Holding

VERSION = 1
"""Part of the cache's key: another reading of the same file makes what was parsed before invalid."""

WORDS_VERSION = 2
"""Another way of taking words apart makes all of them be taken apart anew."""

FACTS_VERSION = 2
"""Another way of taking facts out of a file makes all of them be taken anew."""

KEPT_DECISIONS = 100
"""Of each project."""


class Parsed:
    """Registries by their file's digest; the projects that hold the same file share it."""

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"]) // 8
        self._cache = Cache("continuity_registry_cache", ("digest",), process.database, Lru(0), limit)

    def get(self, digest: str) -> Registry | None:
        """Gives a registry that was parsed before."""
        value = self._cache.get((f"{VERSION}:{digest}",))
        return None if value is None else _registry(value, digest)

    def put(self, registry: Registry, now_ms: int) -> None:
        """Keeps a registry under its digest."""
        self._cache.put((f"{VERSION}:{registry.digest}",), lambda: _value(registry), now_ms)


class KnownWords:
    """The words of registries by their digests, so that a process need not take ten thousand entities apart."""

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"]) // 8
        self._cache = Cache("continuity_registry_cache", ("digest",), process.database, Lru(0), limit)

    def get(self, digest: str) -> list[Words] | None:
        """Gives the words of a registry's entities, in their order."""
        value = self._cache.get((f"words {WORDS_VERSION}:{digest}",))
        return None if value is None else [Words(*map(tuple, one)) for one in value]

    def put(self, digest: str, words: Sequence[Words], now_ms: int) -> None:
        """Keeps the words of a registry's entities."""
        self._cache.put((f"words {WORDS_VERSION}:{digest}",), lambda: [list(map(list, one)) for one in words], now_ms)


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


class Kept(NamedTuple):
    """What was derived from a project's code."""

    digest: str
    entities: tuple[Entity, ...]


def derived_digest(tx: apsw.Connection, project: str) -> str:
    """Tells one set of derived entities, and of those not wanted, from another; empty where there are none."""
    derived = tx.execute("SELECT digest FROM continuity_registry_derived WHERE project = ?", (project,)).get
    unwanted = sorted(dismissed(tx, project))
    return digest_value([derived, unwanted]) if derived or unwanted else ""


def derived(tx: apsw.Connection, project: str) -> Kept:
    """Gives the entities derived from a project's code; damaged ones count as none, they can be derived again."""
    row = tx.execute(
        "SELECT digest, entities FROM continuity_registry_derived WHERE project = ?", (project,)
    ).fetchone()
    if row is None or digest_bytes(row[1]) != row[0]:
        return Kept("", ())
    return Kept(row[0], tuple(_entities_of(orjson.loads(row[1]))))


def facts(tx: apsw.Connection, project: str) -> dict[str, Facts]:
    """Gives what is known of a project's files, by path."""
    row = tx.execute("SELECT facts FROM continuity_registry_derived WHERE project = ?", (project,)).fetchone()
    try:
        version, known = orjson.loads(row[0]) if row else (FACTS_VERSION, {})
    except orjson.JSONDecodeError:
        return {}
    return {path: _facts(*one) for path, one in known.items()} if version == FACTS_VERSION else {}


def put_derived(
    tx: apsw.Connection, project: str, entities: Sequence[Entity], files: Mapping[str, Facts], now_ms: int
) -> None:
    """Keeps what was derived from a project's code in place of what was there."""
    text = orjson.dumps([list(one) for one in entities])
    known = orjson.dumps([FACTS_VERSION, {path: _listed(one) for path, one in sorted(files.items())}])
    tx.execute(
        "INSERT OR REPLACE INTO continuity_registry_derived (project, digest, entities, facts, derived_at_ms)"
        " VALUES (?, ?, ?, ?, ?)",
        (project, digest_bytes(text), text, known, now_ms),
    )


def dismissed(tx: apsw.Connection, project: str) -> frozenset[str]:
    """Gives the ids of entities that the user does not want."""
    rows = tx.execute("SELECT id FROM continuity_registry_dismissed WHERE project = ?", (project,))
    return frozenset(str(id_) for (id_,) in rows)


def dismiss(tx: apsw.Connection, project: str, entity_id: str, now_ms: int) -> None:
    """Keeps an entity from being derived again."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_registry_dismissed (project, id, at_ms) VALUES (?, ?, ?)",
        (project, entity_id, now_ms),
    )


def welcome(tx: apsw.Connection, project: str, entity_id: str) -> None:
    """Takes a dismissal back."""
    tx.execute("DELETE FROM continuity_registry_dismissed WHERE project = ? AND id = ?", (project, entity_id))


def _listed(one: Facts) -> list[Any]:
    return [*one[:3], [list(named) for named in one.definitions], *map(list, one[4:])]


def _facts(content: str, type_: str, purpose: str, definitions: list[Any], *words: list[str]) -> Facts:
    named = (Named(name, kind, said, *map(tuple, lists)) for name, kind, said, *lists in definitions)
    return Facts(content, type_, purpose, tuple(named), *map(tuple, words))


def _value(registry: Registry) -> Any:
    return [
        list(registry.metadata),
        [list(remark) for remark in registry.remarks],
        [list(entity) for entity in registry.entities],
    ]


def _registry(value: Any, digest: str) -> Registry:
    metadata, remarks, entities = value
    return Registry(
        _entities_of(entities),
        Metadata(*metadata),
        [Remark(*one) for one in remarks],
        digest,
    )


def _entities_of(rows: list[list[Any]]) -> list[Entity]:
    return [
        Entity(category, key, path, type_, purpose, tuple(keywords), tuple(dependencies), *rest)
        for category, key, path, type_, purpose, keywords, dependencies, *rest in rows
    ]


# What is kept of registries, for removing it.


HOLDINGS = (
    Holding("caches", "continuity_registry_cache", "", "used_at_ms < ?2"),
    Holding("indexes", "continuity_registry_derived", before="derived_at_ms < ?2"),
    Holding("registry", "continuity_registry_decisions", before="at_ms < ?2"),
    Holding("registry", "continuity_registry_dismissed", before="at_ms < ?2"),
)
