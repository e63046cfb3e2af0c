"""The reuse decision: REUSE, ADAPT or CREATE for an intent (intelligence-layer.md 5.2, Article XIV). Pure."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from sidecar.registry.entity import IMPACT_REQUIRED_BELOW, Entity, Registry, adaptability_level
from sidecar.registry.impact import ImpactLevel, Reached, impact_level, impact_of
from sidecar.registry.index import Index
from sidecar.registry.scoring import Score, scores, terms_of

Decision = Literal["REUSE", "ADAPT", "CREATE"]

REUSE_FROM, ADAPT_FROM = 90.0, 60.0
"""Minimum scores, compared unrounded (intelligence-layer.md 5.2; decisions.md, Registry)."""

SHOWN_MISSING = 6


class Impact(NamedTuple):
    """The impact of adapting an entity."""

    level: ImpactLevel
    dependents: tuple[Reached, ...]


class Recommendation(NamedTuple):
    """The decision for one entity, and its reasons."""

    entity: Entity
    decision: Decision
    score: Score
    impact: Impact | None
    """Present if adapting it requires an impact analysis first."""
    reasons: tuple[str, ...]


def decide(intent: str, registry: Registry, index: Index, limit: int, type_: str | None = None) -> list[Recommendation]:
    """Return the best matches, best first, hence REUSE before ADAPT before CREATE."""
    best = scores(terms_of(intent, index), index, limit, type_)
    return [_recommendation(score, index.entities[score.number], registry) for score in best]


def decision_of(score: float) -> Decision:
    """Return the decision for a score."""
    if score >= REUSE_FROM:
        return "REUSE"
    return "ADAPT" if score >= ADAPT_FROM else "CREATE"


def impact_on(registry: Registry, entity: Entity) -> Impact:
    """Return the impact of changing an entity."""
    dependents = tuple(impact_of(registry, entity.id))
    return Impact(impact_level(entity.adaptability, len(dependents)), dependents)


def _recommendation(score: Score, entity: Entity, registry: Registry) -> Recommendation:
    decision = decision_of(score.score)
    needs_impact = decision == "ADAPT" and entity.adaptability < IMPACT_REQUIRED_BELOW
    impact = impact_on(registry, entity) if needs_impact else None
    return Recommendation(entity, decision, score, impact, tuple(_reasons(decision, entity, score, impact)))


def _reasons(decision: Decision, entity: Entity, score: Score, impact: Impact | None) -> Sequence[str]:
    covered = f"It covers {_join_words(score.matched)}."
    lacking = [f"It does not cover {_join_words(score.missing)}."] if score.missing else []
    match decision:
        case "REUSE":
            return [f"`{entity.key}` matches at {score.score:.1f} %: use it as it is.", covered, *lacking]
        case "ADAPT":
            return [
                f"`{entity.key}` is similar at {score.score:.1f} %.",
                covered,
                *lacking,
                _care_sentence(entity, impact),
            ]
        case "CREATE":
            return [f"`{entity.key}` matches at only {score.score:.1f} %.", covered, *lacking]


def _care_sentence(entity: Entity, impact: Impact | None) -> str:
    if impact is None:
        level = adaptability_level(entity.adaptability)
        care = "it is safe to adapt" if level == "high" else "check its dependents before adapting it"
        return f"Its adaptability is {level} ({entity.adaptability:g}): {care}."
    count = len(impact.dependents)
    who = "no entity depends" if not count else f"{count} {'entity depends' if count == 1 else 'entities depend'}"
    sentence = f"Its adaptability is {entity.adaptability:g}, below {IMPACT_REQUIRED_BELOW:g}: {who} on it"
    return f"{sentence}. Weigh that before you change it."


def _join_words(words: Sequence[str]) -> str:
    shown = ", ".join(f"`{word}`" for word in words[:SHOWN_MISSING])
    return shown + (f" and {len(words) - SHOWN_MISSING} more" if len(words) > SHOWN_MISSING else "")
