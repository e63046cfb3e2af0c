"""`registry/put` and `registry/remove`: the registry's file says what there is."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from sidecar.call import Call
from sidecar.core.errors import (
    Busy,
    Conflict,
    InvalidParams,
    NotFound,
    PolicyDenied,
    StateDegraded,
    TooLarge,
    WorkspaceUnavailable,
)
from sidecar.method import Lane, method
from sidecar.registry import store
from sidecar.registry.code.deriving import CATEGORY
from sidecar.registry.entity import Entity, Registry
from sidecar.registry.file.changing import Change, Changed, changed
from sidecar.registry.file.editing import Value, put_entity, remove_entity, shown_change
from sidecar.registry.file.places import MAX_ENTITY_BYTES, inside, read_below
from sidecar.registry.loading import registry_of
from sidecar.registry.look_methods import entity_named
from sidecar.registry.showing import entity_entry
from sidecar.registry.write_model import ChangeEntry, RegistryPutParams, RegistryRemoveParams, RegistryWriteResult

_SAID = ("path", "type", "purpose", "keywords", "dependencies", "adaptability")


def put(call: Call, params: RegistryPutParams) -> RegistryWriteResult:
    """Adds an entity to the registry's file or changes one in it; all else in the file stays as it is written.

    Its checksum is that of its file now. One that was derived from code becomes the user's own, and the code no
    longer changes it.
    """
    workspace, held = registry_of(call, params)
    known = _known(held.load().registry, params)
    category, key = (known.category, known.key) if known else _place(held.load().registry, params)
    fields = _fields(workspace.project, params, known)

    def edit(text: str) -> tuple[str, list[Change]]:
        changes = _changes(f"{category}/{key}", known, fields)
        return (put_entity(text, category, key, fields) if fields else text), changes

    done = changed(workspace.project, call.now(), edit, dry_run=params.dry_run)
    if category == CATEGORY and not params.dry_run:
        with call.database.write() as tx:
            store.welcome(tx, workspace.project_key, f"{category}/{key}")
    registry = held.load().registry
    return _result(done, registry, registry.by_id.get(f"{category}/{key}"))


def remove(call: Call, params: RegistryRemoveParams) -> RegistryWriteResult:
    """Takes an entity out of the registry: out of its file, and out of what is derived from code, for good.

    The entity's own file stays. `registry/put` takes it back.
    """
    workspace, held = registry_of(call, params)
    entity = entity_named(held.load().registry, params.id)
    gone = [Change(entity.id, "*", entity.path, None)]
    if entity.origin == "file":
        done = changed(
            workspace.project,
            call.now(),
            lambda text: (remove_entity(text, entity.category, entity.key), gone),
            dry_run=params.dry_run,
        )
    else:
        done = Changed(held.load().place.path, gone, written=False, backup=None)
    if entity.category == CATEGORY and not params.dry_run:
        with call.database.write() as tx:
            store.dismiss(tx, workspace.project_key, entity.id, call.now_ms())
    registry = held.load().registry
    return _result(done, registry, registry.by_id.get(entity.id))


def _known(registry: Registry, params: RegistryPutParams) -> Entity | None:
    """Gives the entity that is to be changed; raises Conflict for a key that several have."""
    return entity_named(registry, params.id) if registry.named(params.id) else None


def _place(registry: Registry, params: RegistryPutParams) -> tuple[str, str]:
    """Says in which category a new entity belongs: the one it names, else the one its type's others are in."""
    if params.path is None or params.purpose is None:
        raise InvalidParams(
            "A new entity has a `path` and a `purpose`.", hint="There is none of that id to be changed."
        )
    category, slash, key = params.id.partition("/")
    if slash and category and key:
        return category, key
    if params.type is None:
        raise InvalidParams("A new entity needs its category or its `type`.", hint="Send `id` as `<category>/<key>`.")
    same = (one.category for one in registry.entities if one.type == params.type and one.origin == "file")
    return next(same, f"{params.type.removesuffix('s')}s"), params.id


def _fields(project: Path, params: RegistryPutParams, known: Entity | None) -> dict[str, Value]:
    """Gives the fields that are to be written: those sent that differ, and the checksum of the file as it is now."""
    sent = {name: getattr(params, name) for name in _SAID if getattr(params, name) is not None}
    base: dict[str, Value] = {}
    if known is not None and known.origin == "code":
        base = {name: _value(getattr(known, name)) for name in _SAID}
    path = params.path or (known.path if known else "")
    inside(project, path)
    wanted = {**base, **sent, **_checksum(project, path)}
    if known is None or known.origin == "code":
        return wanted
    return {name: value for name, value in wanted.items() if _value(getattr(known, name)) != value}


def _checksum(project: Path, path: str) -> dict[str, Value]:
    content = read_below(project, path, MAX_ENTITY_BYTES)
    return {} if content is None else {"checksum": hashlib.sha256(content).hexdigest()}


def _value(value: Value) -> Value:
    return list(value) if isinstance(value, tuple) else value


def _changes(entity_id: str, known: Entity | None, fields: Mapping[str, Value]) -> list[Change]:
    if known is None:
        return [Change(entity_id, "*", None, str(fields["path"]))]
    return [
        Change(entity_id, name, shown_change(getattr(known, name)), shown_change(value))
        for name, value in fields.items()
    ]


def _result(done: Changed, registry: Registry, entity: Entity | None) -> RegistryWriteResult:
    return RegistryWriteResult(
        path=done.path,
        changes=[ChangeEntry(**one._asdict()) for one in done.changes],
        written=done.written,
        backup=done.backup,
        entity=entity_entry(entity) if entity else None,
        orphaned=sorted({one.id for one, _ in registry.orphans()}),
    )


_ERRORS = (WorkspaceUnavailable, PolicyDenied, TooLarge, Conflict, Busy, StateDegraded)

METHODS = (
    method("registry/put", put, lane=Lane.WORKSPACE, errors=(*_ERRORS, InvalidParams)),
    method("registry/remove", remove, lane=Lane.WORKSPACE, errors=(*_ERRORS, NotFound)),
)
