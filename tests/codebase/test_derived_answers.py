"""Random work in the worktrees of one repository; each answer equals that of a sidecar with an empty state."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.depth import examples
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_work import OPERATIONS, RandomWork
from tests.support.repositories import Repository
from tests.support.rpc_failures import RpcFailure

WORDS = ("pelican", "walrus", "otter", "heron")
FOLDERS = ("src", "docs", "lib/a")
FILES = {
    f"{folder}/{word}_{number}.py": f"import zoo\n\n\ndef feed_{word}_{number}():\n    return {number}\n"
    for folder in FOLDERS
    for word in WORDS
    for number in range(3)
}
QUERIES = ("feed the pelican", "walrus_1 or otter_2 in the docs", "begin with the heron")


def sparse_checkout(work: RandomWork) -> None:
    work.git("sparse-checkout", *work.random.choice((("set", "src"), ("add", "docs"), ("set", "lib"), ("disable",))))


def commit_within_a_second(work: RandomWork) -> None:
    for word in work.random.choices(WORDS, k=3):
        work.file().write_text(f"{word} = {work.random.random()}\n")
        work.git("commit", "--quiet", "--all", "--message", f"Feed the {word}")


def go_to_the_same_commit(work: RandomWork) -> None:
    work.git("checkout", "--quiet", "--force", "--detach", "main~0")
    work.git("clean", "--quiet", "--force", "-d")


def merge(work: RandomWork) -> None:
    work.git("merge", "--quiet", "--message", "Merge", work.random.choice(("main", "one", "two")))


SHARED_WORK = (sparse_checkout, commit_within_a_second, go_to_the_same_commit, merge)
"""What makes the caches and the histories of several worktrees meet."""


@pytest.mark.parametrize("seed", range(examples(6, 1)))
def test_answers_after_random_work_equal_those_of_an_empty_state(
    open_sidecar: Callable[..., MemorySidecar],
    make_repository: Callable[..., Repository],
    tmp_path: Path,
    seed: int,
) -> None:
    project, chance = make_repository(FILES), random.Random(seed)
    work = RandomWork(project, tmp_path / "outside", seed, [*OPERATIONS, *SHARED_WORK * 12])
    roots = [project.path, *(project.add_worktree(tmp_path / name, name).path for name in ("one", "two"))]
    known = open_sidecar()
    known.client.initialize()
    for step in range(examples(80, 12)):
        work.root = chance.choice(roots)
        work.root.mkdir(exist_ok=True)
        done, root, query = work.step(), chance.choice(roots), chance.choice(QUERIES)
        empty = open_sidecar(state_dir=tmp_path / f"empty-{step}")
        empty.client.initialize()
        assert _answer(known.client, root, query) == _answer(empty.client, root, query), (step, done, root.name, query)
        empty.close()


def _answer(client: Client, root: Path, query: str) -> Any:
    """Return the whole answer to a query, or the error."""
    try:
        client.request("codebase/index", {"cwd": str(root)})
        return client.request("codebase/search", {"cwd": str(root), "query": query})
    except RpcFailure as failure:
        return failure.message
