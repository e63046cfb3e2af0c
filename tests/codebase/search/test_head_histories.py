"""A history updated with its head equals one that is read in full."""

import gc
import random
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from sidecar.codebase.search import NO_HISTORY, HeadHistory, head_histories, update_history
from sidecar.codebase.search.head_histories import MAX_HISTORIES, Histories
from sidecar.system.git import GitFailed
from tests.codebase.search.corpus import commit_at
from tests.support.depth import examples
from tests.support.repositories import Repository

Make = Callable[..., Repository]


def _equal(left: HeadHistory, right: HeadHistory) -> bool:
    """Whether two histories have equal contents; the objects themselves never compare equal."""
    words = ["begin", "pelican", "walrus", "feed", "hatch", "side"]
    return (
        (left.head, tuple(left.commits)) == (right.head, tuple(right.commits))
        and left.history.recent(99) == right.history.recent(99)
        and left.history.similar_commits(words) == right.history.similar_commits(words)
        and all(
            left.history.changed_together(path) == right.history.changed_together(path)
            for path in left.history.recent(99)
        )
    )


@pytest.fixture
def repository(make_repository: Make) -> Repository:
    """Three commits of two files."""
    made = make_repository()
    commit_at(made, 1, "Begin", {"a.py": "1\n", "b.py": "1\n"})
    commit_at(made, 2, "Hatch a pelican", {"a.py": "2\n"})
    commit_at(made, 3, "Feed the walrus", {"b.py": "2\n"})
    return made


def _subjects(history: HeadHistory) -> list[str]:
    return [commit.subject for commit in history.commits]


def test_update_after_commits_equals_a_full_read(repository: Repository) -> None:
    before = update_history(repository.path, repository.head(), NO_HISTORY)
    commit_at(repository, 4, "Move it", {"a.py": None, "src/a.py": "2\n"})
    commit_at(repository, 5, "Hatch more", {"src/a.py": "3\n", "b.py": "3\n"})
    after = update_history(repository.path, repository.head(), before)
    assert _subjects(after)[:3] == ["Hatch more", "Move it", "Feed the walrus"]
    assert _equal(after, update_history(repository.path, repository.head(), NO_HISTORY))
    assert after.history.similar_commits(["pelican"]).nearest.keys() == {"src/a.py"}


def test_update_after_a_merge_of_older_commits_equals_a_full_read(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "side", "HEAD~2")
    commit_at(repository, 2, "Side", {"side.py": "1\n"})
    repository.git("checkout", "--quiet", "main")
    commit_at(repository, 5, "Main", {"a.py": "5\n"})
    before = update_history(repository.path, repository.head(), NO_HISTORY)
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "side")
    after = update_history(repository.path, repository.head(), before)
    assert "Side" in _subjects(after)
    assert _equal(after, update_history(repository.path, repository.head(), NO_HISTORY))


@pytest.mark.parametrize("merged", ["main", "side"])
def test_update_after_a_merge_of_commits_of_the_same_second_equals_a_full_read(
    repository: Repository, merged: str
) -> None:
    repository.git("checkout", "--quiet", "-b", "side", "HEAD~2")
    commit_at(repository, 5, "Side otters", {"side.py": "1\n"})
    commit_at(repository, 5, "Side herons", {"side.py": "2\n"})
    repository.git("checkout", "--quiet", "main")
    commit_at(repository, 5, "Main", {"a.py": "5\n"})
    repository.git("checkout", "--quiet", "side" if merged == "main" else "main")
    before = update_history(repository.path, repository.head(), NO_HISTORY)
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", merged)
    after = update_history(repository.path, repository.head(), before)
    assert _equal(after, update_history(repository.path, repository.head(), NO_HISTORY))


