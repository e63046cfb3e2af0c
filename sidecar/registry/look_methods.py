"""`registry/list`, `get` and `impact`: what there is, what it needs and what needs it."""

import hashlib

from sidecar.call import Call
from sidecar.core.errors import Conflict, NotFound, PolicyDenied, StateDegraded, TooLarge, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.registry.entity import Entity, Registry
from sidecar.registry.file.places import MAX_ENTITY_BYTES, read_below
from sidecar.registry.loading import registry_of
from sidecar.registry.matching.deciding import impact_on
from sidecar.registry.model import (
    DependencyEntry,
    FileState,
    RegistryEntityParams,
    RegistryGetResult,
    RegistryImpactResult,
    RegistryListParams,
    RegistryListResult,
)
from sidecar.registry.showing import entity_entry, impact_entry, remark_entry, source_of
from sidecar.workspace import Workspace


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
