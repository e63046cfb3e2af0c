"""`registry/*`, and the doctor's check of the registry."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path

from sidecar.call import Call
from sidecar.codebase import has_unsafe_name
from sidecar.connection_messages import Progress, ProgressParams
from sidecar.core.clean_text import count_noun, one_line
from sidecar.core.clock import rfc3339
from sidecar.core.digests import short_id
from sidecar.core.errors import (
    Busy,
    Cancelled,
    Conflict,
    InvalidParams,
    NotFound,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    TooLarge,
    WorkspaceUnavailable,
)
from sidecar.core.redact import redact
from sidecar.core.yaml_text import Value, shared_parses
from sidecar.method import Lane, method
from sidecar.registry import store
from sidecar.registry.code_entities import CATEGORY, Derived
from sidecar.registry.entities import Entity, Registry, checksum_of
from sidecar.registry.health import FILE_PROBLEMS, EntityFile, run_checks
from sidecar.registry.impact import Impact, adaptability_level, impact_on
from sidecar.registry.model import (
    ChangeEntry,
    DecisionEntry,
    DependencyEntry,
    DerivedChanges,
    EntityEntry,
    FileState,
    HealthCheck,
    HealthFinding,
    HealthFix,
    ImpactEntry,
    ProblemEntry,
    ReachedEntry,
    RecommendationEntry,
    RegistryDecideParams,
    RegistryDecideResult,
    RegistryDecisionsParams,
    RegistryDecisionsResult,
    RegistryEntityParams,
    RegistryGetResult,
    RegistryHealthParams,
    RegistryHealthResult,
    RegistryImpactResult,
    RegistryListParams,
    RegistryListResult,
    RegistryPutParams,
    RegistryRefreshParams,
    RegistryRefreshResult,
    RegistryRemoveParams,
    RegistrySource,
    RegistryWriteResult,
    RemarkEntry,
)
from sidecar.registry.project_registry import LoadedRegistry, derive_from_code, registry_for_call
from sidecar.registry.registry_file import (
    EditResult,
    FieldChange,
    edit_registry_file,
    find_registry_file,
    format_change,
    put_entity,
    read_entity_file,
    read_project_file,
    remove_entity,
    resolve_inside,
    update_checksums,
)
from sidecar.registry.reuse_decision import Recommendation, exists_in, match_intent
from sidecar.storage.doctor_checks import Finding as DoctorFinding
from sidecar.workspace import Workspace

FRAMEWORK = "chati.dev"
CONSTITUTION = "chati.dev/constitution.md"

MAX_FINDINGS = 2_000
"""Maximum number of findings in a message, problems first."""
MAX_DOCTOR_FINDINGS = 5

_FIELDS = ("path", "type", "purpose", "keywords", "dependencies", "adaptability")


def put(call: Call, params: RegistryPutParams) -> RegistryWriteResult:
    """Add an entity to the registry's file or change one; the rest of the file stays byte for byte.

    Its checksum is that of its current file. An entity derived from code becomes the user's own, and the code no longer
    changes it.
    """
    if has_unsafe_name(params.id) or has_unsafe_name(params.path or ""):
        raise InvalidParams("An id or a path must not contain a secret.", hint="Rename the file.")
    workspace, project_registry = registry_for_call(call, params)
    known = _existing(project_registry.load().registry, params)
    category, key = (
        (known.category, known.key) if known else _category_and_key(project_registry.load().registry, params)
    )
    fields = _fields(workspace.project, params, known)

    def edit(text: str) -> tuple[str, list[FieldChange]]:
        changes = _changes(f"{category}/{key}", known, fields)
        return (put_entity(text, category, key, fields) if fields else text), changes

    result = edit_registry_file(workspace.project, call.now(), edit, dry_run=params.dry_run)
    if category == CATEGORY and not params.dry_run:
        with call.database.write() as tx:
            store.undismiss(tx, workspace.project_key, f"{category}/{key}")
    registry = project_registry.preview(result.registry, []) if params.dry_run else project_registry.load().registry
    return _result(result, registry, registry.by_id.get(f"{category}/{key}"))


def remove(call: Call, params: RegistryRemoveParams) -> RegistryWriteResult:
    """Remove an entity from the registry's file and, permanently, from the entities derived from code.

    The entity's own file stays. `registry/put` with its path and purpose adds it again.
    """
    with shared_parses():  # of the file before the change
        return _remove(call, params)


def _remove(call: Call, params: RegistryRemoveParams) -> RegistryWriteResult:
    workspace, project_registry = registry_for_call(call, params)
    entity = entity_named(project_registry.load().registry, params.id)
    changes = [FieldChange(entity.id, "*", entity.path, None)]
    if entity.category == CATEGORY and not params.dry_run:  # first: a retry still finds what the file contains
        with call.database.write() as tx:
            store.dismiss(tx, workspace.project_key, entity.id, call.now_ms())
    if entity.origin == "file":
        result = edit_registry_file(
            workspace.project,
            call.now(),
            lambda text: (remove_entity(text, entity.category, entity.key), changes),
            dry_run=params.dry_run,
        )
    else:
        result = EditResult(project_registry.load().file.path, changes, written=False, backup=None, registry=None)
    if params.dry_run:
        dismissed_ids = [entity.id] if entity.category == CATEGORY else []
        registry = project_registry.preview(result.registry, dismissed_ids)
    else:
        registry = project_registry.load().registry
    return _result(result, registry, registry.by_id.get(entity.id))


def _existing(registry: Registry, params: RegistryPutParams) -> Entity | None:
    """Return the entity to change; raise Conflict for an ambiguous key."""
    return entity_named(registry, params.id) if registry.lookup(params.id) else None


def _category_and_key(registry: Registry, params: RegistryPutParams) -> tuple[str, str]:
    """Return category and key of a new entity: the category it names, else the one of its type's other entities."""
    if params.path is None or params.purpose is None:
        raise InvalidParams(
            "No entity has that id, and a new one needs a `path` and a `purpose`.",
            hint="Send both, or the id of an entity.",
        )
    category, slash, key = params.id.partition("/")
    if slash and category and key:
        return category, key
    if params.type is None:
        raise InvalidParams("A new entity needs a category or a `type`.", hint="Send `id` as `<category>/<key>`.")
    same = (entity.category for entity in registry.entities if entity.type == params.type and entity.origin == "file")
    return next(same, f"{params.type.removesuffix('s')}s"), params.id


