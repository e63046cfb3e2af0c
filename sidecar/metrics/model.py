"""The messages of `metrics/summary` and `metrics/series`."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, WireModel

Provider = Literal["claude", "codex"]
"""Which agent was measured."""


class MetricsSummaryParams(WireModel):
    """Which measures to sum up."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    provider: Provider | None = Field(default=None, description="Without it, both.")
    days: int = Field(default=30, ge=1, le=3_650, description="How many days back, today included.")


class MetricsFigures(WireModel):
    """The figures the rollout is decided by, over the calls of one mode."""

    calls: int
    cache_hit_rate: float = Field(description="Share of calls whose context pack came from the cache, 0 to 1.")
    injected_bytes_per_turn: float = Field(description="Bytes a call sent, or in passive mode would have sent.")
    baseline_bytes_per_turn: float = Field(description="Bytes a call would have cost with all packs sent again.")
    reduction: float = Field(description="1 − injected / baseline, 0 to 1; 0 without calls.")
    elapsed_ms_mean: float = Field(description="Mean milliseconds from a pre-run's arrival to its answer.")
    precision: float | None = Field(
        description="Share of the files that packs told of that the run then read or edited; null where none were told."
    )
    recall: float | None = Field(
        description="Share of the files that runs read or edited, other than those they made or had read before, that"
        " they had been told of; null without such files."
    )
    repeated_reads: int = Field(description="Reads of files whose content was given, without an edit after them.")
    cost_usd: float = Field(description="US dollars, where the host reports them.")
    cache_read_share: float | None = Field(
        description="Share of the input tokens that the provider read from its cache; null where nobody reports them."
    )
    cache_broken: int = Field(description="Runs in which another anchor made the provider write its cache anew.")


class MetricsSummaryResult(WireModel):
    """What active mode did, and what passive mode would have done."""

    since_day: str = Field(description="The first day counted, UTC.")
    active: MetricsFigures
    passive: MetricsFigures
    measures: dict[str, float] = Field(description="Every measure's total over both modes, by name.")


class MetricsSeriesParams(WireModel):
    """Which measures to tell day by day."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    provider: Provider | None = Field(default=None, description="Without it, both.")
    days: int = Field(default=30, ge=1, le=366, description="How many days back, today included.")


class MetricsDay(WireModel):
    """A day's figures, of each mode that anything was measured in."""

    day: str = Field(description="UTC, as in 2026-03-01.")
    active: MetricsFigures | None
    passive: MetricsFigures | None


class MetricsPoint(MetricsDay):
    """A day's figures in one project with one provider."""

    project: str = Field(description="The project's key: the same for one path, and no path.")
    provider: Provider


class MetricsSeriesResult(WireModel):
    """The figures of `metrics/summary` by day, the earliest first; a day without measures is left out."""

    since_day: str = Field(description="The first day counted, UTC.")
    points: list[MetricsPoint] = Field(description="By day, project and provider.")
    days: list[MetricsDay] = Field(description="By day, over the points' projects and providers.")
