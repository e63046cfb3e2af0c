"""The messages of the operations' methods."""

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from sidecar.core.wire_types import Empty, FolderPath, WireModel
from sidecar.daily_metrics import PassiveEstimate
from sidecar.experiment.model import ExperimentResult, RolloutStatus
from sidecar.storage.doctor_checks import Level

StageName = Literal["passive", "inject", "snapshot", "rehydrate"]
Verdict = Literal["go", "wait", "moreData"]


class StateReportParams(WireModel):
    """The project and period to report on."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    days: int = Field(default=30, ge=1, le=366, description="Number of days, including today.")


class ReportCheck(WireModel):
    """A figure and its target."""

    name: str
    value: str = Field(description="As shown on the page.")
    target: str
    met: bool | None = Field(description="Null if nothing was measured.")


class ReportStage(WireModel):
    """The assessment of one stage of the rollout."""

    name: StageName
    verdict: Verdict = Field(
        description="`go`: all targets are met; `wait`: a target is missed; `moreData`: there is not enough data."
    )
    enabled: bool = Field(description="Whether the settings enable it.")
    sentence: str
    checks: list[ReportCheck]


class ReportStep(WireModel):
    """The recommended next step, over all stages."""

    verdict: Verdict = Field(
        description="`go`: enable the next stage, if any; `wait`: a target is missed; `moreData`: keep measuring."
    )
    sentence: str


class StateReportResult(WireModel):
    """The report's file and its summary."""

    path: str = Field(description="The HTML file, in the state folder. The next report replaces it.")
    bytes: int
    since_day: str = Field(description="The first day of the report, UTC.")
    next_step: ReportStep
    stages: list[ReportStage]
    rollout: RolloutStatus | None = Field(description="Null if every chat receives what the mode says.")
    experiment: ExperimentResult | None = Field(description="What the experiment shows; null without one.")
    estimate: PassiveEstimate | None = Field(
        description="An upper bound from runs that received no packs; null without such runs."
    )


DoctorCheckName = Literal[
    "database", "caches", "records", "settings", "indexes", "project", "repository", "memories", "registry",
    "knowledge", "memoryBranch", "watchers", "disk", "versions",
]  # fmt: skip

DoctorLevel = Literal["ok", "warning", "error", "skipped"]


class StateDoctorParams(WireModel):
    """The checks to run, and whether to repair."""

    project_path: FolderPath | None = Field(
        default=None,
        description="The project whose repository, memory files, registry, knowledge sync, memory branch and number of"
        " watches are checked, and whether it was moved; without it only the state and the system are checked.",
    )
    fix: bool = Field(default=False, description="Repair what can be repaired, after a backup of the state file.")
    dry_run: bool = Field(default=False, description="With `fix`: only report what would be repaired.")


class DoctorCheck(WireModel):
    """The result of one check."""

    name: DoctorCheckName
    level: DoctorLevel = Field(description="`skipped`: it needs a project, or a state that can be opened.")


class DoctorFinding(WireModel):
    """A problem and its remedy."""

    check: DoctorCheckName
    level: Level
    message: str
    remedy: str
    fixable: bool = Field(description="Whether `fix` repairs it.")
    fixed: bool = Field(description="Whether it was repaired, confirmed by another check.")


class StateDoctorResult(WireModel):
    """The health of the state."""

    healthy: bool = Field(description="Whether there are no findings, or all were repaired.")
    checks: list[DoctorCheck]
    findings: list[DoctorFinding]
    backup: str | None = Field(
        description="Path of the backup of the state file, made before the first repair; null without a repair."
    )
    versions: dict[str, str] = Field(description="Versions in use, for a bug report.")


PurgeKind = Literal[
    "runs", "caches", "indexes", "metrics",
    "artifacts", "damagedArtifacts", "memories", "settings", "registry", "knowledge", "backups", "damaged", "logs",
]  # fmt: skip

_SCOPES = ("projectPath", "project", "olderThanDays", "kinds")


