"""Metrics: measures summed by day, project and provider, the figures computed from them, and `metrics/series`.

They never contain prompts or paths.
"""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Literal, NamedTuple, cast

import apsw
from pydantic import Field

from sidecar.call import Call, Process
from sidecar.core.clock import DAY_MS, utc_day
from sidecar.core.errors import SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.core.wire_types import FolderPath, WireModel
from sidecar.method import Lane, method
from sidecar.storage.purgeable_rows import RowGroup

Provider = Literal["claude", "codex"]
"""The agent that runs, and that is measured."""


class MetricsSummaryParams(WireModel):
    """The measures to sum."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")
    provider: Provider | None = Field(default=None, description="Without it, both.")
    days: int = Field(default=30, ge=1, le=3_650, description="Number of days, including today.")


class PassiveEstimate(WireModel):
    """An upper bound of the reads that packs make unnecessary, from runs that did not receive theirs.

    A read counts if it shows a line of a region that the pack had; an agent may read such a region all the same. Bytes
    that are carried count once for each later call of the run, because a conversation is sent whole with every call.
    """

    runs: int
    reads: int = Field(description="Calls of Read in these runs.")
    avoidable_reads: int = Field(description="Those that show a region of the run's pack.")
    avoidable_bytes: int = Field(description="Bytes of these regions.")
    avoidable_carried_bytes: int = Field(description="These bytes, times the calls after each read.")
    pack_bytes: int = Field(description="Bytes of the packs.")
    pack_carried_bytes: int = Field(description="These bytes, times the calls of the run.")
    carried_tokens: int = Field(
        description="Tokens of the packs carried, minus those of the reads, if no call reads from the provider's cache."
    )
    carried_tokens_cached: int = Field(
        description="The same if every later call reads from the cache, at a tenth of the price."
    )


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
        description="Prompts passed through unchanged, by reason: `deadline`, `slashCommand`, `hookGaveUp` …"
    )
    without_pack: dict[str, int] = Field(
        description="Calls after which the agent had no pack, by reason: `deadline`, or `hookGaveUp`, where a hook in a"
        " terminal did not wait for the answer."
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
    estimate: PassiveEstimate | None = Field(description="Null without runs in passive mode or in control chats.")


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


# The table: a total and a count per day, project, provider, mode and name.


NO_PROVIDER = NO_PROJECT = ""

DAYS = 400
"""Number of days for which sums are stored by day."""


def count_call(
    tx: apsw.Connection, project: str, provider: str, *, shadow: bool, now_ms: int, measures: Mapping[str, float]
) -> None:
    """Add one observation of each measure."""
    day = utc_day(now_ms)
    tx.executemany(
        "INSERT INTO continuity_metrics (day, project, provider, shadow, name, total, count)"
        " VALUES (?, ?, ?, ?, ?, ?, 1)"
        " ON CONFLICT DO UPDATE SET total = total + excluded.total, count = count + 1",
        [(day, project, provider, shadow, name, value) for name, value in measures.items()],
    )


def count(tx: apsw.Connection, project: str, now_ms: int, measures: Mapping[str, float]) -> None:
    """Add one observation of each measure that belongs to no provider. Names may carry labels: `a.total{b=c}`."""
    count_call(tx, project, NO_PROVIDER, shadow=False, now_ms=now_ms, measures=measures)


def totals(
    tx: apsw.Connection, project: str | None, since_day: str, provider: str | None = None
) -> dict[tuple[bool, str], float]:
    """Return each measure's total by (shadow, name) from a day on; None as project or provider means all of them."""
    rows = tx.execute(
        "SELECT shadow, name, sum(total) FROM continuity_metrics"
        " WHERE project = coalesce(?, project) AND day >= ? AND provider = coalesce(?, provider)"
        " GROUP BY shadow, name ORDER BY shadow, name",
        (project, since_day, provider),
    )
    return {(bool(shadow), name): total for shadow, name, total in rows}


class DaySums(NamedTuple):
    """The sums of one day in one project with one provider: totals by (shadow, name)."""

    day: str
    project: str
    provider: str
    totals: dict[tuple[bool, str], float]


