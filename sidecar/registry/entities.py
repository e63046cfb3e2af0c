"""Entities of the registry, and the registry as one value: lookup and dependents. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

Origin = Literal["file", "code"]
"""`file`: written by hand into the registry's YAML; `code`: derived from the repository's code."""


DEFAULT_ADAPTABILITY = 0.5
"""Default adaptability: the middle, which calls for care and forbids nothing."""

Level = Literal["low", "medium", "high"]

ImpactLevel = Literal["none", "low", "medium", "high"]


ReuseDecision = Literal["REUSE", "ADAPT", "CREATE"]

REUSE_FROM, ADAPT_FROM = 90.0, 60.0
"""Minimum scores of the decisions, compared unrounded."""


def checksum_of(content: bytes) -> str:
    """Return the checksum of a file's content."""
    return hashlib.sha256(content).hexdigest()


class Entity(NamedTuple):
    """One artifact of the project: purpose, file, dependencies."""

    category: str
    key: str
    path: str
    type: str
    purpose: str
    keywords: tuple[str, ...]
    dependencies: tuple[str, ...]
    """As written: keys, keys with a type suffix, or ids."""
    adaptability: float
    checksum: str
    """SHA-256 of the file's bytes, hexadecimal; empty if none is recorded."""
    origin: Origin = "file"

    @property
    def id(self) -> str:
        """Unique id in the registry."""
        return f"{self.category}/{self.key}"


class Remark(NamedTuple):
    """A warning about the registry's file; lines count from 1, 0 means the whole file."""

    line: int
    about: str
    message: str


class Metadata(NamedTuple):
    """The file's own metadata."""

    version: str = ""
    last_updated: str = ""
    entity_count: int | None = None
    checksum_algorithm: str = ""


class Registry:
    """An immutable list of entities: those of the file, then those derived from code."""

    def __init__(
        self, entities: Sequence[Entity], metadata: Metadata, remarks: Sequence[Remark] = (), digest: str = ""
    ) -> None:
        self.entities = tuple(entities)
        self.metadata = metadata
        self.remarks = tuple(remarks)
        self.digest = digest
        """Hash of the registry, derived entities included."""

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        """Entities by id."""
        return {entity.id: entity for entity in self.entities}

    @cached_property
    def by_key(self) -> Mapping[str, Sequence[Entity]]:
        """Entities by key, which several categories may share."""
        entities: dict[str, list[Entity]] = {}
        for entity in self.entities:
            entities.setdefault(entity.key, []).append(entity)
        return entities

    @cached_property
    def dependents(self) -> Mapping[str, Sequence[str]]:
        """For each id the direct dependents, each once, in the registry's order."""
        dependents_of: dict[str, dict[str, None]] = {}
        for entity in self.entities:
            for name in entity.dependencies:
                dependency = self.resolve(name, entity)
                if dependency is not None and dependency is not entity:
                    dependents_of.setdefault(dependency.id, {})[entity.id] = None
        return {dependency: tuple(ids) for dependency, ids in dependents_of.items()}

    def lookup(self, name: str) -> Sequence[Entity]:
        """Return the entities with an id or key."""
        exact = self.by_id.get(name)
        return (exact,) if exact is not None else self.by_key.get(name, ())

    def resolve(self, name: str, dependent: Entity | None = None) -> Entity | None:
        """Return the entity a dependency refers to: by id or key, else by key without its type suffix.

        `session-schema` is the schema `session`, but `brief-template` is never the agent `brief`. A key that several
        categories share refers to the one in the entity's own category, else the first. None for an orphaned
        dependency.
        """
        matches = self.lookup(name)
        if not matches:
            key, _, kind = name.rpartition("-")
            matches = [entity for entity in self.by_key.get(key, ()) if entity.type == kind]
        in_category = (entity for entity in matches if dependent is not None and entity.category == dependent.category)
        return next(in_category, matches[0] if matches else None)

    def orphans(self) -> list[tuple[Entity, str]]:
        """Return the unresolved dependencies, each with the entity that declares it."""
        return [
            (entity, name) for entity in self.entities for name in entity.dependencies if self.resolve(name) is None
        ]
