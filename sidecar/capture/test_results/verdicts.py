"""A runner's verdict over several commands and runs: what a narrower run leaves standing. Pure.

A failure ends when its test is known to have passed: it was named as passed, it was among what a green command picked,
or the whole suite ran. The same selection again speaks for all that it spoke for before.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from sidecar.capture.test_results.runner_output import RunnerOutcome


class Verdict(NamedTuple):
    """The state of one runner's suite: each failing test with the selection it was seen failing in."""

    failing: Mapping[str, str] = MappingProxyType({})
    """Selection by name; a failure without names stands under the empty one."""
    excerpt: str = ""
    total: int = 0
    """How many tests the last failing command ran; 0 where it does not tell."""

    @property
    def names(self) -> tuple[str, ...]:
        """The failing tests, as far as they have names."""
        return tuple(name for name in self.failing if name)


class Change(NamedTuple):
    """What one run changed of a runner's verdict."""

    runner: str
    after: Verdict
    fixed: tuple[str, ...]
    """Tests that failed before the run, or in it, and pass now."""
    was_red: bool
    """Whether something failed before the run or in it."""

    @property
    def is_red(self) -> bool:
        """Whether something still fails."""
        return bool(self.after.failing)


def change_of(runner: str, before: Verdict, outcomes: Iterable[RunnerOutcome]) -> Change:
    """Plays a run's outcomes of one runner, in order, onto its verdict before the run."""
    verdict, seen = before, dict(before.failing)
    for outcome in outcomes:
        verdict = after(verdict, outcome)
        seen.update(verdict.failing)
    fixed = tuple(name for name in seen if name and name not in verdict.failing)
    return Change(runner, verdict, fixed, was_red=bool(seen))


def after(verdict: Verdict, outcome: RunnerOutcome) -> Verdict:
    """Gives the verdict after one more command."""
    selection = outcome.selection.text
    standing = {name: seen for name, seen in verdict.failing.items() if not _is_over(name, seen, verdict, outcome)}
    if not outcome.failed:
        return verdict._replace(failing=standing) if standing else Verdict()
    failing = {**standing, **dict.fromkeys(outcome.names or ("",), selection)}
    return Verdict(failing, outcome.excerpt, outcome.counts.total if outcome.counts else 0)


def _is_over(name: str, seen: str, verdict: Verdict, outcome: RunnerOutcome) -> bool:
    """Whether a failing test is known to fail no more, or is told anew by a command that ran it."""
    if any(_speaks_for(passed, name, outcome) for passed in outcome.passing):
        return True
    if outcome.crashed or (outcome.failed and outcome.selection.stops_early):
        return name in outcome.names or not name
    if outcome.selection.is_whole or outcome.selection.text == seen:
        return True
    if name:
        return outcome.selection.covers(name) or _is_as_wide(verdict, outcome)
    return _is_as_wide(verdict, outcome)


def _speaks_for(passed: str, name: str, outcome: RunnerOutcome) -> bool:
    """A test passed by its name; one of a file or package that passed where nothing of it was filtered out."""
    return passed == name or (
        name.startswith(f"{passed} ") and not (outcome.selection.filters or outcome.selection.other)
    )


def _is_as_wide(verdict: Verdict, outcome: RunnerOutcome) -> bool:
    """Whether a green command of an unknown selection ran as many tests as the red one did."""
    undecided = bool(outcome.selection.other) and not outcome.failed
    return undecided and outcome.counts is not None and 0 < verdict.total <= outcome.counts.total
