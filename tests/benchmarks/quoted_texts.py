"""Does a text that a prompt quotes lead to the file that has it, and to the code that uses its key?

    python -m tests.benchmarks.quoted_texts --mirrors FOLDER [--half learning|judging]

`quoted_texts.jsonl` refers to texts of the interfaces and command lines of 15 public programs, drawn at random, each
with a prompt that quotes it, written before any run: literals in code and templates, and entries of catalogues of
texts. Each program is wholly in one half. `FOLDER/owner+name/repo` is a repository's git directory.
"""

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.programs import sidecar_on_clone
from tests.benchmarks.short_prompts import files_shown
from tests.labelled.evaluate import wilson

CASES = Path(__file__).with_name("quoted_texts.jsonl")
DEPTHS = (1, 3, sys.maxsize)


class QuotedCase(NamedTuple):
    """A quoted text: the line that has it, and the files that use its key."""

    half: str
    repository: str
    commit: str
    path: str
    line: int
    users: list[str]
    """Empty if the text is a literal where it is shown."""
    also: list[str]
    """Other files with the same text."""
    prompt: str


class Found(NamedTuple):
    """What a prompt brought: the files of its context block, in order."""

    case: QuotedCase
    files: Sequence[str]

    def is_among(self, expected: Collection[str], depth: int) -> bool:
        """Whether one of some files is among the first."""
        return any(path in expected for path in self.files[:depth])


def files_found(mirror: Path, cases: Sequence[QuotedCase]) -> Iterator[Found]:
    """Yield what the prompts of one repository bring, each in a conversation of its own."""
    with sidecar_on_clone(mirror) as (sidecar, worktree):
        # A snapshot may lack large files, which have no texts: what can be checked out is.
        subprocess.run(["git", "checkout", "-q", cases[0].commit], cwd=worktree, check=False, capture_output=True)
        subprocess.run(["git", "reset", "-q", cases[0].commit], cwd=worktree, check=True)
        subprocess.run(["git", "checkout", "-q", "--", "."], cwd=worktree, check=False, capture_output=True)
        texts = [case.prompt for case in cases]
        yield from map(Found, cases, files_shown(sidecar.client, worktree, texts))


def share_of(count: int, total: int) -> str:
    """Return a share with its Wilson interval."""
    low, high = wilson(count, total)
    return f"{count / total:.2f} ({low:.2f}-{high:.2f})"


def figures_of(found: Sequence[Found], expected: Callable[[QuotedCase], Collection[str]]) -> str:
    """Return the shares of some prompts."""
    counts = (sum(result.is_among(expected(result.case), depth) for result in found) for depth in DEPTHS)
    shares = (f"{name} {share_of(n, len(found))}" for name, n in zip(("first", "@3", "shown"), counts, strict=True))
    return f"n = {len(found)}: {', '.join(shares)}"


def main() -> int:
    """Print the figures by half and kind of text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--half", choices=("learning", "judging"))
    options = parser.parse_args()
    read = (QuotedCase(**json.loads(line)) for line in CASES.read_text(encoding="utf-8").splitlines())
    chosen = [case for case in read if options.half in (None, case.half)]
    groups = defaultdict[tuple[str, str], list[Found]](list)
    for repository in dict.fromkeys(case.repository for case in chosen):
        mirror = options.mirrors / repository.replace("/", "+") / "repo"
        if not mirror.is_dir():
            print(f"{mirror} does not exist: {repository} is left out.")
            continue
        for found in files_found(mirror, [case for case in chosen if case.repository == repository]):
            groups[found.case.half, "catalogue" if found.case.users else "literal"].append(found)
    for (half, kind), own in sorted(groups.items()):
        print(f"{half} {kind:9} any file {figures_of(own, lambda case: {case.path, *case.also, *case.users})}")
        if kind == "catalogue":
            print(f"{half} {kind:9} its use  {figures_of(own, lambda case: case.users)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
