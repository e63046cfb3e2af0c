"""The registry in the state file: parsed files, entities derived from code, and recent decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import apsw
import orjson

from sidecar.call import Process
from sidecar.core.digests import digest_bytes, digest_value
from sidecar.core.lru_cache import LruCache
from sidecar.registry.code_entities import CodeDefinition, SourceFileFacts
from sidecar.registry.entities import Entity, Metadata, Registry, Remark, ReuseDecision
from sidecar.registry.scoring import EntityWords
from sidecar.storage.purgeable_rows import RowGroup
from sidecar.storage.two_level_cache import Cache

VERSION = 2
"""Part of the cache key: a changed parser invalidates parsed registries."""

WORDS_VERSION = 8
"""Part of the cache key: changed stemming invalidates cached words."""

FACTS_VERSION = 13
"""Changed extraction invalidates stored facts."""

MAX_DECISIONS = 100
"""Maximum per project."""

ROW_GROUPS = (
    RowGroup("caches", "continuity_registry_cache", "", "used_at_ms < ?2"),
    RowGroup("indexes", "continuity_registry_derived", before="derived_at_ms < ?2"),
    RowGroup("registry", "continuity_registry_decisions", before="at_ms < ?2"),
    RowGroup("registry", "continuity_registry_dismissed", before="at_ms < ?2"),
)


def _cache(process: Process) -> Cache:
    limit = int(process.settings("")["cache.diskBytes"]) // 8
    return Cache("continuity_registry_cache", ("digest",), process.database, LruCache(0), limit)


class ParsedRegistryCache:
    """Cache of parsed registries by file digest; projects with the same file share an entry."""

    def __init__(self, process: Process) -> None:
        self._cache = _cache(process)

    def get(self, digest: str) -> Registry | None:
        """Return a cached registry."""
        value = self._cache.get((f"{VERSION}:{digest}",))
        return None if value is None else _registry(value, digest)

    def put(self, registry: Registry, now_ms: int) -> None:
        """Cache a registry under its digest."""
        self._cache.put((f"{VERSION}:{registry.digest}",), lambda: _value(registry), now_ms)


class EntityWordsCache:
    """Cache of the words of registries by digest, so that a process does not split ten thousand entities again."""

    def __init__(self, process: Process) -> None:
        self._cache = _cache(process)

    def get(self, digest: str) -> list[EntityWords] | None:
        """Return the words of a registry's entities, in order."""
        value = self._cache.get((f"words {WORDS_VERSION}:{digest}",))
        return None if value is None else [EntityWords(*map(tuple, fields)) for fields in value]

    def put(self, digest: str, words: Sequence[EntityWords], now_ms: int) -> None:
        """Cache the words of a registry's entities."""
        self._cache.put(
            (f"words {WORDS_VERSION}:{digest}",), lambda: [list(map(list, fields)) for fields in words], now_ms
        )


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A decision as stored: a JSON object with these members."""

    intent: str
    """Secrets are masked."""
    type: str | None
    decision: ReuseDecision
    score: float
    entity_id: str | None
    registry: str
    """Digest of the registry it is based on."""


class DecisionRow(NamedTuple):
    """A stored decision with its id, the time of the last occurrence and the number of occurrences."""

    decision_id: str
    at_ms: int
    times: int
    decision: StoredDecision


def put_decision(tx: apsw.Connection, project: str, decision_id: str, now_ms: int, decision: StoredDecision) -> None:
    """Store a decision; a repeated one moves to the front. The oldest beyond `MAX_DECISIONS` are deleted."""
    tx.execute(
        "INSERT INTO continuity_registry_decisions (project, decision_id, at_ms, times, value) VALUES (?, ?, ?, 1, ?)"
        " ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, times = times + 1",
        (project, decision_id, now_ms, orjson.dumps(asdict(decision))),
    )
    tx.execute(
        "DELETE FROM continuity_registry_decisions WHERE project = ? AND decision_id NOT IN"
        " (SELECT decision_id FROM continuity_registry_decisions WHERE project = ?"
        "  ORDER BY at_ms DESC, decision_id LIMIT ?)",
        (project, project, MAX_DECISIONS),
    )


def decisions(tx: apsw.Connection, project: str, limit: int) -> list[DecisionRow]:
    """Return a project's decisions, newest first; none whose record is damaged."""
    rows = tx.execute(
        "SELECT decision_id, at_ms, times, value FROM continuity_registry_decisions WHERE project = ?"
        " ORDER BY at_ms DESC, decision_id LIMIT ?",
        (project, limit),
    )
    stored: list[DecisionRow] = []
    for id_, at_ms, times, value in rows:
        with suppress(TypeError):  # members are missing or have other names
            stored.append(DecisionRow(str(id_), int(at_ms), int(times), StoredDecision(**orjson.loads(value))))
    return stored


