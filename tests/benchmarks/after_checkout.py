"""The first prompt right after a checkout far away: what is named and shown within its deadline, and what later.

    python -m tests.benchmarks.after_checkout --mirrors FOLDER [--judging] [--repos owner/name …] [--cases N]

The cases are those of `region_cases` that remove or replace lines, or with `--judging` of `other_language_cases`;
`FOLDER/owner+name/repo` is a repository's git directory. A process from source serves one worktree, as 1Code's does:
each case's commit is checked out, its message sent at once with a deadline of 800 ms, and again when the index is
complete. Every second case is taken from the other end of the history, so that most contents are new. *named*: every
changed file is in the context block; *LINE*: every removed or replaced line is shown; *code*: any code is.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.failing_tests import shown_lines
from tests.benchmarks.localization_cases import git
from tests.benchmarks.other_language_cases import CASES as JUDGING_CASES
from tests.benchmarks.programs import set_environment
from tests.benchmarks.region_cases import CASES, RegionCase, prompt_of, read_cases
from tests.support.conversation import Conversation
from tests.support.process import SidecarProcess
from tests.support.shop import text_of

DEADLINE_MS = 800
PATIENCE_SECONDS = 300.0


class Shown(NamedTuple):
    """What a context block has of a change."""

    named: bool
    lines: bool
    code: bool


def main() -> int:
    """Print the shares right after the checkout, and with a complete index."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--judging", action="store_true", help="the changes in 21 languages")
    parser.add_argument("--repos", nargs="*")
    parser.add_argument("--cases", type=int, default=8, help="maximum number of cases of a repository")
    arguments = parser.parse_args()
    set_environment()
    cases = read_cases(JUDGING_CASES if arguments.judging else CASES)
    every: list[tuple[Shown, Shown]] = []
    for repository in dict.fromkeys(case.repository for case in cases):
        mirror = arguments.mirrors / repository.replace("/", "+") / "repo"
        if arguments.repos and repository not in arguments.repos:
            continue
        if not mirror.is_dir():
            print(f"{repository} is missing in {arguments.mirrors}: its cases are left out.", file=sys.stderr)
            continue
        own = [case for case in cases if case.repository == repository and case.lines]
        answers = list(_answers(mirror, _from_both_ends(own)[: arguments.cases]))
        print(f"{repository:<28} {_figures(answers)}", flush=True)
        every += answers
    if every:
        print(f"{'all':<28} {_figures(every)}")
    return 0 if every else 1


def _from_both_ends(cases: Sequence[RegionCase]) -> list[RegionCase]:
    """Return the first case, the last one, the second one and so on."""
    pairs = zip(cases, reversed(cases), strict=True)
    return [case for pair in pairs for case in pair][: len(cases)]


def _answers(mirror: Path, cases: Sequence[RegionCase]) -> Iterator[tuple[Shown, Shown]]:
    with tempfile.TemporaryDirectory(prefix="after-checkout-") as folder:
        worktree = Path(folder) / "worktree"
        git(Path(folder), "clone", "-q", "--shared", "--no-checkout", str(mirror), str(worktree))
        process = SidecarProcess(Path(folder) / "state", cold=True)
        try:
            process.client.initialize(settings={"mode": "active"})
            for case in cases:
                git(worktree, "checkout", "-q", "-f", "--detach", case.base)
                git(worktree, "clean", "-qfd")
                prompt = prompt_of(worktree, case.commit)
                early = _ask(process.client, worktree, f"{case.commit}-early", prompt, DEADLINE_MS)
                process.client.request("codebase/index", {"cwd": str(worktree)}, PATIENCE_SECONDS)
                late = _ask(process.client, worktree, f"{case.commit}-late", prompt, 20_000)
                yield _shown(early, case), _shown(late, case)
        finally:
            process.close()


def _ask(client: Any, worktree: Path, name: str, prompt: str, deadline_ms: int) -> str:
    chat = Conversation(client, worktree, sub_chat_id=name)
    return text_of(chat.pre_run(prompt, deadlineMs=deadline_ms), "context")


def _shown(block: str, case: RegionCase) -> Shown:
    numbers = shown_lines(block)
    return Shown(
        all(path in block for path in case.files),
        all(numbers.get(path, set()).issuperset(lines) for path, lines in case.lines.items()),
        any(numbers.values()),
    )


def _figures(answers: Sequence[tuple[Shown, Shown]]) -> str:
    early, late = zip(*answers, strict=True)
    return f"n = {len(answers):<4} right after {_shares(early)}   complete {_shares(late)}"


def _shares(shown: Sequence[Shown]) -> str:
    named, lines, code = (sum(column) / len(shown) for column in zip(*shown, strict=True))
    return f"named {named:.2f} LINE {lines:.2f} code {code:.2f}"


if __name__ == "__main__":
    sys.exit(main())
