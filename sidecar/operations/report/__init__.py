"""The HTML report: its data, charts, page, and the assessment of the rollout."""

from sidecar.operations.report.number_format import dollars, milliseconds, percent, size, whole
from sidecar.operations.report.rollout_stages import Evidence, next_step, stages

__all__ = [
    "Evidence",
    "dollars",
    "milliseconds",
    "next_step",
    "percent",
    "size",
    "stages",
    "whole",
]
