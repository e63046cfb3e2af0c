"""Test results read from a run's commands: what a command selected, its outcome, and each runner's verdict. Pure.

A green run of a part proves nothing about the rest. What is not understood counts as narrower, never as wider:
reporting a failure once too often does less harm than forgetting one. A failure ends when its test is known to have
passed: it was named as passed, it was part of what a green command selected, or the whole suite ran. The same
selection again covers everything that it covered before.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from html import unescape
from types import MappingProxyType
from typing import NamedTuple

from sidecar.capture.effects.run_activity import RunCommand
from sidecar.capture.effects.shell_commands import (
    SimpleCommand,
    in_posix_form,
    only_displays,
    relative_path,
    simple_commands,
)
from sidecar.capture.known_test_runners import RUNNERS, Runner
from sidecar.core.clean_text import join_first, without_escape_sequences
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import may_span_lines, redact, redact_lines
from sidecar.runs.artifact_provenance import ArtifactEvent

# Selection of a test suite by a command: the paths, filters and options that narrow it.

_VERBS = frozenset(
    "run test tests t watch check verify clean build install nextest --run --all --workspace -- . ./ ./..."
    " tests/...".split()
)
"""Words after a runner that do not narrow the suite."""

_FILTERS = frozenset(
    "-k -t --testNamePattern --test-name-pattern -g --grep -f --fgrep -run --run -e --example --filter -Dtest --tests"
    " --testPathPattern --testPathPatterns -R -N --name --plain-name".split()
)
"""Options that select tests by name: the value is a part of the name, or an expression."""

_NARROWING = frozenset(
    "-m --lf --last-failed --sw --stepwise --deselect --ignore --ignore-glob --changed --onlyChanged --only-changed"
    " --onlyFailures --only-failures --related --findRelatedTests --shard -p --package --lib --bin --bins --doc --test"
    " --exclude -skip --skip --exclude-group --group --testsuite --tag --project --selectProjects -short -pl"
    " --next-failure --only --failed --stale --rerun-failed -E -L -LE -I -only-testing -skip-testing".split()
)
"""Options that omit tests in a way their names do not show."""

_STOP_AT_FAILURE = lazy_regex(
    r"(?:-x|--exitfirst|--maxfail\S*|--bail\S*|-failfast|--failfast|--fail-fast|--stop-on-\S+|-b)"
)
"""Options that end a run at its first failure; the tests after it did not run."""

_OPTIONS_WITH_VALUE = frozenset(
    "-c -p -W -o -r -j --numprocesses --timeout --config --rootdir --tb --color --reporter --reporters --maxWorkers"
    " --max-workers --testTimeout --test-reporter --durations --cov-report -timeout -count -parallel -coverprofile"
    " --profile --target --features --manifest-path --require --spec --ui --format --logger --verbosity -v: --test-dir"
    " --build-config --concurrency -scheme -destination -workspace --preload".split()
)
"""Options whose next word is their value and selects nothing."""

_WORKERS = lazy_regex(r"\d+|auto|logical")
"""Values of pytest's `-n`, a number of processes; Flutter's selects tests by name."""

_XCODE_SELECTION = ("-only-testing:", "-skip-testing:")
_PATH = lazy_regex(r"[/\\]|\.\w{1,5}$|::")
_EXPRESSION = lazy_regex(r"[\s|()^$*+?\[\]\\]")


class Selection(NamedTuple):
    """The part of a suite that a command selected; everything is empty if it ran the whole suite."""

    paths: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    """Words that narrow the run in a way test names do not show."""
    stops_early: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether nothing narrows the run."""
        return not (self.paths or self.filters or self.other)

    @property
    def text(self) -> str:
        """The same text for the same selection in any order; empty for the whole suite."""
        groups = (self.paths, self.filters, self.other)
        return "" if self.is_whole else " | ".join(" ".join(sorted(group)) for group in groups)

    def covers(self, name: str) -> bool:
        """Whether a test of that name was certainly among those that ran."""
        if self.is_whole:
            return True
        if self.other or any(_EXPRESSION.search(word) for word in self.filters):
            return False
        in_path = not self.paths or any(_is_part_of(path, name) for path in self.paths)
        return in_path and (not self.filters or any(word in name for word in self.filters))


