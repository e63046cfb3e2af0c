"""Test runners as rows: how their command looks, how their output counts, how a failing test is named. Pure.

Only what a runner prints as its result counts; prose such as "0 failed" or "error page" does not.
"""

import re
from typing import NamedTuple

from sidecar.capture.parts import Command

EXCERPT_LINES = 14
EXCERPT_CHARACTERS = 1_400
MAX_NAMES = 50

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class Runner(NamedTuple):
    """One runner. `failed` and `passed` match a line that states the result; `name` matches a failing test's line."""

    name: str
    command: re.Pattern[str]
    failed: re.Pattern[str]
    passed: re.Pattern[str]
    failing_name: re.Pattern[str]
    detail: re.Pattern[str]


class TestOutcome(NamedTuple):
    """The last word of one runner in a run."""

    runner: str
    failed: bool
    names: tuple[str, ...]
    excerpt: str


def _row(name: str, command: str, failed: str, passed: str, failing_name: str, detail: str) -> Runner:
    return Runner(
        name, *(re.compile(source, re.MULTILINE) for source in (command, failed, passed, failing_name, detail))
    )


RUNNERS: tuple[Runner, ...] = (
    _row(
        "pytest", r"\b(?:pytest|py\.test)\b",
        r"^=*\s*(?=[^\n]*\b[1-9]\d* (?:failed|errors?)\b)[^\n]*\bin [\d.]+s",
        r"^=*\s*(?![^\n]*\b(?:failed|errors?)\b)[1-9]\d* passed[^\n]*\bin [\d.]+s",
        r"^(?:FAILED|ERROR) (\S+)", r"^E  ",
    ),
    _row(
        "unittest", r"\bunittest\b|manage\.py test",
        r"^FAILED \((?:failures|errors)=", r"^OK(?: \(|$)",
        r"^(?:FAIL|ERROR): (.+)$", r"^\w*(?:Error|Exception)\b.*$",
    ),
    _row(
        "vitest", r"\bvitest\b",
        r"^\s*(?:Test Files|Tests)\s+[1-9]\d* failed", r"^\s*Tests\s+[1-9]\d* passed(?!.*failed)",
        r"^\s*(?:FAIL|×|✗)\s+(.+?)(?:\s+\d+ms)?$", r"^\s*(?:\w*Error\b|→).*$",
    ),
    _row(
        "jest", r"\bjest\b|react-scripts test",
        r"^Tests:\s+[1-9]\d* failed", r"^Tests:\s+(?!.*failed)[1-9]\d* passed",
        r"^\s*●\s+(.+)$", r"^\s*(?:expect\(|Expected|Received|\w*Error:).*$",
    ),
    _row(
        "mocha", r"\bmocha\b",
        r"^\s+[1-9]\d* failing\b", r"^\s+[1-9]\d* passing\b",
        r"^\s+\d+\) (.+)$", r"^\s*\w*Error.*$",
    ),
    _row(
        "node --test", r"\bnode\b.*--test\b",
        r"^(?:#|ℹ) fail [1-9]", r"^(?:#|ℹ) fail 0$",
        r"^(?:\s*not ok \d+ - |✖ )(.+?)(?: \([\d.]+ms\))?$", r"^\s*(?:error:|\w*Error).*$",
    ),
    _row(
        "go test", r"\bgo test\b",
        r"^(?:FAIL\b|--- FAIL:)", r"^ok\s+\S+",
        r"^\s*--- FAIL: (\S+)", r"^\s+\S+\.go:\d+:.*$",
    ),
    _row(
        "cargo test", r"\bcargo (?:\+\S+ )?(?:test|nextest)\b",
        r"^test result: FAILED|^error(?:\[E\d+\])?:", r"^test result: ok\.",
        r"^test (\S+) \.\.\. FAILED", r"^(?:thread '.*' panicked|assertion|error).*$",
    ),
)  # fmt: skip


def outcomes_of(commands: tuple[Command, ...]) -> tuple[TestOutcome, ...]:
    """Gives each runner's last word in a run; a command that only mentions a runner says nothing."""
    last: dict[str, TestOutcome] = {}
    for command in commands:
        outcome = outcome_of(command)
        if outcome is not None:
            last[outcome.runner] = outcome
    return tuple(last[name] for name in sorted(last))


def outcome_of(command: Command) -> TestOutcome | None:
    """Reads one command's output; None when no runner's result stands in it."""
    output = _ANSI.sub("", command.output)
    for runner in RUNNERS:
        named = bool(runner.command.search(command.command))
        failed, passed = bool(runner.failed.search(output)), bool(runner.passed.search(output))
        if not (failed or passed) or not (named or _stated_plainly(runner, output)):
            continue
        if failed or command.failed:
            names = tuple(dict.fromkeys(name.strip() for name in runner.failing_name.findall(output)))[:MAX_NAMES]
            return TestOutcome(runner.name, failed=True, names=names, excerpt=_excerpt(runner, output))
        return TestOutcome(runner.name, failed=False, names=(), excerpt="")
    return None


def _stated_plainly(runner: Runner, output: str) -> bool:
    """Whether an output is a runner's own although the command hides it (`npm test`, `make check`)."""
    return bool(runner.failing_name.search(output)) or runner.name in ("pytest", "jest", "vitest", "cargo test")


def _excerpt(runner: Runner, output: str) -> str:
    """The lines that say what went wrong; where none are recognised, the output's end."""
    lines = output.splitlines()
    telling = [line.rstrip() for line in lines if runner.detail.search(line) or runner.failed.search(line)]
    chosen = telling[:EXCERPT_LINES] or [line.rstrip() for line in lines[-EXCERPT_LINES:]]
    return "\n".join(chosen)[:EXCERPT_CHARACTERS]
