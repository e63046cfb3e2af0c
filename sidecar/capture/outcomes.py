"""Test runners as rows: how their command looks, how their output counts, how a failing test is named. Pure.

Only what a runner prints as its result counts; prose such as "0 failed" or "error page" does not.
"""

import re
from typing import NamedTuple

from sidecar.capture.parts import Command
from sidecar.core.redact import is_known_by_lines, redact, redact_lines

EXCERPT_LINES = 14
EXCERPT_CHARACTERS = 1_400
MAX_NAMES = 50
OUTPUT_CHARACTERS = 400_000
"""How much of a command's output is looked at: its end, where runners state their result."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class Runner(NamedTuple):
    """One runner. `failed` and `passed` match lines that only it prints as its result, whatever command ran it.

    `broken` matches what is a failure only where the command names the runner; `name` gives a failing test's name.
    """

    name: str
    command: re.Pattern[str]
    failed: re.Pattern[str]
    passed: re.Pattern[str]
    broken: re.Pattern[str]
    failing_name: re.Pattern[str]
    detail: re.Pattern[str]


class RunnerOutcome(NamedTuple):
    """The last word of one runner in a run."""

    runner: str
    failed: bool
    names: tuple[str, ...]
    excerpt: str


def _row(name: str, command: str, failed: str, passed: str, broken: str, failing_name: str, detail: str) -> Runner:
    sources = (command, failed, passed, broken, failing_name, detail)
    return Runner(name, *(re.compile(source, re.MULTILINE) for source in sources))


_NEVER = r"(?!)"
_PYTEST_COUNTS = r"(?:\d+ [a-z]+(?: passed| failed)?(?:, )?)+ in [\d.]+s(?: \([\d:]+\))?(?: =+)?\s*$"

RUNNERS: tuple[Runner, ...] = (
    _row(
        "pytest", r"\b(?:pytest|py\.test)\b(?![./-])",
        r"^(?:=+ )?(?=[^\n]*\b[1-9]\d* (?:failed|errors?)\b)" + _PYTEST_COUNTS,
        r"^(?:=+ )?(?![^\n]*\b(?:failed|errors?)\b)(?=[^\n]*\b[1-9]\d* passed\b)" + _PYTEST_COUNTS,
        r"^(?:INTERNALERROR>|ImportError while loading conftest|Fatal Python error:)",
        r"^(?:FAILED|ERROR) (\S+::\S+|\S+\.py)", r"^(?:E  |INTERNALERROR> \w+Error)",
    ),
    _row(
        "unittest", r"\bunittest\b|manage\.py test",
        r"^FAILED \((?:failures|errors|unexpected successes)=", r"^Ran [1-9]\d* tests? in [\d.]+s\n\nOK(?: \(|$)",
        _NEVER,
        r"^(?:FAIL|ERROR): (\w+ \([\w.]+\)|\w+)", r"^\w*(?:Error|Exception)\b.*$",
    ),
    _row(
        "vitest", r"\bvitest\b",
        r"^[ \t]*(?:Test Files|Tests)  [1-9]\d* failed\b", r"^[ \t]*Tests  [1-9]\d* passed\b(?!.*failed)", _NEVER,
        r"^[ \t]*(?:FAIL|×|✗)\s+(.+?)(?:\s+\d+ms)?$", r"^[ \t]*(?:\w*Error\b|→).*$",
    ),
    _row(
        "jest", r"\bjest\b|react-scripts test",
        r"^(?:Tests|Test Suites):\s+(?=.*\b[1-9]\d* failed\b).*\btotal$",
        r"^Tests:\s+(?!.*failed)(?=.*\b[1-9]\d* passed\b).*\btotal$", _NEVER,
        r"^[ \t]*● (.+)$", r"^[ \t]*(?:expect\(|Expected|Received|\w*Error:).*$",
    ),
    _row(
        "mocha", r"\bmocha\b",
        r"^[ \t]+[1-9]\d* failing$", r"^[ \t]+[1-9]\d* passing \([\d.]+m?s\)$", _NEVER,
        r"^  \d+\) (.+(?:\n {7,}.+)*):$", r"^[ \t]*\w*Error.*$",
    ),
    _row(
        "node --test", r"\bnode\b.*--test\b",
        r"^(?:#|ℹ) fail [1-9]\d*$", r"^(?:#|ℹ) pass [1-9]\d*$", _NEVER,
        r"^[ \t]*(?:not ok \d+ - |✖ (?!failing tests:))(.+?)(?: \([\d.]+ms\))?$", r"^[ \t]*(?:error: '|\w*Error\b).*$",
    ),
    _row(
        "go test", r"\bgo test\b",
        r"^(?:FAIL\t\S+|--- FAIL: \S+)", r"^ok  \t\S+\t(?:[\d.]+s|\(cached\))", r"^(?:panic: |# \S+$)",
        r"^[ \t]*--- FAIL: (\S+)", r"^(?:[ \t]+\S+\.go:\d+:|panic:).*$",
    ),
    _row(
        "cargo test", r"\bcargo (?:\+\S+ )?(?:test|nextest)\b",
        r"^test result: FAILED\.", r"^test result: ok\. [1-9]\d* passed", r"^error(?:\[E\d+\])?:",
        r"^test (\S+) \.\.\. FAILED", r"^(?:thread '.*' .*panicked|assertion|[ \t]+(?:left|right):|error).*$",
    ),
)  # fmt: skip

_READERS = frozenset(
    "cat less more head tail grep rg ag awk sed echo printf ls find git gh glab diff wc sort uniq jq curl cd".split()
)
"""Programs that only show what stands somewhere: a result in their output is another time's."""


