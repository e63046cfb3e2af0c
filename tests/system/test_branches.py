"""Tests of commits to the memory branch, in all kinds of repositories, and that nothing else changes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.core.errors import Conflict, PolicyDenied, WorkspaceUnavailable
from sidecar.system.branch_commit import BranchCommit, Tip, branch_uses, locate_repository, ref_lock_path, try_commit
from tests.support.depth import examples
from tests.support.process import ROOT
from tests.support.repositories import Repository, git, make_repository, repositories_made, stray_commits

BRANCH = "memory/continuity"
PATH = "continuity/devlog/2026-03-one.md"
MakeRepository = Callable[..., Repository]

HOOKS = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction", "post-checkout",
    "pre-push", "post-index-change", "update",
)  # fmt: skip


def add(folder: Path, content: str = "one\n", path: str = PATH, branch: str = BRANCH) -> Tip | None:
    return try_commit(
        locate_repository(folder), branch, BranchCommit({path: content.encode()}, "Keep it\n", 1_772_355_600)
    )


def shown(repository: Repository, path: str = PATH, branch: str = BRANCH) -> str:
    return repository.git("show", f"{branch}:{path}")


@pytest.fixture(params=["sha1", "sha256"])
def empty(tmp_path: Path, request: pytest.FixtureRequest) -> Repository:
    """A repository without commits, in either object format."""
    repository = Repository(tmp_path / "empty")
    repository.path.mkdir()
    repository.git("init", "--quiet", "--initial-branch", "main", f"--object-format={request.param}")
    repositories_made.append(repository.path)
    return repository


@pytest.fixture
def busy(empty: Repository) -> Repository:
    """A repository with staged, changed, new and stashed files, and a failing hook of every kind."""
    repository = empty
    repository.commit({"a.txt": "1\n", "b.txt": "1\n"})
    repository.write({"a.txt": "stashed\n"})
    repository.git("stash", "push", "--quiet")
    repository.write({"a.txt": "staged\n"})
    repository.git("add", "a.txt")
    repository.write({"b.txt": "changed\n", "c.txt": "new\n"})
    for name in HOOKS:
        hook = repository.path / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\necho ran >> {repository.path}/hook-ran\nexit 1\n")
        hook.chmod(0o755)
    return repository


def test_adding_files_creates_a_commit_and_changes_nothing_else(busy: Repository) -> None:
    before = busy.protected_state(BRANCH)

    tip = add(busy.path)

    assert busy.protected_state(BRANCH) == before
    assert tip == Tip(busy.git("rev-parse", BRANCH), is_new=True)
    assert shown(busy) == "one"
    log_line = busy.git("log", "--format=%an <%ae> %cn %at|%s", BRANCH)
    assert log_line == "1Code continuity <continuity@onecode.invalid> 1Code continuity 1772355600|Keep it"
    assert busy.git("ls-tree", "-r", "--name-only", BRANCH) == PATH
    busy.git("fsck", "--strict")
    assert not (busy.path / "hook-ran").exists()


def test_existing_files_of_the_branch_are_preserved(make_repository: MakeRepository) -> None:
    repository = make_repository({"a.txt": "1\n", "continuity/README.md": "Ours.\n"})
    repository.git("branch", BRANCH)
    add(repository.path)
    add(repository.path, path="continuity/adr/2026-03-two.md")
    names = repository.git("ls-tree", "-r", "--name-only", BRANCH).splitlines()
    assert names == ["a.txt", "continuity/README.md", "continuity/adr/2026-03-two.md", PATH]
    assert repository.git("rev-parse", f"{BRANCH}~2") == repository.head()


def test_adding_unchanged_files_creates_no_commit(empty: Repository) -> None:
    first = add(empty.path)
    assert first is not None
    assert add(empty.path) == Tip(first.commit, is_new=False)
    second = add(empty.path, "two\n")
    assert second is not None
    assert second.is_new
    assert empty.git("rev-list", BRANCH).splitlines() == [second.commit, first.commit]


def test_linked_worktrees_subfolders_and_submodules_commit_to_their_repository(
    make_repository: MakeRepository, tmp_path: Path
) -> None:
    repository = make_repository({"a.txt": "1\n", "src/b.txt": "1\n"})
    worktree = repository.add_worktree(tmp_path / "chat", "chat/1")
    before = repository.protected_state(BRANCH), worktree.protected_state(BRANCH)
    tip = add(worktree.path / "src")
    assert tip is not None
    assert (repository.protected_state(BRANCH), worktree.protected_state(BRANCH)) == before
    assert repository.git("rev-parse", BRANCH) == tip.commit

    inner = repository.add_submodule(make_repository({"x.txt": "1\n"}, name="other"), "inner")
    other = add(inner.path)
    assert other is not None
    assert inner.git("rev-parse", BRANCH) == other.commit
    assert repository.git("rev-parse", BRANCH) == tip.commit


def test_bare_and_empty_repositories_get_the_branch(tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    bare.mkdir()
    git(bare, "init", "--quiet", "--bare", "--initial-branch", "main")
    for repository in (Repository(bare), make_repository(tmp_path / "unborn")):
        before = repository.protected_state(BRANCH)
        assert add(repository.path) is not None
        assert repository.protected_state(BRANCH) == before
        assert repository.git("rev-list", "--count", "--all") == "1"
        assert shown(repository) == "one"


def test_packed_refs_detached_heads_and_shallow_clones_are_supported(
    make_repository: MakeRepository, tmp_path: Path
) -> None:
    repository = make_repository({"a.txt": "1\n"})
    repository.commit({"a.txt": "2\n"})
    add(repository.path)
    repository.git("pack-refs", "--all")
    repository.git("gc", "--quiet")
    repository.git("checkout", "--quiet", "--detach")
    before = repository.protected_state(BRANCH)
    add(repository.path, "two\n")
    assert repository.protected_state(BRANCH) == before
    assert repository.git("rev-list", "--count", BRANCH) == "2"

    git(tmp_path, "clone", "--quiet", "--depth", "1", repository.path.as_uri(), "shallow")
    shallow = Repository(tmp_path / "shallow")
    before = shallow.protected_state(BRANCH)
    assert add(shallow.path) is not None
    assert shallow.protected_state(BRANCH) == before


def test_alternate_objects_are_read_and_new_objects_are_written_locally(
    make_repository: MakeRepository, tmp_path: Path
) -> None:
    lender = make_repository({"a.txt": "1\n"})
    add(lender.path)
    before = lender.protected_state()
    git(tmp_path, "clone", "--quiet", "--shared", str(lender.path), "borrower")
    borrower = Repository(tmp_path / "borrower")
    borrower.git("branch", BRANCH, f"origin/{BRANCH}")
    add(borrower.path, "two\n")
    assert borrower.git("rev-list", "--count", BRANCH) == "2"
    assert lender.protected_state() == before


def test_a_partial_clone_gets_the_branch_without_fetching(make_repository: MakeRepository, tmp_path: Path) -> None:
    origin = make_repository({"a.txt": "1\n"})
    origin.git("config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", origin.path.as_uri(), "partial")
    partial = Repository(tmp_path / "partial")
    before = partial.protected_state(BRANCH)
    missing = partial.git("rev-list", "--objects", "--all", "--missing=print")
    first = add(partial.path)
    assert first is not None
    assert add(partial.path) == Tip(first.commit, is_new=False)
    assert shown(partial) == "one"
    assert partial.protected_state(BRANCH) == before
    assert partial.git("rev-list", "--objects", "--remotes", "HEAD", "--missing=print") == missing


def test_the_users_commit_settings_are_ignored(make_repository: MakeRepository) -> None:
    repository = make_repository({"a.txt": "1\n"})
    repository.git("config", "commit.gpgSign", "true")
    repository.git("config", "user.useConfigOnly", "true")
    repository.git("config", "core.logAllRefUpdates", "always")
    assert add(repository.path) is not None
    assert "gpgsig" not in repository.git("cat-file", "-p", BRANCH)
    assert "continuity@onecode.invalid" in (repository.path / ".git/logs/refs/heads" / BRANCH).read_text()


def test_a_conflicting_branch_name_is_refused_and_named(empty: Repository) -> None:
    repository = empty
    repository.commit({"a.txt": "1\n"})
    repository.git("branch", "memory")
    with pytest.raises(PolicyDenied, match="`memory/continuity` conflicts with the existing branch `memory`"):
        add(repository.path)
    repository.git("branch", "-m", "memory", "notes/mine")
    repository.git("pack-refs", "--all")
    with pytest.raises(PolicyDenied, match="`notes` conflicts with the existing branch `notes/mine`"):
        add(repository.path, branch="notes")
    assert add(repository.path) is not None


def test_a_file_where_a_folder_should_be_is_not_overwritten(empty: Repository) -> None:
    repository = empty
    repository.commit({"continuity": "mine\n"})
    repository.git("branch", BRANCH)
    with pytest.raises(Conflict):
        add(repository.path)
    assert shown(repository, "continuity") == "mine"


def test_a_locked_branch_is_not_moved_and_the_lock_is_reported(empty: Repository) -> None:
    repository = empty
    add(repository.path)
    lock = repository.path / f".git/refs/heads/{BRANCH}.lock"
    lock.touch()
    assert add(repository.path, "two\n") is None
    assert ref_lock_path(locate_repository(repository.path), BRANCH) == lock.resolve()
    lock.unlink()
    assert add(repository.path, "two\n") is not None


def test_a_folder_outside_a_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceUnavailable):
        add(tmp_path)
    with pytest.raises(WorkspaceUnavailable):
        add(tmp_path / "nowhere")


def test_an_unsupported_repository_format_is_refused(make_repository: MakeRepository) -> None:
    repository = make_repository({"a.txt": "1\n"})
    repository.git("config", "core.repositoryFormatVersion", "1")
    repository.git("config", "extensions.refStorage", "reftable")
    with pytest.raises(PolicyDenied):
        add(repository.path)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs permissions that count")
def test_a_read_only_repository_is_an_error(make_repository: MakeRepository) -> None:
    repository = make_repository({"a.txt": "1\n"})
    objects = repository.path / ".git/objects"
    objects.chmod(0o500)
    try:
        with pytest.raises(WorkspaceUnavailable):
            add(repository.path)
    finally:
        objects.chmod(0o700)


def test_all_uses_of_a_branch_are_reported(make_repository: MakeRepository, tmp_path: Path) -> None:
    repository = make_repository({"a.txt": "1\n"})
    repository.add_worktree(tmp_path / "chat", "chat/1")
    repository.git("symbolic-ref", "refs/remotes/up/stream/HEAD", "refs/remotes/up/stream/trunk/now")
    repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/aim")
    repository.git("symbolic-ref", "HEAD", "refs/heads/alias")
    busy_with = repository.path / ".git/worktrees/chat/rebase-merge"
    busy_with.mkdir()
    (busy_with / "head-name").write_text("refs/heads/rebased\n")
    (busy_with / "update-refs").write_text("refs/heads/stacked\n" + "0" * 40 + "\n" + "1" * 40 + "\n")
    (repository.path / ".git/BISECT_START").write_text("bisected\n")

    uses = branch_uses(locate_repository(repository.path), "alias")

    assert {"alias", "aim", "chat/1", "rebased", "stacked", "bisected"} <= uses.checked_out
    assert "main" not in uses.checked_out
    assert uses.remote_defaults == {"trunk/now"}
    assert uses.symbolic_target == "refs/heads/aim"
    assert branch_uses(locate_repository(repository.path), "aim").symbolic_target is None


def test_a_commit_on_any_other_branch_is_detected(make_repository: MakeRepository) -> None:
    repository = make_repository({"a.txt": "1\n"})
    assert repositories_made == [repository.path]
    ours = ("-c", "user.name=x", "commit", "--quiet", "--allow-empty", "--message", "x")
    repository.git("checkout", "--quiet", "-b", BRANCH)
    repository.git(*ours, "--author=1Code continuity <continuity@onecode.invalid>")
    repository.git("checkout", "--quiet", "main")
    assert stray_commits(repository.path) == []
    repository.git("merge", "--quiet", "--ff-only", BRANCH)
    assert len(stray_commits(repository.path)) == 1
    repository.git("reset", "--quiet", "--hard", "HEAD~1")


WRITER = """
import sys, time
from pathlib import Path
from sidecar.system.branch_commit import BranchCommit
from sidecar.system.branch_commit import try_commit
from sidecar.system.branch_commit import locate_repository

