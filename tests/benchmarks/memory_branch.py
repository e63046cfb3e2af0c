"""Time of a commit to the memory branch: in this process and through git, beside the check of the branch alone.

    python -m tests.benchmarks.memory_branch [commits]

Prints medians in milliseconds and their ratios, from one run.
"""

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from sidecar.capture.artifact_commits import refusal
from sidecar.system import branch_commit
from sidecar.system.branch_commit import BranchCommit, branch_uses, locate_repository
from tests.benchmarks.arguments import parse_counts
from tests.support.repositories import make_repository

BRANCH = "memory/continuity"


def main() -> None:
    """Measure each way in its own repository."""
    (rounds,) = parse_counts(__doc__, commits=200)
    with tempfile.TemporaryDirectory() as folder:
        started = timed(lambda _: subprocess.run(["git", "--version"], capture_output=True, check=True), 20)
        print(f"starting git                                {started:6.2f} ms")
        for name, add in (
            ("libgit2", branch_commit.try_commit),
            ("git fast-import", branch_commit.try_commit_fast_import),
        ):
            repository = make_repository(Path(folder) / name, {f"src/{n}.py": f"{n}\n" for n in range(100)})
            place = locate_repository(repository.path)
            check_ms = timed(lambda _, place=place: refusal(BRANCH, branch_uses(place, BRANCH)), rounds)
            commit_ms = timed(lambda n, place=place, add=add: add(place, BRANCH, addition(n)), rounds)
            print(f"{name:<16} check of the branch         {check_ms:6.2f} ms")
            print(
                f"{name:<16} commit                      {commit_ms:6.2f} ms  {commit_ms / started:5.1f} × starting git"
            )


def addition(number: int) -> BranchCommit:
    """Return an artifact of typical size."""
    return BranchCommit({f"continuity/devlog/2026-03-{number}.md": b"# One\n" * 200 + b"%d" % number}, "Keep it\n", 0)


def timed(work: Callable[[int], object], rounds: int) -> float:
    """Return the median of `rounds` rounds in milliseconds."""
    times = []
    for number in range(rounds):
        start = time.perf_counter()
        work(number)
        times.append((time.perf_counter() - start) * 1000)
    return median(times)


if __name__ == "__main__":
    main()
