"""What is known at once, because little or nothing happened since the last look, is what a look would give."""

from collections.abc import Callable

import pytest

from sidecar.codebase.repository import Repository as Looked
from sidecar.codebase.worktree.freshness import FEW_CHANGED
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, wait_until_watched
from tests.support.repositories import Repository

CHANGES: dict[str, Callable[[Repository], object]] = {
    "edit": lambda made: made.write({"a.py": "edited = 1\n"}),
    "new file": lambda made: made.write({"deep/b.py": ""}),
    "deletion": lambda made: (made.path / "a.py").unlink(),
    "commit": lambda made: made.commit({"a.py": "committed = 1\n"}),
    "branch": lambda made: made.git("switch", "--quiet", "--create", "other"),
    "ignore rule": lambda made: made.write({".gitignore": "*.log\n"}),
    "staging": lambda made: made.git("rm", "--quiet", "--cached", "a.py"),
}


@pytest.fixture
def made(make_repository: Callable[..., Repository]) -> Repository:
    return make_repository({"a.py": "a = 1\n", "deep/er/c.py": "c = 1\n"})


@pytest.fixture
def looked(made: Repository, open_sidecar: Callable[..., MemorySidecar]) -> Looked:
    sidecar = open_sidecar()
    sidecar.client.initialize()
    process = process_of(sidecar)
    return Looked(process.workspaces.get(str(made.path), None), process)


def test_nothing_is_at_hand_before_the_first_looks(looked: Looked) -> None:
    assert looked.cached_state() is None
    looked.listing(looked.state())
    assert looked.cached_state() is None


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_is_known_at_once_is_what_a_look_gives(
    looked: Looked, made: Repository, change: Callable[[Repository], object]
) -> None:
    if not wait_until_watched(looked):
        pytest.skip("this file system cannot be watched")
    state = looked.state()
    listing = looked.listing(state)
    assert looked.cached_state() == (state, listing)
    change(made)
    at_once = looked.cached_state()
    assert wait_until_watched(looked)
    after = looked.state()
    assert after != state
    assert at_once in (None, (after, looked.listing(after)))
    assert (after, looked.listing(after)) == looked.cached_state()


def test_an_edit_of_a_file_is_known_at_once_and_that_of_very_many_is_not(looked: Looked, made: Repository) -> None:
    if not wait_until_watched(looked):
        pytest.skip("this file system cannot be watched")
    looked.listing(looked.state())
    CHANGES["edit"](made)
    found = looked.cached_state()
    assert found is not None
    assert [file.path for file in found[0].changed] == ["a.py"]
    made.write({f"deep/{number}.py": "" for number in range(FEW_CHANGED + 1)})
    assert looked.cached_state() is None