def outcomes_of(commands: tuple[Command, ...]) -> tuple[RunnerOutcome, ...]:
    """Gives each runner's last word in a run; a command that only shows files or names a runner says nothing."""
    last = {outcome.runner: outcome for command in commands for outcome in outcomes_in(command)}
    return tuple(last[name] for name in sorted(last))


def outcomes_in(command: Command) -> list[RunnerOutcome]:
    """Reads one command's output; a runner's own result counts, not the exit code, which may be another program's."""
    if _only_shows(command.command):
        return []
    output = _ANSI.sub("", _end_of(command.output)).replace("\r\n", "\n")
    found = []
    for runner in RUNNERS:
        named = bool(runner.command.search(command.command))
        if runner.failed.search(output) or (named and command.failed is not False and runner.broken.search(output)):
            names = (redact(re.sub(r"\s*\n\s*", " ", name.strip())) for name in runner.failing_name.findall(output))
            kept = tuple(dict.fromkeys(names))[:MAX_NAMES]
            found.append(RunnerOutcome(runner.name, failed=True, names=kept, excerpt=_excerpt(runner, output)))
        elif runner.passed.search(output):
            found.append(RunnerOutcome(runner.name, failed=False, names=(), excerpt=""))
    return found


def _end_of(output: str) -> str:
    """The last whole lines of an output: of a line that was cut, half a secret would not be known as one."""
    end = output[-OUTPUT_CHARACTERS:]
    return end if len(end) == len(output) else end.partition("\n")[2]


def _only_shows(command: str) -> bool:
    """Whether every program of a command line only shows something."""
    starts = [re.findall(r"[^\s'\"]+", part) for part in re.split(r"&&|\|\|?|;|\n", command)]
    programs = [words[0].rsplit("/", 1)[-1] for words in starts if words]
    return bool(programs) and all(program in _READERS for program in programs)


def _excerpt(runner: Runner, output: str) -> str:
    """The lines that say what went wrong; where none are recognised, the output's end."""
    lines = (redact_lines(output) if is_known_by_lines(output) else output).splitlines()
    marks = (runner.detail, runner.failed, runner.broken)
    telling = [line.rstrip() for line in lines if any(mark.search(line) for mark in marks)]
    chosen = telling[:EXCERPT_LINES] or [line.rstrip() for line in lines[-EXCERPT_LINES:]]
    return redact("\n".join(chosen))[:EXCERPT_CHARACTERS]
