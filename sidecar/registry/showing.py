"""Entities and decisions as messages. Pure."""

from sidecar.registry.entity import Entity, Remark, level_of
from sidecar.registry.loading import Loaded
from sidecar.registry.matching.deciding import Impact, Recommendation
from sidecar.registry.model import (
    EntityEntry,
    ImpactEntry,
    ReachedEntry,
    RecommendationEntry,
    RegistrySource,
    RemarkEntry,
)

MOST_DEPENDENTS = 200


def entity_entry(entity: Entity) -> EntityEntry:
    """Shows an entity."""
    return EntityEntry(
        id=entity.id,
        path=entity.path,
        type=entity.type,
        purpose=entity.purpose,
        keywords=list(entity.keywords),
        dependencies=list(entity.dependencies),
        adaptability=entity.adaptability,
        adaptability_level=level_of(entity.adaptability),
        checksum=entity.checksum or None,
        origin=entity.origin,
    )


def impact_entry(impact: Impact) -> ImpactEntry:
    """Shows what a change reaches."""
    return ImpactEntry(
        level=impact.level,
        count=len(impact.dependents),
        dependents=[ReachedEntry(**one._asdict()) for one in impact.dependents[:MOST_DEPENDENTS]],
    )


def recommendation_entry(one: Recommendation) -> RecommendationEntry:
    """Shows a recommendation; its decision was made on the unrounded score."""
    return RecommendationEntry(
        entity=entity_entry(one.entity),
        decision=one.decision,
        score=one.score.score,
        keyword_score=one.score.keywords,
        purpose_score=one.score.purpose,
        matched=list(one.score.matched),
        missing=list(one.score.missing),
        impact=impact_entry(one.impact) if one.impact else None,
        reasons=list(one.reasons),
    )


def source_of(loaded: Loaded) -> RegistrySource:
    """Shows where a registry comes from."""
    metadata = loaded.registry.metadata
    return RegistrySource(
        path=loaded.place.path,
        exists=loaded.place.content is not None,
        version=metadata.version,
        last_updated=metadata.last_updated,
        declared_count=metadata.entity_count,
        damage=loaded.damage,
    )


def remark_entry(remark: Remark) -> RemarkEntry:
    """Shows a remark."""
    return RemarkEntry(**remark._asdict())
