"""Does a report of a failing test bring the code that has to change? Measured on real changes with a new test.

    python -m tests.benchmarks.failing_tests --mirrors FOLDER [--half learning|judging]

Each case of `failing_test_cases.jsonl` is a commit that adds a test and changes one to three source files: the tree
before it, with its tests, is asked in five forms, from a runner's output to the test's path alone. *changed line*: the
context block shows a line that the commit changes; *source file*: code of a file that it changes; *test*: the first
line of the failing test. The references name no text: a test's title is read from the commit. Ranking and packs were
changed with the learning half at hand. `FOLDER/owner+name/repo` is a repository's git directory.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.localization_cases import git
from tests.benchmarks.programs import set_environment, sidecar_on_clone
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.shop import text_of

CASES = Path(__file__).with_name("failing_test_cases.jsonl")
PATIENCE_SECONDS = 300.0
_NUMBERED = re.compile(r"(\d+)\|")
_HEADING = re.compile(r" — | \(")
_TITLE = re.compile(r"""(['"`])((?:(?!\1).)+)\1""")


class Case(NamedTuple):
    """A commit with a new test."""

    half: str
    repository: str
    commit: str
    language: str
    path: str
    """The file of the failing test, and its first line."""
    line: int
    test: str
    """Its function's name; empty if it has a title."""
    tests: Sequence[str]
    """The commit's test files."""
    lines: Mapping[str, Sequence[int]]
    """Lines before the commit that it changes, by source file."""


class Answer(NamedTuple):
    """What a context block shows."""

    form: str
    line: bool
    source: bool
    test: bool


def main() -> int:
    """Print the shares of each form."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--half", choices=("learning", "judging"), default="judging")
    arguments = parser.parse_args()
    set_environment()
    by_repository: dict[str, list[Case]] = defaultdict(list)
    for text in CASES.read_text("utf-8").splitlines():
        case = Case(**json.loads(text))
        if case.half == arguments.half:
            by_repository[case.repository].append(case)
    answers: dict[str, list[Answer]] = defaultdict(list)
    for repository, cases in by_repository.items():
        mirror = arguments.mirrors / repository.replace("/", "+") / "repo"
        if not mirror.is_dir():
            print(f"{repository} is missing in {arguments.mirrors}: its cases are left out.", file=sys.stderr)
            continue
        for answer in _answers(mirror, cases):
            answers[answer.form].append(answer)
    for form, found in answers.items():
        line = sum(answer.line for answer in found) / len(found)
        source = sum(answer.source for answer in found) / len(found)
        test = sum(answer.test for answer in found) / len(found)
        print(f"{form:<8} changed line {line:.2f}, source file {source:.2f}, test {test:.2f} (n = {len(found)})")
    return 0 if answers else 1


def _answers(mirror: Path, cases: Sequence[Case]) -> Iterator[Answer]:
    with sidecar_on_clone(mirror) as (sidecar, worktree):
        for case in cases:
            git(worktree, "checkout", "-q", "-f", f"{case.commit}^")
            git(worktree, "clean", "-qfd")
            git(worktree, "checkout", "-q", case.commit, "--", *case.tests)
            yield from _ask(sidecar, worktree, case)


def _ask(sidecar: MemorySidecar, worktree: Path, case: Case) -> Iterator[Answer]:
    sidecar.client.request("codebase/index", {"cwd": str(worktree)}, PATIENCE_SECONDS)
    for form, prompt in reports(case, _name_of(worktree, case)).items():
        chat = Conversation(sidecar.client, worktree, sub_chat_id=f"{case.commit}-{form}")
        shown = shown_lines(text_of(chat.pre_run(prompt), "context"))
        yield Answer(
            form,
            any(not shown.get(path, set()).isdisjoint(lines) for path, lines in case.lines.items()),
            any(shown.get(path) for path in case.lines),
            case.line in shown.get(case.path, ()),
        )


def _name_of(worktree: Path, case: Case) -> str:
    if case.test:
        return case.test
    line = (worktree / case.path).read_text("utf-8").splitlines()[case.line - 1]
    title = _TITLE.search(line)
    return title[2] if title is not None else line.strip()


def reports(case: Case, name: str) -> dict[str, str]:
    """Return what a user may write about a failing test, by form."""
    path, file = case.path, case.path.rpartition("/")[2]
    outputs = {
        "py": f"FAILED {path}::{name} - AssertionError: assert False\n\nplease fix",
        "go": f"--- FAIL: {name} (0.00s)\n    {file}:{case.line + 6}: unexpected result\nFAIL",
        "java": f"[ERROR] Failures: \n[ERROR]   {file[:-5]}.{name}:{case.line + 3} expected:<true> but was:<false>",
        "rb": f"  1) {name}\n     Failure/Error: expect_no_offenses\n     # ./{path}:{case.line + 2}\n\nfix it",
        "js": f" FAIL  {path} > {name}\nAssertionError: expected undefined to be true\n ❯ {path}:{case.line + 4}:10",
    }
    return {
        "output": outputs[case.language],
        "name": f'The test "{name}" fails. Find out why and fix it.',
        "path": f"Fix the failing test in {path}",
        "both": f"{name} in {path} is failing, can you fix the code?",
        "log": f"npm test / CI says:\n\n{path} ... F\n\n1 failed: {name}\n\nWhat is wrong?",
    }


def shown_lines(block: str) -> dict[str, set[int]]:
    """Return the numbers of the lines that a context block shows, by file."""
    shown: dict[str, set[int]] = {}
    path = ""
    for line in block.splitlines()[2:]:
        numbered = _NUMBERED.match(line)
        if numbered is not None:
            shown[path].add(int(numbered[1]))
        elif line and line != "…":
            path = _HEADING.split(line)[0]
            shown.setdefault(path, set())
    return shown


if __name__ == "__main__":
    sys.exit(main())
