"""Inverted index of a registry: term → entities that contain it, and in which field. Pure; built once per registry."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.registry.entities import Entity
from sidecar.registry.stemming_and_synonyms import compound_roots, function_words_of, roots_of

NAME, KEYWORD, PURPOSE, INCIDENTAL = 1, 2, 4, 8
"""Fields of an entity that contain a term, as a bit mask. INCIDENTAL: its path, or keywords nobody chose (derived from
parameters and nearby words).
"""

COMMON = 0.35
"""Weight of a term that every entity contains; rarer ones weigh up to 1."""


Roots = tuple[str, ...]


class EntityWords(NamedTuple):
    """An entity's roots by field, each sorted."""

    name: Roots
    keywords: Roots
    purpose: Roots
    compounds: Roots
    """Compounds written as one word."""
    path: Roots


class Index:
    """The immutable index of a registry."""

    def __init__(self, entities: Sequence[Entity], words: Sequence[EntityWords] | None = None) -> None:
        """`words` are the entities' words, if known."""
        self.entities = tuple(entities)
        self.words = tuple(words) if words is not None else tuple(map(words_of_entity, self.entities))
        self.postings: dict[str, dict[int, int]] = {}
        for number, (entity, entity_words) in enumerate(zip(self.entities, self.words, strict=True)):
            self._add_entity(number, entity_words, is_curated=entity.origin == "file")
        self._scale = math.log(len(self.entities) + 1) or 1.0
        self._weights: dict[str, float] = {}

    def weight(self, term: str) -> float:
        """Return a term's weight: 1 for the rarest, `COMMON` for one that every entity contains.

        Smoothed inverse document frequency, scaled by the registry's size, so that a score means the same in a registry
        of thirty and of ten thousand entities.
        """
        known = self._weights.get(term)
        if known is None:
            frequency = len(self.postings.get(term, ()))
            known = self.weight_of(frequency)
            if frequency:
                self._weights[term] = known
        return known

    def weight_of(self, frequency: int) -> float:
        """Return the weight of a term with this document frequency."""
        rarity = math.log((len(self.entities) + 1) / (frequency + 1)) / self._scale
        return COMMON + (1 - COMMON) * rarity

    def fields(self, term: str) -> Mapping[int, int]:
        """Return the numbers of the entities that contain a term, each with the mask of its fields."""
        return self.postings.get(term, {})

    def _add_entity(self, number: int, words: EntityWords, *, is_curated: bool) -> None:
        fields = (
            (words.name, NAME),
            (words.compounds, KEYWORD),
            (words.keywords, KEYWORD if is_curated else INCIDENTAL),
            (words.purpose, PURPOSE),
            (words.path, INCIDENTAL),
        )
        postings = self.postings
        for roots, field in fields:
            for root in roots:
                masks = postings.get(root)
                if masks is None:
                    masks = postings[root] = {}
                masks[number] = masks.get(number, 0) | field


def words_of_entity(entity: Entity) -> EntityWords:
    """Return the roots of an entity's fields."""
    name = display_name(entity)
    name_roots = roots_of([name])
    fields = (
        name_roots | function_words_of(name) if name_roots else name_roots,
        roots_of(entity.keywords),
        roots_of([entity.purpose]),
        compound_roots([name, *entity.keywords, entity.purpose]),
        roots_of([entity.path]),
    )
    return EntityWords(*(tuple(sorted(roots)) for roots in fields))


def display_name(entity: Entity) -> str:
    """Return an entity's name without the folders and suffix of its file."""
    name = entity.key.rpartition("#")[2].rpartition("/")[2]
    if entity.type == "method" and entity.origin == "code":
        return name.rpartition(".")[2]
    return name.partition(".")[0] or name if entity.origin == "code" and "#" not in entity.key else name
