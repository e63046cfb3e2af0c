"""A fresh checkout is compared by its files' stat; the result equals that of `git status`, or git is asked."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.codebase.content_ids import ContentHashes
from sidecar.codebase.worktree import freshness, incremental_state
from sidecar.codebase.worktree.git_metadata import GitIndex
from sidecar.codebase.worktree.incremental_state import compare_fresh_checkout
from sidecar.codebase.worktree.state import DetailedState, Scan, read_detailed_state
from tests.support.depth import examples, sample
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import walk
from tests.support.repositories import Repository

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="git is asked on Windows")

Make = Callable[..., Repository]

FILES = {f"{folder}/{number}.txt": f"{folder} {number}\n" for folder in ("a", "b/c", "ü ß") for number in range(60)}
RULES = {".gitignore": "*.log\nbuilt/\nhidden\n", "run.sh": "echo\n"}
SECOND_NS = 1_000_000_000


@pytest.fixture
def fresh(make_repository: Make) -> Repository:
    """A checkout of which every file was written in the same second as the index, and before it."""
    repository = make_repository(FILES | RULES)
    (repository.path / "link").symlink_to("a/0.txt")
    repository.commit({"kept.txt": "kept\n"})
    _write_in_one_second(repository)
    return repository


def _write_in_one_second(repository: Repository) -> None:
    second_ns = (time.time_ns() // SECOND_NS - 5) * SECOND_NS
    for path in repository.git("ls-files", "-z").split("\0"):
        if path:
            os.utime(repository.path / path, ns=(second_ns + 1_000, second_ns + 1_000), follow_symlinks=False)
    repository.git("update-index", "-q", "--refresh")
    _set_index_time(repository)


def _set_index_time(repository: Repository) -> None:
    written_ns = (repository.path / "run.sh").lstat().st_mtime_ns + 1_000
    os.utime(repository.path / ".git" / "index", ns=(written_ns, written_ns))


def _compared(repository: Repository, cwd: Path | None = None) -> tuple[DetailedState | None, DetailedState]:
    """Return the state by the files' stat and that of git."""
    folder, scan = cwd or repository.path, Scan(ContentHashes(lambda: 0), repository.path.parent / "state")
    return (
        compare_fresh_checkout(folder, repository.path, scan, time.time_ns()),
        read_detailed_state(folder, scan),
    )


DECIDED = {
    "nothing": "true",
    "edit": "echo edited > a/0.txt",
    "edit of the same size and time": "t=$(stat -c %y a/1.txt); printf 'b 1\\n' > a/1.txt; touch -d \"$t\" a/1.txt",
    "delete": "rm a/0.txt",
    "delete a folder": "rm -r b",
    "make executable": "chmod +x a/0.txt",
    "make a link": "rm a/0.txt; ln -s 1.txt a/0.txt",
    "move a link": "ln -sf a/1.txt link",
    "replace a folder by a link": "mv b d; ln -s d b",
    "replace a hidden folder by a link": "mkdir hidden; mv b/c hidden/c; rmdir b; mv hidden b; mv b d; ln -s d b",
    "file in a folder's place": "rm -r b; echo file > b",
    "folder in a file's place": "rm kept.txt; mkdir kept.txt; echo new > kept.txt/new.txt",
    "new file": "echo new > 'ü ß/new 1.txt'",
    "ignored file": "echo log > a/x.log; mkdir built; echo x > built/x",
    "sidecar's folder": "mkdir .chati; echo x > .chati/x",
    "touch": "touch a/*",
    "attributes": "echo '*.bin binary' > .gitattributes; touch a/*",
    "empty": ": > a/0.txt",
}
LEFT_TO_GIT = {
    "staged": "echo edited > a/0.txt; git add a/0.txt",
    "repository inside": "git init -q inner; echo x > inner/x",
    "unchecked": "git update-index --assume-unchanged a/0.txt",
    "conversion": "git config core.autocrlf true; printf 'b 1\\r\\n' > b/c/1.txt",
    "filter": "echo '*.txt filter=x' > .gitattributes; touch a/*",
    "unborn": "git checkout -q --orphan other",
}


def test_state_equals_that_of_git(fresh: Repository, tmp_path: Path) -> None:
    for number, (name, script) in enumerate(sample(list((DECIDED | LEFT_TO_GIT).items()), 13)):
        copied = Repository(Path(shutil.copytree(fresh.path, tmp_path / f"case-{number}", symlinks=True)))
        _write_in_one_second(copied)
        subprocess.run(["sh", "-c", script], cwd=copied.path, check=True)
        _set_index_time(copied)
        derived, of_git = _compared(copied)
        assert derived == (of_git if name in DECIDED else None), name


def test_state_of_a_folder_below_the_top(fresh: Repository) -> None:
    fresh.write({"a/0.txt": "edited\n", "b/c/1.txt": "edited\n", "new.txt": "new\n"})
    derived, of_git = _compared(fresh, fresh.path / "a")
    assert derived is not None
    assert derived == of_git


def test_files_that_git_does_not_read_again_are_left_to_git(fresh: Repository) -> None:
    later_ns = time.time_ns() + 5 * SECOND_NS
    os.utime(fresh.path / ".git" / "index", ns=(later_ns, later_ns))
    assert _compared(fresh)[0] is None


def test_windows_and_changed_names_that_macos_may_compose_are_left_to_git(
    fresh: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(incremental_state, "_HAS_EXACT_STAT", False)
        assert _compared(fresh)[0] is None
    fresh.git("config", "core.precomposeunicode", "true")
    _set_index_time(fresh)
    fresh.write({"a/0.txt": "edited\n", "new.txt": "new\n"})
    derived, of_git = _compared(fresh)
    assert derived is not None
    assert derived == of_git
    fresh.write({"ü ß/new.txt": "new\n"})
    assert _compared(fresh)[0] is None
    fresh.git("config", "core.precomposeunicode", "false")
    assert _compared(fresh)[0] is not None


def test_index_changed_meanwhile_is_left_to_git(fresh: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def stage(*_: Any) -> list[str]:
        fresh.write({"a/0.txt": "edited\n"})
        fresh.git("add", "a/0.txt")
        return []

    monkeypatch.setattr(GitIndex, "uncertain_paths", stage)
    assert _compared(fresh)[0] is None


def test_random_work_shows_no_difference(
    sidecar: MemorySidecar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = []

    def recorded(*arguments: Any) -> DetailedState | None:
        compared.append(compare_fresh_checkout(*arguments))
        return compared[-1]

    monkeypatch.setattr(incremental_state, "_has_few_files", lambda _: False)
    monkeypatch.setattr(incremental_state, "_is_fresh", lambda *_: True)
    monkeypatch.setattr(freshness, "compare_fresh_checkout", recorded)
    steps = examples(400, 25)
    for seed in range(4):
        assert walk(sidecar, tmp_path, seed, steps // 4).differences == []
    assert sum(state is not None for state in compared) > steps // 4
