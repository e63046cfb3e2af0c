"""The messages of `registry/*`."""

from typing import Annotated, Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, WireModel
from sidecar.registry.entity import Level, Origin
from sidecar.registry.impact import ImpactLevel

EntityName = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""An entity's id (`agents/brief`), or its key (`brief`) if it is unique."""


FileState = Literal["matches", "differs", "unverified", "missing", "outside"]


class RegistryParams(WireModel):
    """A project."""

    cwd: FolderPath = Field(description="The chat's git worktree, absolute.")
    project_path: FolderPath | None = Field(
        default=None, description="The original project, to which the registry belongs; without it, `cwd`."
    )


class EntityEntry(WireModel):
    """One entity of the registry."""

    id: str = Field(description="`<category>/<key>`.")
    path: str = Field(description="Relative to the project.")
    type: str = Field(description="agent, template, workflow, schema, …; of code: module, function, class, ….")
    purpose: str
    keywords: list[str]
    dependencies: list[str] = Field(description="As they are written; `registry/get` says what they lead to.")
    adaptability: float = Field(description="0 to 1: how safe a change is.")
    adaptability_level: Level
    checksum: str | None = Field(description="SHA-256 of the file when it was noted; null: unverified.")
    origin: Origin = Field(description="`file`: written by hand; `code`: derived by `registry/refresh`.")


class RemarkEntry(WireModel):
    """A warning about the registry's file."""

    line: int = Field(description="From 1; 0 where it is about the whole file.")
    about: str = Field(description="An entity's id, or the part of the file.")
    message: str


class RegistrySource(WireModel):
    """The file of a registry."""

    path: str = Field(description="Relative to the project.")
    exists: bool
    version: str = Field(description="What the file says of itself; empty where it does not.")
    last_updated: str
    declared_count: int | None = Field(description="How many entities the file says it has.")
    damage: str = Field(description="Why the file cannot be read; empty where it can.")


class RegistryListParams(RegistryParams):
    """Filters and page of the list."""

    type: str | None = Field(default=None, min_length=1, max_length=100, description="Only those of this type.")
    category: str | None = Field(default=None, min_length=1, max_length=200, description="Only those of this category.")
    origin: Origin | None = Field(default=None, description="Only written ones, or only derived ones.")
    offset: int = Field(default=0, ge=0, le=1_000_000)
    limit: int = Field(default=200, ge=1, le=1_000)


class RegistryListResult(WireModel):
    """Entities in the file's order, then derived ones."""

    source: RegistrySource
    total: int = Field(description="How many there are; more than are listed where the limit is smaller.")
    entities: list[EntityEntry]
    remarks: list[RemarkEntry]


class RegistryEntityParams(RegistryParams):
    """An entity."""

    id: EntityName


class DependencyEntry(WireModel):
    """A dependency and the entity it resolves to."""

    name: str = Field(description="As it is written.")
    id: str | None = Field(description="Null: orphaned, it leads nowhere.")


class RegistryGetResult(WireModel):
    """An entity with its dependencies and dependents."""

    entity: EntityEntry
    dependencies: list[DependencyEntry]
    dependents: list[str] = Field(description="Ids of those that need it directly.")
    file: FileState = Field(
        description="Whether the file is as its checksum says; `unverified`: without one; `outside` of the project."
    )


class ReachedEntry(WireModel):
    """A direct or transitive dependent."""

    id: str
    distance: int = Field(description="1 where it needs the changed entity itself.")
    via: str = Field(description="The id of what it needs on the shortest way.")


class ImpactEntry(WireModel):
    """The impact of changing an entity."""

    level: ImpactLevel = Field(
        description="`high`: something depends on an entity of adaptability below 0.3, or ten do; `medium`: below 0.4,"
        " or three; `low`: fewer; `none`: nothing does."
    )
    count: int
    dependents: list[ReachedEntry] = Field(description="Each once, the nearest first; at most 200.")


class RegistryImpactResult(WireModel):
    """An entity and the impact of changing it."""

    entity: EntityEntry
    impact: ImpactEntry


