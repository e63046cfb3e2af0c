"""Draws charts as SVG that stands inside the page: no script, no style of its own, nothing fetched."""

import sys
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

from sidecar.operate.report.charts import Chart, Shape
from sidecar.operate.report.numbers import whole

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
