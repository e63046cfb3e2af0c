"""`registry/refresh`: checksums, count and date as the files are now; and entities derived from the code."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from sidecar.call import Call
from sidecar.codebase import Listing, Repository, StateFailed, repository_of
from sidecar.core.errors import (
    Busy,
    Cancelled,
    Conflict,
    PolicyDenied,
    StateDegraded,
    TooLarge,
    WorkspaceUnavailable,
)
from sidecar.lifecycle import Progress, ProgressParams
from sidecar.method import Lane, method
from sidecar.registry import store
from sidecar.registry.code.deriving import Derived, derive
from sidecar.registry.code.facts import Facts, facts_of, type_of
from sidecar.registry.entity import Entity, Registry
from sidecar.registry.file.changing import Change, changed
from sidecar.registry.file.document import parse
from sidecar.registry.file.editing import Value, put_fields
from sidecar.registry.file.places import MAX_ENTITY_BYTES, read_below
from sidecar.registry.loading import registry_of
from sidecar.registry.write_model import (
    ChangeEntry,
    DerivedChanges,
    ProblemEntry,
    RegistryRefreshParams,
    RegistryRefreshResult,
)
from sidecar.workspace import Workspace

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
    gone = (one for one in written if _checksum(project, one) is None)
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
        now = _checksum(project, entity)
        if now and now != entity.checksum:
            changes.append(Change(entity.id, "checksum", entity.checksum or None, now))
            noted[entity.category, entity.key] = {"checksum": now}
    return put_fields(text, noted) if noted else text, changes


def _checksum(project: Path, entity: Entity) -> str | None:
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
