"""What was measured: sums by day, project and provider; never prompts, never paths."""

from sidecar.metrics.errors import note_error
from sidecar.metrics.exporting import emit, export_later
from sidecar.metrics.figures import errors_of, figures_of
from sidecar.metrics.labels import labelled
from sidecar.metrics.latency import bucket
from sidecar.metrics.model import MetricsFigures
from sidecar.metrics.store import NO_PROJECT, NO_PROVIDER, DaySums, by_day, count, count_call, first_day, roll_up
from sidecar.metrics.telemetry import Measure

__all__ = [
    "NO_PROJECT",
    "NO_PROVIDER",
    "DaySums",
    "Measure",
    "MetricsFigures",
    "bucket",
    "by_day",
    "count",
    "count_call",
    "emit",
    "errors_of",
    "export_later",
    "figures_of",
    "first_day",
    "labelled",
    "note_error",
    "roll_up",
]
