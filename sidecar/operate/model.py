"""The messages of `state/report`."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, WireModel

StageName = Literal["passive", "inject", "snapshot", "rehydrate"]
Verdict = Literal["go", "wait", "moreData"]


class StateReportParams(WireModel):
    """What to report on."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    days: int = Field(default=30, ge=1, le=366, description="How many days back, today included.")


class ReportCheck(WireModel):
    """A figure beside its target."""

    name: str
    value: str = Field(description="As the page shows it.")
    target: str
    holds: bool | None = Field(description="Null where nothing was measured.")


class ReportStage(WireModel):
    """What the figures say of one stage of the rollout."""

    name: StageName
    verdict: Verdict = Field(description="`go`: the targets hold, and the data suffice; `wait`: a target is missed.")
    is_on: bool = Field(description="Whether the settings have it on already.")
    sentence: str
    checks: list[ReportCheck]


class ReportStep(WireModel):
    """What to do now, of all stages."""

    verdict: Verdict = Field(description="`go`: on to the next stage, or all are on; `wait`: a target is missed.")
    sentence: str


class StateReportResult(WireModel):
    """Where the page is, and what stands at its top."""

    path: str = Field(description="The HTML file, below the state folder; the next report takes its place.")
    bytes: int
    since_day: str = Field(description="The first day of the report, UTC.")
    next_step: ReportStep
    stages: list[ReportStage]
