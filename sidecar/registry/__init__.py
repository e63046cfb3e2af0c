"""The registry of a project's entities: reuse decisions, impact analysis, health checks."""

from sidecar.registry.entities import Entity, Metadata, Registry
from sidecar.registry.health import articles_in, has_placeholder, missing_sections, roman
from sidecar.registry.impact import impact_level, impact_of
from sidecar.registry.project_registry import follow_code
from sidecar.registry.registry_file import OWN_REGISTRY, put_entity, remove_entity, set_metadata
from sidecar.registry.registry_file import parse as parse_registry
from sidecar.registry.reuse_decision import ADAPT_FROM, REUSE_FROM, Hint, decision_of, hint_for, is_unread, match_intent
from sidecar.registry.scoring import RegistryIndex, intent_terms, score, scores

__all__ = [
    "ADAPT_FROM",
    "OWN_REGISTRY",
    "REUSE_FROM",
    "Entity",
    "Hint",
    "Metadata",
    "Registry",
    "RegistryIndex",
    "articles_in",
    "decision_of",
    "follow_code",
    "has_placeholder",
    "hint_for",
    "impact_level",
    "impact_of",
    "intent_terms",
    "is_unread",
    "match_intent",
    "missing_sections",
    "parse_registry",
    "put_entity",
    "remove_entity",
    "roman",
    "score",
    "scores",
    "set_metadata",
]
