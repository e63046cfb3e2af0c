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
    days: int = Field(default=30, ge=1, le=3_650, description="Number of days, including today.")


class MetricsFigures(WireModel):
    """The figures of one mode that decide the rollout."""

    calls: int
    cache_hit_rate: float = Field(description="Share of calls whose context pack came from the cache, 0 to 1.")
    follow_up_hit_rate: float | None = Field(
        description="The same for calls that continue a provider session; null without such calls."
    )
    file_hit_rate: float | None = Field(
        description="Share of the needed file summaries that came from the cache; null if none were needed."
    )
    injected_bytes_per_turn: float = Field(
        description="Mean bytes sent per call; in passive mode, those that would have been sent."
    )
    baseline_bytes_per_turn: float = Field(description="Mean bytes per call if all packs were sent every time.")
    reduction: float = Field(description="1 − injected / baseline, 0 to 1; 0 without calls.")
    saved_bytes: int = Field(description="Baseline minus injected; in passive mode, what would have been saved.")
    saved_tokens: int = Field(description="The same in tokens, at four bytes per token.")
    saved_usd: float | None = Field(
        description="The same in US dollars, at the mean price of the tokens that the host reported; null if it"
        " reported no tokens or no cost."
    )
    elapsed_ms_mean: float = Field(description="Mean milliseconds from a pre-run's arrival to its answer.")
    elapsed_ms_p50: float | None = Field(
        description="Median milliseconds of pre-runs, including those past the deadline; null without any. It is"
        " interpolated between fixed bounds."
    )
    elapsed_ms_p95: float | None = Field(description="The 95th percentile.")
    elapsed_ms_p99: float | None = Field(description="The 99th percentile.")
    partial: int = Field(description="Calls answered at the deadline with the parts that were ready.")
    passed_through: dict[str, int] = Field(
        description="Prompts passed through unchanged, by reason: `deadline`, `slashCommand` …"
    )
    runs: int = Field(description="Runs recorded by a post-run.")
    outcomes: dict[str, int] = Field(description="Those runs, by outcome.")
    drafts: int = Field(description="Artifacts drafted.")
    precision: float | None = Field(
        description="Share of the files in packs that the run then read or edited; null if there were none."
    )
    recall: float | None = Field(
        description="Share of the files that runs read or edited, except those they created or had read before, that"
        " packs had contained; null without such files."
    )
    repeated_reads: int = Field(description="Reads of files whose content had been sent, without a later edit.")
    tokens: int = Field(description="Tokens reported by the host: input and output, including cached ones.")
    cost_usd: float = Field(description="US dollars reported by the host.")
    cache_read_share: float | None = Field(
        description="Share of the input tokens that the provider read from its cache; null if not reported."
    )
    cache_broken: int = Field(description="Runs in which a changed anchor invalidated the provider's cache.")
    governor: dict[str, int] = Field(description="The governor's decisions after runs: `ok`, `snapshot`, `rehydrate`.")
    governor_reasons: dict[str, int] = Field(
        description="What made an action due, suppressed or not: the signals' names in `governor/status`, or `forced`."
    )
    governor_suppressed: dict[str, int] = Field(description="Actions that were due but not allowed.")
    brackets: dict[str, int] = Field(description="Calls by how full the context window was, if the host reported it.")


class MetricsSummaryResult(WireModel):
    """The effect of active mode, and the effect passive mode would have had."""

    since_day: str = Field(description="The first day included, UTC.")
    active: MetricsFigures
    passive: MetricsFigures
    errors: dict[str, int] = Field(
        description="Requests answered with an error, by code and method, over all projects."
    )
    measures: dict[str, float] = Field(description="Each measure's total over both modes, by name.")


class MetricsSeriesParams(WireModel):
    """The measures to return by day."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    provider: Provider | None = Field(default=None, description="Without it, both.")
    days: int = Field(default=30, ge=1, le=366, description="Number of days, including today.")


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

    project: str = Field(description="The project's key: a hash of its path.")
    provider: Provider


class MetricsSeriesResult(WireModel):
    """The figures of `metrics/summary` by day, earliest first. Days without measures are omitted."""

    since_day: str = Field(description="The first day included, UTC.")
    points: list[MetricsPoint] = Field(description="By day, project and provider.")
    days: list[MetricsDay] = Field(description="By day, over the points' projects and providers.")