def add_up(days: Iterable[DaySums]) -> dict[tuple[bool, str], float]:
    """Return the totals of several days, projects or providers."""
    sums: dict[tuple[bool, str], float] = {}
    for day_sums in days:
        for measure, total in day_sums.totals.items():
            sums[measure] = sums.get(measure, 0.0) + total
    return sums


def by_day(tx: apsw.Connection, project: str | None, since_day: str, provider: str | None) -> Iterator[DaySums]:
    """Yield the sums in the order of day, project and provider.

    Measures without a project or provider have an empty one; those with neither are always included.
    """
    rows = tx.execute(
        "SELECT day, project, provider, shadow, name, total FROM continuity_metrics"
        " WHERE day >= ?2 AND (project = coalesce(?1, project) AND provider = coalesce(?3, provider)"
        " OR project = '' AND provider = '') ORDER BY day, project, provider, shadow, name",
        (project, since_day, provider),
    )
    for (day, of_project, of_provider), sums in groupby(rows, key=lambda row: row[:3]):
        yield DaySums(day, of_project, of_provider, {(bool(shadow), name): total for *_, shadow, name, total in sums})


def first_day(now_ms: int, days: int) -> str:
    """Return the first of `days` days that end today."""
    return utc_day(now_ms - (days - 1) * DAY_MS)


def roll_up(tx: apsw.Connection, now_ms: int, days: int = DAYS) -> None:
    """Add up the sums of days older than `days` into one sum, so that lifetime totals remain."""
    day = first_day(now_ms, days)
    rows = "FROM continuity_metrics WHERE day > '' AND day < ?"
    if tx.execute(f"SELECT 1 {rows} LIMIT 1", (day,)).get is None:
        return
    tx.execute(
        "INSERT INTO continuity_metrics (day, project, provider, shadow, name, total, count)"
        f" SELECT '', project, provider, shadow, name, sum(total), sum(count) {rows} GROUP BY 2, 3, 4, 5"
        " ON CONFLICT DO UPDATE SET total = total + excluded.total, count = count + excluded.count",
        (day,),
    )
    tx.execute(f"DELETE {rows}", (day,))


ROW_GROUPS = (
    RowGroup(
        "metrics", "continuity_metrics", before="day <> '' AND day < strftime('%Y-%m-%d', ?2 / 1000, 'unixepoch')"
    ),
)


# Labels are part of a measure's name, as in `passedThrough{reason=deadline}`. Pre-run durations are counts between
# bounds: they can be summed over days and still give percentiles.


def labelled(name: str, **labels: str) -> str:
    """Return a measure's name with its labels in alphabetical order."""
    pairs = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
    return f"{name}{{{pairs}}}"


def name_and_labels(measure: str) -> tuple[str, dict[str, str]]:
    """Split a measure's name into its plain name and its labels."""
    name, _, label_text = measure.partition("{")
    pairs = (pair.partition("=") for pair in label_text.removesuffix("}").split(",") if pair)
    return name, {label: value for label, _, value in pairs}


def by_label(measured: Mapping[str, float], name: str) -> dict[str, float]:
    """Return the totals of one measure by label value; several values are joined by a space."""
    parsed = ((name_and_labels(measure), total) for measure, total in measured.items())
    return {" ".join(labels.values()): total for (name_, labels), total in parsed if name_ == name and labels}


METHOD_NOT_FOUND, CANCELLED = -32601, -32800


