"""The report's page: HTML with everything escaped, and charts as inline SVG without scripts or external resources."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from sidecar.operations.model import ReportStage, ReportStep
from sidecar.operations.report import rollout_stages as number_format
from sidecar.operations.report.chart_data import TRIGGER_LABELS, Chart, Shape, charts_of
from sidecar.operations.report.report_data import ReportData
from sidecar.operations.report.rollout_stages import MIN_CALLS, TITLES, failures, whole

WIDTH, HEIGHT, ROW_HEIGHT = 620, 260, 34
MOST_LABELS = 8
SVG = "http://www.w3.org/2000/svg"


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


_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Heading:
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


def page(heading: Heading, data: ReportData, step: ReportStep, stages: Sequence[ReportStage]) -> str:
    """Return the whole file."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_HERE, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    formatters = (
        number_format.percent,
        number_format.whole,
        number_format.milliseconds,
        number_format.size,
        number_format.dollars,
        number_format.age,
    )
    environment.filters.update({write.__name__: write for write in formatters})

    def svg(chart: Chart) -> Markup:
        return Markup(draw(chart))  # noqa: S704  (its texts are escaped by the XML writer)

    return environment.get_template("page.html.jinja").render(
        style=Markup((_HERE / "page.css").read_text(encoding="utf-8")),  # noqa: S704  (our own file)
        heading=heading,
        data=data,
        stages=stages,
        titles=TITLES,
        step=step,
        charts=charts_of(data, heading.since_day, heading.today),
        draw=svg,
        causes=TRIGGER_LABELS,
        failures=failures(data.errors),
        enough=MIN_CALLS,
    )
