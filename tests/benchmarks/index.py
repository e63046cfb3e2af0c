"""Cost of a cold index, in this process and in workers, against reading every file once; and of one edit's re-index.

    .venv/bin/python -m tests.benchmarks.index --repo PATH [PATH ...]
    .venv/bin/python -m tests.benchmarks.index --files 2000

Medians and ratios from one run. "Others waited" is the delay of another thread of the process during the index: what a
ping would have waited.
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sidecar.codebase import indexer as analysis_workers
from sidecar.codebase.indexer import IndexReport
from sidecar.codebase.repository import Repository
from sidecar.system.worker_processes import worker_count
from tests.benchmarks.programs import quiet_sidecar, row, set_environment
from tests.benchmarks.synthetic import synthetic
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of

RUNS, EDITS = 3, 15
TURN_SECONDS = 0.002


def main() -> None:
    """Measure the given repositories, or a synthetic one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, nargs="+", default=[], metavar="PATH")
    parser.add_argument("--files", type=int, default=2_000, help="size of the synthetic repository")
    chosen = parser.parse_args()
    set_environment()
    with tempfile.TemporaryDirectory() as folder:
        paths = [clone(path, Path(folder)) for path in chosen.repo] or [
            synthetic(Path(folder) / "synthetic", chosen.files).path
        ]
        for path in paths:
            measure(path, Path(folder))


def clone(path: Path, folder: Path) -> Path:
    """Clone a repository, because it is edited."""
    target = folder / (path.parent.name if path.name in ("repo", ".git") else path.name)
    subprocess.run(["git", "clone", "--quiet", str(path), str(target)], check=True)
    return target


def measure(path: Path, folder: Path) -> None:
    """Measure one repository."""
    with open_repository(path, folder) as (repository, _):
        files = dict(repository.listing(repository.state()).files)
    size = sum((path / name).lstat().st_size for name in files)
    print(f"\n{path.name}: {len(files)} files, {size / 2**20:.1f} MB, {worker_count()} worker(s)")
    floor = statistics.median(timed(lambda: read_all(path, files)) for _ in range(RUNS))
    row("floor: read every file once", len(files) / floor, f"{floor * 1000 / len(files):.3f} ms a file", "/s")
    for name, workers_from in (("in this process", len(files) + 1), ("in workers", 1)):
        runs = [index_cold(path, folder, workers_from) for _ in range(RUNS)]
        seconds = statistics.median(run[0] for run in runs)
        row(
            f"cold, {name}",
            len(files) / seconds,
            f"{seconds * 1000 / len(files):.2f} ms a file, {seconds / floor:.0f}× the floor",
            "/s",
        )
        row(
            "  others waited, 99th percentile",
            statistics.median(run[1] for run in runs),
            f"at most {max(run[2] for run in runs):.0f} ms",
        )
    with open_repository(path, folder) as (repository, sidecar):
        fill_index(repository)
        process_of(sidecar).database.write_behind.flush()
        with process_of(sidecar).database.read() as reader:
            cache_bytes = int(str(reader.execute("SELECT sum(length(value)) FROM continuity_file_cache").get))
        row("cache", cache_bytes / len(files), f"{cache_bytes / size:.2f}× the files' own bytes", "B")
        source = next(name for name in files if name.endswith((".py", ".ts", ".rs", ".go", ".java", ".js")))
        edits = [index_one_edit(repository, path / source, number) for number in range(EDITS)]
        row("re-index after one edit", statistics.median(edits) * 1000, f"listing and analysis; {source}")
    warm = []
    for _ in range(RUNS):
        with open_repository(path, folder, keep_state=True) as (repository, _):
            warm.append(timed(partial(fill_index, repository)))
    row("reopened, from the cache", len(files) / statistics.median(warm), "in a new process", "/s")


@contextmanager
def open_repository(
    path: Path, folder: Path, *, keep_state: bool = False
) -> Generator[tuple[Repository, MemorySidecar]]:
    """Open a repository in a sidecar with a new state file, or the previous one."""
    state = folder / "state"
    if not keep_state:
        shutil.rmtree(state, ignore_errors=True)
    sidecar = quiet_sidecar(state)
    sidecar.client.initialize()
    process = process_of(sidecar)
    yield Repository(process.workspaces.get(str(path), None), process), sidecar
    sidecar.close()


def index_cold(path: Path, folder: Path, workers_from: int) -> tuple[float, float, float]:
    """Return the seconds of a cold index, and the other thread's delays in ms: the 99th percentile and the longest."""
    with open_repository(path, folder) as (repository, _):
        before, analysis_workers.MIN_FILES_FOR_WORKERS = analysis_workers.MIN_FILES_FOR_WORKERS, workers_from
        waits: list[float] = []
        over = threading.Event()
        watcher = threading.Thread(target=take_turns, args=(over, waits))
        watcher.start()
        seconds = timed(lambda: fill_index(repository))
        over.set()
        watcher.join()
        analysis_workers.MIN_FILES_FOR_WORKERS = before
    waits.sort()
    return seconds, waits[len(waits) * 99 // 100], waits[-1]


def take_turns(over: threading.Event, waits: list[float]) -> None:
    """Record the delay of each wake-up, in ms."""
    while not over.is_set():
        start = time.perf_counter()
        time.sleep(TURN_SECONDS)
        waits.append((time.perf_counter() - start - TURN_SECONDS) * 1000)


def fill_index(repository: Repository) -> IndexReport:
    """Fill the index completely."""
    report = repository.fill_index(repository.listing(repository.state()), IndexReport())
    assert repository.is_indexed()
    return report


def index_one_edit(repository: Repository, path: Path, number: int) -> float:
    """Edit a file, and return the seconds until it is indexed."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"\n\n// {number}\n")
    state = repository.state()

    def update() -> None:
        report = repository.fill_index(repository.listing(state), IndexReport())
        assert report.analysed == 1

    return timed(update)


def read_all(path: Path, files: dict[str, str]) -> None:
    """Read every file once: the minimum for anything that needs their content."""
    for name in files:
        (path / name).read_bytes()


def timed(run: Callable[[], object]) -> float:
    """Return the seconds of a call."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