class ErrorCounter:
    """Counts of error answers that are not written yet."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._pending: Counter[str] = Counter()
        self._lock = threading.Lock()

    def note(self, measure: str) -> None:
        """Count one error answer; a background write follows."""
        with self._lock:
            self._pending[measure] += 1
        self._process.database.write_behind.schedule(self.write)

    def write(self) -> None:
        """Write the pending counts. Counts that cannot be written are lost and logged."""
        with self._lock:
            pending, self._pending = self._pending, Counter()
        try:
            with self._process.database.write(durable=False) as tx:
                count(tx, NO_PROJECT, self._process.clock.now_ms(), pending)
        except SidecarError as error:
            self._process.log.warning("metrics.errors.unwritten", error=error.kind)


def note_error(process: Process, method: str, code: int) -> None:
    """Count an error answer. Cancelled requests are not counted; the name of an unknown method is not stored."""
    if code != CANCELLED:
        name = "unknown" if code == METHOD_NOT_FOUND else method
        process.slices.error_counter.note(labelled("error", code=str(code), method=name))


NAME = "elapsedMs.upTo"

BOUNDS_MS = (1, 1.5, 2, 3, 4, 6, 8, 11, 15, 20, 30, 40, 60, 80, 110, 150, 200, 300, 400, 600, 800, 1_100, 1_500, 2_000)
"""Upper bounds, each at most 1.5 times the previous one, which limits the error of a percentile above 1 ms."""

OVERFLOW = "more"


def latency_bucket(elapsed_ms: float) -> str:
    """Return the name of the measure that counts a duration."""
    index = bisect_left(BOUNDS_MS, elapsed_ms)
    return labelled(NAME, ms=f"{BOUNDS_MS[index]:g}" if index < len(BOUNDS_MS) else OVERFLOW)


def counts_of(measured: Mapping[str, float]) -> list[float]:
    """Return the counts in the order of the bounds; durations beyond the last bound come last."""
    counts = by_label(measured, NAME)
    return [counts.get(f"{bound:g}", 0.0) for bound in BOUNDS_MS] + [counts.get(OVERFLOW, 0.0)]


def percentile(counts: list[float], share: float) -> float | None:
    """Return the duration that a share of all durations stays within, interpolated between bounds; None without any.

    Beyond the last bound the result is that bound.
    """
    target, below = share * sum(counts), 0.0
    if not target:
        return None
    for (low, high), calls in zip(pairwise((0.0, *BOUNDS_MS)), counts, strict=False):
        if calls and below + calls >= target:
            return round(low + (high - low) * (target - below) / calls, 2)
        below += calls
    return float(BOUNDS_MS[-1])


BYTES_PER_TOKEN = 4
"""Bytes per token for the estimate of saved tokens. Code and prose have three to four, so the estimate is low."""

_UNCACHED = ("cacheCreationTokens", "inputTokens")
"""Input tokens that did not come from the provider's cache."""

_TOKENS = (*_UNCACHED, "cacheReadTokens", "outputTokens")


def figures_of(measured: Mapping[str, float]) -> MetricsFigures:
    """Return the figures of one mode."""
    calls = measured.get("calls", 0.0)
    injected, baseline = measured.get("wouldInjectBytes", 0.0), measured.get("baselineBytes", 0.0)
    needed, cached = measured.get("filesNeeded", 0.0), measured.get("cacheReadTokens", 0.0)
    file_hits, durations = measured.get("fileHits", 0.0), counts_of(measured)
    tokens, cost = sum(measured.get(name, 0.0) for name in _TOKENS), measured.get("costUsd", 0.0)
    saved_tokens = max(0.0, baseline - injected) / BYTES_PER_TOKEN
    return MetricsFigures(
        calls=int(calls),
        cache_hit_rate=round(measured.get("cacheHits", 0.0) / calls, 4) if calls else 0.0,
        follow_up_hit_rate=_share(measured.get("followUpHits", 0.0), measured.get("followUps", 0.0)),
        file_hit_rate=_share(file_hits, file_hits + measured.get("fileMisses", 0.0)),
        injected_bytes_per_turn=round(injected / calls, 1) if calls else 0.0,
        baseline_bytes_per_turn=round(baseline / calls, 1) if calls else 0.0,
        reduction=round(1 - injected / baseline, 4) if baseline else 0.0,
        saved_bytes=int(baseline - injected),
        saved_tokens=int(saved_tokens),
        saved_usd=round(saved_tokens * cost / tokens, 4) if tokens and cost else None,
        elapsed_ms_mean=round(measured.get("elapsedMs", 0.0) / calls, 2) if calls else 0.0,
        elapsed_ms_p50=percentile(durations, 0.5),
        elapsed_ms_p95=percentile(durations, 0.95),
        elapsed_ms_p99=percentile(durations, 0.99),
        partial=int(measured.get("partial", 0.0)),
        passed_through=_counts(measured, "passedThrough"),
        without_pack=_counts(measured, "withoutPack"),
        runs=int(measured.get("runs", 0.0)),
        outcomes={name.removeprefix("outcome."): int(total) for name, total in sorted(measured.items())
                  if name.startswith("outcome.")},
        drafts=int(measured.get("drafts", 0.0)),
        precision=_share(measured.get("filesSentAndUsed", 0.0), measured.get("filesSent", 0.0)),
        recall=_share(needed - measured.get("filesDiscovered", 0.0), needed),
        repeated_reads=int(measured.get("repeatedReads", 0.0)),
        tokens=int(tokens),
        cost_usd=round(cost, 6),
        cache_read_share=_share(cached, cached + sum(measured.get(name, 0.0) for name in _UNCACHED)),
        cache_broken=int(measured.get("cacheBroken", 0.0)),
        governor=_counts(measured, "governor"),
        governor_reasons=_counts(measured, "governor.reason"),
        governor_suppressed=_counts(measured, "governor.suppressed"),
        brackets=_counts(measured, "bracket"),
        estimate=_estimate(measured),
    )  # fmt: skip


