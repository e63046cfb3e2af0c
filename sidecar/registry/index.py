"""A registry's words, turned round: term → the entities that hold it, and where. Pure; built once per registry."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.registry.entity import Entity
from sidecar.registry.stemming import roots_of, wholes_of

NAME, KEYWORD, PURPOSE, ASIDE = 1, 2, 4, 8
"""Where a term stands in an entity; a mask where it stands in several places. Aside: in its path, or among keywords
that nobody chose (derived from parameters and from what stands near)."""

COMMON = 0.35
"""What a term counts for that every entity has; one that few have counts up to 1."""


Roots = tuple[str, ...]


class Words(NamedTuple):
    """An entity's roots by place, each sorted."""

    name: Roots
    keywords: Roots
    purpose: Roots
    compounds: Roots
    """What its compounds are, written together."""
    path: Roots


class Index:
    """The words of a registry. Never changed once made."""

    def __init__(self, entities: Sequence[Entity], words: Sequence[Words] | None = None) -> None:
        """Takes the entities, and their words where these are known."""
        self.entities = tuple(entities)
        self.words = tuple(words) if words is not None else tuple(map(words_of_entity, self.entities))
        self.postings: dict[str, dict[int, int]] = {}
        for number, (entity, own) in enumerate(zip(self.entities, self.words, strict=True)):
            self._take_in(number, own, is_curated=entity.origin == "file")
        self._scale = math.log(len(self.entities) + 1) or 1.0
        self._weights: dict[str, float] = {}

    def weight(self, term: str) -> float:
        """Says how much a term tells: 1 for the rarest, `COMMON` for one that every entity has.

        Smoothed inverse document frequency, scaled by the registry's size, so that a score means the same in a
        registry of thirty and of ten thousand entities.
        """
        known = self._weights.get(term)
        if known is None:
            frequency = len(self.postings.get(term, ()))
            known = self.weight_of(frequency)
            if frequency:
                self._weights[term] = known
        return known

    def weight_of(self, frequency: int) -> float:
        """Says how much a term tells that so many entities have."""
        rarity = math.log((len(self.entities) + 1) / (frequency + 1)) / self._scale
        return COMMON + (1 - COMMON) * rarity

    def places(self, term: str) -> Mapping[int, int]:
        """Gives the numbers of the entities that hold a term, each with its places."""
        return self.postings.get(term, {})

    def _take_in(self, number: int, words: Words, *, is_curated: bool) -> None:
        places = (
            (words.name, NAME),
            (words.compounds, KEYWORD),
            (words.keywords, KEYWORD if is_curated else ASIDE),
            (words.purpose, PURPOSE),
            (words.path, ASIDE),
        )
        postings = self.postings
        for roots, place in places:
            for root in roots:
                held = postings.get(root)
                if held is None:
                    held = postings[root] = {}
                held[number] = held.get(number, 0) | place


def words_of_entity(entity: Entity) -> Words:
    """Takes an entity's words apart."""
    name = name_of(entity)
    places = (
        roots_of([name]),
        roots_of(entity.keywords),
        roots_of([entity.purpose]),
        wholes_of([name, *entity.keywords, entity.purpose]),
        roots_of([entity.path]),
    )
    return Words(*(tuple(sorted(roots)) for roots in places))


def name_of(entity: Entity) -> str:
    """Gives what an entity is called, without the folders and the suffix of the file it may be named after."""
    name = entity.key.rpartition("#")[2].rpartition("/")[2]
    if entity.type == "method" and entity.origin == "code":
        return name.rpartition(".")[2]
    return name.partition(".")[0] or name if entity.origin == "code" and "#" not in entity.key else name
