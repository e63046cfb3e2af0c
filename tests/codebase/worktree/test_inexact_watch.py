"""Tests of watches that may miss changes: the proof states it, changed files are checked, the rest is audited.

macOS and Windows are watched this way; the tests select the same code explicitly.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from sidecar.call import Process
from sidecar.codebase.content_ids import ContentHashes
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.incremental_state import IncrementalState
from sidecar.core.clock import SystemClock
from sidecar.system import folder_watch
from sidecar.system.folder_watch import FolderChanges, RecursiveWatch
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, read_full_state, wait_until_proven
from tests.support.repositories import Repository

Make = Callable[..., Repository]
QUIET_MS = 100.0


@pytest.fixture
def process(sidecar: MemorySidecar) -> Process:
    return process_of(sidecar)


@pytest.fixture
def repository(make_repository: Make) -> Repository:
    made = make_repository({"a.txt": "one\n", "sub/b.txt": "two\n", ".gitignore": "*.log\n"})
    made.write({"dirty.txt": "dirty\n"})
    return made


@pytest.fixture
def open_freshness(process: Process, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Freshness]]:
    monkeypatch.setattr(folder_watch, "QUIET_MS", QUIET_MS)
    made: list[Freshness] = []

    def make(folder: Path, watch: type[RecursiveWatch] = RecursiveWatch) -> Freshness:
        clock = SystemClock()
        hashes = ContentHashes(lambda: clock.now_ms() * 1_000_000)
        made.append(Freshness(folder, process, hashes, watch))
        return made[-1]

    yield make
    for freshness in made:
        freshness.worktree_watch.close()


OpenFreshness = Callable[..., Freshness]


def test_the_proof_states_that_changes_may_be_missed(open_freshness: OpenFreshness, repository: Repository) -> None:
    freshness = open_freshness(repository.path)
    assert wait_until_proven(freshness, "watch+stat")
    first = freshness.state()
    assert freshness.state() is first
    assert [file.path for file in first.changed] == ["dirty.txt"]


class LossyWatch(RecursiveWatch):
    """A watch that reports the changes it saw as incomplete, as after an overflow of the system's queue."""

    def sync(self) -> FolderChanges:
        changes = super().sync()
        return changes._replace(is_incomplete=bool(changes.paths))


def test_incomplete_changes_are_not_taken_for_all_that_changed(
    open_freshness: OpenFreshness, repository: Repository
) -> None:
    freshness = open_freshness(repository.path, LossyWatch)
    assert wait_until_proven(freshness, "watch+stat")
    before = freshness.worktree_watch.check().generation
    repository.write({"a.txt": "two\n"})
    after = freshness.worktree_watch.check(before)
    assert (after.generation > before, after.changed) == (True, None)


def proofs_after(
    changes: Iterable[Callable[[], object]], freshness: Freshness, path: Path, process: Process
) -> list[str]:
    """Make changes one by one, each from a proven state; return the proofs of the states, which are git's own."""
    proofs = []
    for number, change in enumerate(changes):
        assert wait_until_proven(freshness, "watch+stat"), number
        change()
        now = freshness.state()
        proofs.append(now.proof)
        assert now._replace(proof="status") == read_full_state(path, process), number
    return proofs


def test_each_change_is_seen_at_the_next_look(
    process: Process, open_freshness: OpenFreshness, repository: Repository
) -> None:
    freshness = open_freshness(repository.path)
    changes: list[Callable[[], object]] = [
        lambda: repository.write({"a.txt": "two\n"}),
        lambda: repository.write({"a.txt": "three\n", "dirty.txt": "more\n", "x.log": "1\n"}),
        lambda: repository.write({"sub/new.txt": "new\n"}),
        (repository.path / "sub/new.txt").unlink,
        lambda: (repository.path / "sub").rename(repository.path / "bus"),
        lambda: repository.git("add", "a.txt"),
        lambda: repository.git("commit", "--quiet", "--message", "Three"),
        lambda: repository.write({".gitignore": "dirty.txt\n"}),
        lambda: repository.git("checkout", "--quiet", "-b", "next"),
    ]
    proofs = proofs_after(changes, freshness, repository.path, process)
    assert proofs == [*["watch+stat"] * 3, *["status"] * 6]


def test_changed_files_are_checked_whatever_the_watch_reports(
    process: Process, open_freshness: OpenFreshness, repository: Repository, tmp_path: Path
) -> None:
    (tmp_path / "outside.txt").hardlink_to(repository.path / "dirty.txt")
    freshness = open_freshness(repository.path)
    assert wait_until_proven(freshness, "watch+stat")
    (tmp_path / "outside.txt").write_text("through another name\n")
    assert freshness.state()._replace(proof="status") == read_full_state(repository.path, process)


def test_the_audit_finds_what_the_watch_missed(
    open_freshness: OpenFreshness, repository: Repository, tmp_path: Path
) -> None:
    (tmp_path / "outside.txt").hardlink_to(repository.path / "a.txt")
    freshness = open_freshness(repository.path)
    assert wait_until_proven(freshness, "watch+stat")
    (tmp_path / "outside.txt").write_text("through another name\n")
    assert not freshness.verify_unchanged({"sub/b.txt": None, "a.txt": None})
    assert freshness.verify_unchanged({"sub/b.txt": None, "dirty.txt": None})
    os.utime(repository.path / "sub/b.txt")
    assert freshness.verify_unchanged({"sub/b.txt": None})
    assert freshness.state().proof == "watch+stat"
    assert not freshness.audit()
    assert freshness.state().proof == "status"
    assert "a.txt" in [file.path for file in freshness.state().changed]


