"""What a commit to the memory branch takes, in this process and through git, beside a look at git alone.

    python -m tests.benchmarks.committing [commits]

Prints medians in milliseconds and their ratios, of one run.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from sidecar.capture.artifacts.memory_branch import refusal
from sidecar.system import branches, fast_import
from sidecar.system.refs import Addition, place_of, uses_of
from tests.support.repositories import make_repository

BRANCH = "memory/continuity"


def main() -> None:
    """Measures each way in a repository of its own."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        started = timed(lambda _: subprocess.run(["git", "--version"], capture_output=True, check=True), 20)
        print(f"starting git                                {started:6.2f} ms")
        for name, add in (("libgit2", branches.add_once), ("git fast-import", fast_import.add_once)):
            repository = make_repository(Path(folder) / name, {f"src/{n}.py": f"{n}\n" for n in range(100)})
            place = place_of(repository.path)
            looked = timed(lambda _, place=place: refusal(BRANCH, uses_of(place, BRANCH)), rounds)  # type: ignore[misc]
            added = timed(lambda n, place=place, add=add: add(place, BRANCH, addition(n)), rounds)  # type: ignore[misc]
            print(f"{name:<16} looked at what is protected {looked:6.2f} ms")
            print(f"{name:<16} a commit                    {added:6.2f} ms  {added / started:5.1f} × starting git")


def addition(number: int) -> Addition:
    """Gives an entry of an ordinary size."""
    return Addition({f"continuity/devlog/2026-03-{number}.md": b"# One\n" * 200 + b"%d" % number}, "Keep it\n", 0)


def timed(work: Callable[[int], object], rounds: int) -> float:
    """Gives the median of so many rounds in milliseconds."""
    taken = []
    for number in range(rounds):
        began = time.perf_counter()
        work(number)
        taken.append((time.perf_counter() - began) * 1000)
    return median(taken)


if __name__ == "__main__":
    main()
