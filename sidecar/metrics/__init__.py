"""What was measured: sums by day, project and provider; never prompts, never paths."""

from sidecar.metrics.counters import labelled, note_error
from sidecar.metrics.latency import bucket
from sidecar.metrics.model import MetricsFigures
from sidecar.metrics.store import NO_PROJECT, NO_PROVIDER, DaySums, by_day, count, count_call, first_day, roll_up
from sidecar.metrics.summary import errors_of, figures_of

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