CACHED_PRICE = 0.1
"""Price of an input token from the provider's cache, relative to another."""


def _estimate(measured: Mapping[str, float]) -> PassiveEstimate | None:
    def total(name: str) -> int:
        return int(measured.get(f"estimate{name}", 0.0))

    runs, pack, pack_carried = total("Runs"), total("PackBytes"), total("PackCarriedBytes")
    read_bytes, read_carried = total("AvoidableBytes"), total("AvoidableCarriedBytes")
    if not runs:
        return None
    first_time, later = pack - read_bytes, (pack_carried - pack) - (read_carried - read_bytes)
    return PassiveEstimate(
        runs=runs,
        reads=total("Reads"),
        avoidable_reads=total("AvoidableReads"),
        avoidable_bytes=read_bytes,
        avoidable_carried_bytes=read_carried,
        pack_bytes=pack,
        pack_carried_bytes=pack_carried,
        carried_tokens=round((first_time + later) / BYTES_PER_TOKEN),
        carried_tokens_cached=round((first_time + CACHED_PRICE * later) / BYTES_PER_TOKEN),
    )


def errors_of(measured: Mapping[str, float]) -> dict[str, int]:
    """Return the number of requests answered with an error, by code and method."""
    return _counts(measured, "error")


def _counts(measured: Mapping[str, float], name: str) -> dict[str, int]:
    return {value: int(total) for value, total in sorted(by_label(measured, name).items())}


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def series(call: Call, params: MetricsSeriesParams) -> MetricsSeriesResult:
    """Return the same figures by day, for each project and provider and for all of them together."""
    since_day, project = period_and_project(call, params)
    with call.database.read() as tx:
        sums = list(by_day(tx, project, since_day, params.provider))
    return MetricsSeriesResult(
        since_day=since_day,
        points=[
            MetricsPoint(
                project=day_sums.project,
                provider=cast("Provider", day_sums.provider),
                **_figures_by_mode(day_sums.day, day_sums.totals),
            )
            for day_sums in sums
            if day_sums.provider != NO_PROVIDER
        ],
        days=[_day(day, list(of_day)) for day, of_day in groupby(sums, key=lambda day_sums: day_sums.day)],
    )


def period_and_project(call: Call, params: MetricsSummaryParams | MetricsSeriesParams) -> tuple[str, str | None]:
    """Return the first day, and the project's key."""
    path = params.project_path
    project = call.process.workspaces.get(path, None).project_key if path is not None else None
    return first_day(call.now_ms(), params.days), project


def _day(day: str, sums: Sequence[DaySums]) -> MetricsDay:
    run_sums = add_up(day_sums for day_sums in sums if day_sums.provider != NO_PROVIDER)
    of_no_project = add_up(day_sums for day_sums in sums if day_sums.project == NO_PROJECT)
    return MetricsDay(**_figures_by_mode(day, run_sums), errors=_errors(of_no_project))


def _errors(of_no_project: Mapping[tuple[bool, str], float]) -> dict[str, int]:
    return errors_of({name: total for (_, name), total in of_no_project.items()})


def _figures_by_mode(day: str, measured: Mapping[tuple[bool, str], float]) -> dict[str, Any]:
    modes = {
        name: {measure: total for (shadow, measure), total in measured.items() if shadow is is_shadow}
        for name, is_shadow in (("active", False), ("passive", True))
    }
    return {"day": day, **{name: figures_of(of_mode) if of_mode else None for name, of_mode in modes.items()}}


METHODS = (method("metrics/series", series, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),)
