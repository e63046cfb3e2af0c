"""What a change of an entity reaches: everything that needs it, directly or through others. Pure."""

from typing import Literal, NamedTuple

from sidecar.registry.entity import GUARDED, MEDIUM, Registry

ImpactLevel = Literal["none", "low", "medium", "high"]

FEW, MANY = 3, 10
"""So many dependents make an impact medium, high."""


class Reached(NamedTuple):
    """An entity that a change reaches."""

    id: str
    distance: int
    """1 where it needs the changed entity itself."""
    via: str
    """What it needs on the shortest way: the changed entity, or another one that is reached."""


def impact_of(registry: Registry, entity_id: str) -> list[Reached]:
    """Gives the transitive dependents of an entity, each once, the nearest first; a cycle ends where it began."""
    seen = {entity_id}
    reached: list[Reached] = []
    ring = [entity_id]
    distance = 0
    while ring:
        distance += 1
        found: list[Reached] = []
        for needed in ring:
            for dependent in registry.dependents.get(needed, ()):
                if dependent not in seen:
                    seen.add(dependent)
                    found.append(Reached(dependent, distance, needed))
        found.sort()
        reached += found
        ring = [one.id for one in found]
    return reached


def level_of(adaptability: float, dependents: int) -> ImpactLevel:
    """Says in a word how much a change may break: by how many depend on the entity, and by how adaptable it is.

    The specification names the level and leaves its measure open: whoever depends on an entity below 0.3 depends on
    what is "not to be changed" (5.1: "changes break consumers").
    """
    if not dependents:
        return "none"
    if adaptability < GUARDED or dependents >= MANY:
        return "high"
    return "medium" if adaptability < MEDIUM or dependents >= FEW else "low"
