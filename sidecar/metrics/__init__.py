"""Measurements: sums by day, project and provider. They never contain prompts or paths."""

from sidecar.metrics.counters import labelled, note_error
from sidecar.metrics.latency import latency_bucket
from sidecar.metrics.model import MetricsFigures
from sidecar.metrics.store import NO_PROJECT, NO_PROVIDER, DaySums, by_day, count, count_call, first_day, roll_up
from sidecar.metrics.summary import errors_of, figures_of

__all__ = [
    "NO_PROJECT",
    "NO_PROVIDER",
    "DaySums",
    "MetricsFigures",
    "by_day",
    "count",
    "count_call",
    "errors_of",
    "figures_of",
    "first_day",
    "labelled",
    "latency_bucket",
    "note_error",
    "roll_up",
]
