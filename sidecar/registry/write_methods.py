"""`registry/put` and `registry/remove`: the registry's file says what there is."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from sidecar.call import Call
from sidecar.codebase import Listing, Repository, StateFailed, repository_of
from sidecar.core.errors import (
    Busy,
    Cancelled,
    Conflict,
    InvalidParams,
    NotFound,
    PolicyDenied,
    StateDegraded,
    TooLarge,
    WorkspaceUnavailable,
)
from sidecar.lifecycle import Progress, ProgressParams
from sidecar.method import Lane, method
from sidecar.registry import store
from sidecar.registry.code_entities import CATEGORY, Derived, Facts, derive, facts_of, type_of
from sidecar.registry.entity import Entity, Registry
from sidecar.registry.file_edit import Value, put_entity, put_fields, remove_entity, shown_change
from sidecar.registry.model import (
    ChangeEntry,
    DerivedChanges,
    ProblemEntry,
    RegistryPutParams,
    RegistryRefreshParams,
    RegistryRefreshResult,
    RegistryRemoveParams,
    RegistryWriteResult,
)
from sidecar.registry.project_registry import registry_of
from sidecar.registry.read_methods import entity_entry, entity_named
from sidecar.registry.registry_file import MAX_ENTITY_BYTES, Change, Changed, changed, inside, parse, read_below
from sidecar.workspace import Workspace

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


# `registry/refresh`: checksums, count and date as the files are now; and entities derived from the code.


AT_ONCE = 64
"""Files that are read between two looks at whether the call was cancelled."""

_MARK = "\ufeff"


def refresh(call: Call, params: RegistryRefreshParams) -> RegistryRefreshResult:
    """Brings the registry up to date: checksums of files that changed, the count, the date.

    What is gone and what leads nowhere is told, never removed. With `fromCode` also derives entities from the code
    of `cwd`: modules, public functions and classes, methods with a comment of their own, components, templates,
    scripts, by their names and comments.
    Only files whose content is new are read. Derived entities are kept apart, in the state; an entry of the file for
    the same thing stands before them.
    """
    workspace, held = registry_of(call, params)
    derived = _derived(call, workspace, params) if params.from_code else None
    loaded = held.load()
    if loaded.place.content is None and not loaded.damage:
        return RegistryRefreshResult(
            path=loaded.place.path, changes=[], written=False, backup=None, problems=[], derived=derived
        )
    done = changed(
        workspace.project, call.now(), lambda text: refreshed(workspace.project, text), dry_run=params.dry_run
    )
    return RegistryRefreshResult(
        path=done.path,
        changes=[ChangeEntry(**one._asdict()) for one in done.changes],
        written=done.written,
        backup=done.backup,
        problems=problems_of(workspace.project, held.load().registry),
        derived=derived,
    )


def problems_of(project: Path, registry: Registry) -> list[ProblemEntry]:
    """Tells what only a reader can mend: files that are gone, dependencies that lead nowhere, odd entries."""
    written = [one for one in registry.entities if one.origin == "file"]
    gone = (one for one in written if _checksum_refresh_method(project, one) is None)
    return [
        *(
            ProblemEntry(
                id=one.about,
                message=one.message,
                remedy=f"Change line {one.line} of the registry's file." if one.line else "Mend the file by hand.",
            )
            for one in registry.remarks
        ),
        *(
            ProblemEntry(
                id=one.id,
                message=f"`{one.path}` is not there.",
                remedy="Put the file back, or change the entry's path, or remove the entry.",
            )
            for one in gone
        ),
        *(
            ProblemEntry(
                id=one.id,
                message=f"It depends on `{name}`, which is not in the registry.",
                remedy="Register it, or take it out of the dependencies.",
            )
            for one, name in registry.orphans()
        ),
    ]


def refreshed(project: Path, text: str) -> tuple[str, list[Change]]:
    """Notes the checksums of files as they are; entities whose files are gone keep theirs."""
    changes: list[Change] = []
    noted: dict[tuple[str, str], dict[str, Value]] = {}
    for entity in parse(text.removeprefix(_MARK)).entities:
        now = _checksum_refresh_method(project, entity)
        if now and now != entity.checksum:
            changes.append(Change(entity.id, "checksum", entity.checksum or None, now))
            noted[entity.category, entity.key] = {"checksum": now}
    return put_fields(text, noted) if noted else text, changes


def _checksum_refresh_method(project: Path, entity: Entity) -> str | None:
    """Gives a file's checksum; None where it is gone, outside or too large to have one."""
    try:
        content = read_below(project, entity.path, MAX_ENTITY_BYTES)
    except (PolicyDenied, TooLarge):
        return None
    return None if content is None else hashlib.sha256(content).hexdigest()


def _derived(call: Call, workspace: Workspace, params: RegistryRefreshParams) -> DerivedChanges:
    repository = repository_of(workspace, call.process)
    try:
        listing = repository.listing(repository.state())
    except StateFailed as error:
        raise WorkspaceUnavailable(f"The repository's state cannot be read: {error.reason}.") from error
    project = workspace.project_key
    with call.database.read() as tx:
        known, before = store.facts(tx, project), store.derived(tx, project).entities
    files, read = _facts(call, repository, listing, known)
    made = derive(files)
    if not params.dry_run and (made.entities != before or files != known):
        with call.database.write(durable=False) as tx:
            store.put_derived(tx, project, made.entities, files, call.now_ms())
    return _compared(before, made, read)


def _facts(
    call: Call, repository: Repository, listing: Listing, known: Mapping[str, Facts]
) -> tuple[dict[str, Facts], int]:
    """Gives the facts of the files that belong into a registry, and how many had to be read."""
    wanted = {path: content for path, content in listing.files.items() if type_of(path)}
    facts = {
        path: known[path]
        for path, content in wanted.items()
        if path in known and known[path].content == content.removeprefix("w:")
    }
    unknown = sorted(path for path in wanted if path not in facts)
    for start in range(0, len(unknown), AT_ONCE):
        call.cancellation.check()
        batch = {path: wanted[path] for path in unknown[start : start + AT_ONCE]}
        texts, summaries = repository.texts(batch), repository.summaries(batch)
        for path in batch.keys() & texts.keys() & summaries.keys():
            facts[path] = facts_of(path, batch[path].removeprefix("w:"), summaries[path], texts[path])
        progress = Progress(phase="derive", done=start + len(batch), total=len(unknown))
        call.notify("$/progress", ProgressParams(token=call.request_id, value=progress))
    return facts, len(unknown)


def _compared(before: tuple[Entity, ...], made: Derived, read: int) -> DerivedChanges:
    old, new = ({one.id: one for one in entities} for entities in (before, made.entities))
    return DerivedChanges(
        total=len(new),
        added=len(new.keys() - old.keys()),
        changed=sum(old[id_] != new[id_] for id_ in old.keys() & new.keys()),
        removed=len(old.keys() - new.keys()),
        files_read=read,
        cut=made.cut,
    )


ROW = method(
    "registry/refresh",
    refresh,
    lane=Lane.JOB,
    errors=(WorkspaceUnavailable, PolicyDenied, TooLarge, Conflict, Busy, StateDegraded, Cancelled),
)
