"""The report's page: HTML with everything escaped, without scripts or external resources."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sidecar.operations.model import ReportStage, ReportStep
from sidecar.operations.report import number_format
from sidecar.operations.report.charts import TRIGGER_LABELS, Chart, charts_of, draw
from sidecar.operations.report.report_data import ReportData
from sidecar.operations.report.rollout_stages import MIN_CALLS, TITLES, failures

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
