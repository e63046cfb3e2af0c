"""The report's page: HTML with everything escaped and charts as inline SVG, without scripts or external resources."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args
from xml.etree import ElementTree as ET

from sidecar.context import BRACKETS
from sidecar.core.clean_text import visible
from sidecar.daily_metrics import MetricsFigures
from sidecar.experiment.model import ExperimentOutcome
from sidecar.memory.entry import Tier
from sidecar.operations import number_format
from sidecar.operations.model import ReportStage, ReportStep
from sidecar.operations.number_format import format_bytes, milliseconds, percent, whole
from sidecar.operations.report_data import Period, ReportData, monday_of
from sidecar.operations.rollout_stages import MIN_CALLS, TITLES, failures, without_packs

Shape = Literal["lines", "bars", "stack", "rows"]
"""Lines and stacks run over days. Bars and rows are categories, upright and horizontal."""

Value = float | None


class Series(NamedTuple):
    """One line, or one colour of bars."""

    name: str
    values: tuple[Value, ...]


class Chart(NamedTuple):
    """A chart and the table beside it."""

    id: str
    title: str
    description: str
    """The chart's statement in one sentence. It is also the text alternative."""
    shape: Shape
    axis: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    write: Callable[[float | None], str]
    limit: float | None = None
    """The top of the scale, if it is fixed."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(value for data_series in self.series for value in data_series.values)


TIERS = (*get_args(Tier), "archived")
ARTIFACTS = {"devlog": "development log", "adr": "decision", "rejectedApproach": "rejected approach"}
STATUSES = ("draft", "accepted", "committed", "discarded")
TRIGGER_LABELS = {
    "turns": "turns",
    "injectedBytes": "injected bytes",
    "files": "files sent",
    "diffLines": "growth of the diff",
    "minutes": "minutes",
    "bracket": "a full context window",
    "forced": "a restart criterion, or the user",
}
ACTIONS = ("snapshot", "rehydrate")


def charts_of(data: ReportData, since_day: str, today: str) -> list[Chart]:
    """Return the charts in the order of the page."""
    timeline = _Timeline("Week" if data.is_weekly else "Day", _all_periods(data, since_day, today))
    return [
        *_pack_charts(timeline),
        *_benefit_charts(timeline),
        *_session_charts(timeline, data.modes.both),
        *_storage_charts(data),
    ]


class _Timeline(NamedTuple):
    """The days or weeks over which charts run."""

    axis: str
    periods: Mapping[str, Period | None]
    """Figures by the first day of each; None without measures."""

    def chart(
        self,
        chart_id: str,
        title: str,
        description: str,
        shape: Shape,
        series: Mapping[str, Callable[[Period], Value]],
        write: Callable[[float | None], str],
        limit: float | None = None,
    ) -> Chart:
        """Return a chart with one series for each name and the figure that it shows."""
        values = [
            Series(name, tuple(None if period is None else value_of(period) for period in self.periods.values()))
            for name, value_of in series.items()
        ]
        return Chart(chart_id, title, description, shape, self.axis, tuple(self.periods), tuple(values), write, limit)


def _pack_charts(timeline: _Timeline) -> Iterable[Chart]:
    yield timeline.chart(
        "hits",
        title="Cache hits",
        description="Share of packs and file summaries that came from the cache.",
        shape="lines",
        series={
            "packs in follow-ups": lambda day: day.modes.both.follow_up_hit_rate,
            "all packs": lambda day: _if_any_calls(day.modes.both, day.modes.both.cache_hit_rate),
            "file summaries": lambda day: day.modes.both.file_hit_rate,
        },
        write=percent,
        limit=1.0,
    )
    yield timeline.chart(
        "bytes",
        title="Bytes per turn",
        description="Bytes sent with a prompt, compared with full packs on every turn.",
        shape="lines",
        series={
            "injected": lambda day: _injected_per_turn(day.modes.active),
            "passive (would be)": lambda day: _injected_per_turn(day.modes.passive),
            "full packs": lambda day: _if_any_calls(day.modes.both, day.modes.both.baseline_bytes_per_turn),
        },
        write=format_bytes,
    )
    yield timeline.chart(
        "latency",
        title="Pre-run duration",
        description="The median, 95th and 99th percentile of the time prompts waited.",
        shape="lines",
        series={
            "median": lambda day: day.modes.both.elapsed_ms_p50,
            "95th percentile": lambda day: day.modes.both.elapsed_ms_p95,
            "99th percentile": lambda day: day.modes.both.elapsed_ms_p99,
        },
        write=milliseconds,
    )


def _benefit_charts(timeline: _Timeline) -> Iterable[Chart]:
    yield timeline.chart(
        "worth",
        title="Precision and recall of packs",
        description="Precision: share of the files sent that the run used."
        " Recall: share of the files it needed that were sent.",
        shape="lines",
        series={
            "precision": lambda day: day.modes.both.precision,
            "recall": lambda day: day.modes.both.recall,
        },
        write=percent,
        limit=1.0,
    )
    yield timeline.chart(
        "saved",
        title="Tokens saved",
        description="Tokens saved compared with sending full packs on every turn, at four bytes per token.",
        shape="stack",
        series={
            "saved": lambda day: day.modes.active.saved_tokens,
            "passive (would be)": lambda day: day.modes.passive.saved_tokens,
        },
        write=whole,
    )


def _session_charts(timeline: _Timeline, both: MetricsFigures) -> Iterable[Chart]:
    yield timeline.chart(
        "bracket",
        title="Context window",
        description="Prompts by how full the context window was.",
        shape="stack",
        series={name: _count_of("brackets", name) for name in BRACKETS},
        write=whole,
    )
    yield timeline.chart(
        "governor",
        title="Governor actions",
        description="Runs after which the governor requested an action, or suppressed one.",
        shape="stack",
        series={
            **{name: _count_of("governor", name) for name in ACTIONS},
            "suppressed": lambda day: sum(day.modes.both.governor_suppressed.values()),
        },
        write=whole,
    )
    triggers = [
        (label, both.governor_reasons.get(name))
        for name, label in TRIGGER_LABELS.items()
        if both.governor_reasons.get(name)
    ]
    yield Chart(
        id="causes",
        title="Reasons for actions",
        description="The signals that made an action due, and how often.",
        shape="rows",
        axis="Reason",
        labels=tuple(label for label, _ in triggers),
        series=(Series("runs", tuple(number for _, number in triggers)),),
        write=whole,
    )
    yield timeline.chart(
        "errors",
        title="Errors and delays",
        description="Prompts without a pack because of the deadline, failed runs, and error responses.",
        shape="stack",
        series={
            "timeouts": lambda day: without_packs(day.modes.both),
            "failed runs": lambda day: day.modes.both.outcomes.get("error"),
            "error responses": lambda day: sum(day.errors.values()),
        },
        write=whole,
    )


def _storage_charts(data: ReportData) -> Iterable[Chart]:
    kinds = [kind for kind in ARTIFACTS if any(own == kind for own, _ in data.artifacts)]
    yield Chart(
        id="artifacts",
        title="Artifacts",
        description="Artifacts drafted from runs, by kind and status.",
        shape="rows",
        axis="Kind",
        labels=tuple(ARTIFACTS[kind] for kind in kinds),
        series=tuple(
            Series(status, tuple(data.artifacts.get((kind, status), 0) for kind in kinds)) for status in STATUSES
        ),
        write=whole,
    )
    yield Chart(
        id="memories",
        title="Memories by tier",
        description="Number of memories by tier, from hot to archived.",
        shape="bars",
        axis="Tier",
        labels=TIERS,
        series=(Series("memories", tuple(data.memories.get(tier, 0) for tier in TIERS)),),
        write=whole,
    )
    yield Chart(
        id="caches",
        title="Caches by size",
        description="Size of the state file's caches, over all projects.",
        shape="rows",
        axis="Cache",
        labels=tuple(cache.name.replace("_", " ") for cache in data.caches),
        series=(Series("size", tuple(cache.bytes for cache in data.caches)),),
        write=format_bytes,
    )


def _count_of(figure: str, name: str) -> Callable[[Period], Value]:
    """Return a function that reads one count of a day's figures of both modes."""
    return lambda day: getattr(day.modes.both, figure).get(name)


