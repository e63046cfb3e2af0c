"""What was measured: sums by day, project and provider; never prompts, never paths."""

from sidecar.metrics.store import count, count_call

__all__ = ["count", "count_call"]