place, name, lost = locate_repository(Path(sys.argv[1])), sys.argv[2], 0
for number in range(int(sys.argv[3])):
    branch_commit = BranchCommit({f"continuity/devlog/{name}-{number}.md": b"x"}, f"{name} {number}", 0)
    while try_commit(place, "memory/continuity", branch_commit) is None:
        lost += 1
        time.sleep(0.001)
print(lost)
"""


def test_concurrent_commits_of_two_processes_are_all_preserved(empty: Repository) -> None:
    repository = empty
    repository.commit({"a.txt": "1\n"})
    before = repository.protected_state(BRANCH)
    rounds = examples(50, 15)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(repository.path), name, str(rounds)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for name in ("x", "y")
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]

    assert repository.git("rev-list", "--count", "--first-parent", BRANCH) == str(2 * rounds)
    assert len(repository.git("ls-tree", "-r", "--name-only", BRANCH).splitlines()) == 2 * rounds
    assert repository.protected_state(BRANCH) == before
    repository.git("fsck", "--strict")


CREATOR = """
import sys
from pathlib import Path
from sidecar.system.branch_commit import BranchCommit, locate_repository, try_commit

place, name, other, started = locate_repository(Path(sys.argv[1])), sys.argv[2], sys.argv[3], Path(sys.argv[4])
for number in range(int(sys.argv[5])):
    (started / f"{name}{number}").touch()
    while not (started / f"{other}{number}").exists():
        pass
    while try_commit(place, f"memory/{number}", BranchCommit({f"{name}.md": b"x"}, name, 0)) is None:
        pass
"""


def test_two_processes_that_create_a_branch_at_once_both_keep_their_commit(empty: Repository, tmp_path: Path) -> None:
    empty.commit({"a.txt": "1\n"})
    rounds = examples(300, 8)
    started = tmp_path / "started"
    started.mkdir()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", CREATOR, str(empty.path), name, other, str(started), str(rounds)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for name, other in (("x", "y"), ("y", "x"))
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    counts = [empty.git("rev-list", "--count", f"memory/{number}") for number in range(rounds)]
    assert counts == ["2"] * rounds
