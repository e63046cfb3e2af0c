"""Impact of changing an entity: its transitive dependents and how far it can be adapted. Pure."""

from typing import NamedTuple

from sidecar.registry.entities import Entity, ImpactLevel, Level, Registry

MEDIUM_ADAPTABILITY, HIGH_ADAPTABILITY = 0.4, 0.7
"""Minimum adaptability for the levels medium and high."""

IMPACT_REQUIRED_BELOW = 0.3
"""Below this adaptability a change requires an impact analysis: it breaks consumers."""

MEDIUM_DEPENDENTS, HIGH_DEPENDENTS = 3, 10
"""Minimum number of dependents for a medium and a high impact."""


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
