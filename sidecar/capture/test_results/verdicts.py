"""A runner's verdict over several commands and runs: which failures remain after a narrower run. Pure.

A failure ends when its test is known to have passed: it was named as passed, it was part of what a green command
selected, or the whole suite ran. The same selection again covers everything that it covered before.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from sidecar.capture.test_results.runner_output import RunnerOutcome


class Verdict(NamedTuple):
    """The state of one runner's suite: each failing test with the selection in which it failed."""

    failing: Mapping[str, str] = MappingProxyType({})
    """Selection by test name; a failure without names has the empty name."""
    excerpt: str = ""
    total: int = 0
    """Number of tests that the last failing command ran; 0 if unknown."""

    @property
    def names(self) -> tuple[str, ...]:
        """The failing tests that have names."""
        return tuple(name for name in self.failing if name)


class VerdictChange(NamedTuple):
    """Change of a runner's verdict by one run."""

    runner: str
    after: Verdict
    fixed: tuple[str, ...]
    """Tests that failed before or during the run and pass now."""
    was_red: bool
    """Whether something failed before or during the run."""

    @property
    def is_red(self) -> bool:
        """Whether something still fails."""
        return bool(self.after.failing)


def change_of(runner: str, before: Verdict, outcomes: Iterable[RunnerOutcome]) -> VerdictChange:
    """Apply a run's outcomes of one runner, in order, to its verdict before the run."""
    verdict, ever_failing = before, dict(before.failing)
    for outcome in outcomes:
        verdict = verdict_after(verdict, outcome)
        ever_failing.update(verdict.failing)
    fixed = tuple(name for name in ever_failing if name and name not in verdict.failing)
    return VerdictChange(runner, verdict, fixed, was_red=bool(ever_failing))


def verdict_after(verdict: Verdict, outcome: RunnerOutcome) -> Verdict:
    """Return the verdict after one more command."""
    selection_text = outcome.selection.text
    still_failing = {
        name: failed_in
        for name, failed_in in verdict.failing.items()
        if not _is_resolved(name, failed_in, verdict, outcome)
    }
    if not outcome.failed:
        return verdict._replace(failing=still_failing) if still_failing else Verdict()
    failing = {**still_failing, **dict.fromkeys(outcome.names or ("",), selection_text)}
    return Verdict(failing, outcome.excerpt, outcome.counts.total if outcome.counts else 0)


def _is_resolved(name: str, failed_in: str, verdict: Verdict, outcome: RunnerOutcome) -> bool:
    """Whether a failing test no longer fails, or is reported again by a command that ran it."""
    if any(_covers(passed, name, outcome) for passed in outcome.passing):
        return True
    if outcome.crashed or (outcome.failed and outcome.selection.stops_early):
        return name in outcome.names or not name
    if outcome.selection.is_whole or outcome.selection.text == failed_in:
        return True
    if name:
        return outcome.selection.covers(name) or _ran_as_many(verdict, outcome)
    return _ran_as_many(verdict, outcome)


def _covers(passed: str, name: str, outcome: RunnerOutcome) -> bool:
    """Whether a passed name covers a test: the same name, or its file or package with nothing filtered out."""
    return passed == name or (
        name.startswith(f"{passed} ") and not (outcome.selection.filters or outcome.selection.other)
    )


def _ran_as_many(verdict: Verdict, outcome: RunnerOutcome) -> bool:
    """Whether a green command of an unknown selection ran as many tests as the failing one."""
    undecided = bool(outcome.selection.other) and not outcome.failed
    return undecided and outcome.counts is not None and 0 < verdict.total <= outcome.counts.total
