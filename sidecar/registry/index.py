"""A registry's words, turned round: term → the entities that hold it, and where. Pure; built once per registry."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.registry.entity import Entity
from sidecar.registry.vocabulary import roots_of, wholes_of

NAME, KEYWORD, PURPOSE, ASIDE = 1, 2, 4, 8
"""Where a term stands in an entity; a mask where it stands in several places. Aside: in its path, or among keywords
that nobody chose (derived from parameters and from what stands near)."""

COMMON = 0.35
"""What a term counts for that every entity has; one that few have counts up to 1."""


class Words(NamedTuple):
    """An entity's roots by place; those of the name and the keywords as sets of their own, for their shares."""

    name: frozenset[str]
    keywords: frozenset[str]
    purpose: frozenset[str]


class Index:
    """The words of a registry. Never changed once made."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        self.entities = tuple(entities)
        self.words: list[Words] = []
        self.postings: dict[str, dict[int, int]] = {}
        for number, entity in enumerate(self.entities):
            self._take_in(number, entity)
        self._scale = math.log(len(self.entities) + 1) or 1.0

    def weight(self, term: str) -> float:
        """Says how much a term tells: 1 for the rarest, `COMMON` for one that every entity has.

        Smoothed inverse document frequency, scaled by the registry's size, so that a score means the same in a
        registry of thirty and of ten thousand entities.
        """
        frequency = len(self.postings.get(term, ()))
        rarity = math.log((len(self.entities) + 1) / (frequency + 1)) / self._scale
        return COMMON + (1 - COMMON) * rarity

    def places(self, term: str) -> Mapping[int, int]:
        """Gives the numbers of the entities that hold a term, each with its places."""
        return self.postings.get(term, {})

    def _take_in(self, number: int, entity: Entity) -> None:
        name = name_of(entity)
        words = Words(roots_of([name]), roots_of(entity.keywords), roots_of([entity.purpose]))
        self.words.append(words)
        compounds = wholes_of([name, *entity.keywords, entity.purpose])
        is_curated = entity.origin == "file"
        places = (
            (words.name, NAME),
            (compounds, KEYWORD),
            (words.keywords, KEYWORD if is_curated else ASIDE),
            (words.purpose, PURPOSE),
            (roots_of([entity.path]), ASIDE),
        )
        for roots, place in places:
            for root in roots:
                held = self.postings.setdefault(root, {})
                held[number] = held.get(number, 0) | place


def name_of(entity: Entity) -> str:
    """Gives what an entity is called, without the folders and the suffix of the file it may be named after."""
    name = entity.key.rpartition("#")[2].rpartition("/")[2]
    return name.partition(".")[0] or name if entity.origin == "code" and "#" not in entity.key else name
