"""Tests of the worktree watch: an unchanged state is proven without git; any relevant change calls git."""

import gc
import mmap
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.call import Process
from sidecar.codebase import Repository as CodebaseRepository
from sidecar.codebase.worktree import worktree_watch
from sidecar.codebase.worktree.worktree_watch import Unsettled, WatchPlan, make_watch_plan
from sidecar.system.git import Git
from tests.support import random_work
from tests.support.depth import examples
from tests.support.inbox import PATIENCE_SECONDS
from tests.support.inotify_queues import queues_watching
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, wait_until_watched, walk
from tests.support.repositories import Repository

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux is watched")

Make = Callable[..., Repository]


@pytest.fixture
def process(sidecar: MemorySidecar) -> Process:
    return process_of(sidecar)


@pytest.fixture
def repository(make_repository: Make) -> Repository:
    return make_repository({"a.txt": "one\n", "sub/b.txt": "two\n", ".gitignore": "built/\n", "built/seed": "x\n"})


def watched(process: Process, folder: Path) -> CodebaseRepository:
    workspace = CodebaseRepository(process.workspaces.get(str(folder), None), process)
    assert wait_until_watched(workspace)
    return workspace


def plan_of(workspace: CodebaseRepository) -> WatchPlan:
    plan = workspace.freshness.worktree_watch.proven_plan()
    assert plan is not None
    return plan


def proof_of(workspace: CodebaseRepository) -> str:
    return workspace.state().proof


def test_the_unchanged_state_and_its_listing_are_the_same_objects(process: Process, repository: Repository) -> None:
    repository.write({"a.txt": "dirty\n"})
    workspace = watched(process, repository.path)
    first, second = workspace.state(), workspace.state()
    assert first is second
    assert [file.path for file in first.changed] == ["a.txt"]
    assert workspace.listing(first) is workspace.listing(second)


def test_the_watch_is_prepared_only_after_what_is_requested_at_the_end_of_a_run(
    process: Process, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Path] = []

    def refuse(cwd: Path, *_: object) -> WatchPlan:
        plans.append(cwd)
        raise Unsettled("it is only counted")

    monkeypatch.setattr(worktree_watch, "START_AFTER_MS", 60_000.0)
    monkeypatch.setattr(worktree_watch, "make_watch_plan", refuse)
    workspace = CodebaseRepository(process.workspaces.get(str(repository.path), None), process)
    assert not wait_until_watched(workspace, 0.1)
    assert plans == []


def test_each_change_is_seen_at_the_next_look(process: Process, repository: Repository) -> None:
    workspace = watched(process, repository.path)
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
        before = workspace.state()
        change()
        now = workspace.state()
        assert (now.proof, now._replace(proof="")) != ("watch", before._replace(proof="")), number
        assert now._replace(proof="") != before._replace(proof=""), number
        assert wait_until_watched(workspace), number
        assert workspace.state()._replace(proof="") == now._replace(proof=""), number


def test_ignored_folders_are_not_watched_until_they_contain_tracked_files(
    process: Process, repository: Repository
) -> None:
    workspace = watched(process, repository.path)
    repository.write({"built/out/x.o": "1\n"})
    assert proof_of(workspace) == "watch"
    repository.git("add", "--force", "built/out/x.o")
    assert proof_of(workspace) == "status"
    assert wait_until_watched(workspace)
    repository.write({"built/out/x.o": "2\n"})
    assert [(file.path, file.code) for file in workspace.state().changed] == [("built/out/x.o", "AM")]


def test_a_folder_no_longer_ignored_is_watched(process: Process, repository: Repository) -> None:
    workspace = watched(process, repository.path)
    repository.write({".gitignore": "\n"})
    repository.git("rm", "--quiet", "--cached", "-r", "--ignore-unmatch", "built")
    assert wait_until_watched(workspace)
    repository.write({"built/seed": "y\n"})
    assert "built/seed" in [file.path for file in workspace.state().changed]


def test_the_sidecars_folders_are_not_watched(process: Process, repository: Repository) -> None:
    repository.write({".chati/memories/m.md": "one\n"})
    workspace = watched(process, repository.path)
    repository.write({".chati/memories/m.md": "two\n"})
    assert proof_of(workspace) == "watch"


