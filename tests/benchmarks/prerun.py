"""`continuity/preRun` as 1Code sees it: from Node over stdio, on repositories of several sizes.

    .venv/bin/python -m tests.benchmarks.prerun --sizes 1000 20000 100000

Prints each figure beside its target: an unchanged conversation, one edited file before each call, the first call of a
new process, memory. `--frozen PATH` measures the built program; `--work` keeps the repositories.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.codebase.repository import Repository
from tests.benchmarks.programs import quiet_sidecar, set_environment
from tests.benchmarks.synthetic import synthetic
from tests.support.random_walk import process_of, wait_until_watched

ROUNDS, EDITS, STATUSES = 500, 60, 15
DEADLINE_MS = 800
UNCHANGED_MS, EDITED_MS, STATE_MS = 1.5, 12.0, 3.0
GROWTH = 1.3
MEMORY_MB = {20_000: 150, 100_000: 400}
DRIVER = Path(__file__).with_name("prerun.mjs")
FOLLOW_UPS = ("continue", "ok, and now the tests", "yes, go on", "please explain the error", "fix it and run it again")


class Subject(NamedTuple):
    """A repository, a prompt about one of its files, and that file."""

    path: Path
    files: int
    prompt: str
    edited: Path


def main() -> None:
    """Measure the sizes one after another, then one during the index of the largest."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000, 100_000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frozen", type=Path, help="the built program; without it, from source")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "sidecar-benchmarks")
    options = parser.parse_args()
    set_environment()
    command = [str(options.frozen or sys.executable), *(() if options.frozen else ("-m", "sidecar")), "serve"]
    subjects = [make_subject(options.work, files, options.seed) for files in sorted(options.sizes)]
    medians = [measure(command, subject) for subject in subjects]
    growth = medians[-1] / medians[0]
    print()
    print_figure("unchanged, largest to smallest", growth, "times", GROWTH)
    if len(subjects) > 1:
        measure_beside_index(command, subjects[0], subjects[-1])


def make_subject(work: Path, files: int, seed: int) -> Subject:
    """Build the repository, and a prompt that names one of its functions by its words."""
    path = synthetic(work, files, seed).path
    edited = sorted(path.glob("src/**/*.py"))[7]
    name = next(line for line in edited.read_text().splitlines() if line.startswith("def "))[4:].split("(")[0]
    module = " ".join(edited.parent.name.split("_"))
    return Subject(path, files, f"Make {name.replace('_', ' ')} in {module} return early when there is none.", edited)


def measure(command: Sequence[str], subject: Subject) -> float:
    """Measure one size, print its rows, and return the median of the unchanged conversation."""
    measured = run_driver(command, subject, followUps=list(FOLLOW_UPS) * 20)
    status = statistics.median(git_status_times(subject.path))
    print(f"\n{subject.files} files")
    median = print_times("unchanged conversation", measured["unchanged"], UNCHANGED_MS, status)
    print_times("the same, other prompts", measured["followUps"], None, status)
    print_times("one file edited before each call", measured["edited"], EDITED_MS, status)
    print_times("its state and diff alone", state_after_edits(subject), STATE_MS, status)
    print(f"{'git status':<36}{status:9.2f} ms    in the same run")
    print_figure("incomplete answers", measured["incomplete"], "", 0)
    cold = measured["coldResult"]
    how = f"{cold['action']}, {'partial' if cold['partial'] else 'complete'}, {cold['files']} context blocks"
    print_figure("cold first call", measured["cold"], "ms", DEADLINE_MS, how)
    print(f"{'index complete after':<36}{measured['index'] / 1000:9.2f} s")
    limit = MEMORY_MB.get(subject.files)
    print_figure(
        "resident, index complete", measured["indexed"] / 1e6, "MB", limit, f"at the end {measured['after'] / 1e6:.0f}"
    )
    print_figure("peak resident, with workers", measured["peak"] / 1e6, "MB", None)
    return median


def measure_beside_index(command: Sequence[str], small: Subject, large: Subject) -> None:
    """Measure an unchanged conversation in one worktree during the first index of another."""
    measured = run_driver(command, large, other=str(small.path))
    print(f"\n{small.files} files, during the first index of {large.files}")
    print_times("unchanged, idle", measured["idle"], None, None)
    print_times("unchanged, during the index", measured["duringIndex"], None, None)


def run_driver(command: Sequence[str], subject: Subject, **more: Any) -> dict[str, Any]:
    """Let Node play the calls against a new process with an empty state."""
    node = shutil.which("node")
    assert node is not None, "this benchmark needs Node"
    with tempfile.TemporaryDirectory() as state_dir, restored(subject.edited):
        plan = {
            "command": command, "stateDir": state_dir, "cwd": str(subject.path), "prompt": subject.prompt,
            "followUps": [], "edited": str(subject.edited), "comment": "#", "rounds": ROUNDS, "edits": EDITS,
            "deadlineMs": DEADLINE_MS, **more,
        }  # fmt: skip
        output = subprocess.check_output([node, str(DRIVER), json.dumps(plan)], timeout=1_800)
    measured: dict[str, Any] = json.loads(output)
    return measured


def state_after_edits(subject: Subject) -> list[float]:
    """Return the milliseconds of state, listing and diff, each after one edit, in process."""
    with tempfile.TemporaryDirectory() as folder, restored(subject.edited) as before:
        sidecar = quiet_sidecar(Path(folder) / "state")
        sidecar.client.initialize()
        process = process_of(sidecar)
        repository = Repository(process.workspaces.get(str(subject.path), None), process)
        repository.listing(repository.state())
        assert wait_until_watched(repository, 120)
        times = []
        for number in range(EDITS):
            subject.edited.write_bytes(before + b"# %d\n" % number)
            start = time.perf_counter()
            state = repository.state()
            repository.diffs(state)
            times.append((time.perf_counter() - start) * 1000)
        sidecar.close()
    return times


@contextmanager
def restored(path: Path) -> Generator[bytes]:
    """Yield a file's content, and restore the file."""
    before = path.read_bytes()
    try:
        yield before
    finally:
        if path.read_bytes() != before:
            path.write_bytes(before)


def git_status_times(path: Path) -> list[float]:
    """Return the milliseconds of `git status`, as a host would run it."""
    times = []
    for _ in range(STATUSES):
        start = time.perf_counter()
        subprocess.run(["git", "status", "--porcelain=v2", "-z"], cwd=path, check=True, stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - start) * 1000)
    return times


def print_times(what: str, times: Sequence[float], target: float | None, status: float | None) -> float:
    """Print median and p99 beside the target and the ratio to `git status`; return the median."""
    median, p99 = statistics.median(times), sorted(times)[len(times) * 99 // 100]
    ratio = f", git status takes {status / median:.1f} times as long" if status is not None else ""
    print_figure(what, median, "ms", target, f"p99 {p99:.2f}, {len(times)} calls{ratio}")
    return median


def print_figure(what: str, value: float, unit: str, target: float | None, how: str = "") -> None:
    """Print one figure, and whether it meets its target."""
    verdict = "" if target is None else f"{'meets' if value <= target else 'MISSES'} {target:g} {unit}".rstrip()
    print(f"{what:<36}{value:9.2f} {unit:<6}{'; '.join(filter(None, (verdict, how)))}".rstrip())


if __name__ == "__main__":
    main()
