"""The messages of `registry/*`."""

from typing import Annotated, Literal

from pydantic import Field

from sidecar.core.wire_types import FolderPath, WireModel
from sidecar.registry.entities import ImpactLevel, Level, Origin, ReuseDecision
from sidecar.registry.health import CheckName

EntityName = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""An entity's id (`agents/brief`), or its key (`brief`) if it is unique."""


FileState = Literal["matches", "differs", "unverified", "missing", "irregular", "outside"]


class RegistryParams(WireModel):
    """A project."""

    cwd: FolderPath = Field(description="The chat's git worktree, absolute.")
    project_path: FolderPath | None = Field(
        default=None,
        description="The original project, which owns the registry; default: the repository's main worktree, or `cwd`.",
    )


class EntityEntry(WireModel):
    """One entity of the registry."""

    id: str = Field(description="`<category>/<key>`.")
    path: str = Field(description="Relative to the project.")
    type: str = Field(description="agent, template, workflow, schema, …; for code: module, function, class, ….")
    purpose: str
    keywords: list[str]
    dependencies: list[str] = Field(description="As written; `registry/get` resolves them.")
    adaptability: float = Field(description="0 to 1: how safe a change is.")
    adaptability_level: Level
    checksum: str | None = Field(description="Recorded SHA-256 of the file; null: unverified.")
    origin: Origin = Field(description="`file`: written by hand; `code`: derived by `registry/refresh`.")


class RemarkEntry(WireModel):
    """A warning about the registry's file."""

    line: int = Field(description="From 1; 0 means the whole file.")
    about: str = Field(description="An entity's id, or a part of the file.")
    message: str


class RegistrySource(WireModel):
    """The file of a registry."""

    path: str = Field(description="Relative to the project.")
    exists: bool
    version: str = Field(description="The file's own version; empty if it has none.")
    last_updated: str
    declared_count: int | None = Field(description="Number of entities the file declares.")
    damage: str = Field(description="Why the file cannot be read; empty otherwise.")


class RegistryListParams(RegistryParams):
    """Filters and page of the list."""

    type: str | None = Field(default=None, min_length=1, max_length=100, description="Only entities of this type.")
    category: str | None = Field(
        default=None, min_length=1, max_length=200, description="Only entities of this category."
    )
    origin: Origin | None = Field(default=None, description="Only entities of this origin.")
    offset: int = Field(default=0, ge=0, le=1_000_000)
    limit: int = Field(default=200, ge=1, le=1_000)


class RegistryListResult(WireModel):
    """Entities in the file's order, then derived ones."""

    source: RegistrySource
    total: int = Field(description="Total number of matching entities, regardless of the limit.")
    entities: list[EntityEntry]
    remarks: list[RemarkEntry]


class RegistryEntityParams(RegistryParams):
    """An entity."""

    id: EntityName


class DependencyEntry(WireModel):
    """A dependency and the entity it resolves to."""

    name: str = Field(description="As written.")
    id: str | None = Field(description="Null if orphaned.")


class RegistryGetResult(WireModel):
    """An entity with its dependencies and dependents."""

    entity: EntityEntry
    dependencies: list[DependencyEntry]
    dependents: list[str] = Field(description="Ids of the direct dependents.")
    file: FileState = Field(
        description="Whether the file matches its checksum; `unverified`: it has none; `irregular`: not a readable"
        " regular file, such as a folder; `outside`: not in the project."
    )


class ReachedEntry(WireModel):
    """A direct or transitive dependent."""

    id: str
    distance: int = Field(description="1 for a direct dependent.")
    via: str = Field(description="Its dependency on the shortest path to the changed entity.")


class ImpactEntry(WireModel):
    """The impact of changing an entity."""

    level: ImpactLevel = Field(
        description="`high`: it has dependents and an adaptability below 0.3, or ten dependents; `medium`: below 0.4,"
        " or three dependents; `low`: fewer; `none`: no dependents."
    )
    count: int
    dependents: list[ReachedEntry] = Field(description="Each once, nearest first; at most 200.")


class RegistryImpactResult(WireModel):
    """An entity and the impact of changing it."""

    entity: EntityEntry
    impact: ImpactEntry


class RegistryDecideParams(RegistryParams):
    """The thing to create."""

    intent: str = Field(
        min_length=1, max_length=10_000, description="In the user's words: what is needed, or the request for it."
    )
    type: str | None = Field(
        default=None, min_length=1, max_length=100, description="Only entities of this type are considered."
    )
    limit: int = Field(default=5, ge=1, le=50)


class RecommendationEntry(WireModel):
    """The decision for one entity, and its reasons."""

    entity: EntityEntry
    decision: ReuseDecision
    score: float = Field(description="0 to 100, 0.6 × `keywordScore` + 0.4 × `purposeScore`: 90 is REUSE, 60 ADAPT.")
    keyword_score: float = Field(
        description="Share of the intent's words, weighted by rarity, that it covers; 0 to 100."
    )
    purpose_score: float = Field(
        description="The same for its name and purpose, less if it covers more than the intent; 0 to 100."
    )
    matched: list[str] = Field(description="The intent's words that it covers.")
    missing: list[str] = Field(description="The intent's other words.")
    impact: ImpactEntry | None = Field(description="Present for ADAPT with an adaptability below 0.3: weigh it first.")
    reasons: list[str]