class DerivedEntities(NamedTuple):
    """The entities derived from a project's code."""

    digest: str
    entities: tuple[Entity, ...]


def derived_digest(tx: apsw.Connection, project: str) -> str:
    """Return the digest of the derived and dismissed entities; empty without any."""
    derived = tx.execute("SELECT digest FROM continuity_registry_derived WHERE project = ?", (project,)).get
    dismissed_ids = sorted(dismissed(tx, project))
    return digest_value([derived, dismissed_ids]) if derived or dismissed_ids else ""


def derived(tx: apsw.Connection, project: str) -> DerivedEntities:
    """Return the entities derived from a project's code; damaged ones are dropped, since they can be derived again."""
    row = tx.execute(
        "SELECT digest, entities FROM continuity_registry_derived WHERE project = ?", (project,)
    ).fetchone()
    if row is None or digest_bytes(row[1]) != row[0]:
        return DerivedEntities("", ())
    return DerivedEntities(row[0], tuple(_entities_of(orjson.loads(row[1]))))


def facts(tx: apsw.Connection, project: str) -> dict[str, SourceFileFacts]:
    """Return the facts of a project's files, by path."""
    row = tx.execute("SELECT facts FROM continuity_registry_derived WHERE project = ?", (project,)).fetchone()
    try:
        version, known = orjson.loads(row[0]) if row else (FACTS_VERSION, {})
        return {path: _facts(row) for path, row in known.items()} if version == FACTS_VERSION else {}
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):  # damaged: they are read again
        return {}


def put_derived(
    tx: apsw.Connection, project: str, entities: Sequence[Entity], files: Mapping[str, SourceFileFacts], now_ms: int
) -> None:
    """Replace the entities and facts derived from a project's code."""
    text = orjson.dumps([list(entity) for entity in entities])
    known = orjson.dumps([FACTS_VERSION, {path: _facts_row(file) for path, file in sorted(files.items())}])
    tx.execute(
        "INSERT OR REPLACE INTO continuity_registry_derived (project, digest, entities, facts, derived_at_ms)"
        " VALUES (?, ?, ?, ?, ?)",
        (project, digest_bytes(text), text, known, now_ms),
    )


def dismissed(tx: apsw.Connection, project: str) -> frozenset[str]:
    """Return the ids of entities the user removed."""
    rows = tx.execute("SELECT id FROM continuity_registry_dismissed WHERE project = ?", (project,))
    return frozenset(str(id_) for (id_,) in rows)


def dismiss(tx: apsw.Connection, project: str, entity_id: str, now_ms: int) -> None:
    """Prevent an entity from being derived again."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_registry_dismissed (project, id, at_ms) VALUES (?, ?, ?)",
        (project, entity_id, now_ms),
    )


def undismiss(tx: apsw.Connection, project: str, entity_id: str) -> None:
    """Cancel a dismissal."""
    tx.execute("DELETE FROM continuity_registry_dismissed WHERE project = ? AND id = ?", (project, entity_id))


def _facts_row(facts: SourceFileFacts) -> list[Any]:
    definitions = [list(definition) for definition in facts.definitions]
    return [
        facts.content, facts.type, facts.purpose, definitions, facts.imports, facts.references, facts.comment_words,
    ]  # fmt: skip


def _facts(row: list[Any]) -> SourceFileFacts:
    content, type_, purpose, definitions, imports, references, comment_words = row
    return SourceFileFacts(
        content=content,
        type=type_,
        purpose=purpose,
        definitions=tuple(map(_definition, definitions)),
        imports=tuple(imports),
        references=tuple(references),
        comment_words=tuple(comment_words),
    )


def _definition(row: list[Any]) -> CodeDefinition:
    name, type_, purpose, parameters, comment_words = row
    return CodeDefinition(name, type_, purpose, tuple(parameters), tuple(comment_words))


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
        [Remark(*remark) for remark in remarks],
        digest,
    )


def _entities_of(rows: list[list[Any]]) -> list[Entity]:
    return [
        Entity(category, key, path, type_, purpose, tuple(keywords), tuple(dependencies), *rest)
        for category, key, path, type_, purpose, keywords, dependencies, *rest in rows
    ]
