"""`registry/list`, `get`, `impact`, `decide` and `decisions`."""

import hashlib
from dataclasses import asdict

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
from sidecar.core.text import one_line
from sidecar.method import Lane, method
from sidecar.registry import store
from sidecar.registry.decision import Impact, Recommendation, decide, exists_in, impact_on
from sidecar.registry.entities import Entity, Registry, Remark, adaptability_level
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
from sidecar.registry.project_registry import LoadedRegistry, registry_for_call
from sidecar.registry.registry_file import MAX_ENTITY_BYTES, read_project_file
from sidecar.workspace import Workspace

MAX_DEPENDENTS = 200
"""Maximum number of dependents in a message."""

MAX_INTENT = 500
"""Maximum length of a recorded intent, in characters."""


def entity_entry(entity: Entity) -> EntityEntry:
    """Convert an entity."""
    return EntityEntry(
        id=entity.id,
        path=entity.path,
        type=entity.type,
        purpose=entity.purpose,
        keywords=list(entity.keywords),
        dependencies=list(entity.dependencies),
        adaptability=entity.adaptability,
        adaptability_level=adaptability_level(entity.adaptability),
        checksum=entity.checksum or None,
        origin=entity.origin,
    )


def impact_entry(impact: Impact) -> ImpactEntry:
    """Convert an impact; dependents beyond `MAX_DEPENDENTS` are only counted."""
    return ImpactEntry(
        level=impact.level,
        count=len(impact.dependents),
        dependents=[ReachedEntry(**dependent._asdict()) for dependent in impact.dependents[:MAX_DEPENDENTS]],
    )


def recommendation_entry(recommendation: Recommendation) -> RecommendationEntry:
    """Convert a recommendation; its decision was made on the unrounded score."""
    return RecommendationEntry(
        entity=entity_entry(recommendation.entity),
        decision=recommendation.decision,
        score=recommendation.score.score,
        keyword_score=recommendation.score.keywords,
        purpose_score=recommendation.score.purpose,
        matched=list(recommendation.score.matched),
        missing=list(recommendation.score.missing),
        impact=impact_entry(recommendation.impact) if recommendation.impact else None,
        reasons=list(recommendation.reasons),
    )


def source_of(loaded: LoadedRegistry) -> RegistrySource:
    """Convert the source of a registry."""
    metadata = loaded.registry.metadata
    return RegistrySource(
        path=loaded.file.path,
        exists=loaded.file.content is not None,
        version=metadata.version,
        last_updated=metadata.last_updated,
        declared_count=metadata.entity_count,
        damage=loaded.damage,
    )


def remark_entry(remark: Remark) -> RemarkEntry:
    """Convert a remark."""
    return RemarkEntry(**remark._asdict())


def list_entities(call: Call, params: RegistryListParams) -> RegistryListResult:
    """List a project's entities in the file's order, with warnings about the file.

    The file is `chati.dev/data/entity-registry.yaml` if it exists, else `.chati/registry.yaml`.
    """
    loaded = registry_for_call(call, params)[1].load()
    entities = [entity for entity in loaded.registry.entities if _matches(entity, params)]
    return RegistryListResult(
        source=source_of(loaded),
        total=len(entities),
        entities=[entity_entry(entity) for entity in entities[params.offset : params.offset + params.limit]],
        remarks=[remark_entry(remark) for remark in loaded.registry.remarks],
    )


def get_entity(call: Call, params: RegistryEntityParams) -> RegistryGetResult:
    """Return an entity, its dependencies and dependents, and whether its file matches its checksum."""
    workspace, project_registry = registry_for_call(call, params)
    registry = project_registry.load().registry
    entity = entity_named(registry, params.id)
    dependencies_by_name = ((name, registry.resolve(name, entity)) for name in entity.dependencies)
    return RegistryGetResult(
        entity=entity_entry(entity),
        dependencies=[
            DependencyEntry(name=name, id=dependency_entity.id if dependency_entity else None)
            for name, dependency_entity in dependencies_by_name
        ],
        dependents=list(registry.dependents.get(entity.id, ())),
        file=_file_of(workspace, entity),
    )


def impact(call: Call, params: RegistryEntityParams) -> RegistryImpactResult:
    """Return the impact of changing an entity: all direct and transitive dependents, each once."""
    registry = registry_for_call(call, params)[1].load().registry
    entity = entity_named(registry, params.id)
    return RegistryImpactResult(entity=entity_entry(entity), impact=impact_entry(impact_on(registry, entity)))


