"""Entities of the registry, and the registry as one value: lookup, dependents, and the impact of a change. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

Origin = Literal["file", "code"]
"""`file`: written by hand into the registry's YAML; `code`: derived from the repository's code."""

MEDIUM_ADAPTABILITY, HIGH_ADAPTABILITY = 0.4, 0.7
"""Minimum adaptability for the levels medium and high."""


DEFAULT_ADAPTABILITY = 0.5
"""Default adaptability: the middle, which calls for care and forbids nothing."""

Level = Literal["low", "medium", "high"]

ImpactLevel = Literal["none", "low", "medium", "high"]

IMPACT_REQUIRED_BELOW = 0.3
"""Below this adaptability a change requires an impact analysis: it breaks consumers."""

MEDIUM_DEPENDENTS, HIGH_DEPENDENTS = 3, 10
"""Minimum number of dependents for a medium and a high impact."""

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


def adaptability_level(adaptability: float) -> Level:
    """Return the adaptability level."""
    if adaptability >= HIGH_ADAPTABILITY:
        return "high"
    return "medium" if adaptability >= MEDIUM_ADAPTABILITY else "low"


class Reached(NamedTuple):
    """A direct or transitive dependent."""

    id: str
    distance: int
    """1 for a direct dependent."""
    via: str
    """Its dependency on the shortest path to the changed entity."""


class Impact(NamedTuple):
    """The impact of adapting an entity."""

    level: ImpactLevel
    dependents: tuple[Reached, ...]


def impact_on(registry: Registry, entity: Entity) -> Impact:
    """Return the impact of changing an entity."""
    dependents = tuple(impact_of(registry, entity.id))
    return Impact(impact_level(entity.adaptability, len(dependents)), dependents)


def impact_of(registry: Registry, entity_id: str) -> list[Reached]:
    """Return the transitive dependents of an entity, each once, nearest first; cycles are followed once."""
    seen = {entity_id}
    reached: list[Reached] = []
    current_ring = [entity_id]
    distance = 0
    while current_ring:
        distance += 1
        next_ring: list[Reached] = []
        for needed in current_ring:
            for dependent in registry.dependents.get(needed, ()):
                if dependent not in seen:
                    seen.add(dependent)
                    next_ring.append(Reached(dependent, distance, needed))
        next_ring.sort()
        reached += next_ring
        current_ring = [entry.id for entry in next_ring]
    return reached


def impact_level(adaptability: float, dependents: int) -> ImpactLevel:
    """Return the impact level, by the number of dependents and the entity's adaptability.

    A change of an entity below 0.3 breaks its consumers, so a single dependent suffices for a high one.
    """
    if not dependents:
        return "none"
    if adaptability < IMPACT_REQUIRED_BELOW or dependents >= HIGH_DEPENDENTS:
        return "high"
    return "medium" if adaptability < MEDIUM_ADAPTABILITY or dependents >= MEDIUM_DEPENDENTS else "low"