class RegistryDecideResult(WireModel):
    """The decision, and the entities it is based on."""

    decision_id: str = Field(description="The same for the same registry and intent.")
    decision: ReuseDecision = Field(description="The decision for the best entity; CREATE if none shares a word.")
    ambiguous: bool = Field(description="Whether a second entity, not a part of the first, matches nearly as well.")
    considered: int = Field(description="Number of entities considered.")
    problem: str | None = Field(description="Why the decision says little: the registry is empty.")
    recommendations: list[RecommendationEntry] = Field(description="Best first.")
    recorded: bool = Field(
        description="Whether the decision was stored; false if the registry is empty or the state file is locked."
    )


class RegistryDecisionsParams(RegistryParams):
    """Number of decisions to return."""

    limit: int = Field(default=20, ge=1, le=100)


class DecisionEntry(WireModel):
    """A recorded decision."""

    decision_id: str
    at: str = Field(description="Time of the last occurrence, UTC.")
    times: int
    intent: str = Field(description="Secrets are masked; cut at 500 characters.")
    type: str | None
    decision: ReuseDecision
    score: float = Field(description="Score of the best entity; 0 without one.")
    entity_id: str | None
    registry: str = Field(description="Digest of the registry at the time.")


class RegistryDecisionsResult(WireModel):
    """The last decisions, newest first."""

    decisions: list[DecisionEntry]


ShortLine = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
Line = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"^[^\x00-\x1f\x7f]+$")]

DRY_RUN = Field(default=False, description="Return the planned changes and write nothing.")


class RegistryPutParams(RegistryParams):
    """An entity to add or change; omitted fields stay as they are."""

    id: EntityName = Field(
        description="`<category>/<key>`; a key alone refers to an existing entity, or with `type` to a new one."
    )
    path: Line | None = Field(default=None, description="Relative to the project; required for a new entity.")
    type: ShortLine | None = None
    purpose: Line | None = Field(default=None, description="Required for a new entity.")
    keywords: list[ShortLine] | None = Field(default=None, max_length=100)
    dependencies: list[ShortLine] | None = Field(default=None, max_length=1_000)
    adaptability: float | None = Field(default=None, ge=0, le=1)
    dry_run: bool = DRY_RUN


class RegistryRemoveParams(RegistryParams):
    """An entity to remove."""

    id: EntityName
    dry_run: bool = DRY_RUN


class ChangeEntry(WireModel):
    """A changed value."""

    id: str = Field(description="The entity's id, or `metadata`.")
    field: str = Field(description="`*` for a whole entity.")
    before: str | None = Field(description="Null if it did not exist.")
    after: str | None = Field(description="Null if it was removed.")


class RegistryWriteResult(WireModel):
    """Changes of the registry's file, or with `dryRun` the planned ones."""

    path: str = Field(description="The file, relative to the project.")
    changes: list[ChangeEntry]
    written: bool = Field(description="Whether the registry's file was written.")
    backup: str | None = Field(description="The backup of the old file, relative to the project.")
    entity: EntityEntry | None = Field(description="The current entity; null if it was removed.")
    orphaned: list[str] = Field(description="Ids of entities with unresolved dependencies.")


class RegistryRefreshParams(RegistryParams):
    """The parts to update."""

    from_code: bool = Field(
        default=False,
        description="Also derive entities from the code of `cwd`; entries written by hand take precedence.",
    )
    dry_run: bool = DRY_RUN


class ProblemEntry(WireModel):
    """A problem that needs a manual change."""

    id: str
    message: str
    remedy: str


class DerivedChanges(WireModel):
    """Changes of the entities derived from code."""

    total: int
    added: int
    changed: int
    removed: int
    files_read: int = Field(description="Number of files with new content; the others were read before.")
    truncated: bool = Field(description="Whether there were more entities than the maximum of 20,000.")


class RegistryRefreshResult(WireModel):
    """The updated parts, or with `dryRun` those that would be, and those that need a manual change."""

    path: str
    changes: list[ChangeEntry]
    written: bool
    backup: str | None
    problems: list[ProblemEntry]
    derived: DerivedChanges | None = Field(description="Null without `fromCode`.")


class RegistryHealthParams(RegistryParams):
    """Whether to repair what can be repaired."""

    fix: bool = Field(default=False, description="Update checksums, count and date, after a backup of the file.")
    dry_run: bool = DRY_RUN


class HealthCheck(WireModel):
    """The result of one check."""

    name: CheckName
    passed: int
    total: int = Field(description="0 if there is nothing to check.")


class HealthFinding(WireModel):
    """A problem or a note about an entity or a file."""

    check: CheckName
    severity: Literal["problem", "note"] = Field(description="Notes do not affect `healthy`.")
    id: str = Field(description="The entity; empty if it concerns only a file.")
    file: str = Field(description="Relative to the project.")
    message: str
    remedy: str
    fixable: bool = Field(description="Whether `fix` repairs it.")


class HealthFix(WireModel):
    """The repairs, made or with `dryRun` only planned."""

    changes: list[ChangeEntry]
    written: bool
    backup: str | None


class RegistryHealthResult(WireModel):
    """Health of the framework's files; advisory."""

    healthy: bool
    registry: str = Field(description="The registry's file, relative to the project.")
    checks: list[HealthCheck] = Field(description="The checks, always in the same order.")
    findings: list[HealthFinding] = Field(description="Problems first, at most 2,000.")
    omitted: int = Field(description="Number of further findings.")
    fix: HealthFix | None = Field(description="Null without `fix`.")
