"""The messages of the operations' methods."""

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from sidecar.core.wire import Empty, FolderPath, WireModel

StageName = Literal["passive", "inject", "snapshot", "rehydrate"]
Verdict = Literal["go", "wait", "moreData"]


class StateReportParams(WireModel):
    """The project and period to report on."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    days: int = Field(default=30, ge=1, le=366, description="How many days back, today included.")


class ReportCheck(WireModel):
    """A figure and its target."""

    name: str
    value: str = Field(description="As the page shows it.")
    target: str
    holds: bool | None = Field(description="Null where nothing was measured.")


class ReportStage(WireModel):
    """The assessment of one stage of the rollout."""

    name: StageName
    verdict: Verdict = Field(description="`go`: the targets hold, and the data suffice; `wait`: a target is missed.")
    is_on: bool = Field(description="Whether the settings have it on already.")
    sentence: str
    checks: list[ReportCheck]


class ReportStep(WireModel):
    """The recommended next step, over all stages."""

    verdict: Verdict = Field(description="`go`: on to the next stage, or all are on; `wait`: a target is missed.")
    sentence: str


class StateReportResult(WireModel):
    """The report's file and its summary."""

    path: str = Field(description="The HTML file, below the state folder; the next report takes its place.")
    bytes: int
    since_day: str = Field(description="The first day of the report, UTC.")
    next_step: ReportStep
    stages: list[ReportStage]


# The messages of `state/doctor`.


DoctorCheckName = Literal[
    "database", "caches", "records", "settings", "indexes", "memories", "registry", "knowledge", "memoryBranch",
    "watchers", "disk", "versions",
]  # fmt: skip

DoctorLevel = Literal["ok", "warning", "error", "skipped"]


class StateDoctorParams(WireModel):
    """What to check, and whether to repair."""

    project_path: FolderPath | None = Field(
        default=None,
        description="The project whose memory files, registry, knowledge sync and memory branch are looked at; without"
        " it only the state is.",
    )
    fix: bool = Field(default=False, description="Mends what can be mended, after a copy of the state file.")
    dry_run: bool = Field(default=False, description="With `fix`: only tells what would be mended.")


class DoctorCheck(WireModel):
    """The result of one check."""

    name: DoctorCheckName
    level: DoctorLevel = Field(description="`skipped`: it needs a project, or a state that can be opened.")


class DoctorFinding(WireModel):
    """A problem and its remedy."""

    check: DoctorCheckName
    level: Literal["warning", "error"]
    message: str
    remedy: str
    fixable: bool = Field(description="Whether `fix` mends it.")
    fixed: bool = Field(description="Whether it was mended, as another look has shown.")


class StateDoctorResult(WireModel):
    """The health of the state."""

    healthy: bool = Field(description="Nothing was found, or all of it was mended.")
    checks: list[DoctorCheck]
    findings: list[DoctorFinding]
    backup: str | None = Field(description="The copy of the state file that was made before anything was changed.")
    versions: dict[str, str] = Field(description="What is in use, for the report of a fault.")


# The messages of `state/purge`.


PurgeKind = Literal[
    "runs", "caches", "indexes", "metrics",
    "artifacts", "damagedArtifacts", "memories", "settings", "registry", "knowledge", "backups", "damaged", "logs",
]  # fmt: skip

_SCOPES = ("projectPath", "project", "olderThanDays", "kinds")


class StatePurgeParams(WireModel):
    """What to remove: by project, age or kind. At least one of them is required."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": [name]} for name in _SCOPES]})

    project_path: FolderPath | None = Field(default=None, description="The project's path.")
    project: str | None = Field(
        default=None, min_length=1, max_length=64, description="Its key, for one whose folder is gone."
    )
    older_than_days: int | None = Field(default=None, ge=1, le=36_500, description="Only what is older.")
    kinds: list[PurgeKind] | None = Field(
        default=None,
        min_length=1,
        description="Without it runs, caches, indexes and metrics; everything else goes only when it is named.",
    )
    dry_run: bool = Field(default=False, description="Only tells what would be removed.")

    @model_validator(mode="after")
    def _require_scope(self) -> Self:
        if not {"project_path", "project", "older_than_days", "kinds"} & self.model_fields_set:
            raise ValueError("say what: a project, an age, or kinds")
        return self


class PurgedKind(WireModel):
    """The result of a purge for one kind."""

    kind: PurgeKind
    removed: int = Field(description="Records or files; with `dryRun` that would be.")
    kept: int = Field(description="Those that stay, of the same project or of all.")
    why: str | None = Field(description="Why they stay.")


class StatePurgeResult(WireModel):
    """What was removed and what remains."""

    dry_run: bool
    kinds: list[PurgedKind]
    freed_bytes: int = Field(description="By which the state folder is smaller; 0 with `dryRun`.")


# The messages of `state/status`.


StateStatusParams = Empty


class RunningSidecar(WireModel):
    """A process that uses the state folder."""

    pid: int
    version: str
    build: str
    client: str = Field(description="Who started it, as it said in `initialize`.")
    mode: str = Field(description="The global one as it counted there at the start.")
    started_at: str = Field(description="RFC 3339.")


class ProjectStatus(WireModel):
    """The status of one project."""

    project: str = Field(description="Its key: the same for one path, and no path.")
    name: str | None = Field(description="What its folder is called; null where no run told.")
    mode: str
    runs: int = Field(description="Runs that are kept.")
    last_run_at: str | None = Field(description="RFC 3339.")
    hit_rate: float | None = Field(
        description="Share of follow-ups whose context pack came from the cache in 30 days, 0 to 1; null without any."
    )
    reduction: float | None = Field(description="1 − injected / baseline over 30 days; null without calls.")
    drafts: int = Field(description="Artifacts that wait for the user's decision.")
    memories: int


class LastRun(WireModel):
    """A recent pre-run; `continuity/explain` has the details."""

    run_id: str
    at: str = Field(description="RFC 3339.")
    project: str
    provider: str
    action: str = Field(description="inject or passthrough.")
    reason: str | None
    status: str = Field(description="pending, committed or dropped.")
    new_bytes: int = Field(description="Bytes sent, or in passive mode would have been, that the session did not have.")


class StoredFiles(WireModel):
    """The files of one kind in the state folder."""

    kind: str
    files: int
    bytes: int


class CacheStatus(WireModel):
    """One cache in the state file."""

    name: str
    entries: int
    bytes: int


class StateStatusResult(WireModel):
    """The contents of a state folder, and the processes that use it."""

    state_dir: str
    schema_: int = Field(alias="schema", description="The migration step the state file is at.")
    version: str
    mode: str = Field(description="The global one; where none is set, the running sidecar's at its start.")
    mode_source: str = Field(description="The layer of settings it comes from.")
    others: list[RunningSidecar] = Field(description="The processes besides the one that answers.")
    projects: list[ProjectStatus] = Field(description="The one with the latest run first.")
    last_runs: list[LastRun] = Field(description="The newest first, ten at most.")
    files: list[StoredFiles]
    caches: list[CacheStatus]
    free_bytes: int = Field(description="On the disk with the state folder.")
