"""The first prompt in a new worktree, after a checkout and in a new process: `continuity/preRun` from Node over stdio.

    .venv/bin/python -m tests.benchmarks.first_prompt --repo PATH … --sizes 6000 20000

Every repository is cloned first and gets memories, rules and a registry. Each case is measured in 20 rounds, each with
a prompt of its own, the subject of a past commit: median and worst, beside a full `git status`, the processor time of
the sidecar with its children, and a cold run with an empty state. One answer of each new worktree is compared with that
of a process with an empty state. `--frozen PATH` measures the built program; `--work` keeps the synthetic repositories.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.decide import registry
from tests.benchmarks.memories import fill
from tests.benchmarks.prerun import print_figure
from tests.benchmarks.programs import set_environment
from tests.benchmarks.synthetic import synthetic

ROUNDS, PROMPTS = 20, 120
MEMORIES, ENTITIES = 300, 300
FAR = {"same commit": 0, "50 commits away": 50, "2,000 commits away": 2_000}
MAX_CHANGED = 500
TARGETS = ((8_000, 150.0), (30_000, 300.0), (200_000, 800.0))
"""Milliseconds in a new worktree, up to a number of files."""

CHECKOUT_MS, PROCESS_MS = 150.0, 250.0
MEMORY_RATIO = 1.5
DRIVER = Path(__file__).with_name("first_prompt.mjs")


def main() -> None:
    """Measure each repository."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repo", type=Path, nargs="*", default=[])
    parser.add_argument("--sizes", type=int, nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--frozen", type=Path, help="the built program; without it, from source")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "sidecar-benchmarks")
    options = parser.parse_args()
    set_environment()
    command = [str(options.frozen or sys.executable), *(() if options.frozen else ("-m", "sidecar")), "serve"]
    sources = [*options.repo, *(synthetic(options.work, files, options.seed).path for files in options.sizes)]
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            repository = Path(folder).resolve() / "repository"
            _git(Path(folder), "clone", "--quiet", "--shared", str(source), str(repository))
            _equip(repository)
            measure(command, source.name, repository, options.rounds)


def measure(command: Sequence[str], name: str, repository: Path, rounds: int) -> None:
    """Measure one repository and print its rows."""
    count = len(_git(repository, "ls-files").splitlines())
    history = _git(repository, "rev-list", "--first-parent", "HEAD").split()
    cases = {case: history[away] for case, away in FAR.items() if away < len(history)}
    other = _checkout_within(repository, history)
    state, folder = repository.parent / "state", repository.parent / "worktrees"
    folder.mkdir()
    plan = {
        "command": command, "stateDir": str(state), "repository": str(repository), "folder": str(folder),
        "prompts": prompts_of(repository), "cases": cases, "checkout": [history[0], other], "rounds": rounds,
    }  # fmt: skip
    node = shutil.which("node")
    assert node is not None, "this benchmark needs Node"
    measured: dict[str, Any] = json.loads(subprocess.check_output([node, str(DRIVER), json.dumps(plan)], timeout=3_600))
    target = next((limit for files, limit in TARGETS if count <= files), None)
    print(f"\n{name}, {count} files")
    cold = measured["cold"]
    print_figure("cold: first call", cold["first"], "ms", None, "partial" if cold["partial"] else "whole")
    print_figure("cold: whole after", cold["whole"] / 1000, "s", None)
    for case, commit in cases.items():
        changed = _changed(repository, history[0], commit)
        _print_case(f"new worktree, {case}", measured["cases"][case], target, f"{changed} files differ")
    changed = _changed(repository, history[0], other)
    _print_case("checkout in a known worktree", measured["checkout"], CHECKOUT_MS, f"{changed} files differ")
    _print_case("new process", measured["process"], PROCESS_MS)
    print_figure("its `initialize`", statistics.median(measured["initialize"]), "ms", None)
    resident = measured["resident"]
    if resident.get("ten"):  # measured on Linux, in at least nine rounds
        how = f"{resident['one'] / 1e6:.0f} MB with one, {resident['ten'] / 1e6:.0f} MB with ten"
        print_figure("memory, ten worktrees to one", resident["ten"] / resident["one"], "times", MEMORY_RATIO, how)


def _equip(repository: Path) -> None:
    """Commit memories, rules and a registry, which a first prompt reads too."""
    fill(repository / ".chati" / "memories", MEMORIES)
    (repository / ".chati" / "registry.yaml").write_text(registry(ENTITIES), encoding="utf-8")
    (repository / "AGENTS.md").write_text("# Rules\n\n- Always run the tests before you commit.\n", encoding="utf-8")
    _git(repository, "add", "--force", ".chati", "AGENTS.md")
    _git(repository, "commit", "--quiet", "--no-verify", "--message", "Add rules")


def prompts_of(repository: Path) -> list[str]:
    """Return subjects of past commits, which the repository's files answer in different places."""
    subjects = _git(repository, "log", "--no-merges", "--format=%s", "--max-count=3000").splitlines()
    long = [subject for subject in subjects if len(subject) > 25]
    return (long[:: max(1, len(long) // PROMPTS)])[:PROMPTS] or ["Where does the program start?"]


def _checkout_within(repository: Path, history: Sequence[str]) -> str:
    """Return the oldest of some commits from which at most `MAX_CHANGED` files differ."""
    steps = [away for away in (1, 5, 10, 20, 50, 100, 150, 200, 300, 400) if away < len(history)]
    within = [away for away in steps if _changed(repository, history[0], history[away]) <= MAX_CHANGED]
    return history[max(within, default=0)]


def _changed(repository: Path, commit: str, other: str) -> int:
    return len(_git(repository, "diff", "--name-only", "--no-renames", commit, other).splitlines())


def _print_case(what: str, case: dict[str, Any], target: float | None, more: str = "") -> None:
    median, status = statistics.median(case["times"]), statistics.median(case["status"])
    how = [f"worst {max(case['times']):.0f}", f"git status {status:.0f}", f"{case['partial']} partial", more]
    how.append(f"processor {case['processor'] / len(case['times']):.0f}")
    if "equal" in case:
        how.append("as from scratch" if case["equal"] else "NOT AS FROM SCRATCH")
    print_figure(what, median, "ms", target, ", ".join(filter(None, how)))


def _git(cwd: Path, *arguments: str) -> str:
    return subprocess.check_output(["git", *arguments], cwd=cwd, text=True, errors="surrogateescape")


if __name__ == "__main__":
    main()