def entity_named(registry: Registry, name: str) -> Entity:
    """Return the entity with an id or key; raise NotFound, and Conflict for an ambiguous key."""
    matches = registry.lookup(name)
    if not matches:
        raise NotFound("There is no entity with that id.", hint="`registry/list` lists the entities.")
    if len(matches) > 1:
        ids = ", ".join(f"`{entity.id}`" for entity in matches[:5])
        raise Conflict("Several entities have that key.", hint=f"Use one of {ids}.")
    return matches[0]


def _matches(entity: Entity, params: RegistryListParams) -> bool:
    return (
        params.type in (None, entity.type)
        and params.category in (None, entity.category)
        and params.origin in (None, entity.origin)
    )


def _file_of(workspace: Workspace, entity: Entity) -> FileState:
    try:
        content = read_project_file(workspace.project, entity.path, MAX_ENTITY_BYTES)
    except PolicyDenied:
        return "outside"
    except TooLarge:
        return "unverified"
    if content is None:
        return "missing"
    if not entity.checksum:
        return "unverified"
    return "matches" if hashlib.sha256(content).hexdigest() == entity.checksum else "differs"


def decide_intent(call: Call, params: RegistryDecideParams) -> RegistryDecideResult:
    """Decide whether an entity for an intent already exists: REUSE (from 90), ADAPT (from 60) or CREATE.

    Score: 60 % the intent's words in keywords, name and purpose, weighted by rarity; 40 % in name and purpose, less if
    the entity covers more than the intent. Scores are compared unrounded. One word, or a kind's name, is no match; an
    entity's own words (at least two) score 100. Entities whose file is gone are left out. The same registry and intent
    yield the same answer. The decision is recorded and changes nothing else.
    """
    workspace, project_registry = registry_for_call(call, params)
    registry = project_registry.load().registry
    match = decide(
        params.intent, registry, project_registry.index(registry), params.limit, params.type, exists_in(workspace)
    )
    matches = match.recommendations
    entities = registry.entities
    of_type = len(entities) if params.type is None else sum(entity.type == params.type for entity in entities)
    best = matches[0] if matches else None
    decision_id = short_id([registry.digest, params.intent, params.type, params.limit], 16)
    return RegistryDecideResult(
        decision_id=decision_id,
        decision=best.decision if best else "CREATE",
        ambiguous=match.ambiguous,
        considered=of_type,
        problem=None if entities else "The registry is empty; `registry/refresh` with `fromCode` fills it.",
        recommendations=[recommendation_entry(match) for match in matches],
        recorded=bool(entities) and _record(call, workspace, decision_id, params, registry, best),
    )


def decisions(call: Call, params: RegistryDecisionsParams) -> RegistryDecisionsResult:
    """Return a project's last decisions, newest first; a hundred are stored."""
    project = call.process.workspaces.get(params.cwd, params.project_path).project_key
    with call.database.read() as tx:
        rows = store.decisions(tx, project, params.limit)
    return RegistryDecisionsResult(
        decisions=[
            DecisionEntry(decision_id=row.decision_id, at=rfc3339(row.at_ms), times=row.times, **asdict(row.decision))
            for row in rows
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
    decision = store.StoredDecision(
        intent=one_line(params.intent, MAX_INTENT),
        type=params.type,
        decision=best.decision if best else "CREATE",
        score=best.score.score if best else 0.0,
        entity_id=best.entity.id if best else None,
        registry=registry.digest,
    )
    try:
        with call.database.write(durable=False) as tx:
            store.put_decision(tx, workspace.project_key, decision_id, call.now_ms(), decision)
    except SidecarError as error:  # an unrecorded decision is still valid
        call.log.warning("registry.decision.unrecorded", reason=error.kind)
        return False
    return True


_ERRORS = (WorkspaceUnavailable, PolicyDenied, TooLarge, StateDegraded)

METHODS = (
    method("registry/list", list_entities, lane=Lane.SHARED, errors=_ERRORS),
    method("registry/get", get_entity, lane=Lane.SHARED, errors=(*_ERRORS, NotFound, Conflict)),
    method("registry/impact", impact, lane=Lane.SHARED, errors=(*_ERRORS, NotFound, Conflict)),
    method("registry/decide", decide_intent, lane=Lane.SHARED, errors=_ERRORS),
    method("registry/decisions", decisions, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
)