@pytest.mark.parametrize("version", ["2", "4"])
def test_the_sidecars_folders_are_watched_where_git_tracks_a_part_of_them(
    process: Process, repository: Repository, version: str
) -> None:
    repository.git("update-index", "--index-version", version)
    workspace = watched(process, repository.path)
    assert plan_of(workspace).folders.skipped_names == {".chati", ".spool"}
    repository.write({"sub/.chati/m.md": "one\n"})
    repository.git("add", "--force", "sub/.chati/m.md")
    assert wait_until_watched(workspace)
    assert not plan_of(workspace).folders.skipped_names


@pytest.mark.parametrize("packs", [False, True])
def test_a_repository_with_replaced_objects_is_left_to_git(
    process: Process, repository: Repository, packs: bool
) -> None:
    workspace = watched(process, repository.path)
    assert plan_of(workspace).rules is not None
    other = repository.commit({"a.txt": "other\n"})
    repository.git("replace", "HEAD~1", other)
    if packs:
        repository.git("pack-refs", "--all")
        assert not any((repository.path / ".git/refs/replace").glob("*"))
    assert wait_until_watched(workspace)
    assert plan_of(workspace).rules is None
    repository.git("replace", "--delete", "HEAD~1")
    assert wait_until_watched(workspace)
    assert plan_of(workspace).rules is not None


def test_a_plan_needs_three_git_processes(
    process: Process, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_watch_plan(repository.path, process.state_dir, time.time_ns())  # where git's own programs are is known now
    commands: list[str] = []
    run = Git.run

    def counted(git: Git, *arguments: str, **options: Any) -> bytes:
        if git.cwd.is_relative_to(repository.path):
            commands.append(arguments[0])
        return run(git, *arguments, **options)

    monkeypatch.setattr(Git, "run", counted)
    make_watch_plan(repository.path, process.state_dir, time.time_ns())
    assert commands == ["rev-parse", "config", "status"]


@pytest.mark.parametrize("change", [Path.unlink, lambda settings: settings.with_name("new").replace(settings)])
def test_a_configuration_that_changes_while_it_is_read_is_read_again(
    process: Process,
    repository: Repository,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], object],
) -> None:
    settings = home / ".gitconfig"
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    settings.write_text("[core]\n\tfileMode = true\n")
    settings.with_name("new").write_text("[core]\n\tfileMode = false\n")
    run = Git.run

    def changed(git: Git, *arguments: str, **options: Any) -> bytes:
        output = run(git, *arguments, **options)
        if arguments[0] == "config" and settings.exists() and "fileMode = true" in settings.read_text():
            change(settings)
        return output

    monkeypatch.setattr(Git, "run", changed)
    later = time.time_ns() + 10**10  # the change has no recent time
    try:
        with pytest.raises(Unsettled):
            make_watch_plan(repository.path, process.state_dir, later)
        make_watch_plan(repository.path, process.state_dir, later)
    finally:
        settings.unlink(missing_ok=True)
        settings.with_name("new").unlink(missing_ok=True)


