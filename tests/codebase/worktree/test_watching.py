"""The state of an unchanged worktree is proven by a watch; whatever may change it makes git be asked again."""

import gc
import mmap
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.call import Process
from sidecar.codebase.repository import Repository as Watched
from tests.support import random_work
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, wait_until_watched, walk
from tests.support.repositories import Repository

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux is watched")

Make = Callable[..., Repository]
QUICK_STEPS = 120


@pytest.fixture
def process(sidecar: MemorySidecar) -> Process:
    return process_of(sidecar)


@pytest.fixture
def repository(make_repository: Make) -> Repository:
    return make_repository({"a.txt": "one\n", "sub/b.txt": "two\n", ".gitignore": "built/\n", "built/seed": "x\n"})


def watched(process: Process, folder: Path) -> Watched:
    one = Watched(process.workspaces.get(str(folder), None), process)
    assert wait_until_watched(one)
    return one


def proofs(one: Watched) -> str:
    return one.state().proof


def test_the_unchanged_state_and_its_listing_are_the_same_objects(process: Process, repository: Repository) -> None:
    repository.write({"a.txt": "dirty\n"})
    one = watched(process, repository.path)
    first, second = one.state(), one.state()
    assert first is second
    assert [file.path for file in first.changed] == ["a.txt"]
    assert one.listing(first) is one.listing(second)


def test_each_change_is_seen_at_the_next_look(process: Process, repository: Repository) -> None:
    one = watched(process, repository.path)
    git = repository.git
    changes: list[Callable[[], object]] = [
        lambda: repository.write({"a.txt": "two\n"}),
        lambda: git("add", "a.txt"),
        lambda: git("commit", "--quiet", "--message", "Two"),
        lambda: git("branch", "--move", "other"),
        lambda: git("checkout", "--quiet", "--detach"),
        lambda: repository.write({"new/deep/x.txt": "x\n"}),
        lambda: repository.write({"new/deep/x.txt": "y\n"}),
        lambda: repository.write({".git/info/exclude": "new\n"}),
        lambda: (repository.path / "sub").rename(repository.path / "bus"),
        lambda: repository.write({"bus/.gitignore": "*\n"}),
    ]
    for number, change in enumerate(changes):
        before = one.state()
        change()
        now = one.state()
        assert (now.proof, now._replace(proof="")) != ("watch", before._replace(proof="")), number
        assert now._replace(proof="") != before._replace(proof=""), number
        assert wait_until_watched(one), number
        assert one.state()._replace(proof="") == now._replace(proof=""), number


def test_ignored_folders_are_silent_until_something_in_them_is_tracked(
    process: Process, repository: Repository
) -> None:
    one = watched(process, repository.path)
    repository.write({"built/out/x.o": "1\n"})
    assert proofs(one) == "watch"
    repository.git("add", "--force", "built/out/x.o")
    assert proofs(one) == "status"
    assert wait_until_watched(one)
    repository.write({"built/out/x.o": "2\n"})
    assert [(file.path, file.code) for file in one.state().changed] == [("built/out/x.o", "AM")]


def test_an_ignored_folder_that_no_longer_is_comes_into_view(process: Process, repository: Repository) -> None:
    one = watched(process, repository.path)
    repository.write({".gitignore": "\n"})
    repository.git("rm", "--quiet", "--cached", "-r", "--ignore-unmatch", "built")
    assert wait_until_watched(one)
    repository.write({"built/seed": "y\n"})
    assert "built/seed" in [file.path for file in one.state().changed]


def test_our_own_folders_stay_out_of_the_watch(process: Process, repository: Repository) -> None:
    repository.write({".chati/memories/m.md": "one\n"})
    one = watched(process, repository.path)
    repository.write({".chati/memories/m.md": "two\n"})
    assert proofs(one) == "watch"


