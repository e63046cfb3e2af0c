"""Read a run's commands with the runner table: whether tests passed, how many, which failed. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from sidecar.capture.effects.shell_commands import only_displays
from sidecar.capture.effects.tool_parts import Command
from sidecar.capture.test_results.runner_table import RUNNERS, Runner
from sidecar.capture.test_results.suite_selection import Selection, selection_of
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import may_span_lines, redact, redact_lines

EXCERPT_LINES = 14
EXCERPT_CHARACTERS = 1_400
MAX_NAMES = 50
MAX_PASSING = 5_000
OUTPUT_CHARACTERS = 400_000
"""Maximum number of characters read from the end of a command's output, where runners print their result."""

KILLED = frozenset((134, 137, 139, 143))
"""Exit codes of a program ended by a signal: abort, kill, segmentation fault, terminate."""

_ANSI = lazy_regex(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_COUNT = lazy_regex(
    r"(?<!\d)(\d{1,12}) (passed|passing|failed|failing|failures?|errors?|skipped|pending|ignored|xfailed|tests?"
    r"|examples?|total)\b"
    r"|\b(pass|fail|cancelled|skipped|todo|tests|Tests run|Failures|Errors|Skipped|Tests|Failed|Passed|Total"
    r"|failures|errors|Ran)(?:: *|=| )(\d+)"
)
_KINDS = {
    **dict.fromkeys(("passed", "passing", "pass"), "passed"),
    **dict.fromkeys(("failed", "failing", "failure", "failures", "fail", "cancelled"), "failed"),
    **dict.fromkeys(("error", "errors"), "errors"),
    **dict.fromkeys(("skipped", "pending", "ignored", "xfailed", "todo"), "skipped"),
    **dict.fromkeys(("test", "tests", "example", "examples", "total", "tests run", "ran"), "total"),
}


class Counts(NamedTuple):
    """Numbers of tests, as far as the runner prints them."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        """Number of tests that really ran."""
        return self.passed + self.failed + self.errors


class RunnerOutcome(NamedTuple):
    """Outcome of one runner's tests in one command's output."""

    runner: str
    failed: bool
    names: tuple[str, ...]
    excerpt: str
    counts: Counts | None = None
    """None if the runner prints no numbers."""
    passing: tuple[str, ...] = ()
    """Tests, files or packages that it lists as passed."""
    selection: Selection = Selection()

    crashed: bool = False
    """Whether the run broke without a failing test."""


def outcomes_of(commands: Iterable[Command], cwd: str = "") -> tuple[RunnerOutcome, ...]:
    """Return the test outcomes of the commands, in order. One that only displays files or names a runner has none."""
    return tuple(outcome for command in commands for outcome in outcomes_in(command, cwd))


def outcomes_in(command: Command, cwd: str = "") -> list[RunnerOutcome]:
    """Read one command's output. The runner's own result counts, not the exit code, which may be another program's."""
    if only_displays(command.command):
        return []
    output = _ANSI.sub("", _end_of(command.output)).replace("\r\n", "\n")
    return [outcome for runner in RUNNERS if (outcome := _outcome(runner, command, output, cwd)) is not None]


def _end_of(output: str) -> str:
    """Return the last whole lines of an output: half a secret on a cut line would not be recognised."""
    end = output[-OUTPUT_CHARACTERS:]
    return end if len(end) == len(output) else end.partition("\n")[2]


def _outcome(runner: Runner, command: Command, output: str, cwd: str) -> RunnerOutcome | None:
    named = bool(runner.command.search(command.command))
    failed = bool(runner.failed.search(output)) or (named and _is_broken(runner, command, output))
    if not failed and not runner.passed.search(output) and not (named and runner.passed_if_named.search(output)):
        return None
    counts = counts_in(runner, output)
    return RunnerOutcome(
        runner.name,
        failed,
        names_in(runner, output) if failed else (),
        _excerpt(runner, output) if failed else "",
        counts,
        tuple(dict.fromkeys(_test_name(match) for match in runner.passing.finditer(output)))[:MAX_PASSING],
        selection_of(command.command, runner.command, cwd),
        crashed=failed and not (counts.failed + counts.errors if counts else runner.failing_name.search(output)),
    )


def _is_broken(runner: Runner, command: Command, output: str) -> bool:
    if command.failed is False or runner.passed.search(output):
        return False
    return command.exit_code in KILLED or bool(runner.broken.search(output))


def names_in(runner: Runner, output: str) -> tuple[str, ...]:
    """Return the failing tests, each prefixed with its file or package if the runner prints it."""
    groups = list(runner.group.finditer(output))
    starts = [match.start() for match in groups]
    named, owners = [], set()
    for match in runner.failing_name.finditer(output):
        at = bisect_left(starts, match.start()) if runner.group_follows else bisect_right(starts, match.start()) - 1
        owner = _test_name(groups[at]) if 0 <= at < len(groups) else ""
        owners.add(owner)
        named.append(f"{owner} › {_test_name(match)}" if owner else _test_name(match))
    whole = [name for match in groups if (name := _test_name(match)) not in owners] if runner.group_follows else []
    return tuple(dict.fromkeys(redact(name) for name in dict.fromkeys([*named, *whole])))[:MAX_NAMES]


def counts_in(runner: Runner, output: str) -> Counts | None:
    """Add up the lines with test counts."""
    totals: Counter[str] = Counter()
    for line in runner.summary.finditer(output):
        for match in _COUNT.finditer(output, line.start(), _line_end(output, line.start())):
            kind = _KINDS.get((match[2] or match[3]).casefold())
            totals[kind or ""] += int(match[1] or match[4])
    if not totals:
        return None
    failed, errors, skipped = totals["failed"], totals["errors"], totals["skipped"]
    passed = totals["passed"] or max(0, totals["total"] - failed - errors - skipped)
    return Counts(passed, failed, errors, skipped)


def _line_end(output: str, start: int) -> int:
    end = output.find("\n", start)
    return end if end >= 0 else len(output)


def _test_name(match: re.Match[str]) -> str:
    text = " ".join(group for group in match.groups() if group)
    return re.sub(r"(?<!\s)\s*\n\s*", " ", text.strip()).removeprefix("./")


def _excerpt(runner: Runner, output: str) -> str:
    """Return the lines that describe the failure; the end of the output if none is recognised."""
    lines = (redact_lines(output) if may_span_lines(output) else output).splitlines()
    marks = (runner.detail, runner.failed, runner.broken)
    detail_lines = [line.rstrip() for line in lines if any(mark.search(line) for mark in marks)]
    chosen = detail_lines[:EXCERPT_LINES] or [line.rstrip() for line in lines[-EXCERPT_LINES:]]
    return redact("\n".join(chosen))[:EXCERPT_CHARACTERS]
