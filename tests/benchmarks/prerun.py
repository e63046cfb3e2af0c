"""`continuity/preRun` as 1Code sees it: from Node over stdio, on repositories of several sizes.

    .venv/bin/python -m tests.benchmarks.prerun --sizes 1000 20000 100000

Prints each figure beside its target: a conversation in which nothing changed, one file edited before each call, the
first call of a fresh process, memory. `--frozen PATH` measures the built program; `--work` keeps the repositories.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.codebase.repository import Repository
from tests.benchmarks.programs import quiet_sidecar
from tests.benchmarks.synthetic import synthetic
from tests.support.repositories import HERMETIC
from tests.support.walking import process_of, wait_until_watched

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
    """Measures the sizes one after another, then one beside the filling of the largest."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000, 100_000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frozen", type=Path, help="the built program; without it, from source")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "sidecar-benchmarks")
    options = parser.parse_args()
    os.environ.update(HERMETIC)
    command = [str(options.frozen or sys.executable), *(() if options.frozen else ("-m", "sidecar")), "serve"]
    subjects = [subject(options.work, files, options.seed) for files in sorted(options.sizes)]
    medians = [measure(command, one) for one in subjects]
    growth = medians[-1] / medians[0]
    print()
    said("unchanged, largest to smallest", growth, "times", GROWTH)
    if len(subjects) > 1:
        beside(command, subjects[0], subjects[-1])


def subject(work: Path, files: int, seed: int) -> Subject:
    """Makes the repository, and a prompt that names one of its functions by its words."""
    path = synthetic(work, files, seed).path
    edited = sorted(path.glob("src/**/*.py"))[7]
    name = next(line for line in edited.read_text().splitlines() if line.startswith("def "))[4:].split("(")[0]
    module = " ".join(edited.parent.name.split("_"))
    return Subject(path, files, f"Make {name.replace('_', ' ')} in {module} return early when there is none.", edited)


def measure(command: Sequence[str], one: Subject) -> float:
    """Measures one size, prints its rows, and gives the median of the unchanged conversation."""
    found = played(command, one, followUps=list(FOLLOW_UPS) * 20)
    status = statistics.median(statuses(one.path))
    print(f"\n{one.files} files")
    median = spread("unchanged conversation", found["unchanged"], UNCHANGED_MS, status)
    spread("the same, other words", found["followUps"], None, status)
    spread("one file edited before each call", found["edited"], EDITED_MS, status)
    spread("its state and difference alone", edited_looks(one), STATE_MS, status)
    print(f"{'git status':<36}{status:9.2f} ms    in the same run")
    said("calls that gave less than all", found["less"], "", 0)
    cold = found["coldResult"]
    how = f"{cold['action']}, {'partial' if cold['partial'] else 'whole'}, {cold['files']} context blocks"
    said("cold first call", found["cold"], "ms", DEADLINE_MS, how)
    print(f"{'the index is whole after':<36}{found['index'] / 1000:9.2f} s")
    limit = MEMORY_MB.get(one.files)
    said("resident, index whole", found["whole"] / 1e6, "MB", limit, f"at the end {found['after'] / 1e6:.0f}")
    said("resident at its peak, workers too", found["peak"] / 1e6, "MB", None)
    return median


def beside(command: Sequence[str], small: Subject, large: Subject) -> None:
    """Measures an unchanged conversation in one worktree while another one's files are read for the first time."""
    found = played(command, large, other=str(small.path))
    print(f"\n{small.files} files, beside the first reading of {large.files}")
    spread("unchanged, nothing else going on", found["quiet"], None, None)
    spread("unchanged, beside the reading", found["besides"], None, None)


def played(command: Sequence[str], one: Subject, **more: Any) -> dict[str, Any]:
    """Has Node play the calls against a fresh process with an empty state."""
    node = shutil.which("node")
    assert node is not None, "this benchmark needs Node"
    with tempfile.TemporaryDirectory() as state_dir, unedited(one.edited):
        plan = {
            "command": command, "stateDir": state_dir, "cwd": str(one.path), "prompt": one.prompt, "followUps": [],
            "edited": str(one.edited), "comment": "#", "rounds": ROUNDS, "edits": EDITS, "deadlineMs": DEADLINE_MS,
            **more,
        }  # fmt: skip
        output = subprocess.check_output([node, str(DRIVER), json.dumps(plan)], timeout=1_800)
    measured: dict[str, Any] = json.loads(output)
    return measured


def edited_looks(one: Subject) -> list[float]:
    """Gives the milliseconds of state, listing and difference, each after one edit, in process."""
    with tempfile.TemporaryDirectory() as folder, unedited(one.edited) as before:
        sidecar = quiet_sidecar(Path(folder) / "state")
        sidecar.client.initialize()
        process = process_of(sidecar)
        repository = Repository(process.workspaces.get(str(one.path), None), process)
        repository.listing(repository.state())
        assert wait_until_watched(repository, 120)
        taken = []
        for number in range(EDITS):
            one.edited.write_bytes(before + b"# %d\n" % number)
            began = time.perf_counter()
            state = repository.state()
            repository.diffs(state)
            taken.append((time.perf_counter() - began) * 1000)
        sidecar.close()
    return taken


@contextmanager
def unedited(path: Path) -> Iterator[bytes]:
    """Gives a file's content and leaves it as it was."""
    before = path.read_bytes()
    try:
        yield before
    finally:
        if path.read_bytes() != before:
            path.write_bytes(before)


def statuses(path: Path) -> list[float]:
    """Gives the milliseconds of `git status`, as a host would run it."""
    taken = []
    for _ in range(STATUSES):
        began = time.perf_counter()
        subprocess.run(["git", "status", "--porcelain=v2", "-z"], cwd=path, check=True, stdout=subprocess.DEVNULL)
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def spread(what: str, taken: Sequence[float], target: float | None, status: float | None) -> float:
    """Prints median and p99 beside the target and the ratio to `git status`; gives the median."""
    median, p99 = statistics.median(taken), sorted(taken)[len(taken) * 99 // 100]
    ratio = f", a git status is {status / median:.1f} times that" if status is not None else ""
    said(what, median, "ms", target, f"p99 {p99:.2f}, {len(taken)} calls{ratio}")
    return median


def said(what: str, value: float, unit: str, target: float | None, how: str = "") -> None:
    """Prints one figure, and whether it meets its target."""
    verdict = "" if target is None else f"{'meets' if value <= target else 'MISSES'} {target:g} {unit}".rstrip()
    print(f"{what:<36}{value:9.2f} {unit:<6}{'; '.join(filter(None, (verdict, how)))}".rstrip())


if __name__ == "__main__":
    main()
