"""Selection of a test suite by a command: the paths, filters and options that narrow it. Pure.

A green run of a part proves nothing about the rest. What is not understood counts as narrower, never as wider:
reporting a failure once too often does less harm than forgetting one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sidecar.capture.effects.shell_commands import SimpleCommand, simple_commands
from sidecar.core.lazy_regex import lazy_regex

_VERBS = frozenset(
    "run test tests t watch check verify clean build install nextest --run --all --workspace -- . ./ ./..."
    " tests/...".split()
)
"""Words after a runner that do not narrow the suite."""

_FILTERS = frozenset(
    "-k -t --testNamePattern --test-name-pattern -g --grep -f --fgrep -run --run -e --example --filter -Dtest --tests"
    " --testPathPattern --testPathPatterns -R".split()
)
"""Options that select tests by name: the value is a part of the name, or an expression."""

_NARROWING = frozenset(
    "-m --lf --last-failed --sw --stepwise --deselect --ignore --ignore-glob --changed --onlyChanged --only-changed"
    " --onlyFailures --only-failures --related --findRelatedTests --shard -p --package --lib --bin --bins --doc --test"
    " --exclude -skip --skip --exclude-group --group --testsuite --tag --project --selectProjects -short -pl"
    " --next-failure --only".split()
)
"""Options that omit tests in a way their names do not show."""

_STOP_AT_FAILURE = lazy_regex(
    r"(?:-x|--exitfirst|--maxfail\S*|--bail\S*|-failfast|--failfast|--fail-fast|--stop-on-\S+|-b)"
)
"""Options that end a run at its first failure; the tests after it did not run."""

_OPTIONS_WITH_VALUE = frozenset(
    "-n -c -p -W -o -r -j --numprocesses --timeout --config --rootdir --tb --color --reporter --reporters --maxWorkers"
    " --max-workers --testTimeout --test-reporter --durations --cov-report -timeout -count -parallel -coverprofile"
    " --profile --target --features --manifest-path --require --spec --ui --format --logger --verbosity -v:".split()
)
"""Options whose next word is their value and selects nothing."""

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
    commands = simple_commands(line)
    if commands is None:
        return Selection(other=(line.strip()[:400],))
    selection = Selection()
    folder: tuple[str, ...] = ()
    for command in commands:
        if command.program in ("cd", "pushd") and len(command.words) > 1:
            folder = _folder(command.words[1], cwd)
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
    path = path.rstrip("/")
    below = path[len(cwd) :].strip("/") if cwd and path.startswith(cwd) else path.removeprefix("./")
    return () if below in ("", ".") or below.startswith(("/", "$", "~", "..")) else (f"cd {below}",)


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
        option, _, value = word.partition("=")
        if _STOP_AT_FAILURE.fullmatch(word):
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
    return bool(re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w-])", name))
