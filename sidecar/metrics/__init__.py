"""Measurements: sums by day, project and provider. They never contain prompts or paths."""

from sidecar.metrics.figures import (
    BOUNDS_MS,
    by_label,
    counts_of,
    errors_of,
    figures_of,
    labelled,
    latency_bucket,
    name_and_labels,
    note_error,
    percentile,
)
from sidecar.metrics.model import MetricsFigures
from sidecar.metrics.store import (
    NO_PROJECT,
    NO_PROVIDER,
    DaySums,
    by_day,
    count,
    count_call,
    first_day,
    roll_up,
    totals,
)

__all__ = [
    "BOUNDS_MS",
    "NO_PROJECT",
    "NO_PROVIDER",
    "DaySums",
    "MetricsFigures",
    "by_day",
    "by_label",
    "count",
    "count_call",
    "counts_of",
    "errors_of",
    "figures_of",
    "first_day",
    "labelled",
    "latency_bucket",
    "name_and_labels",
    "note_error",
    "percentile",
    "roll_up",
    "totals",
]
