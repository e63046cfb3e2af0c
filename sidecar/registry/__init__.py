"""The registry of a project's entities: reuse decisions, impact analysis, health checks."""

from sidecar.registry.entities import Entity, Metadata, Registry
from sidecar.registry.health import articles_in, has_placeholder, missing_sections, roman
from sidecar.registry.impact import impact_level, impact_of
from sidecar.registry.project_registry import follow_code
from sidecar.registry.registry_file import OWN_REGISTRY, put_entity, remove_entity, set_metadata
from sidecar.registry.registry_file import parse as parse_registry
from sidecar.registry.reuse_decision import ADAPT_FROM, REUSE_FROM, Hint, decision_of, hint_for, is_unread, match_intent
from sidecar.registry.scoring import RegistryIndex, intent_terms, score, scores
