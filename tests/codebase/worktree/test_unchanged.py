"""What was given last is given again only where it is proven that nothing happened since."""

from collections.abc import Callable

import pytest

from sidecar.codebase.repository import Repository as Looked
from tests.support.memory import MemorySidecar
from tests.support.repositories import Repository
from tests.support.walking import process_of, wait_until_watched

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
    assert looked.unchanged() is None
    looked.listing(looked.state())
    assert looked.unchanged() is None


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_any_change_ends_it_until_the_next_look(
    looked: Looked, made: Repository, change: Callable[[Repository], object]
) -> None:
    if not wait_until_watched(looked):
        pytest.skip("this file system cannot be watched")
    state = looked.state()
    listing = looked.listing(state)
    assert looked.unchanged() == (state, listing)
    change(made)
    assert looked.unchanged() is None
    assert wait_until_watched(looked)
    after = looked.state()
    assert looked.unchanged() in (None, (after, listing))  # on a new branch its files are listed already
    assert (after, looked.listing(after)) == looked.unchanged()