def selection_of(line: str, runner: re.Pattern[str], cwd: str = "") -> Selection:
    """Return what a command line selected of a runner's suite; `npm test -- cart` selects as the runner itself does."""
    commands = simple_commands(line, cwd)
    if commands is None:
        return Selection(other=(line.strip()[:400],))
    selection = Selection()
    folder: tuple[str, ...] = ()
    for command in commands:
        if command.new_folder is not None:
            folder = _folder(command.new_folder, cwd)
        elif runner.search(" ".join(command.words)):
            return _parse_arguments(_arguments(command, runner), folder)
        elif command.program in _LAUNCHERS:
            selection = _selection_of_launcher(command, folder)
    return selection


_LAUNCHERS = {"npm": 1, "yarn": 1, "pnpm": 1, "bun": 1, "make": 1, "just": 1, "task": 1, "tox": 0, "nox": 0, "rake": 1}
_SUITES = frozenset("test tests t check verify all ci".split())


def _selection_of_launcher(command: SimpleCommand, folder: tuple[str, ...]) -> Selection:
    """Return the selection of a launcher: `npm test` is the suite; what `npm run test:unit` omits is unknown."""
    words = [word for word in command.words[1:] if word not in ("run", "run-script", "-s", "--silent", "--")]
    scripts = words[: _LAUNCHERS[command.program]]
    selection = _parse_arguments(words[len(scripts) :], folder)
    return selection._replace(other=(*selection.other, *(word for word in scripts if word not in _SUITES)))


def _folder(path: str, cwd: str) -> tuple[str, ...]:
    """Return the folder that a command changed to, if it is below the worktree."""
    below = relative_path(f"{path}/", cwd) if cwd else None
    below = (path.removeprefix("./") if below is None else below).rstrip("/")
    return () if below in ("", ".") or _OTHER_FOLDER.match(below) else (f"cd {below}",)


_OTHER_FOLDER = lazy_regex(r"[/$~]|\.\.|[A-Za-z]:")


def _arguments(command: SimpleCommand, runner: re.Pattern[str]) -> list[str]:
    """Return the words after those that name the runner."""
    for end in range(1, len(command.words) + 1):
        if runner.search(" ".join(command.words[:end])):
            return list(command.words[end:])
    return []


def _parse_arguments(words: list[str], folder: tuple[str, ...]) -> Selection:
    paths: list[str] = []
    filters: list[str] = []
    other: list[str] = list(folder)
    stops = False
    remaining = iter(words)
    for word in remaining:
        option, _, value = word.partition(":" if word.startswith(_XCODE_SELECTION) else "=")
        if option == "-n":
            filters.extend(name for name in (value or next(remaining, ""),) if not _WORKERS.fullmatch(name))
        elif _STOP_AT_FAILURE.fullmatch(word):
            stops = True
        elif option in _FILTERS:
            filters.append(value or next(remaining, ""))
        elif option in _OPTIONS_WITH_VALUE and not value:
            next(remaining, None)
        elif option in _NARROWING:
            other.append(word)
        elif word.startswith("-") or word in _VERBS:
            continue
        elif _PATH.search(word):
            paths.append(_plain(word))
        else:
            filters.append(word)
    return Selection(tuple(paths), tuple(filters), tuple(other), stops)


def _plain(path: str) -> str:
    return path.removeprefix("./").removesuffix("/...").rstrip("/")


def _is_part_of(path: str, name: str) -> bool:
    """Whether a test's name contains a path, from one boundary to another."""
    return bool(re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w-])", name.replace("\\", "/")))


# Outcome of a command: whether tests passed, how many, which failed.

EXCERPT_LINES = 14
EXCERPT_CHARACTERS = 1_400
MAX_NAMES = 1_000
"""Maximum number of failing tests stored; lists that show fewer say how many more there are."""

MAX_PASSING = 5_000
OUTPUT_CHARACTERS = 400_000
"""Maximum number of characters read from the end of a command's output, where runners print their result."""

