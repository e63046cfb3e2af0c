"""An entity of the registry, and a registry as one value: who is who, and who depends on whom. Pure."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

Origin = Literal["file", "code"]
"""`file`: written by hand into the registry's YAML; `code`: derived from the repository's code."""

MEDIUM, HIGH = 0.4, 0.7
"""From here on adaptability counts as medium, as high (intelligence-layer.md 5.1)."""

GUARDED = 0.3
"""Below it an entity is changed only after an impact analysis (intelligence-layer.md, Article XIV 4)."""

UNSAID = 0.5
"""The adaptability of an entry that does not say one: the middle, which asks for care and forbids nothing."""

Level = Literal["low", "medium", "high"]


class Entity(NamedTuple):
    """One artifact: what it is for, where it lies, what it needs."""

    category: str
    key: str
    path: str
    type: str
    purpose: str
    keywords: tuple[str, ...]
    dependencies: tuple[str, ...]
    """As they are written: keys, keys with a type's suffix, or ids."""
    adaptability: float
    checksum: str
    """SHA-256 of the file's bytes in hexadecimal digits; empty where none was noted."""
    origin: Origin = "file"

    @property
    def id(self) -> str:
        """What tells it from all others of its registry."""
        return f"{self.category}/{self.key}"


class Remark(NamedTuple):
    """Something about the registry's file that its reader should know; lines count from 1, 0 is the whole file."""

    line: int
    about: str
    message: str


class Metadata(NamedTuple):
    """What the file says of itself."""

    version: str = ""
    last_updated: str = ""
    entity_count: int | None = None
    checksum_algorithm: str = ""


class Registry:
    """Entities in their order, the file's before the code's. Never changed once made."""

    def __init__(
        self, entities: Sequence[Entity], metadata: Metadata, remarks: Sequence[Remark] = (), digest: str = ""
    ) -> None:
        self.entities = tuple(entities)
        self.metadata = metadata
        self.remarks = tuple(remarks)
        self.digest = digest
        """Tells one state of the registry from another, derived entities included."""

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        """Entities by id."""
        return {entity.id: entity for entity in self.entities}

    @cached_property
    def by_key(self) -> Mapping[str, Sequence[Entity]]:
        """Entities by key, which several categories may share."""
        found: dict[str, list[Entity]] = {}
        for entity in self.entities:
            found.setdefault(entity.key, []).append(entity)
        return found

    @cached_property
    def dependents(self) -> Mapping[str, Sequence[str]]:
        """For each id those of the entities that need it directly, in the registry's order, each once."""
        found: dict[str, dict[str, None]] = {}
        for entity in self.entities:
            for name in entity.dependencies:
                needed = self.resolve(name, entity)
                if needed is not None and needed is not entity:
                    found.setdefault(needed.id, {})[entity.id] = None
        return {needed: tuple(ids) for needed, ids in found.items()}

    def named(self, name: str) -> Sequence[Entity]:
        """Gives the entities an id or a key may mean."""
        exact = self.by_id.get(name)
        return (exact,) if exact is not None else self.by_key.get(name, ())

    def resolve(self, name: str, needing: Entity | None = None) -> Entity | None:
        """Gives the entity that a dependency means: by id or key, else by key without its type's suffix.

        `session-schema` is the schema `session`, and `brief-template` never the agent `brief`. A key that several
        categories share means the one of the entity's own category, else the first. None for an orphaned dependency.
        """
        found = self.named(name)
        if not found:
            key, _, kind = name.rpartition("-")
            found = [one for one in self.by_key.get(key, ()) if one.type == kind]
        own = (one for one in found if needing is not None and one.category == needing.category)
        return next(own, found[0] if found else None)

    def orphans(self) -> list[tuple[Entity, str]]:
        """Gives the dependencies that lead nowhere, each with the entity that names it."""
        return [
            (entity, name) for entity in self.entities for name in entity.dependencies if self.resolve(name) is None
        ]


def level_of(adaptability: float) -> Level:
    """Says in a word how safe a change is (intelligence-layer.md 5.1; what lies between its ranges counts as lower)."""
    if adaptability >= HIGH:
        return "high"
    return "medium" if adaptability >= MEDIUM else "low"
