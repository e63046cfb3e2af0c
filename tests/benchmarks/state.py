"""What a look at a repository costs, unchanged and after edits, beside a full `git status` in the same run.

    .venv/bin/python -m tests.benchmarks.state --sizes 1000 20000 100000

Targets, whatever the size: unchanged well under a millisecond, after one edit 1 ms, with its difference 3 ms.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sidecar.codebase.repository import Repository as Watched
from sidecar.codebase.worktree.content_hash import ContentHashes
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.libgit_diff import make_ready
from sidecar.codebase.worktree.state import Look, RepositoryState, read_state
from tests.benchmarks.memory import resident_mb
from tests.benchmarks.programs import quiet_sidecar, row
from tests.support.repositories import HERMETIC, Repository, make_repository
from tests.support.walking import process_of, wait_until_watched

FILES_A_FOLDER = 10
RUNS, FULL_RUNS = 2_000, 20
DIRTY, EDITS = 10, 50
SETTLE_SECONDS = 0.2


def main() -> None:
    """Measures repositories of several sizes, one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000])
    # A first commit of many files would make git collect garbage in the background, which is a change.
    quiet = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "gc.auto", "GIT_CONFIG_VALUE_0": "0"}
    os.environ.update({**HERMETIC, **quiet})
    for files in parser.parse_args().sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), files)


def measure(folder: Path, files: int) -> None:
    """Makes a repository and measures looks at it."""
    contents = {f"d{n // 1000}/s{n // FILES_A_FOLDER}/f{n}.py": f"value = {n}\n" for n in range(files)}
    made = make_repository(folder / "repository", contents)
    sidecar = quiet_sidecar(folder / "state")
    sidecar.client.initialize()
    process = process_of(sidecar)
    repository = Watched(process.workspaces.get(str(made.path), None), process)
    hashes = ContentHashes(lambda: process.clock.now_ms() * 1_000_000)
    state = repository.state()
    before_mb, began = resident_mb(os.getpid()), time.perf_counter()
    assert wait_until_watched(repository, 120)
    took_ms = (time.perf_counter() - began) * 1000
    watches = repository.freshness.watching.size
    print(f"\n{files} files, {watches} folders watched")
    row("from the second look to proven", took_ms, "in the background; looks meanwhile ask git")
    row("memory it took", resident_mb(os.getpid()) - before_mb, "beside 1 KB of the kernel's a folder", "MB")
    full = times(lambda: read_state(made.path, Look(hashes, process.state_dir)), FULL_RUNS)
    said("full status", full, full)
    said("unchanged, clean", proven(repository.freshness), full)
    listing = repository.listing(state)
    said("its listing, unchanged", times(lambda: repository.listing(state), RUNS), full)
    assert listing.files
    edits(made, repository, list(contents), full)
    made.commit()
    began = time.perf_counter()
    assert wait_until_watched(repository, 120)
    row("from a commit to proven again", (time.perf_counter() - began) * 1000, "looks meanwhile ask git")
    sidecar.close()


def edits(made: Repository, repository: Watched, paths: list[str], full: list[float]) -> None:
    """Measures looks after one and after several files changed; each has to be worked out, none asked of git."""
    make_ready()
    repository.diffs(repository.state())
    looks: dict[str, tuple[int, Callable[[], object]]] = {
        "the look after an edit": (1, lambda: seen(repository)),
        f"the look after {DIRTY} edits": (DIRTY, lambda: seen(repository)),
        "after an edit, with the listing": (1, lambda: repository.listing(seen(repository))),
        "after an edit, with the difference": (1, lambda: repository.diffs(seen(repository))),
    }
    for what, (count, look) in looks.items():
        taken = []
        for number in range(EDITS):
            made.write(dict.fromkeys(paths[:count], f"value = {number}, {what!r}\n"))
            taken += times(look, 1)
        said(what, sorted(taken), full)
    made.git("checkout", "--quiet", ".")
    assert wait_until_watched(repository, 120)
    taken = []
    for number in range(EDITS):
        made.write({f"d0/new{number}.py": "new = True\n"})
        taken += times(lambda: seen(repository), 1)
    said("the look after a new file", sorted(taken), full)
    time.sleep(SETTLE_SECONDS)
    said(f"unchanged, {EDITS} new files", proven(repository.freshness), full)


def seen(repository: Watched) -> RepositoryState:
    """Gives the state, which had to be worked out."""
    state = repository.state()
    assert state.proof == "watch"
    return state


def proven(freshness: Freshness) -> list[float]:
    """Gives the milliseconds of many looks, all proven by the watch."""

    def look() -> None:
        assert freshness.state().proof == "watch"

    freshness.state()
    return times(look, RUNS)


def times(action: Callable[[], object], runs: int) -> list[float]:
    """Gives the milliseconds of each run, shortest first."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        action()
        taken.append((time.perf_counter() - began) * 1000)
    return sorted(taken)


def said(what: str, taken: list[float], full: list[float]) -> None:
    """Prints median and p99, and how many times faster than a full status."""
    median, p99 = statistics.median(taken), taken[len(taken) * 99 // 100]
    row(what, median, f"p99 {p99:.2f} ms; a full status is {statistics.median(full) / median:.0f} times that")


if __name__ == "__main__":
    main()