class StatePurgeParams(WireModel):
    """The data to remove: by project, age or kind. At least one of them is required."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": [name]} for name in _SCOPES]})

    project_path: FolderPath | None = Field(default=None, description="The project's path.")
    project: str | None = Field(
        default=None,
        min_length=1,
        max_length=64,
        description="The project's key, for a project whose folder no longer exists; ignored with `projectPath`.",
    )
    older_than_days: int | None = Field(default=None, ge=1, le=36_500, description="Only data older than this.")
    kinds: list[PurgeKind] | None = Field(
        default=None,
        min_length=1,
        description="Default: runs, caches, indexes and metrics. Everything else is removed only when named.",
    )
    dry_run: bool = Field(default=False, description="Only report what would be removed.")

    @model_validator(mode="after")
    def _require_scope(self) -> Self:
        if (self.project_path, self.project, self.older_than_days, self.kinds) == (None, None, None, None):
            raise ValueError("must name a project, an age, or kinds")
        return self


class PurgedKind(WireModel):
    """The result of a purge for one kind."""

    kind: PurgeKind
    removed: int = Field(description="Records or files removed; with `dryRun`, those that would be.")
    remaining: int = Field(description="Those that remain, of the same project or of all.")
    reason: str | None = Field(description="Why they remain.")


class StatePurgeResult(WireModel):
    """The removed and the remaining data."""

    dry_run: bool
    kinds: list[PurgedKind]
    freed_bytes: int = Field(description="Bytes by which the state folder shrank; 0 with `dryRun`.")


StateStatusParams = Empty


class RunningSidecar(WireModel):
    """A process that uses the state folder."""

    pid: int
    version: str
    build: str
    client: str = Field(description="The client's name, from `initialize`.")
    mode: str = Field(description="Its effective global mode at start-up.")
    started_at: str = Field(description="RFC 3339.")


class ProjectStatus(WireModel):
    """The status of one project."""

    project: str = Field(description="The project's key: a hash of its path.")
    name: str | None = Field(description="The name of its folder; null if no run recorded it.")
    mode: str
    runs: int = Field(description="Number of stored runs.")
    last_run_at: str | None = Field(description="RFC 3339.")
    hit_rate: float | None = Field(
        description="Share of follow-ups in 30 days whose context pack came from the cache, 0 to 1; null without any."
    )
    reduction: float | None = Field(description="1 − injected / baseline over the last 30 days; null without calls.")
    drafts: int = Field(description="Artifacts awaiting the user's decision.")
    memories: int
    rollout: RolloutStatus | None = Field(
        description="The project's rollout by share; null if every chat receives what the mode says."
    )


class LastRun(WireModel):
    """A recent pre-run; `continuity/explain` has the details."""

    run_id: str
    at: str = Field(description="RFC 3339.")
    project: str
    provider: str
    action: str = Field(description="inject or passthrough.")
    reason: str | None
    status: str = Field(description="pending, committed or dropped.")
    new_bytes: int = Field(description="Bytes new to the session that were sent, or in passive mode would have been.")


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


class IndexingStatus(WireModel):
    """A folder whose files are being indexed."""

    cwd: str
    stage: str = Field(
        description="`cache` while known summaries are looked up, `words` while contents are read, then `analysis`."
    )
    done: int = Field(description="Number of files in the index.")
    total: int
    remaining_ms: int | None = Field(description="Estimated time left; null while it is unknown.")


class HostStatus(WireModel):
    """A host that the sidecar knows, whether it has runs or not."""

    name: str = Field(description="1Code, Claude Code or Codex CLI.")
    last_seen_at: str | None = Field(description="RFC 3339: its latest run or pre-run; null if none is stored.")


class StateStatusResult(WireModel):
    """The contents of a state folder, and the processes that use it."""

    state_dir: str
    schema_: int = Field(alias="schema", description="The state file's migration step.")
    version: str
    mode: str = Field(description="The global mode; if none is set, the mode of the running sidecar at its start-up.")
    mode_source: str = Field(description="The settings layer it comes from.")
    rollout: RolloutStatus | None = Field(
        description="The rollout by share, by the settings of all projects; null if every chat receives what the mode"
        " says."
    )
    others: list[RunningSidecar] = Field(description="The other processes that use the state folder.")
    hosts: list[HostStatus] = Field(description="The app first, then the agents that hooks can connect.")
    projects: list[ProjectStatus] = Field(description="The project with the latest run first.")
    last_runs: list[LastRun] = Field(description="At most ten, newest first.")
    files: list[StoredFiles]
    caches: list[CacheStatus]
    free_bytes: int = Field(description="Free bytes on the disk of the state folder.")
    indexing: list[IndexingStatus] = Field(default=[], description="What the answering process is indexing now.")
