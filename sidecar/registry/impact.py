"""Impact of changing an entity: all direct and transitive dependents. Pure."""

from typing import Literal, NamedTuple

from sidecar.registry.entity import IMPACT_REQUIRED_BELOW, MEDIUM_ADAPTABILITY, Registry

ImpactLevel = Literal["none", "low", "medium", "high"]

MEDIUM_DEPENDENTS, HIGH_DEPENDENTS = 3, 10
"""Minimum number of dependents for a medium and a high impact."""


class Reached(NamedTuple):
    """A direct or transitive dependent."""

    id: str
    distance: int
    """1 for a direct dependent."""
    via: str
    """Its dependency on the shortest path to the changed entity."""


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

    The specification names the levels without thresholds. An entity below 0.3 is "not to be changed" (5.1: "changes
    break consumers"), so a single dependent suffices.
    """
    if not dependents:
        return "none"
    if adaptability < IMPACT_REQUIRED_BELOW or dependents >= HIGH_DEPENDENTS:
        return "high"
    return "medium" if adaptability < MEDIUM_ADAPTABILITY or dependents >= MEDIUM_DEPENDENTS else "low"