def _fields(project: Path, params: RegistryPutParams, known: Entity | None) -> dict[str, Value]:
    """Return the fields to write: those sent that differ, and the current checksum of the file."""
    sent = {name: _masked(getattr(params, name)) for name in _FIELDS if getattr(params, name) is not None}
    base: dict[str, Value] = {}
    if known is not None and known.origin == "code":
        base = {name: _value(getattr(known, name)) for name in _FIELDS}
    path = params.path or (known.path if known else "")
    resolve_inside(project, path)
    fields = {**base, **sent, **_checksum_field(project, path)}
    if known is None or known.origin == "code":
        return fields
    return {name: value for name, value in fields.items() if _value(getattr(known, name)) != value}


def _masked(value: Value) -> Value:
    if isinstance(value, str):
        return redact(value)
    return value if isinstance(value, int | float) else [redact(text) for text in value]


def _checksum_field(project: Path, path: str) -> dict[str, Value]:
    content = read_project_file(project, path)
    return {} if content is None else {"checksum": checksum_of(content)}


def _value(value: Value) -> Value:
    return list(value) if isinstance(value, tuple) else value


def _changes(entity_id: str, known: Entity | None, fields: Mapping[str, Value]) -> list[FieldChange]:
    if known is None:
        return [FieldChange(entity_id, "*", None, str(fields["path"]))]
    return [
        FieldChange(entity_id, name, format_change(getattr(known, name)), format_change(value))
        for name, value in fields.items()
    ]


def _result(result: EditResult, registry: Registry, entity: Entity | None) -> RegistryWriteResult:
    return RegistryWriteResult(
        path=result.path,
        changes=[ChangeEntry(**change._asdict()) for change in result.changes],
        written=result.written,
        backup=result.backup,
        entity=entity_entry(entity) if entity else None,
        orphaned=sorted({entity.id for entity, _ in registry.orphans()}),
    )


