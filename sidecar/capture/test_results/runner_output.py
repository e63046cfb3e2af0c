"""Reads a run's commands by the table of runners: whether tests passed, how many, which failed. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from sidecar.capture.effects.shell_commands import only_shows
from sidecar.capture.effects.tool_parts import Command
from sidecar.capture.test_results.runner_table import RUNNERS, Runner
from sidecar.capture.test_results.suite_selection import Selection, selection_of
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import is_known_by_lines, redact, redact_lines

EXCERPT_LINES = 14
EXCERPT_CHARACTERS = 1_400
MAX_NAMES = 50
MAX_PASSING = 5_000
OUTPUT_CHARACTERS = 400_000
"""How much of a command's output is looked at: its end, where runners state their result."""

KILLED = frozenset((134, 137, 139, 143))
"""Exit codes of a program that was ended by a signal: abort, kill, segmentation fault, terminate."""

_ANSI = regex(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_COUNT = regex(
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
    """How many tests there were, as far as the runner tells."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        """How many really ran."""
        return self.passed + self.failed + self.errors


class RunnerOutcome(NamedTuple):
    """What one command's output says of one runner's tests."""

    runner: str
    failed: bool
    names: tuple[str, ...]
    excerpt: str
    counts: Counts | None = None
    """None where the runner tells no numbers."""
    passing: tuple[str, ...] = ()
    """Tests, files or packages that it names as passed."""
    selection: Selection = Selection()

    crashed: bool = False
    """Whether the run broke without a test that failed."""


def outcomes_of(commands: Iterable[Command], cwd: str = "") -> tuple[RunnerOutcome, ...]:
    """Gives what each command says of tests, in order; one that only shows files or names a runner says nothing."""
    return tuple(outcome for command in commands for outcome in outcomes_in(command, cwd))


def outcomes_in(command: Command, cwd: str = "") -> list[RunnerOutcome]:
    """Reads one command's output; a runner's own result counts, not the exit code, which may be another program's."""
    if only_shows(command.command):
        return []
    output = _ANSI.sub("", _end_of(command.output)).replace("\r\n", "\n")
    return [outcome for runner in RUNNERS if (outcome := _outcome(runner, command, output, cwd)) is not None]


def _end_of(output: str) -> str:
    """The last whole lines of an output: of a line that was cut, half a secret would not be known as one."""
    end = output[-OUTPUT_CHARACTERS:]
    return end if len(end) == len(output) else end.partition("\n")[2]


def _outcome(runner: Runner, command: Command, output: str, cwd: str) -> RunnerOutcome | None:
    named = bool(runner.command.search(command.command))
    failed = bool(runner.failed.search(output)) or (named and _broke(runner, command, output))
    if not failed and not runner.passed.search(output) and not (named and runner.passed_if_named.search(output)):
        return None
    counts = counts_in(runner, output)
    return RunnerOutcome(
        runner.name,
        failed,
        names_in(runner, output) if failed else (),
        _excerpt(runner, output) if failed else "",
        counts,
        tuple(dict.fromkeys(_tidy(match) for match in runner.passing.finditer(output)))[:MAX_PASSING],
        selection_of(command.command, runner.command, cwd),
        crashed=failed and not (counts.failed + counts.errors if counts else runner.failing_name.search(output)),
    )


def _broke(runner: Runner, command: Command, output: str) -> bool:
    if command.failed is False or runner.passed.search(output):
        return False
    return command.exit_code in KILLED or bool(runner.broken.search(output))


def names_in(runner: Runner, output: str) -> tuple[str, ...]:
    """Gives the failing tests, each behind its file or package where the runner tells."""
    groups = list(runner.group.finditer(output))
    starts = [match.start() for match in groups]
    named, owners = [], set()
    for match in runner.failing_name.finditer(output):
        at = bisect_left(starts, match.start()) if runner.group_follows else bisect_right(starts, match.start()) - 1
        owner = _tidy(groups[at]) if 0 <= at < len(groups) else ""
        owners.add(owner)
        named.append(f"{owner} › {_tidy(match)}" if owner else _tidy(match))
    whole = [name for match in groups if (name := _tidy(match)) not in owners] if runner.group_follows else []
    return tuple(dict.fromkeys(redact(name) for name in dict.fromkeys([*named, *whole])))[:MAX_NAMES]


def counts_in(runner: Runner, output: str) -> Counts | None:
    """Adds up the lines in which a runner tells its numbers."""
    told: Counter[str] = Counter()
    for line in runner.summary.finditer(output):
        for match in _COUNT.finditer(output, line.start(), _line_end(output, line.start())):
            kind = _KINDS.get((match[2] or match[3]).casefold())
            told[kind or ""] += int(match[1] or match[4])
    if not told:
        return None
    failed, errors, skipped = told["failed"], told["errors"], told["skipped"]
    passed = told["passed"] or max(0, told["total"] - failed - errors - skipped)
    return Counts(passed, failed, errors, skipped)


def _line_end(output: str, start: int) -> int:
    end = output.find("\n", start)
    return end if end >= 0 else len(output)


def _tidy(match: re.Match[str]) -> str:
    text = " ".join(group for group in match.groups() if group)
    return re.sub(r"(?<!\s)\s*\n\s*", " ", text.strip()).removeprefix("./")


def _excerpt(runner: Runner, output: str) -> str:
    """The lines that say what went wrong; where none are recognised, the output's end."""
    lines = (redact_lines(output) if is_known_by_lines(output) else output).splitlines()
    marks = (runner.detail, runner.failed, runner.broken)
    telling = [line.rstrip() for line in lines if any(mark.search(line) for mark in marks)]
    chosen = telling[:EXCERPT_LINES] or [line.rstrip() for line in lines[-EXCERPT_LINES:]]
    return redact("\n".join(chosen))[:EXCERPT_CHARACTERS]
