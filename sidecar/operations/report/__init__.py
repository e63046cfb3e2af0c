"""The HTML report: its data, charts, page, and the assessment of the rollout."""

from sidecar.operations.report.rollout_stages import (
    Evidence,
    dollars,
    milliseconds,
    next_step,
    percent,
    size,
    stages,
    whole,
)

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