def refresh(call: Call, params: RegistryRefreshParams) -> RegistryRefreshResult:
    """Update the registry: checksums of changed files, the count, the date.

    Missing files and orphaned dependencies are reported, never removed. With `fromCode` it also derives entities from
    the code of `cwd`: modules, public functions and classes, documented methods, components, templates, scripts, by
    their names and comments. Only files with new content are read. Derived entities are stored in the state file; an
    entry of the registry's file for the same thing takes precedence.
    """
    workspace, project_registry = registry_for_call(call, params)
    derived = _derived(call, workspace, params) if params.from_code else None
    loaded = project_registry.load()
    if loaded.file.content is None and not loaded.damage:
        return RegistryRefreshResult(
            path=loaded.file.path, changes=[], written=False, backup=None, problems=[], derived=derived
        )
    result = edit_registry_file(
        workspace.project, call.now(), lambda text: update_checksums(workspace.project, text), dry_run=params.dry_run
    )
    return RegistryRefreshResult(
        path=result.path,
        changes=[ChangeEntry(**change._asdict()) for change in result.changes],
        written=result.written,
        backup=result.backup,
        problems=problems_of(workspace.project, project_registry.load().registry),
        derived=derived,
    )


def problems_of(project: Path, registry: Registry) -> list[ProblemEntry]:
    """Return the problems that need a manual change: missing files, orphaned dependencies, malformed entries."""
    written = [entity for entity in registry.entities if entity.origin == "file"]
    problems = ((entity, FILE_PROBLEMS.get(_content(project, entity.path).state)) for entity in written)
    return [
        *(
            ProblemEntry(
                id=remark.about,
                message=remark.message,
                remedy=f"Edit line {remark.line} of the registry's file." if remark.line else "Fix the file by hand.",
            )
            for remark in registry.remarks
        ),
        *(
            ProblemEntry(
                id=entity.id,
                message=f"`{entity.path}` {problem.about_path}.",
                remedy=problem.remedy,
            )
            for entity, problem in problems
            if problem is not None
        ),
        *(
            ProblemEntry(
                id=entity.id,
                message=f"It depends on `{name}`, which is not in the registry.",
                remedy="Register it, or remove it from the dependencies.",
            )
            for entity, name in registry.orphans()
        ),
    ]


def _derived(call: Call, workspace: Workspace, params: RegistryRefreshParams) -> DerivedChanges:
    def report(done: int, total: int) -> None:
        call.cancellation.check()
        progress = Progress(phase="derive", done=done, total=total)
        call.notify("$/progress", ProgressParams(token=call.request_id, value=progress))

    update = derive_from_code(workspace, call.process, dry_run=params.dry_run, report=report)
    return _compared(update.before, update.derived, update.files_read)


def _compared(before: tuple[Entity, ...], derivation: Derived, read: int) -> DerivedChanges:
    old, new = ({entity.id: entity for entity in entities} for entities in (before, derivation.entities))
    return DerivedChanges(
        total=len(new),
        added=len(new.keys() - old.keys()),
        changed=sum(old[id_] != new[id_] for id_ in old.keys() & new.keys()),
        removed=len(old.keys() - new.keys()),
        files_read=read,
        truncated=derivation.truncated,
    )


def health(call: Call, params: RegistryHealthParams) -> RegistryHealthResult:
    """Check the registry and its files. Advisory: findings block nothing.

    The files exist, schemas are JSON, the constitution has its articles, agents have their sections, templates have
    placeholders, checksums match, dependencies resolve. Each finding names its file and a remedy. With `fix` checksums,
    count and date are updated first; missing files and orphaned dependencies are only reported.
    """
    workspace, project_registry = registry_for_call(call, params)
    project = workspace.project
    fix = None
    if params.fix and project_registry.load().file.content is not None and not project_registry.load().damage:
        result = edit_registry_file(
            project, call.now(), lambda text: update_checksums(project, text), dry_run=params.dry_run
        )
        changes = [ChangeEntry(**change._asdict()) for change in result.changes]
        fix = HealthFix(changes=changes, written=result.written, backup=result.backup)
    loaded = project_registry.load()
    root = os.path.realpath(project)
    read_file = cache(lambda path: _content(project, path, root))
    checks = run_checks(
        loaded.registry,
        read_file,
        loaded.file.path,
        _constitution(project, loaded),
        exists=loaded.file.content is not None,
    )
    findings = [finding for check in checks for finding in check.findings]
    findings.sort(key=lambda finding: finding.severity == "note")  # stable
    return RegistryHealthResult(
        healthy=all(finding.severity == "note" for finding in findings),
        registry=loaded.file.path,
        checks=[HealthCheck(name=check.name, passed=check.passed, total=check.total) for check in checks],
        findings=[HealthFinding(**finding._asdict()) for finding in findings[:MAX_FINDINGS]],
        omitted=max(0, len(findings) - MAX_FINDINGS),
        fix=fix,
    )