def test_the_users_configuration_outside_is_looked_at(
    process: Process, repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, ignored = home / ".gitconfig", home / "ignored"
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    repository.write({"notes.txt": "x\n"})
    one = watched(process, repository.path)
    try:
        settings.write_text(f"[core]\n\texcludesFile = {ignored}\n")
        assert [file.path for file in one.state().changed] == ["notes.txt"]
        assert wait_until_watched(one)
        ignored.write_text("notes.txt\n")
        assert one.state().changed == ()
        assert wait_until_watched(one)
        ignored.write_text("noles.txt\n")
        assert [file.path for file in one.state().changed] == ["notes.txt"]
    finally:
        settings.unlink()
        ignored.unlink()


def test_a_linked_worktree_is_watched_at_its_own_git_directory(
    process: Process, repository: Repository, tmp_path: Path
) -> None:
    linked = repository.add_worktree(tmp_path / "linked", "feature")
    one = watched(process, linked.path)
    repository.write({"a.txt": "elsewhere\n"})
    repository.git("add", "a.txt")
    assert proofs(one) == "watch"
    linked.git("commit", "--quiet", "--allow-empty", "--message", "Here")
    assert one.state().head == linked.head()
    assert wait_until_watched(one)
    repository.git("update-ref", "refs/heads/feature", "HEAD")
    assert one.state().head == repository.head()


def test_repositories_inside_are_asked_of_git(process: Process, repository: Repository, make_repository: Make) -> None:
    one = watched(process, repository.path)
    inner = make_repository({"x.txt": "x\n"}, "repository/inner")
    assert proofs(one) == "status"
    before = one.state().changed_hash
    inner.write({"x.txt": "y\n"})
    assert one.state().changed_hash != before
    assert not wait_until_watched(one, 1.5)


def test_a_repository_with_submodules_is_asked_of_git(
    process: Process, repository: Repository, make_repository: Make
) -> None:
    repository.add_submodule(make_repository({"x.txt": "x\n"}, "other"), "module")
    one = Watched(process.workspaces.get(str(repository.path), None), process)
    assert not wait_until_watched(one, 1.5)


def test_a_parent_folder_that_is_exchanged_is_noticed(process: Process, make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository({"a.txt": "one\n"}, "parent/repository")
    one = watched(process, repository.path)
    shutil.copytree(tmp_path / "parent", tmp_path / "copy")
    (tmp_path / "copy" / "repository" / "a.txt").write_text("changed\n")
    (tmp_path / "parent").rename(tmp_path / "away")
    (tmp_path / "copy").rename(tmp_path / "parent")
    assert [file.path for file in one.state().changed] == ["a.txt"]


def test_a_git_directory_that_is_exchanged_is_noticed(
    process: Process, repository: Repository, make_repository: Make
) -> None:
    other = make_repository({"a.txt": "one\n"}, "other")
    head = other.commit({"z.txt": "z\n"})
    one = watched(process, repository.path)
    (repository.path / ".git").rename(repository.path.parent / "kept.git")
    (other.path / ".git").rename(repository.path / ".git")
    assert one.state().head == head


def test_a_large_checkout_is_seen_whole(process: Process, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\n"})
    repository.git("checkout", "--quiet", "-b", "many")
    repository.commit({f"d{number // 50}/{number}.txt": f"{number}\n" for number in range(5_000)})
    repository.git("checkout", "--quiet", "main")
    one = watched(process, repository.path)
    for branch in ("many", "main", "many"):
        repository.git("checkout", "--quiet", branch)
        state = one.state()
        assert (state.branch, state.changed) == (branch, ())
        assert wait_until_watched(one)
    repository.write({"d99/4999.txt": "last\n"})
    assert [file.path for file in one.state().changed] == ["d99/4999.txt"]


def test_a_mapping_that_is_written_to_while_open_is_caught_by_the_audit(
    process: Process, repository: Repository
) -> None:
    """The one thing no event tells: it ends the trust in the watch."""
    one = watched(process, repository.path)
    assert one.freshness.audit()
    descriptor = os.open(repository.path / "a.txt", os.O_RDWR)
    mapping = mmap.mmap(descriptor, 0)
    os.close(descriptor)
    assert wait_until_watched(one)
    mapping[:3] = b"two"
    assert proofs(one) == "watch"
    assert not one.freshness.audit()
    for _ in range(3):
        state = one.state()
        assert (state.proof, [file.path for file in state.changed]) == ("status", ["a.txt"])
    mapping.close()


def test_a_mapping_of_a_file_known_to_be_changed_is_seen(process: Process, repository: Repository) -> None:
    repository.write({"a.txt": "dirty\n"})
    one = watched(process, repository.path)
    descriptor = os.open(repository.path / "a.txt", os.O_RDWR)
    mapping = mmap.mmap(descriptor, 0)
    os.close(descriptor)
    assert wait_until_watched(one)
    before = one.state()
    mapping[:3] = b"two"
    assert one.state().changed_hash != before.changed_hash
    mapping.close()


def test_the_end_of_the_process_ends_the_watch(sidecar: MemorySidecar, repository: Repository) -> None:
    one = watched(process_of(sidecar), repository.path)
    assert one.freshness.worktree_watch.size > 0
    sidecar.close()
    assert one.freshness.worktree_watch.size == 0


def test_a_workspace_that_is_forgotten_is_watched_no_more(process: Process, repository: Repository) -> None:
    def readers() -> int:
        return sum(thread.name == "inotify" for thread in threading.enumerate())

    before = readers()
    one = watched(process, repository.path)
    assert readers() == before + 1
    del one
    gc.collect()
    give_up_at = time.monotonic() + 5
    while time.monotonic() < give_up_at and readers() > before:
        time.sleep(0.01)
    assert readers() == before


@pytest.mark.parametrize("seed", [101, 102, 103])
def test_random_work_never_makes_a_state_stale(sidecar: MemorySidecar, tmp_path: Path, seed: int) -> None:
    walked = walk(sidecar, tmp_path, seed, QUICK_STEPS // 3)
    assert walked.differences == []
    assert walked.watched_before > 0


def test_every_operation_of_the_random_work_can_be_done(repository: Repository, tmp_path: Path) -> None:
    work = random_work.RandomWork(repository, tmp_path / "outside", 1)
    for operation in dict.fromkeys(random_work.OPERATIONS):
        repository.write({"src/a.txt": "here\n", "lib/b.txt": "here\n"})
        try:
            operation(work)
        except OSError:
            assert operation in {
                random_work.write_outside,
                random_work.rename_folder_into_a_new_one,
                random_work.swap_folders,
            }
