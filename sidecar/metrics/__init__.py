"""What was measured: sums by day, project and provider; never prompts, never paths."""

from sidecar.metrics.errors import note_error
from sidecar.metrics.labels import labelled
from sidecar.metrics.latency import bucket
from sidecar.metrics.store import count, count_call, roll_up
from sidecar.metrics.telemetry import Measure, emit

__all__ = ["Measure", "bucket", "count", "count_call", "emit", "labelled", "note_error", "roll_up"]
