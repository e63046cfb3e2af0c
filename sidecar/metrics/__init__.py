"""What was measured: sums by day, project and provider; never prompts, never paths."""

from sidecar.metrics.store import count, count_call
from sidecar.metrics.telemetry import Measure, emit

__all__ = ["Measure", "count", "count_call", "emit"]
