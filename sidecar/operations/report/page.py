"""Draws charts as SVG that stands inside the page: no script, no style of its own, nothing fetched."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from sidecar.operations.model import ReportStage, ReportStep
from sidecar.operations.report import number_format
from sidecar.operations.report.charts import CAUSES, Chart, Shape, charts_of
from sidecar.operations.report.number_format import whole
from sidecar.operations.report.report_data import Seen
from sidecar.operations.report.rollout import ENOUGH_CALLS, TITLES, failures

WIDTH, HEIGHT, ROW_HEIGHT = 620, 260, 34
MOST_LABELS = 8
SVG = "http://www.w3.org/2000/svg"


def draw(chart: Chart) -> str:
    """Gives a chart's SVG, with its title and description."""
    drawn = _kinds()[chart.shape](**_options(chart))
    drawn.uuid = chart.id
    is_course = chart.axis in ("Day", "Week")
    down = slice(None, None, -1 if chart.shape == "rows" else 1)  # the lowest row is drawn first
    drawn.x_labels = [label[5:] if is_course else label for label in chart.labels[down]]
    if is_course and len(chart.labels) > MOST_LABELS:
        drawn.x_labels_major = drawn.x_labels[:: -(-len(chart.labels) // MOST_LABELS)]
        drawn.show_minor_x_labels = False
    for one in chart.series:
        drawn.add(one.name, list(one.values[down]))
    return _serialized(_bare(drawn.render_tree(), chart))


@cache
def _kinds() -> dict[Shape, Any]:
    """Loads the library, and takes out the import hook for its plugins: of a kind Python no longer knows, it warns."""
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
        "order_min": 0 if chart.write is whole else None,  # no halves of what is counted
        "max_scale": 6,
        "min_scale": 2,
        "rounded_bars": 2,
        "value_formatter": chart.write,
        "truncate_label": -1,
        "disable_xml_declaration": True,
        "no_data_text": "",
    }


def _bare(root: Any, chart: Chart) -> Any:
    """Takes out what would run, style, load or speak to a screen reader twice; hints become titles."""
    for parent in list(root.iter()):
        for child in list(parent):
            tag = child.tag if isinstance(child.tag, str) else ""
            if not tag or tag in ("defs", "script", "style") or (parent is root and tag == "title"):
                parent.remove(child)
        _name_point(parent)
    for name, text in (("desc", chart.says), ("title", chart.title)):
        told = ET.Element(name, {"id": f"{chart.id}-{name}"})
        told.text = text
        root.insert(0, told)
    root.set("role", "img")
    root.set("aria-labelledby", f"{chart.id}-title {chart.id}-desc")
    root.set("id", f"{chart.id}-chart")
    return root


def _name_point(parent: Any) -> None:
    """Makes what belongs to a point (its day or kind, and its value) the title shown when it is pointed at."""
    told = {child.get("class"): child for child in parent if child.tag == "desc"}
    for child in told.values():
        parent.remove(child)
    texts = [told[name].text for name in ("x_label", "value") if name in told and told[name].text]
    if texts:
        title = ET.Element("title")
        title.text = ": ".join(texts)
        parent.insert(0, title)


def _serialized(root: Any) -> str:
    return ET.tostring(root, encoding="unicode")


# Writes the page: what was seen, as HTML in which everything is escaped.


_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Heading:
    """What the page says of itself."""

    project: str | None
    """The name of the project that was asked for; None for all of them."""
    since_day: str
    today: str
    made_at: str
    now_ms: int
    version: str
    mode: str
    snapshot: bool
    rehydrate: bool
    cache_bytes: int


def page(heading: Heading, seen: Seen, step: ReportStep, stages: Sequence[ReportStage]) -> str:
    """Gives the whole file."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_HERE, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    told = (
        number_format.percent,
        number_format.whole,
        number_format.milliseconds,
        number_format.size,
        number_format.dollars,
        number_format.age,
    )
    environment.filters.update({write.__name__: write for write in told})

    def drawn(chart: Chart) -> Markup:
        return Markup(draw(chart))  # noqa: S704  (its texts are escaped by the XML writer)

    return environment.get_template("page.html.jinja").render(
        style=Markup((_HERE / "page.css").read_text(encoding="utf-8")),  # noqa: S704  (our own file)
        heading=heading,
        seen=seen,
        stages=stages,
        titles=TITLES,
        step=step,
        charts=charts_of(seen, heading.since_day, heading.today),
        draw=drawn,
        causes=CAUSES,
        failures=failures(seen.errors),
        enough=ENOUGH_CALLS,
    )