def test_changes_of_the_users_git_configuration_are_noticed(
    process: Process, repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, ignored = home / ".gitconfig", home / "ignored"
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    repository.write({"notes.txt": "x\n"})
    workspace = watched(process, repository.path)
    try:
        settings.write_text(f"[core]\n\texcludesFile = {ignored}\n")
        assert [file.path for file in workspace.state().changed] == ["notes.txt"]
        assert wait_until_watched(workspace)
        ignored.write_text("notes.txt\n")
        assert workspace.state().changed == ()
        assert wait_until_watched(workspace)
        ignored.write_text("noles.txt\n")
        assert [file.path for file in workspace.state().changed] == ["notes.txt"]
    finally:
        settings.unlink()
        ignored.unlink()


def test_a_linked_worktree_is_watched_at_its_own_git_directory(
    process: Process, repository: Repository, tmp_path: Path
) -> None:
    linked = repository.add_worktree(tmp_path / "linked", "feature")
    workspace = watched(process, linked.path)
    repository.write({"a.txt": "elsewhere\n"})
    repository.git("add", "a.txt")
    assert proof_of(workspace) == "watch"
    linked.git("commit", "--quiet", "--allow-empty", "--message", "Here")
    assert workspace.state().head == linked.head()
    assert wait_until_watched(workspace)
    repository.git("update-ref", "refs/heads/feature", "HEAD")
    assert workspace.state().head == repository.head()


def test_nested_repositories_need_git_status(process: Process, repository: Repository, make_repository: Make) -> None:
    workspace = watched(process, repository.path)
    inner = make_repository({"x.txt": "x\n"}, "repository/inner")
    assert proof_of(workspace) == "status"
    before = workspace.state().changed_hash
    inner.write({"x.txt": "y\n"})
    assert workspace.state().changed_hash != before
    assert not wait_until_watched(workspace, 1.5)


def test_a_repository_with_submodules_needs_git_status(
    process: Process, repository: Repository, make_repository: Make
) -> None:
    repository.add_submodule(make_repository({"x.txt": "x\n"}, "other"), "module")
    workspace = CodebaseRepository(process.workspaces.get(str(repository.path), None), process)
    assert not wait_until_watched(workspace, 1.5)


def test_a_replaced_parent_folder_is_noticed(process: Process, make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository({"a.txt": "one\n"}, "parent/repository")
    workspace = watched(process, repository.path)
    shutil.copytree(tmp_path / "parent", tmp_path / "copy")
    (tmp_path / "copy" / "repository" / "a.txt").write_text("changed\n")
    (tmp_path / "parent").rename(tmp_path / "away")
    (tmp_path / "copy").rename(tmp_path / "parent")
    assert [file.path for file in workspace.state().changed] == ["a.txt"]


def test_a_replaced_git_directory_is_noticed(process: Process, repository: Repository, make_repository: Make) -> None:
    other = make_repository({"a.txt": "one\n"}, "other")
    head = other.commit({"z.txt": "z\n"})
    workspace = watched(process, repository.path)
    (repository.path / ".git").rename(repository.path.parent / "kept.git")
    (other.path / ".git").rename(repository.path / ".git")
    assert workspace.state().head == head


def test_a_large_checkout_is_noticed_completely(process: Process, make_repository: Make) -> None:
    count = examples(5_000, 2_000)
    repository = make_repository({"a.txt": "one\n"})
    repository.git("checkout", "--quiet", "-b", "many")
    repository.commit({f"d{number // 50}/{number}.txt": f"{number}\n" for number in range(count)})
    repository.git("checkout", "--quiet", "main")
    workspace = watched(process, repository.path)
    for branch in ("many", "main", "many"):
        repository.git("checkout", "--quiet", branch)
        state = workspace.state()
        assert (state.branch, state.changed) == (branch, ())
        assert wait_until_watched(workspace)
    last = f"d{(count - 1) // 50}/{count - 1}.txt"
    repository.write({last: "last\n"})
    assert [file.path for file in workspace.state().changed] == [last]


def test_the_audit_detects_writes_through_an_open_mapping(process: Process, repository: Repository) -> None:
    """The only change no event reports: it ends the trust in the watch."""
    workspace = watched(process, repository.path)
    assert workspace.freshness.audit()
    descriptor = os.open(repository.path / "a.txt", os.O_RDWR)
    mapping = mmap.mmap(descriptor, 0)
    os.close(descriptor)
    assert wait_until_watched(workspace)
    mapping[:3] = b"two"
    assert proof_of(workspace) == "watch"
    assert not workspace.freshness.audit()
    for _ in range(3):
        state = workspace.state()
        assert (state.proof, [file.path for file in state.changed]) == ("status", ["a.txt"])
    mapping.close()


def test_writes_through_a_mapping_of_a_changed_file_are_noticed(process: Process, repository: Repository) -> None:
    repository.write({"a.txt": "dirty\n"})
    workspace = watched(process, repository.path)
    descriptor = os.open(repository.path / "a.txt", os.O_RDWR)
    mapping = mmap.mmap(descriptor, 0)
    os.close(descriptor)
    assert wait_until_watched(workspace)
    before = workspace.state()
    mapping[:3] = b"two"
    assert workspace.state().changed_hash != before.changed_hash
    mapping.close()


def test_the_end_of_the_process_ends_the_watch(sidecar: MemorySidecar, repository: Repository) -> None:
    workspace = watched(process_of(sidecar), repository.path)
    assert workspace.freshness.worktree_watch.size > 0
    sidecar.close()
    assert workspace.freshness.worktree_watch.size == 0


def test_a_dropped_workspace_is_no_longer_watched(process: Process, repository: Repository) -> None:
    workspace = watched(process, repository.path)
    assert queues_watching(repository.path) == 1
    del workspace
    gc.collect()
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while queues_watching(repository.path):  # a queue is closed by its own thread
        assert time.monotonic() < give_up_at
        time.sleep(0.01)


@pytest.mark.parametrize("seed", range(101, 101 + examples(10, 1)))
def test_random_work_never_makes_a_state_stale(sidecar: MemorySidecar, tmp_path: Path, seed: int) -> None:
    walked = walk(sidecar, tmp_path, seed, examples(200, 40))
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
