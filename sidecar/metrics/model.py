"""The messages of `metrics/summary` and `metrics/series`."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, WireModel

Provider = Literal["claude", "codex"]
"""The agent that was measured."""


class MetricsSummaryParams(WireModel):
    """The measures to sum."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    provider: Provider | None = Field(default=None, description="Without it, both.")
    days: int = Field(default=30, ge=1, le=3_650, description="How many days back, today included.")


class MetricsFigures(WireModel):
    """The figures of one mode that decide the rollout."""

    calls: int
    cache_hit_rate: float = Field(description="Share of calls whose context pack came from the cache, 0 to 1.")
    follow_up_hit_rate: float | None = Field(
        description="The same of calls that continue a provider session; null without any."
    )
    file_hit_rate: float | None = Field(
        description="Share of the file summaries needed that were known; null where none were needed."
    )
    injected_bytes_per_turn: float = Field(description="Bytes a call sent, or in passive mode would have sent.")
    baseline_bytes_per_turn: float = Field(description="Bytes a call would have cost with all packs sent again.")
    reduction: float = Field(description="1 − injected / baseline, 0 to 1; 0 without calls.")
    saved_bytes: int = Field(description="Baseline less injected; in passive mode what would have been saved.")
    saved_tokens: int = Field(description="The same in tokens, reckoned at four bytes each.")
    saved_usd: float | None = Field(
        description="The same in US dollars, at the mean price of the tokens that the host reported; null where it"
        " reported no tokens or no cost."
    )
    elapsed_ms_mean: float = Field(description="Mean milliseconds from a pre-run's arrival to its answer.")
    elapsed_ms_p50: float | None = Field(
        description="Milliseconds half of the pre-runs stayed within, those that came too late among them; null"
        " without any. Between bounds that are a third apart it is an estimate."
    )
    elapsed_ms_p95: float | None = Field(description="The same of 95 in 100.")
    elapsed_ms_p99: float | None = Field(description="The same of 99 in 100.")
    partial: int = Field(description="Calls answered at the deadline with what was ready.")
    passed_through: dict[str, int] = Field(
        description="Prompts left as they were, by reason: `deadline`, `slashCommand` …"
    )
    runs: int = Field(description="Runs that a post-run told of.")
    outcomes: dict[str, int] = Field(description="Those runs by outcome.")
    drafts: int = Field(description="Artifacts drafted.")
    precision: float | None = Field(
        description="Share of the files that packs told of that the run then read or edited; null where none were told."
    )
    recall: float | None = Field(
        description="Share of the files that runs read or edited, other than those they made or had read before, that"
        " they had been told of; null without such files."
    )
    repeated_reads: int = Field(description="Reads of files whose content was given, without an edit after them.")
    tokens: int = Field(description="Tokens the host reported, in and out, cached ones too.")
    cost_usd: float = Field(description="US dollars, where the host reports them.")
    cache_read_share: float | None = Field(
        description="Share of the input tokens that the provider read from its cache; null where nobody reports them."
    )
    cache_broken: int = Field(description="Runs in which another anchor made the provider write its cache anew.")
    governor: dict[str, int] = Field(description="The governor's words after runs: `ok`, `snapshot`, `rehydrate`.")
    governor_causes: dict[str, int] = Field(
        description="What made an action due, withheld or not: the names of `governor/status`'s signals, or `forced`."
    )
    governor_withheld: dict[str, int] = Field(description="Actions that were due and not allowed.")
    brackets: dict[str, int] = Field(description="Calls by how full the context window was, where the host told.")


class MetricsSummaryResult(WireModel):
    """The effect of active mode, and the effect passive mode would have had."""

    since_day: str = Field(description="The first day counted, UTC.")
    active: MetricsFigures
    passive: MetricsFigures
    errors: dict[str, int] = Field(
        description="Requests answered with an error, by code and method, over all projects."
    )
    measures: dict[str, float] = Field(description="Every measure's total over both modes, by name.")


class MetricsSeriesParams(WireModel):
    """The measures to return by day."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    provider: Provider | None = Field(default=None, description="Without it, both.")
    days: int = Field(default=30, ge=1, le=366, description="How many days back, today included.")


class MetricsModes(WireModel):
    """The figures of a day, for each mode with measures."""

    day: str = Field(description="UTC, as in 2026-03-01.")
    active: MetricsFigures | None
    passive: MetricsFigures | None


class MetricsDay(MetricsModes):
    """The figures of a day over all projects and providers, and its errors."""

    errors: dict[str, int] = Field(
        description="Requests answered with an error, by code and method, over all projects."
    )


class MetricsPoint(MetricsModes):
    """The figures of a day in one project with one provider."""

    project: str = Field(description="The project's key: the same for one path, and no path.")
    provider: Provider


class MetricsSeriesResult(WireModel):
    """The figures of `metrics/summary` by day, earliest first. Days without measures are omitted."""

    since_day: str = Field(description="The first day counted, UTC.")
    points: list[MetricsPoint] = Field(description="By day, project and provider.")
    days: list[MetricsDay] = Field(description="By day, over the points' projects and providers.")
