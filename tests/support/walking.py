"""A random walk through the states of a repository, comparing what is kept with what a full look finds."""

import contextlib
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Process
from sidecar.codebase.repository import Repository
from sidecar.codebase.worktree.content_hash import ContentHashes
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.state import RepositoryState, Scan, StateUnavailable, read_state
from tests.support.memory import MemorySidecar
from tests.support.random_swaps import ALL_WORK, FILE_WORK
from tests.support.random_work import RandomWork
from tests.support.repositories import make_repository

WATCHED_WITHIN_SECONDS = 10.0

FILES = {f"{folder}/{number}.txt": f"{number}\n" for folder in ("src", "docs", "lib/a") for number in range(8)}


class Walked(NamedTuple):
    """What a walk met."""

    steps: int
    proofs: Counter[str]
    watched_before: int
    """Steps whose operation was done while a kept state was proven fresh: those that could have gone unseen."""
    advanced: int
    """Steps whose new state was worked out from the one before, without a full look."""
    differences: list[str]


def process_of(sidecar: MemorySidecar) -> Process:
    """Gives the process behind a sidecar in memory, once its methods are loaded."""
    sidecar.client.request("settings/get", {})
    assert isinstance(sidecar.app.process, Process)
    return sidecar.app.process


def wait_until_watched(repository: Repository, seconds: float = WATCHED_WITHIN_SECONDS) -> bool:
    """Looks until the state is proven by the watch."""
    return wait_until_proven(repository.freshness, "watch", seconds)


def wait_until_proven(freshness: Freshness, proof: str, seconds: float = WATCHED_WITHIN_SECONDS) -> bool:
    """Looks until the state is proven in a given way."""
    give_up_at = time.monotonic() + seconds
    while time.monotonic() < give_up_at:
        try:
            if freshness.state().proof == proof:
                return True
        except StateUnavailable:
            pass
        time.sleep(0.002)
    return False


def walk(sidecar: MemorySidecar, folder: Path, seed: int, steps: int) -> Walked:
    """Works at random, looks after each operation, and compares.

    The seed also says where: in the repository itself, in a linked worktree, or looking from a subfolder only; and
    whether all kinds of work are done, or mostly such on files.
    """
    process = process_of(sidecar)
    made = make_repository(folder / f"walk-{seed}", FILES)
    work = RandomWork(made, folder / f"outside-{seed}", seed, FILE_WORK if seed // 4 % 2 else ALL_WORK)
    for branch in ("one", "two/three"):
        made.git("branch", branch)
    root = made.path
    if seed % 4 == 2:
        root = made.add_worktree(folder / f"linked-{seed}", "four").path
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
        # Half of the steps wait for the watch, the other half come while it is being prepared.
        ready = wait_until_watched(repository, 1.0) if number % 2 == 0 else _is_watched(repository)
        watched += ready
        before = _look(repository)
        done = work.step()
        kept, fresh = _look(repository), _fresh(workspace.cwd, process)
        proofs[_proof(kept)] += 1
        advanced += kept is not before and _proof(kept) == _proof(before) == "watch"
        if _seen(kept) != _seen(fresh):
            differences.append(f"seed {seed}, step {number}, {done}: {_difference(kept, fresh)}")
    repository.freshness.worktree_watch.close()
    return Walked(steps, proofs, watched, advanced, differences)


def _is_watched(repository: Repository) -> bool:
    state = _look(repository)
    return isinstance(state, RepositoryState) and state.proof == "watch"


def _proof(state: RepositoryState | str) -> str:
    return state.proof if isinstance(state, RepositoryState) else "failed"


def _look(repository: Repository) -> RepositoryState | str:
    try:
        return repository.state()
    except StateUnavailable as error:
        return error.reason


def full_look(cwd: Path, process: Process) -> RepositoryState:
    """Asks git and reads every changed file, whatever is known of it."""
    hashes = ContentHashes(lambda: 0)  # at the beginning of time every file was just written: all are read
    return read_state(cwd, Scan(hashes, process.state_dir))


def _fresh(cwd: Path, process: Process) -> RepositoryState | str:
    try:
        return full_look(cwd, process)
    except StateUnavailable as error:
        return error.reason


def _difference(kept: RepositoryState | str, fresh: RepositoryState | str) -> str:
    if isinstance(kept, str) or isinstance(fresh, str):
        return f"{kept} is {fresh}"
    only_kept, only_fresh = set(kept.changed) - set(fresh.changed), set(fresh.changed) - set(kept.changed)
    rest = (kept._replace(changed=()), fresh._replace(changed=()))
    return f"{rest[0]} with {sorted(only_kept)} is {rest[1]} with {sorted(only_fresh)}"


def _seen(state: RepositoryState | str) -> object:
    return state._replace(proof="") if isinstance(state, RepositoryState) else state