@pytest.mark.parametrize("seed", range(examples(8, 3)))
def test_commits_of_one_second_have_the_same_order_whatever_head_led_to_them(repository: Repository, seed: int) -> None:
    chance = random.Random(seed)
    heads, known = [repository.head()], NO_HISTORY
    for step in range(30):
        repository.git("checkout", "--quiet", "--force", "--detach", chance.choice(heads))
        commit_at(repository, 5 + step // 3, f"Step {step}", {f"{step}.py": "1\n"})
        if step % 3 == 0:
            repository.git("merge", "--quiet", "--message", "Merge", chance.choice(heads))
        heads = [*heads[-5:], repository.head()]
        repository.git("checkout", "--quiet", "--force", "--detach", chance.choice(heads))
        known = update_history(repository.path, repository.head(), known)
        assert _equal(known, update_history(repository.path, repository.head(), NO_HISTORY))


def test_a_commit_precedes_its_parent_of_the_same_second(repository: Repository) -> None:
    for step in range(6):
        commit_at(repository, 5, f"Step {step}", {"a.py": f"{step}\n"})
    subjects = _subjects(update_history(repository.path, repository.head(), NO_HISTORY))
    assert subjects[:6] == [f"Step {step}" for step in reversed(range(6))]


def test_branch_switch_drops_the_other_branch(repository: Repository) -> None:
    main = repository.head()
    repository.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    commit_at(repository, 4, "Side otters", {"side.py": "1\n"})
    on_side = update_history(repository.path, repository.head(), update_history(repository.path, main, NO_HISTORY))
    assert _subjects(on_side) == ["Side otters", "Hatch a pelican", "Begin"]
    assert _equal(on_side, update_history(repository.path, repository.head(), NO_HISTORY))
    back = update_history(repository.path, main, on_side)
    assert back.history.similar_commits(["otter"]) == ({}, {})
    assert _equal(back, update_history(repository.path, main, NO_HISTORY))


def test_amended_commit_replaces_the_original(repository: Repository) -> None:
    before = update_history(repository.path, repository.head(), NO_HISTORY)
    repository.write({"b.py": "3\n"})
    repository.git("commit", "--quiet", "--all", "--amend", "--message", "Feed the otters")
    after = update_history(repository.path, repository.head(), before)
    assert sorted(_subjects(after)) == ["Begin", "Feed the otters", "Hatch a pelican"]
    assert _equal(after, update_history(repository.path, repository.head(), NO_HISTORY))


def test_head_that_moved_back_drops_later_commits(repository: Repository) -> None:
    before = update_history(repository.path, repository.head(), NO_HISTORY)
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    after = update_history(repository.path, repository.head(), before)
    assert _subjects(after) == ["Hatch a pelican", "Begin"]


def test_missing_old_head_causes_a_full_read(repository: Repository) -> None:
    before = replace(update_history(repository.path, repository.head(), NO_HISTORY), head="1" * 40)
    after = update_history(repository.path, repository.head(), before)
    assert _equal(after, update_history(repository.path, repository.head(), NO_HISTORY))


def test_before_the_first_commit_there_is_no_history(make_repository: Make) -> None:
    assert update_history(make_repository().path, None, NO_HISTORY) is NO_HISTORY


def test_unreadable_head_raises(repository: Repository) -> None:
    with pytest.raises(GitFailed):
        update_history(repository.path, "1" * 40, NO_HISTORY)


def test_commits_of_the_same_second_stay_in_order(make_repository: Make) -> None:
    """A rebase or a script makes many commits in a second."""
    repository = make_repository({"0.py": "pelican\n"})
    for number in range(6):
        commit_at(repository, 1, f"Move {number}", {f"{number}.py": None, f"{number + 1}.py": "pelican\n"})
    found = update_history(repository.path, repository.head(), NO_HISTORY)
    assert _subjects(found)[:6] == [f"Move {number}" for number in (5, 4, 3, 2, 1, 0)]
    assert found.history.recent(99) == ["6.py"]


def test_history_of_an_older_head_reads_no_commit_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for minute in range(6):
        commit_at(repository, minute, f"Feed {minute}", {f"{minute % 2}.py": str(minute)})
    older = repository.git("rev-parse", "HEAD~3").strip()
    known = update_history(repository.path, repository.head(), NO_HISTORY)
    expected = update_history(repository.path, older, NO_HISTORY)
    monkeypatch.setattr(head_histories, "parse_log", lambda output: iter(()) if not output else pytest.fail(output))
    assert _equal(update_history(repository.path, older, known), expected)


def test_worktrees_at_one_head_share_its_history(repository: Repository) -> None:
    commit_at(repository, 1, "Feed", {"a.py": "1"})
    histories = Histories()
    first = histories.get(repository.path, repository.head(), NO_HISTORY)
    assert histories.get(repository.path, repository.head(), NO_HISTORY) is first
    assert histories.known(repository.head()) is first
    assert histories.known("0" * 40) is None
    assert histories.known(None) is NO_HISTORY


def test_only_the_latest_heads_and_those_of_worktrees_keep_their_histories(repository: Repository) -> None:
    for minute in range(8):
        commit_at(repository, minute, f"Feed {minute}", {"a.py": str(minute)})
    oldest, *heads = repository.git("rev-list", "--reverse", "HEAD").split()
    histories = Histories()
    of_worktree = histories.get(repository.path, oldest, NO_HISTORY)
    for head in heads:
        histories.get(repository.path, head, NO_HISTORY)
    gc.collect()
    assert [head for head in heads if histories.known(head)] == heads[-MAX_HISTORIES:]
    assert histories.known(oldest) is of_worktree


def test_commits_that_change_a_file_share_its_path(repository: Repository) -> None:
    first = update_history(repository.path, repository.git("rev-parse", "HEAD~1").strip(), NO_HISTORY)
    newest = update_history(repository.path, repository.head(), first).commits[0]
    commit_at(repository, 9, "Feed it again", {"b.py": "3\n"})
    later = update_history(repository.path, repository.head(), NO_HISTORY).commits[0]
    assert newest.paths[0] is later.paths[0]


def test_stored_heads_are_known_to_a_later_process(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worktree at another commit was used last; the first prompt of the next process is about this one."""
    for minute in range(4):
        commit_at(repository, minute, f"Feed {minute}", {f"{minute % 2}.py": str(minute)})
    heads = [repository.head(), *(repository.git("rev-parse", f"HEAD~{away}").strip() for away in (3, 2, 1))]
    histories = Histories()
    made = {head: histories.get(repository.path, head, NO_HISTORY) for head in heads}
    later, never_used = Histories(), Histories()
    later.restore(list(histories.to_store()))
    never_used.restore(list(later.to_store()))
    monkeypatch.setattr(head_histories, "read_commits", lambda *_, **__: pytest.fail("commits were read"))
    for restored in (later, never_used):
        assert restored.known(heads[0]) is None
        for head in heads[1:]:
            known = restored.get(repository.path, head, NO_HISTORY)
            assert _equal(known, made[head])
            assert restored.fragile_files(known) == histories.fragile_files(made[head])


def test_history_waits_for_requests_that_go_first(repository: Repository) -> None:
    histories, read = Histories(), threading.Event()

    def get() -> None:
        histories.get(repository.path, repository.head(), NO_HISTORY)
        read.set()

    with histories.request_priority.defer_history(), histories.request_priority.defer_history():
        reader = threading.Thread(target=get)
        reader.start()
        assert not read.wait(0.2)
    assert read.wait(20)
    reader.join()


def test_history_does_not_wait_for_long(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_histories, "MAX_DEFERRED_SECONDS", 0.01)
    histories = Histories()
    with histories.request_priority.defer_history():
        assert histories.get(repository.path, repository.head(), NO_HISTORY).head == repository.head()
