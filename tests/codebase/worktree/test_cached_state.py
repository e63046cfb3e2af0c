"""Tests of the cached state: it always equals a full read."""

from collections.abc import Callable

import pytest

from sidecar.codebase.repository import Repository as CodebaseRepository
from sidecar.codebase.worktree.freshness import FEW_CHANGED
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, wait_until_watched
from tests.support.repositories import Repository

CHANGES: dict[str, Callable[[Repository], object]] = {
    "edit": lambda repository: repository.write({"a.py": "edited = 1\n"}),
    "new file": lambda repository: repository.write({"deep/b.py": ""}),
    "deletion": lambda repository: (repository.path / "a.py").unlink(),
    "commit": lambda repository: repository.commit({"a.py": "committed = 1\n"}),
    "branch": lambda repository: repository.git("switch", "--quiet", "--create", "other"),
    "ignore rule": lambda repository: repository.write({".gitignore": "*.log\n"}),
    "staging": lambda repository: repository.git("rm", "--quiet", "--cached", "a.py"),
}


@pytest.fixture
def repository(make_repository: Callable[..., Repository]) -> Repository:
    return make_repository({"a.py": "a = 1\n", "deep/er/c.py": "c = 1\n"})


@pytest.fixture
def codebase(repository: Repository, open_sidecar: Callable[..., MemorySidecar]) -> CodebaseRepository:
    sidecar = open_sidecar()
    sidecar.client.initialize()
    process = process_of(sidecar)
    return CodebaseRepository(process.workspaces.get(str(repository.path), None), process)


def test_no_state_is_cached_before_the_first_reads(codebase: CodebaseRepository) -> None:
    assert codebase.cached_state() is None
    codebase.listing(codebase.state())
    assert codebase.cached_state() is None


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_the_cached_state_equals_a_full_read(
    codebase: CodebaseRepository, repository: Repository, change: Callable[[Repository], object]
) -> None:
    if not wait_until_watched(codebase):
        pytest.skip("this file system cannot be watched")
    state = codebase.state()
    listing = codebase.listing(state)
    assert codebase.cached_state() == (state, listing)
    change(repository)
    cached = codebase.cached_state()
    assert wait_until_watched(codebase)
    after = codebase.state()
    assert after != state
    assert cached in (None, (after, codebase.listing(after)))
    assert (after, codebase.listing(after)) == codebase.cached_state()


def test_the_cached_state_includes_one_edit_but_not_very_many(
    codebase: CodebaseRepository, repository: Repository
) -> None:
    if not wait_until_watched(codebase):
        pytest.skip("this file system cannot be watched")
    codebase.listing(codebase.state())
    CHANGES["edit"](repository)
    cached = codebase.cached_state()
    assert cached is not None
    assert [file.path for file in cached[0].changed] == ["a.py"]
    repository.write({f"deep/{number}.py": "" for number in range(FEW_CHANGED + 1)})
    assert codebase.cached_state() is None


def test_a_likely_state_equals_the_one_after_a_checkout(codebase: CodebaseRepository, repository: Repository) -> None:
    first = repository.head()
    assert codebase.freshness.likely_state() is None
    before = codebase.state()
    assert codebase.freshness.likely_state() is None
    repository.git("switch", "--quiet", "--create", "other")
    repository.commit({"a.py": "committed = 1\n"})
    for _ in range(2):
        likely = codebase.freshness.likely_state()
        assert likely is not None
        after = codebase.state()
        assert likely._replace(proof=after.proof) == after != before
        repository.git("checkout", "--quiet", "--detach", first)
    assert codebase.state().branch is None


def test_no_state_is_likely_after_changes(codebase: CodebaseRepository, repository: Repository) -> None:
    repository.write({"a.py": "edited = 1\n"})
    codebase.state()
    repository.commit()
    assert codebase.freshness.likely_state() is None
