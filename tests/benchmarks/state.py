"""Cost of a repository's state, unchanged and after edits, beside a full `git status` in the same run.

    .venv/bin/python -m tests.benchmarks.state --sizes 1000 20000 100000

Targets for any size: unchanged well under a millisecond, after one edit 1 ms, with its diff 3 ms.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sidecar.codebase.content_ids import ContentHashes
from sidecar.codebase.repository import Repository as Watched
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.state import RepositoryState, Scan, read_state
from sidecar.system.git import pygit2
from tests.benchmarks.memory import resident_mb
from tests.benchmarks.programs import quiet_sidecar, row
from tests.support.random_walk import process_of, wait_until_watched
from tests.support.repositories import HERMETIC, Repository, make_repository

FILES_A_FOLDER = 10
RUNS, FULL_RUNS = 2_000, 20
DIRTY, EDITS = 10, 50
SETTLE_SECONDS = 0.2


def main() -> None:
    """Measure repositories of several sizes, one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000])
    sizes = parser.parse_args().sizes
    # A first commit of many files would start git's garbage collection in the background, which is a change.
    quiet = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "gc.auto", "GIT_CONFIG_VALUE_0": "0"}
    os.environ.update({**HERMETIC, **quiet})
    for files in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), files)


def measure(folder: Path, files: int) -> None:
    """Build a repository and measure its state."""
    contents = {f"d{n // 1000}/s{n // FILES_A_FOLDER}/f{n}.py": f"value = {n}\n" for n in range(files)}
    git_repository = make_repository(folder / "repository", contents)
    sidecar = quiet_sidecar(folder / "state")
    sidecar.client.initialize()
    process = process_of(sidecar)
    repository = Watched(process.workspaces.get(str(git_repository.path), None), process)
    hashes = ContentHashes(lambda: process.clock.now_ms() * 1_000_000)
    state = repository.state()
    before_mb, start = resident_mb(os.getpid()), time.perf_counter()
    assert wait_until_watched(repository, 120)
    took_ms = (time.perf_counter() - start) * 1000
    watches = repository.freshness.worktree_watch.size
    print(f"\n{files} files, {watches} folders watched")
    row("from the second read to proven", took_ms, "in the background; reads use git meanwhile")
    row("memory used", resident_mb(os.getpid()) - before_mb, "plus 1 KB per folder in the kernel", "MB")
    full = times(lambda: read_state(git_repository.path, Scan(hashes, process.state_dir)), FULL_RUNS)
    print_times("full status", full, full)
    print_times("unchanged, clean", proven_times(repository.freshness), full)
    listing = repository.listing(state)
    print_times("listing, unchanged", times(lambda: repository.listing(state), RUNS), full)
    assert listing.files
    edits(git_repository, repository, list(contents), full)
    git_repository.commit()
    start = time.perf_counter()
    assert wait_until_watched(repository, 120)
    row("from a commit to proven again", (time.perf_counter() - start) * 1000, "reads use git meanwhile")
    sidecar.close()


def edits(git_repository: Repository, repository: Watched, paths: list[str], full: list[float]) -> None:
    """Measure the state after one and after several changed files. Each is computed without git."""
    pygit2()
    repository.diffs(repository.state())
    looks: dict[str, tuple[int, Callable[[], object]]] = {
        "after an edit": (1, lambda: state_of(repository)),
        f"after {DIRTY} edits": (DIRTY, lambda: state_of(repository)),
        "after an edit, with the listing": (1, lambda: repository.listing(state_of(repository))),
        "after an edit, with the diff": (1, lambda: repository.diffs(state_of(repository))),
    }
    for what, (count, look) in looks.items():
        times_ms = []
        for number in range(EDITS):
            git_repository.write(dict.fromkeys(paths[:count], f"value = {number}, {what!r}\n"))
            times_ms += times(look, 1)
        print_times(what, sorted(times_ms), full)
    git_repository.git("checkout", "--quiet", ".")
    assert wait_until_watched(repository, 120)
    times_ms = []
    for number in range(EDITS):
        git_repository.write({f"d0/new{number}.py": "new = True\n"})
        times_ms += times(lambda: state_of(repository), 1)
    print_times("after a new file", sorted(times_ms), full)
    time.sleep(SETTLE_SECONDS)
    print_times(f"unchanged, {EDITS} new files", proven_times(repository.freshness), full)


def state_of(repository: Watched) -> RepositoryState:
    """Return the state, which had to be computed."""
    state = repository.state()
    assert state.proof == "watch"
    return state


def proven_times(freshness: Freshness) -> list[float]:
    """Return the milliseconds of many reads, all proven by the watch."""

    def look() -> None:
        assert freshness.state().proof == "watch"

    freshness.state()
    return times(look, RUNS)


def times(action: Callable[[], object], runs: int) -> list[float]:
    """Return the milliseconds of each run, shortest first."""
    times_ms = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times_ms.append((time.perf_counter() - start) * 1000)
    return sorted(times_ms)


def print_times(what: str, times_ms: list[float], full: list[float]) -> None:
    """Print median and p99, and the ratio to a full status."""
    median, p99 = statistics.median(times_ms), times_ms[len(times_ms) * 99 // 100]
    row(what, median, f"p99 {p99:.2f} ms; a full status takes {statistics.median(full) / median:.0f} times as long")


if __name__ == "__main__":
    main()
