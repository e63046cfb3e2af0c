"""Measurements: sums by day, project and provider. They never contain prompts or paths."""

from sidecar.metrics.counters import errors_of, figures_of, labelled, latency_bucket, note_error
from sidecar.metrics.model import MetricsFigures
from sidecar.metrics.store import NO_PROJECT, NO_PROVIDER, DaySums, by_day, count, count_call, first_day, roll_up

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