class RegistryDecideParams(RegistryParams):
    """What is to be created."""

    intent: str = Field(min_length=1, max_length=10_000, description="In the user's words.")
    type: str | None = Field(
        default=None, min_length=1, max_length=100, description="Only entities of this type are considered."
    )
    limit: int = Field(default=5, ge=1, le=50)


Verdict = Literal["REUSE", "ADAPT", "CREATE"]


class RecommendationEntry(WireModel):
    """The decision for one entity, and its reasons."""

    entity: EntityEntry
    decision: Verdict
    score: float = Field(description="0 to 100, 0.6 × `keywordScore` + 0.4 × `purposeScore`: 90 is REUSE, 60 ADAPT.")
    keyword_score: float = Field(
        description="Share of the intent's words, weighted by rarity, that it covers; 0 to 100."
    )
    purpose_score: float = Field(description="The same in its name and purpose, less where it is about more; 0 to 100.")
    matched: list[str] = Field(description="The intent's words that it covers.")
    missing: list[str] = Field(description="Those that it does not.")
    impact: ImpactEntry | None = Field(description="There for ADAPT with an adaptability below 0.3: weigh it first.")
    reasons: list[str]


class RegistryDecideResult(WireModel):
    """The decision, and the entities it is based on."""

    decision_id: str = Field(description="The same for the same answer to the same question.")
    decision: Verdict = Field(description="That of the best entity; CREATE where none shares a word.")
    considered: int = Field(description="How many entities there are to choose from.")
    recommendations: list[RecommendationEntry] = Field(description="The best first.")
    recorded: bool = Field(description="Whether `registry/decisions` knows of it: not where the state file is locked.")


class RegistryDecisionsParams(RegistryParams):
    """Number of decisions to return."""

    limit: int = Field(default=20, ge=1, le=100)


class DecisionEntry(WireModel):
    """A recorded decision."""

    decision_id: str
    at: str = Field(description="When it was made last, UTC.")
    times: int
    intent: str = Field(description="Secrets are masked; cut at 500 characters.")
    type: str | None
    decision: Verdict
    score: float = Field(description="Of the best entity; 0 without one.")
    entity_id: str | None
    registry: str = Field(description="The digest of the registry it was decided on.")


class RegistryDecisionsResult(WireModel):
    """The last decisions, newest first."""

    decisions: list[DecisionEntry]


ShortLine = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
Line = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"^[^\x00-\x1f\x7f]+$")]

DRY_RUN = Field(default=False, description="Tells what would be done, and writes nothing.")


class RegistryPutParams(RegistryParams):
    """An entity to add or change; omitted fields stay as they are."""

    id: EntityName = Field(
        description="`<category>/<key>`; a key alone names an entity that is there, or with `type` a new one."
    )
    path: Line | None = Field(default=None, description="Relative to the project; needed for a new entity.")
    type: ShortLine | None = None
    purpose: Line | None = Field(default=None, description="Needed for a new entity.")
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
    before: str | None = Field(description="Null: it was not there.")
    after: str | None = Field(description="Null: it is gone.")


class RegistryWriteResult(WireModel):
    """Changes of the registry's file, or with `dryRun` the planned ones."""

    path: str = Field(description="The file, relative to the project.")
    changes: list[ChangeEntry]
    written: bool = Field(description="False for a dry run, and where nothing had to be changed.")
    backup: str | None = Field(description="The copy of the file as it was before, relative to the project.")
    entity: EntityEntry | None = Field(description="As it is now; null where it is gone.")
    orphaned: list[str] = Field(description="Ids of entities that depend on what is not there.")


class RegistryRefreshParams(RegistryParams):
    """What to update."""

    from_code: bool = Field(
        default=False, description="Derives entities from the code of `cwd` too; what is written by hand stays first."
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
    files_read: int = Field(description="Files whose content was new; the others were known.")
    truncated: bool = Field(description="Whether there are more than are kept.")


class RegistryRefreshResult(WireModel):
    """What was updated, or with `dryRun` would be, and what needs a manual change."""

    path: str
    changes: list[ChangeEntry]
    written: bool
    backup: str | None
    problems: list[ProblemEntry]
    derived: DerivedChanges | None = Field(description="Null unless asked for with `fromCode`.")
