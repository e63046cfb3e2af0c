"""Quality of decisions on the labelled intents: our score against counting shared words."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import orjson

from sidecar.registry import Entity, Metadata, Registry, RegistryIndex, decision_of, match_intent
from sidecar.registry import parse_registry as parse
from sidecar.registry.code_entities import CATEGORY
from sidecar.registry.entities import DEFAULT_ADAPTABILITY
from tests.registry.labelled.intents import Labelled

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
STOP_WORDS = frozenset("a an and the of to in for with from by on or is i need that it its as".split())


class RankedEntity(NamedTuple):
    """An entity's id with its score, 0 to 100."""

    id: str
    score: float


class Rates(NamedTuple):
    """Shares of the intents, 0 to 1."""

    top1: float
    """The right entity comes first; of intents that have one."""
    top3: float
    decisions: float
    """REUSE, ADAPT or CREATE as labelled, and for the first two on a right entity."""
    labels: float
    """REUSE, ADAPT or CREATE as labelled, on any entity."""
    hinted: float
    """REUSE or ADAPT of a right entity, so that a hint is shown; of intents that have one."""
    misled: float
    """REUSE or ADAPT of a wrong entity; of all intents."""


Rank = Callable[[str, str], Sequence[RankedEntity]]
"""(registry, intent) → the best entities, best first."""


@cache
def fixture_registry(name: str) -> tuple[Registry, RegistryIndex]:
    file = FIXTURES / f"{name}.yaml"
    registry = parse(file.read_text(encoding="utf-8")) if file.exists() else _derived(FIXTURES / f"{name}.jsonl")
    return registry, RegistryIndex(registry.entities)


def _derived(file: Path) -> Registry:
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return Registry([_entity(*orjson.loads(line)) for line in lines], Metadata())


def _entity(key: str, type_: str, purpose: str, keywords: list[str]) -> Entity:
    return Entity(
        CATEGORY, key, key.partition("#")[0], type_, purpose, tuple(keywords), (), DEFAULT_ADAPTABILITY, "", "code"
    )


def ours(name: str, intent: str) -> Sequence[RankedEntity]:
    """Rank like `registry/decide`."""
    registry, index = fixture_registry(name)
    return [
        RankedEntity(match.entity.id, match.score.score)
        for match in match_intent(intent, registry, index, 3).recommendations
    ]


def keyword_overlap(name: str, intent: str) -> Sequence[RankedEntity]:
    """Rank by the share of the intent's words in an entity's key, keywords or purpose, unstemmed."""
    intent_words = _plain(intent)
    scored = [
        RankedEntity(
            entity.id,
            100
            * len(intent_words & _plain(f"{_name(entity)} {' '.join(entity.keywords)} {entity.purpose} {entity.type}"))
            / len(intent_words),
        )
        for entity in fixture_registry(name)[0].entities
    ]
    return sorted(scored, key=lambda entity: -entity.score)[:3]


def _name(entity: Entity) -> str:
    return entity.key.rpartition("/")[2]


def rates(rank: Rank, intents: Sequence[Labelled]) -> Rates:
    """Return the rates of a ranking."""
    ranked = [(labelled, rank(labelled.registry, labelled.intent)) for labelled in intents]
    placed = [(labelled, [entity.id for entity in best]) for labelled, best in ranked if labelled.right]
    labels = [(labelled, decision_of(best[0].score) if best else "CREATE", best) for labelled, best in ranked]
    return Rates(
        _share([ids[:1] != [] and ids[0] in labelled.right for labelled, ids in placed]),
        _share([not set(ids).isdisjoint(labelled.right) for labelled, ids in placed]),
        _share(
            [
                decision == labelled.decision and (decision == "CREATE" or best[0].id in labelled.right)
                for labelled, decision, best in labels
            ]
        ),
        _share([decision == labelled.decision for labelled, decision, _ in labels]),
        _share(
            [
                decision != "CREATE" and best[0].id in labelled.right
                for labelled, decision, best in labels
                if labelled.right
            ]
        ),
        _share([decision != "CREATE" and best[0].id not in labelled.right for labelled, decision, best in labels]),
    )


def _plain(text: str) -> frozenset[str]:
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    return frozenset(words) - STOP_WORDS


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right) if right else 0.0