@pytest.mark.parametrize(
    "command",
    ["config core.precomposeUnicode true", "config core.checkStat minimal", "update-index --index-version 4"],
    ids=["names are composed", "git compares less", "git alone reads the index"],
)
def test_files_about_to_be_sent_are_checked_whatever_the_configuration(
    open_freshness: OpenFreshness, repository: Repository, tmp_path: Path, command: str
) -> None:
    repository.git(*command.split(" "))
    sent = {path: repository.git("rev-parse", f"HEAD:{path}") for path in ("a.txt", "sub/b.txt")}
    (tmp_path / "outside.txt").hardlink_to(repository.path / "a.txt")
    freshness = open_freshness(repository.path)
    assert wait_until_proven(freshness, "watch+stat")
    assert freshness.verify_unchanged(sent)
    (tmp_path / "outside.txt").write_text("through another name\n")
    assert not freshness.verify_unchanged(sent)
    assert freshness.verify_unchanged({"sub/b.txt": sent["sub/b.txt"], "gone.txt": None})
    (repository.path / "sub/b.txt").unlink()
    assert not freshness.verify_unchanged({"sub/b.txt": sent["sub/b.txt"]})


def test_git_compares_only_names_that_macos_may_compose(
    process: Process, open_freshness: OpenFreshness, make_repository: Make
) -> None:
    repository = make_repository({"a.txt": "one\n", "é/b.txt": "two\n", "sub/é.txt": "three\n"})
    repository.git("config", "core.precomposeUnicode", "true")
    freshness = open_freshness(repository.path)
    proofs = []
    for name in ("a.txt", "new.txt", "é/b.txt", "sub/é.txt", "a.txt"):
        assert wait_until_proven(freshness, "watch+stat"), name
        repository.write({name: f"edit {len(proofs)}\n"})
        state = freshness.state()
        proofs.append(state.proof)
        assert state._replace(proof="status") == read_full_state(repository.path, process), name
    assert proofs == ["watch+stat", "watch+stat", "status", "status", "watch+stat"]


def test_git_compares_a_name_that_differs_from_a_tracked_one_only_in_case(
    open_freshness: OpenFreshness, make_repository: Make
) -> None:
    repository = make_repository({"a.txt": "one\n", "sub/b.txt": "two\n"})
    repository.git("config", "core.ignoreCase", "true")
    freshness = open_freshness(repository.path)
    assert wait_until_proven(freshness, "watch+stat")
    plan, cached = freshness.worktree_watch.proven_plan(), freshness._cached
    assert plan is not None
    assert plan.rules is not None
    assert cached is not None
    incremental = IncrementalState(repository.path, plan, plan.rules)
    scan, below = freshness._scan(), cached.detailed._replace(state=cached.detailed.state._replace(prefix="SUB/"))
    elsewhere = below._replace(state=below.state._replace(covers_root=False))
    assert incremental.update(cached.detailed, {f"{plan.root}/a.txt"}, scan) is not None
    assert incremental.update(cached.detailed, {f"{plan.root}/A.txt"}, scan) is None
    assert incremental.update(elsewhere, {f"{plan.root}/sub/b.txt"}, scan) is None
    assert incremental.update(elsewhere, {f"{plan.root}/a.txt"}, scan) is not None


def test_a_linked_worktree_is_watched_with_the_git_directory_outside_it(
    process: Process, open_freshness: OpenFreshness, repository: Repository, tmp_path: Path
) -> None:
    linked = repository.add_worktree(tmp_path / "linked", "feature")
    freshness = open_freshness(linked.path)
    changes: list[Callable[[], object]] = [
        lambda: linked.write({"a.txt": "two\n"}),
        lambda: repository.write({"a.txt": "in the main worktree\n"}),
        lambda: linked.git("commit", "--quiet", "--all", "--message", "Two"),
        lambda: repository.git("update-ref", "refs/heads/feature", "HEAD"),
        lambda: (repository.path / ".git/info/exclude").write_text("sub/\n"),
    ]
    proofs = proofs_after(changes, freshness, linked.path, process)
    assert proofs == [*["watch+stat"] * 2, *["status"] * 3]


def test_a_linked_worktree_needs_git_status_where_each_tree_has_its_own_events(
    open_freshness: OpenFreshness, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_watch, "_HAS_ONE_STREAM", False)
    linked = repository.add_worktree(tmp_path / "linked", "feature")
    assert not wait_until_proven(open_freshness(linked.path), "watch+stat", 1.0)


def test_a_lost_cookie_falls_back_to_git_status(
    open_freshness: OpenFreshness, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    freshness = open_freshness(repository.path)
    assert wait_until_proven(freshness, "watch+stat")
    monkeypatch.setattr(folder_watch, "SYNC_SECONDS", -1.0)
    assert freshness.state().proof == "status"
