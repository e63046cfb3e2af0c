"""What was measured: sums by day, project and provider; never prompts, never paths."""

from sidecar.metrics.errors import note_error
from sidecar.metrics.figures import errors_of, figures_of
from sidecar.metrics.labels import labelled
from sidecar.metrics.latency import bucket
from sidecar.metrics.model import MetricsFigures
from sidecar.metrics.store import NO_PROJECT, NO_PROVIDER, DaySums, by_day, count, count_call, first_day, roll_up

__all__ = [
    "NO_PROJECT",
    "NO_PROVIDER",
    "DaySums",
    "MetricsFigures",
    "bucket",
    "by_day",
    "count",
    "count_call",
    "errors_of",
    "figures_of",
    "first_day",
    "labelled",
    "note_error",
    "roll_up",
]