def doctor_findings(call: Call, workspace: Workspace) -> Iterator[DoctorFinding]:
    """Yield the problems in a project's registry; `onecode-sidecar health` shows all of them."""
    if find_registry_file(workspace.project).content is None:
        return
    result = health(call, RegistryHealthParams(cwd=str(workspace.project)))
    problems = [finding for finding in result.findings if finding.severity == "problem"]
    for finding in problems[:MAX_DOCTOR_FINDINGS]:
        entity = f" ({finding.id})" if finding.id else ""
        yield DoctorFinding("warning", f"{finding.file}{entity}: {finding.message}", finding.remedy)
    if len(problems) > MAX_DOCTOR_FINDINGS:
        at_least = "at least " if result.omitted and len(problems) == len(result.findings) else ""
        message = f"The registry has {at_least}{count_noun(len(problems) - MAX_DOCTOR_FINDINGS, 'more problem')}."
        yield DoctorFinding(
            "warning", message, "`onecode-sidecar health` lists them; its `--fix` updates checksums and the count."
        )


def _constitution(project: Path, loaded: LoadedRegistry) -> str | None:
    """Return the expected path of the constitution; None without a framework."""
    return CONSTITUTION if (project / FRAMEWORK).is_dir() and loaded.file.content is not None else None


def _content(project: Path, path: str, root: str | None = None) -> EntityFile:
    try:
        absolute = resolve_inside(project, path, root)
        content = read_entity_file(absolute, path)
    except PolicyDenied:
        return EntityFile("outside")
    except TooLarge:
        return EntityFile("large")
    if content is None:
        return EntityFile("irregular" if os.path.lexists(absolute) else "missing")
    return EntityFile("there", content)


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
        remarks=[RemarkEntry(**remark._asdict()) for remark in loaded.registry.remarks],
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
        raise NotFound("No entity has that id.", hint="`registry/list` lists the entities.")
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
    file = _content(workspace.project, entity.path)
    if file.state in ("missing", "irregular", "outside"):
        return file.state
    if file.state == "large" or not entity.checksum:
        return "unverified"
    return "matches" if checksum_of(file.content) == entity.checksum else "differs"


def decide_intent(call: Call, params: RegistryDecideParams) -> RegistryDecideResult:
    """Decide whether an entity for an intent already exists: REUSE (from 90), ADAPT (from 60) or CREATE.

    Score: 60 % the intent's words in keywords, name and purpose, weighted by rarity; 40 % in name and purpose, less if
    the entity covers more than the intent. Scores are compared unrounded. Fewer than two shared words besides a kind's
    name are no match. An entity's own words (at least two) score 100; a kind's name is one in a name, and for an
    entity that the registry's file lists as of that kind. A request to create something is decided as the hint of its
    prompt. Entities whose file is gone are left out. The same registry and intent yield the same answer. The decision
    is recorded and changes nothing else.
    """
    workspace, project_registry = registry_for_call(call, params)
    registry = project_registry.load().registry
    match = match_intent(
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


_READ_ERRORS = (WorkspaceUnavailable, PolicyDenied, TooLarge, StateDegraded)

_ERRORS = (WorkspaceUnavailable, PolicyDenied, TooLarge, Conflict, Busy, StateDegraded)

METHODS = (
    method("registry/list", list_entities, lane=Lane.SHARED, errors=_READ_ERRORS),
    method("registry/get", get_entity, lane=Lane.SHARED, errors=(*_READ_ERRORS, NotFound, Conflict)),
    method("registry/impact", impact, lane=Lane.SHARED, errors=(*_READ_ERRORS, NotFound, Conflict)),
    method("registry/decide", decide_intent, lane=Lane.SHARED, errors=_READ_ERRORS),
    method("registry/decisions", decisions, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("registry/put", put, lane=Lane.WORKSPACE, errors=(*_ERRORS, InvalidParams)),
    method("registry/remove", remove, lane=Lane.WORKSPACE, errors=(*_ERRORS, NotFound)),
    method("registry/refresh", refresh, lane=Lane.JOB, errors=(*_ERRORS, Cancelled)),
    method("registry/health", health, lane=Lane.WORKSPACE, errors=_ERRORS),
)
