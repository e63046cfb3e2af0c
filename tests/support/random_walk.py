"""A random walk through the states of a repository, comparing the tracked state with a full read."""

import contextlib
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase.content_ids import ContentHashes
from sidecar.codebase.repository import Repository
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.state import RepositoryState, Scan, StateUnavailable, read_state
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_file_work import ALL_WORK, FILE_WORK
from tests.support.random_work import RandomWork
from tests.support.repositories import make_repository

WATCHED_WITHIN_SECONDS = 30.0
READ_AGAIN_SECONDS = 0.1
"""Longest wait for a watch before the state is read again, which starts one that was refused."""

FILES = {f"{folder}/{number}.txt": f"{number}\n" for folder in ("src", "docs", "lib/a") for number in range(8)}


class WalkResult(NamedTuple):
    """Result of a walk."""

    steps: int
    proofs: Counter[str]
    watched_before: int
    """Number of steps whose operation started from a state proven by the watch; these could have been missed."""
    advanced: int
    """Number of steps whose new state was derived from the previous one, without a full read."""
    differences: list[str]


def process_of(sidecar: MemorySidecar) -> Process:
    """Return the process behind an in-memory sidecar, once its methods are loaded."""
    sidecar.client.request("settings/get", {})
    assert isinstance(sidecar.app.process, Process)
    return sidecar.app.process


def wait_until_watched(repository: Repository, seconds: float = WATCHED_WITHIN_SECONDS) -> bool:
    """Wait until the state is proven by the watch."""
    return wait_until_proven(repository.freshness, "watch", seconds)


def wait_until_proven(freshness: Freshness, proof: str, seconds: float = WATCHED_WITHIN_SECONDS) -> bool:
    """Wait until the state is proven in a given way."""
    give_up_at = time.monotonic() + seconds
    while time.monotonic() < give_up_at:
        try:
            if freshness.state().proof == proof:
                return True
        except StateUnavailable:
            pass
        read_again_at = time.monotonic() + READ_AGAIN_SECONDS
        time.sleep(0.002)
        while not freshness.worktree_watch.check().is_proven and time.monotonic() < read_again_at:
            time.sleep(0.002)
    return False


def walk(sidecar: MemorySidecar, folder: Path, seed: int, steps: int) -> WalkResult:
    """Work at random, read the state after each operation, and compare.

    The seed also chooses the location (the repository itself, a linked worktree, or only a subfolder) and whether all
    kinds of work are done, or mostly work on files.
    """
    process = process_of(sidecar)
    project = make_repository(folder / f"walk-{seed}", FILES)
    work = RandomWork(project, folder / f"outside-{seed}", seed, FILE_WORK if seed // 4 % 2 else ALL_WORK)
    for branch in ("one", "two/three"):
        project.git("branch", branch)
    root = project.path
    if seed % 4 == 2:
        root = project.add_worktree(folder / f"linked-{seed}", "four").path
        work.root = root
    cwd = root / "src" if seed % 4 == 3 else root
    workspace = process.workspaces.get(str(cwd), None)
    repository = Repository(workspace, process)
    proofs: Counter[str] = Counter()
    differences: list[str] = []
    watched = advanced = 0
    for number in range(steps):
        with contextlib.suppress(OSError):
            cwd.mkdir(parents=True, exist_ok=True)
        # Half of the steps wait for the watch; the other half run while it is being prepared.
        ready = wait_until_watched(repository, 1.0) if number % 2 == 0 else _is_watched(repository)
        watched += ready
        before = _state_of(repository)
        done = work.step()
        state, fresh = _state_of(repository), _full_state_of(workspace.cwd, process)
        proofs[_proof(state)] += 1
        advanced += state is not before and _proof(state) == _proof(before) == "watch"
        if _without_proof(state) != _without_proof(fresh):
            differences.append(f"seed {seed}, step {number}, {done}: {_difference(state, fresh)}")
    repository.freshness.worktree_watch.close()
    return WalkResult(steps, proofs, watched, advanced, differences)


def _is_watched(repository: Repository) -> bool:
    state = _state_of(repository)
    return isinstance(state, RepositoryState) and state.proof == "watch"


def _proof(state: RepositoryState | str) -> str:
    return state.proof if isinstance(state, RepositoryState) else "failed"


def _state_of(repository: Repository) -> RepositoryState | str:
    try:
        return repository.state()
    except StateUnavailable as error:
        return error.reason


def read_full_state(cwd: Path, process: Process) -> RepositoryState:
    """Ask git and read every changed file, ignoring what is known."""
    hashes = ContentHashes(lambda: 0)  # at time zero every file was just written, so all are read
    return read_state(cwd, Scan(hashes, process.state_dir))


def _full_state_of(cwd: Path, process: Process) -> RepositoryState | str:
    try:
        return read_full_state(cwd, process)
    except StateUnavailable as error:
        return error.reason


def _difference(state: RepositoryState | str, fresh: RepositoryState | str) -> str:
    if isinstance(state, str) or isinstance(fresh, str):
        return f"{state} is {fresh}"
    only_in_state, only_fresh = set(state.changed) - set(fresh.changed), set(fresh.changed) - set(state.changed)
    rest = (state._replace(changed=()), fresh._replace(changed=()))
    return f"{rest[0]} with {sorted(only_in_state)} is {rest[1]} with {sorted(only_fresh)}"


def _without_proof(state: RepositoryState | str) -> object:
    return state._replace(proof="") if isinstance(state, RepositoryState) else state