_WINDOWS_FAULTS = (0xC0000005, 0xC00000FD, 0xC0000409, 0xC000013A)
"""Windows' status of a program that ended by an access violation, a full stack, an abort or Ctrl-C."""

KILLED = frozenset((134, 137, 139, 143, *_WINDOWS_FAULTS, *(status - (1 << 32) for status in _WINDOWS_FAULTS)))
"""Exit codes of a program that was ended: by a signal (abort, kill, segmentation fault, terminate) or by Windows."""

_COUNT = lazy_regex(
    r"(?<!\d)(\d{1,12}) (?:tests? (?=failed out))?(pass(?:ed|ing)?|flaky|fail(?:ed|ing|ures?)?|interrupted"
    r"|errors?|invalid|issues?|skip(?:ped|s)?|pending|ignored|xfailed|excluded|todo|(?:doc)?tests?|propert(?:y|ies)|examples?"
    r"|runs|total)\b|\b(pass|fail|cancelled|skipped|todo|tests|Tests run|Failures|Errors|Skipped|Tests|Failed|Passed"
    r"|Total|failures|errors|Ran|out of)(?:: *|=\"?| )(\d+)"
)
_KINDS = {
    **dict.fromkeys(("passed", "passing", "pass", "flaky"), "passed"),
    **dict.fromkeys(("failed", "failing", "failure", "failures", "fail", "cancelled", "interrupted"), "failed"),
    **dict.fromkeys(("error", "errors", "invalid", "issue", "issues"), "errors"),
    **dict.fromkeys(("skipped", "skip", "skips", "pending", "ignored", "xfailed", "excluded", "todo"), "skipped"),
    **dict.fromkeys(("test", "tests", "doctest", "doctests", "property", "properties"), "total"),
    **dict.fromkeys(("example", "examples", "total", "runs", "tests run", "ran", "out of"), "total"),
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
    after_edit: bool = False
    """Whether the agent had edited files before, tests aside: what fails then may be its own work."""
    after_test: bool = False
    """Whether the agent had edited tests before: what fails then may be a new test."""


def outcomes_of(commands: Iterable[RunCommand], cwd: str = "") -> tuple[RunnerOutcome, ...]:
    """Return the test outcomes of the commands, in order. One that only displays files or names a runner has none."""
    return tuple(outcome for command in commands for outcome in outcomes_in(command, cwd))


def outcomes_in(command: RunCommand, cwd: str = "") -> list[RunnerOutcome]:
    """Read one command's output. The runner's own result counts, not the exit code, which may be another program's."""
    if only_displays(command.command, cwd):
        return []
    output = without_escape_sequences(_end_of(command.output)).replace("\r\n", "\n")
    return [
        outcome._replace(after_edit=command.after_edit, after_test=command.after_test)
        for runner in RUNNERS
        if (outcome := _outcome(runner, command, output, cwd)) is not None
    ]


def _end_of(output: str) -> str:
    """Return the last whole lines of an output: half a secret on a cut line would not be recognised."""
    end = output[-OUTPUT_CHARACTERS:]
    return end if len(end) == len(output) else end.partition("\n")[2]


def _outcome(runner: Runner, command: RunCommand, output: str, cwd: str) -> RunnerOutcome | None:
    named = bool(runner.command.search(in_posix_form(command.command, cwd)))
    failed = bool(runner.failed.search(output)) or (named and _is_broken(runner, command, output))
    if not failed and not runner.passed.search(output) and not (named and runner.passed_if_named.search(output)):
        return None
    counts = counts_in(runner, output)
    return RunnerOutcome(
        runner=runner.name,
        failed=failed,
        names=names_in(runner, output, cwd) if failed else (),
        excerpt=_excerpt(runner, output) if failed else "",
        counts=counts,
        passing=tuple(dict.fromkeys(_test_name(match) for match in runner.passing.finditer(output)))[:MAX_PASSING],
        selection=selection_of(command.command, runner.command, cwd),
        crashed=failed and not (counts.failed + counts.errors if counts else runner.failing_name.search(output)),
    )


def _is_broken(runner: Runner, command: RunCommand, output: str) -> bool:
    if command.failed is False or runner.passed.search(output):
        return False
    return command.exit_code in KILLED or bool(runner.broken.search(output))


def names_in(runner: Runner, output: str, cwd: str = "") -> tuple[str, ...]:
    """Return the failing tests, each prefixed with its file or package if the runner prints it.

    A file below `cwd` has its path from there.
    """
    groups = list(runner.group.finditer(output))
    starts = [match.start() for match in groups]
    named, owners = [], set()
    for match in runner.failing_name.finditer(output):
        if match.lastindex is None:
            continue
        at = bisect_left(starts, match.start()) if runner.group_follows else bisect_right(starts, match.start()) - 1
        owner = _test_name(groups[at]) if 0 <= at < len(groups) else ""
        owners.add(owner)
        named.append(f"{owner} › {_test_name(match)}" if owner else _test_name(match))
    whole = [name for match in groups if (name := _test_name(match)) not in owners] if runner.group_follows else []
    own = [(cwd and relative_path(name, cwd)) or name for name in (*named, *whole)]
    names = own or _titled_names(runner, output)
    return tuple(dict.fromkeys(redact(name) for name in dict.fromkeys(names)))[:MAX_NAMES]


def _titled_names(runner: Runner, output: str) -> list[str]:
    """Return the failing tests by the titles of their failures, with the file or class that each names first."""
    titles = list(runner.title.finditer(output))
    headings = list(runner.heading.finditer(output)) if titles else []
    starts = [match.start() for match in headings]
    ends = [*(title.start() for title in titles[1:]), len(output)]
    names = []
    for title, end in zip(titles, ends, strict=False):
        path, test = title.groups()
        if path:
            names.append(f"{path} › {test}" if test else path)
            continue
        if path is not None:  # the runner names files in lines of their own
            at = bisect_right(starts, title.start())
            names.append(f"{_test_name(headings[at - 1])} {runner.separator} {test}" if at else test)
            continue
        place = runner.place.search(output, title.end(), end)
        own, bracket, parameters = (test or "").partition("[")
        test = f"{own.replace('.', '::')}{bracket}{parameters}"
        names.append(f"{place[1]}::{test}" if place is not None else test)
    return names


def counts_in(runner: Runner, output: str) -> Counts | None:
    """Add up the lines with test counts."""
    totals: Counter[str] = Counter()
    for line in runner.summary.finditer(output):
        for match in _COUNT.finditer(output, line.start(), max(line.end(), _line_end(output, line.start()))):
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
    text = unescape(text) if match[0].lstrip().startswith("<testcase") else text
    return re.sub(r"(?<!\s)\s*\n\s*", " ", text.strip()).removeprefix("./")


def _excerpt(runner: Runner, output: str) -> str:
    """Return the lines that describe the failure; the end of the output if none is recognised.

    Without tracebacks these are the lines that name a failing test and say more: `FAILED a::b - AssertionError: …`.
    """
    lines = (redact_lines(output) if may_span_lines(output) else output).splitlines()
    has_details = any(runner.detail.search(line) for line in lines)
    marks = (runner.detail if has_details else runner.failing_name, runner.failed, runner.broken)
    detail_lines = [line.rstrip() for line in lines if any(mark.search(line) for mark in marks)]
    chosen = detail_lines[:EXCERPT_LINES] or [line.rstrip() for line in lines[-EXCERPT_LINES:]]
    return redact("\n".join(chosen))[:EXCERPT_CHARACTERS]


# Verdict of a runner over several commands and runs: which failures remain after a narrower run.


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
    repaired: tuple[str, ...] = ()
    """Those of the fixed tests that failed before the run's first edit of code: it did not break them itself."""
    was_broken: bool = False
    """Whether something failed before the run's first edit of code."""
    is_test_first: bool = False
    """Whether all of that failed after the run had edited tests: it wrote them before the code."""

    @property
    def is_red(self) -> bool:
        """Whether something still fails."""
        return bool(self.after.failing)


def change_of(runner: str, before: Verdict, outcomes: Iterable[RunnerOutcome]) -> VerdictChange:
    """Apply a run's outcomes of one runner, in order, to its verdict before the run."""
    verdict, ever_failing, broken, known = before, dict(before.failing), set(before.failing), set(before.failing)
    for outcome in outcomes:
        verdict = verdict_after(verdict, outcome)
        ever_failing.update(verdict.failing)
        broken.update(() if outcome.after_edit else verdict.failing)
        known.update(() if outcome.after_edit or outcome.after_test else verdict.failing)
    fixed = tuple(name for name in ever_failing if name and name not in verdict.failing)
    repaired = tuple(name for name in fixed if name in broken)
    return VerdictChange(
        runner, verdict, fixed, bool(ever_failing), repaired, bool(broken), is_test_first=bool(broken) and not known
    )


def verdict_after(verdict: Verdict, outcome: RunnerOutcome) -> Verdict:
    """Return the verdict after one more command."""
    selection_text = outcome.selection.text
    still_failing = {
        name: failed_in
        for name, failed_in in verdict.failing.items()
        if not _is_resolved(name, failed_in, verdict, outcome)
    }
    if not outcome.failed:
        passed = [name for name in verdict.names if name not in still_failing]
        excerpt = "\n".join(line for line in verdict.excerpt.splitlines() if not any(name in line for name in passed))
        return verdict._replace(failing=still_failing, excerpt=excerpt) if still_failing else Verdict()
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


FIXED = "Fixed: "
MAX_FIXED = 5


def fixes(changes: Iterable[VerdictChange], files: Container[str], *, is_explained: bool = True) -> list[ArtifactEvent]:
    """Return an event for each runner whose tests failed before the run's edits and now all pass.

    A deleted test is not a fix, nor is one that the run broke itself. A test that the run wrote first shows a fix only
    if the run states its cause (`is_explained`): else the code was new.
    """
    events = []
    for change in changes:
        names = [redact(name) for name in change.repaired if _has_file(name, files)]
        if change.is_red or not change.was_broken or (change.repaired and not names):
            continue
        if change.is_test_first and not is_explained:
            continue
        key = f"fixed:{short_id([change.runner, sorted(names)])}"
        events.append(ArtifactEvent(kind="testsFixed", key=key, line=_fix_line(change, names)))
    return events


def _fix_line(change: VerdictChange, names: Sequence[str]) -> str:
    if not names:
        return f"{FIXED}{change.runner} passes again."
    shown = join_first([_in_code_marks(name) for name in names], MAX_FIXED, "test")
    return f"{FIXED}{shown} ({change.runner})."


def _in_code_marks(name: str) -> str:
    return f"`{name.replace('`', chr(39))[:160]}`"


_QUALIFIER = lazy_regex(r"(?<=`)[^`\n]*(?:::| › |\w[.\\](?=\w+`))")


def short_names(line: str) -> str:
    """Return the line of an event with the tests' own names alone, without their files, suites and classes."""
    return _QUALIFIER.sub("", line) if line.startswith(FIXED) else line


def _has_file(name: str, files: Container[str]) -> bool:
    """Whether a test's file exists, if its name starts with one."""
    path, separator, _ = name.partition("::")
    return not separator or "/" not in path or path in files


PASSING = ": passing"
"""End of the line on a runner without failures."""
IDENTIFIER = lazy_regex(r"\b(?=\w*(?:[a-z0-9][A-Z]|_))\w{3,}")
_FAILS = lazy_regex(r"(?<!no )(?<!0 )(?<!without )\bfail(?:s|ed|ing|ures?)?\b", re.IGNORECASE)


def without_failures(texts: Sequence[str], tests: Sequence[str], of: frozenset[str] | None = None) -> list[str]:
    """Return what was stated, without failures on the way, or those `of` some names, if all runners pass in the end."""
    if not tests or not all(line.endswith(PASSING) for line in tests):
        return list(texts)
    return [text for text in texts if not (_FAILS.search(text) and (of is None or of & {*IDENTIFIER.findall(text)}))]


def test_lines(outcomes: Iterable[RunnerOutcome]) -> dict[str, str]:
    """Return the last result of each test runner, in words."""
    return {
        outcome.runner: f"{outcome.runner}: failing: {', '.join(outcome.names[:5]) or 'see its output'}"
        if outcome.failed
        else f"{outcome.runner}{PASSING}"
        for outcome in outcomes
    }
