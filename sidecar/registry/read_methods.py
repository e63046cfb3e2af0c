"""`registry/list`, `get` and `impact`: what there is, what it needs and what needs it."""

import hashlib

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.digests import short_id
from sidecar.core.errors import (
    Conflict,
    NotFound,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    TooLarge,
    WorkspaceUnavailable,
)
from sidecar.core.text.sanitize import one_line
from sidecar.method import Lane, method
from sidecar.registry import store
from sidecar.registry.decision import Impact, Recommendation, decide, impact_on
from sidecar.registry.entity import Entity, Registry, Remark, level_of
from sidecar.registry.model import (
    DecisionEntry,
    DependencyEntry,
    EntityEntry,
    FileState,
    ImpactEntry,
    ReachedEntry,
    RecommendationEntry,
    RegistryDecideParams,
    RegistryDecideResult,
    RegistryDecisionsParams,
    RegistryDecisionsResult,
    RegistryEntityParams,
    RegistryGetResult,
    RegistryImpactResult,
    RegistryListParams,
    RegistryListResult,
    RegistrySource,
    RemarkEntry,
)
from sidecar.registry.project_registry import Loaded, registry_of
from sidecar.registry.registry_file import MAX_ENTITY_BYTES, read_below
from sidecar.workspace import Workspace

# Entities and decisions as messages. Pure.


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


def list_entities(call: Call, params: RegistryListParams) -> RegistryListResult:
    """Lists a project's entities in the file's order, and what is odd about the file.

    The file is `chati.dev/data/entity-registry.yaml` where there is one, else `.chati/registry.yaml`.
    """
    loaded = registry_of(call, params)[1].load()
    found = [one for one in loaded.registry.entities if _is_asked(one, params)]
    return RegistryListResult(
        source=source_of(loaded),
        total=len(found),
        entities=[entity_entry(one) for one in found[params.offset : params.offset + params.limit]],
        remarks=[remark_entry(one) for one in loaded.registry.remarks],
    )


def get_entity(call: Call, params: RegistryEntityParams) -> RegistryGetResult:
    """Shows an entity, what it needs, what needs it, and whether its file is as its checksum says."""
    workspace, held = registry_of(call, params)
    registry = held.load().registry
    entity = entity_named(registry, params.id)
    needed = ((name, registry.resolve(name, entity)) for name in entity.dependencies)
    return RegistryGetResult(
        entity=entity_entry(entity),
        dependencies=[DependencyEntry(name=name, id=found.id if found else None) for name, found in needed],
        dependents=list(registry.dependents.get(entity.id, ())),
        file=_file_of(workspace, entity),
    )


def impact(call: Call, params: RegistryEntityParams) -> RegistryImpactResult:
    """Tells what a change of an entity reaches: everything that needs it, directly or through others, each once."""
    registry = registry_of(call, params)[1].load().registry
    entity = entity_named(registry, params.id)
    return RegistryImpactResult(entity=entity_entry(entity), impact=impact_entry(impact_on(registry, entity)))


def entity_named(registry: Registry, name: str) -> Entity:
    """Gives the entity an id or a key names; raises NotFound, and Conflict for a key that several have."""
    found = registry.named(name)
    if not found:
        raise NotFound("There is no entity of that id.", hint="`registry/list` shows them.")
    if len(found) > 1:
        ids = ", ".join(f"`{one.id}`" for one in found[:5])
        raise Conflict("Several entities have that key.", hint=f"Ask for one of {ids}.")
    return found[0]


def _is_asked(entity: Entity, params: RegistryListParams) -> bool:
    return (
        params.type in (None, entity.type)
        and params.category in (None, entity.category)
        and params.origin in (None, entity.origin)
    )


def _file_of(workspace: Workspace, entity: Entity) -> FileState:
    try:
        content = read_below(workspace.project, entity.path, MAX_ENTITY_BYTES)
    except PolicyDenied:
        return "outside"
    except TooLarge:
        return "unverified"
    if content is None:
        return "missing"
    if not entity.checksum:
        return "unverified"
    return "matches" if hashlib.sha256(content).hexdigest() == entity.checksum else "differs"


_ERRORS = (WorkspaceUnavailable, PolicyDenied, TooLarge, StateDegraded)

METHODS = (
    method("registry/list", list_entities, lane=Lane.SHARED, errors=_ERRORS),
    method("registry/get", get_entity, lane=Lane.SHARED, errors=(*_ERRORS, NotFound, Conflict)),
    method("registry/impact", impact, lane=Lane.SHARED, errors=(*_ERRORS, NotFound, Conflict)),
)


# `registry/decide` and `registry/decisions`: whether something new is needed, and what was decided before.


MAX_INTENT = 500
"""Characters of an intent that are kept with its decision."""


def decide_intent(call: Call, params: RegistryDecideParams) -> RegistryDecideResult:
    """Says whether what an intent asks for is there already: REUSE (from 90), ADAPT (from 60) or CREATE.

    Score: 60 % the intent's words in keywords, name and purpose, weighted by rarity; 40 % in name and purpose, less
    where the entity is about more than the intent. Scores are compared unrounded. The same registry and intent give
    the same answer. The decision is kept, and changes nothing else.
    """
    workspace, held = registry_of(call, params)
    registry = held.load().registry
    found = decide(params.intent, registry, held.index(registry), params.limit, params.type)
    entities = registry.entities
    of_type = len(entities) if params.type is None else sum(one.type == params.type for one in entities)
    best = found[0] if found else None
    decision_id = short_id([registry.digest, params.intent, params.type, params.limit], 16)
    return RegistryDecideResult(
        decision_id=decision_id,
        decision=best.decision if best else "CREATE",
        considered=of_type,
        recommendations=[recommendation_entry(one) for one in found],
        recorded=_record(call, workspace, decision_id, params, registry, best),
    )


def decisions(call: Call, params: RegistryDecisionsParams) -> RegistryDecisionsResult:
    """Shows a project's last decisions, the latest first; a hundred are kept."""
    project = call.process.workspaces.get(params.cwd, params.project_path).project_key
    with call.database.read() as tx:
        rows = store.decisions(tx, project, params.limit)
    return RegistryDecisionsResult(
        decisions=[
            DecisionEntry(decision_id=decision_id, at=rfc3339(at_ms), times=times, **value)
            for decision_id, at_ms, times, value in rows
        ]
    )


def _record(
    call: Call,
    workspace: Workspace,
    decision_id: str,
    params: RegistryDecideParams,
    registry: Registry,
    best: Recommendation | None,
) -> bool:
    value = {
        "intent": one_line(params.intent, MAX_INTENT),
        "type": params.type,
        "decision": best.decision if best else "CREATE",
        "score": best.score.score if best else 0.0,
        "entity_id": best.entity.id if best else None,
        "registry": registry.digest,
    }
    try:
        with call.database.write(durable=False) as tx:
            store.put_decision(tx, workspace.project_key, decision_id, call.now_ms(), value)
    except SidecarError as error:  # a decision that is not recorded is a decision still
        call.log.warning("registry.decision.unrecorded", reason=error.kind)
        return False
    return True


METHODS_DECIDE_METHODS = (
    method(
        "registry/decide",
        decide_intent,
        lane=Lane.SHARED,
        errors=(WorkspaceUnavailable, PolicyDenied, TooLarge, StateDegraded),
    ),
    method("registry/decisions", decisions, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
)
