"""Test results read from a run's commands."""

from sidecar.capture.test_results.runner_output import (
    OUTPUT_CHARACTERS,
    Counts,
    RunnerOutcome,
    outcomes_in,
    outcomes_of,
)
from sidecar.capture.test_results.suite_selection import Selection, selection_of
from sidecar.capture.test_results.verdicts import Verdict, VerdictChange, change_of

__all__ = [
    "OUTPUT_CHARACTERS",
    "Counts",
    "RunnerOutcome",
    "Selection",
    "Verdict",
    "VerdictChange",
    "change_of",
    "outcomes_in",
    "outcomes_of",
    "selection_of",
]
