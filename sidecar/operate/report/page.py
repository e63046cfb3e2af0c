"""Writes the page: what was seen, as HTML in which everything is escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sidecar.operate.model import ReportStage, ReportStep
from sidecar.operate.report import numbers
from sidecar.operate.report.charts import CAUSES, Chart, charts_of
from sidecar.operate.report.drawing import draw
from sidecar.operate.report.rollout import ENOUGH_CALLS, TITLES, failures
from sidecar.operate.report.seen import Seen

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
    told = (numbers.percent, numbers.whole, numbers.milliseconds, numbers.size, numbers.dollars, numbers.age)
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