def _if_any_calls(figures: MetricsFigures, value: float) -> Value:
    return value if figures.calls else None


def _injected_per_turn(figures: MetricsFigures) -> Value:
    return _if_any_calls(figures, figures.injected_bytes_per_turn)


def _all_periods(data: ReportData, since_day: str, today: str) -> dict[str, Period | None]:
    """Return every day or week from the first measured one to now, with those without measures; at least a week."""
    measured = {period.day: period for period in data.periods}
    a_week_ago = (date.fromisoformat(today) - timedelta(days=6)).isoformat()
    start, last = max(since_day, a_week_ago), today
    if data.is_weekly:
        start, last = monday_of(start), monday_of(last)
    first, step = date.fromisoformat(min(*measured, start, last)), 7 if data.is_weekly else 1
    return {
        iso_day: measured.get(iso_day)
        for passed in range(0, (date.fromisoformat(last) - first).days + 1, step)
        for iso_day in [(first + timedelta(days=passed)).isoformat()]
    }


WIDTH, HEIGHT, ROW_HEIGHT = 620, 260, 34
MOST_LABELS = 8


def draw(chart: Chart) -> str:
    """Return a chart's SVG, with its title and description."""
    figure = _chart_types()[chart.shape](**_options(chart))
    figure.uuid = chart.id
    is_course = chart.axis in ("Day", "Week")
    order = slice(None, None, -1 if chart.shape == "rows" else 1)  # the lowest row is drawn first
    figure.x_labels = [label[5:] if is_course else label for label in chart.labels[order]]
    if is_course and len(chart.labels) > MOST_LABELS:
        figure.x_labels_major = figure.x_labels[:: -(-len(chart.labels) // MOST_LABELS)]
        figure.show_minor_x_labels = False
    for data_series in chart.series:
        figure.add(data_series.name, list(data_series.values[order]))
    return _serialize(_sanitize(figure.render_tree(), chart))


@cache
def _chart_types() -> dict[Shape, Any]:
    """Load the library and remove its import hook for plugins, which warns on current Python versions."""
    import pygal

    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != pygal.__name__]
    return {
        "lines": pygal.Line,
        "bars": pygal.Bar,
        "stack": pygal.StackedBar,
        "rows": pygal.HorizontalStackedBar,
    }


def _options(chart: Chart) -> dict[str, Any]:
    rows = len(chart.labels) * ROW_HEIGHT + 60
    return {
        "width": WIDTH,
        "height": rows if chart.shape == "rows" else HEIGHT,
        "js": [],
        "css": [],
        "show_legend": False,
        "margin": 6,
        "margin_right": 18,
        "dots_size": 2.6 if len(chart.labels) < 60 else 1.2,
        "allow_interruptions": True,
        "range": (0, chart.limit) if chart.limit is not None else None,
        "include_x_axis": True,
        "order_min": 0 if chart.write is whole else None,  # no half counts
        "max_scale": 6,
        "min_scale": 2,
        "rounded_bars": 2,
        "value_formatter": chart.write,
        "truncate_label": -1,
        "disable_xml_declaration": True,
        "no_data_text": "",
    }


def _sanitize(root: Any, chart: Chart) -> Any:
    """Remove scripts, styles and duplicate descriptions, and turn hints into titles."""
    for parent in list(root.iter()):
        for child in list(parent):
            tag = child.tag if isinstance(child.tag, str) else ""
            if not tag or tag in ("defs", "script", "style") or (parent is root and tag == "title"):
                parent.remove(child)
        _add_hover_title(parent)
    for name, text in (("desc", chart.description), ("title", chart.title)):
        element = ET.Element(name, {"id": f"{chart.id}-{name}"})
        element.text = text
        root.insert(0, element)
    root.set("role", "img")
    root.set("aria-labelledby", f"{chart.id}-title {chart.id}-desc")
    root.set("id", f"{chart.id}-chart")
    return root


def _add_hover_title(parent: Any) -> None:
    """Turn a point's label (its day or kind, and its value) into the title shown on hover."""
    descriptions = {child.get("class"): child for child in parent if child.tag == "desc"}
    for child in descriptions.values():
        parent.remove(child)
    texts = [
        descriptions[name].text for name in ("x_label", "value") if name in descriptions and descriptions[name].text
    ]
    if texts:
        title = ET.Element("title")
        title.text = ": ".join(texts)
        parent.insert(0, title)


def _serialize(root: Any) -> str:
    return ET.tostring(root, encoding="unicode")


INTERVAL_WIDTH, INTERVAL_HEIGHT = 240, 22
MIN_REACH = {"ratio": 0.3, "rate": 0.3, "difference": 0.2, "share": 0.1}
"""Least distance from no difference to the ends of an interval's scale."""


def draw_interval(outcome: ExperimentOutcome) -> str:
    """Return an SVG of an outcome's effect and interval beside the line of no difference; empty without an interval."""
    if outcome.low is None or outcome.high is None or outcome.effect is None:
        return ""
    reach = max(MIN_REACH[outcome.scale], 1.1 * abs(outcome.low), 1.1 * abs(outcome.high))

    def at(value: float) -> float:
        return round(INTERVAL_WIDTH / 2 * (1 + value / reach), 1)

    middle = INTERVAL_HEIGHT // 2
    svg = ET.Element(
        "svg",
        {
            "class": f"interval {outcome.verdict}",
            "viewBox": f"0 0 {INTERVAL_WIDTH} {INTERVAL_HEIGHT}",
            "role": "img",
            "aria-label": outcome.sentence,
        },
    )
    for name, ends in (("zero", (at(0), 1, at(0), INTERVAL_HEIGHT - 1)),
                       ("range", (at(outcome.low), middle, at(outcome.high), middle))):  # fmt: skip
        place = dict(zip(("x1", "y1", "x2", "y2"), map(str, ends), strict=True))
        ET.SubElement(svg, "line", {"class": name, **place})
    ET.SubElement(svg, "circle", {"cx": str(at(outcome.effect)), "cy": str(middle), "r": "4.5"})
    return _serialize(svg)


_HERE = Path(__file__).parent


@dataclass(frozen=True)
class ReportHeading:
    """The page's facts about itself."""

    project: str | None
    """The name of the requested project; None for all projects."""
    since_day: str
    today: str
    made_at: str
    now_ms: int
    version: str
    mode: str
    snapshot: bool
    rehydrate: bool
    cache_bytes: int


def page(heading: ReportHeading, data: ReportData, step: ReportStep, stages: Sequence[ReportStage]) -> str:
    """Return the whole file."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_HERE, encoding="utf-8"),
        autoescape=True,
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    formatters = (
        number_format.percent,
        number_format.whole,
        number_format.milliseconds,
        number_format.format_bytes,
        number_format.dollars,
        number_format.age,
        number_format.effect,
        number_format.typical,
    )
    filters: dict[str, Any] = {write.__name__: write for write in formatters}
    environment.filters.update(filters)

    def svg(chart: Chart) -> Markup:
        return Markup(draw(chart))  # noqa: S704  (its texts are escaped by the XML writer)

    return environment.get_template("report_page.html.jinja").render(
        style=Markup((_HERE / "report_page.css").read_text(encoding="utf-8")),  # noqa: S704  (our own file)
        heading=heading,
        data=data,
        stages=stages,
        titles=TITLES,
        step=step,
        charts=charts_of(data, heading.since_day, heading.today),
        draw=svg,
        causes=TRIGGER_LABELS,
        failures=failures(data.errors),
        draw_interval=lambda outcome: Markup(draw_interval(outcome)),  # noqa: S704  (numbers and our own words)
        enough=MIN_CALLS,
    )
