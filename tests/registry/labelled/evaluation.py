"""How well decisions are made on the labelled intents: by our score, and by counting shared words."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import orjson

from sidecar.registry.code_entities import CATEGORY
from sidecar.registry.decision import decide, decision_of
from sidecar.registry.entity import DEFAULT_ADAPTABILITY, Entity, Metadata, Registry
from sidecar.registry.index import Index
from sidecar.registry.registry_file import parse
from tests.registry.labelled.intents import Labelled

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
STOP_WORDS = frozenset("a an and the of to in for with from by on or is i need that it its as".split())


class RankedFile(NamedTuple):
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
    """REUSE, ADAPT or CREATE as labelled, on whatever entity."""
    hinted: float
    """REUSE or ADAPT of a right entity: the user is told of it. Of intents that have one."""
    misled: float
    """REUSE or ADAPT of a wrong entity. Of all intents."""


Rank = Callable[[str, str], Sequence[RankedFile]]
"""(registry, intent) → the best entities, the best first."""


@cache
def registry_for_call(name: str) -> tuple[Registry, Index]:
    file = FIXTURES / f"{name}.yaml"
    registry = parse(file.read_text(encoding="utf-8")) if file.exists() else _derived(FIXTURES / f"{name}.jsonl")
    return registry, Index(registry.entities)


def _derived(file: Path) -> Registry:
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return Registry([_entity(*orjson.loads(line)) for line in lines], Metadata())


def _entity(key: str, type_: str, purpose: str, keywords: list[str]) -> Entity:
    return Entity(
        CATEGORY, key, key.partition("#")[0], type_, purpose, tuple(keywords), (), DEFAULT_ADAPTABILITY, "", "code"
    )


def ours(name: str, intent: str) -> Sequence[RankedFile]:
    """Ranks as `registry/decide` does."""
    registry, index = registry_for_call(name)
    return [RankedFile(one.entity.id, one.score.score) for one in decide(intent, registry, index, 3)]


def keyword_overlap(name: str, intent: str) -> Sequence[RankedFile]:
    """Ranks by the share of the intent's words that stand in an entity's key, keywords or purpose, as they are."""
    intent_words = _plain(intent)
    scored = [
        RankedFile(
            one.id,
            100
            * len(intent_words & _plain(f"{_name(one)} {' '.join(one.keywords)} {one.purpose} {one.type}"))
            / len(intent_words),
        )
        for one in registry_for_call(name)[0].entities
    ]
    return sorted(scored, key=lambda one: -one.score)[:3]


def _name(entity: Entity) -> str:
    return entity.key.rpartition("/")[2]


def rates(rank: Rank, intents: Sequence[Labelled]) -> Rates:
    """Measures a way of ranking."""
    ranked = [(one, rank(one.registry, one.intent)) for one in intents]
    placed = [(one, [found.id for found in best]) for one, best in ranked if one.right]
    labels = [(one, decision_of(best[0].score) if best else "CREATE", best) for one, best in ranked]
    return Rates(
        _share([ids[:1] != [] and ids[0] in one.right for one, ids in placed]),
        _share([not set(ids).isdisjoint(one.right) for one, ids in placed]),
        _share([said == one.decision and (said == "CREATE" or best[0].id in one.right) for one, said, best in labels]),
        _share([said == one.decision for one, said, _ in labels]),
        _share([said != "CREATE" and best[0].id in one.right for one, said, best in labels if one.right]),
        _share([said != "CREATE" and best[0].id not in one.right for one, said, best in labels]),
    )


def _plain(text: str) -> frozenset[str]:
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    return frozenset(words) - STOP_WORDS


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right) if right else 0.0
