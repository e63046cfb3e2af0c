"""Tests of the index reader against `git ls-files`."""

import os
from pathlib import Path

import pytest

from sidecar.codebase.worktree import IndexEntry, list_small_index, read_index
from tests.support.repositories import Repository, git, make_repository

FOLDERS = ("a", "a-b", "a/b", "b/c", "ü")


def test_exactly_the_tracked_paths_are_found(tmp_path: Path) -> None:
    files = {f"{folder}/{number}.txt": f"{number}\n" for folder in FOLDERS for number in range(130)}
    repository = make_repository(tmp_path / "repository", files)
    index = read_index(repository.path / ".git", "sha1")
    assert index is not None
    tracked = [line.split("\t") for line in repository.git("ls-files", "-s", "-z").split("\0") if line]
    assert [_as_listed(index.find(path)) for _, path in tracked] == [f"{entry} {path}" for entry, path in tracked]
    assert len(index) == len(tracked) == len(files)
    assert all(index.find(path) is None for path in ("", "a", "a/", "a/b", "a/b/130.txt", "zz"))


def test_below_yields_exactly_the_entries_of_a_folder(tmp_path: Path) -> None:
    files = {f"{folder}/{number}.txt": f"{number}\n" for folder in FOLDERS for number in range(130)}
    index = read_index(make_repository(tmp_path / "repository", files).path / ".git", "sha1")
    assert index is not None
    for folder in FOLDERS:
        below = [path for path in sorted(files, key=str.encode) if path.startswith(f"{folder}/")]
        assert [entry.path for entry in index.below(folder)] == below


def test_an_empty_index_is_empty(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    repository.git("read-tree", "--empty")
    index = read_index(repository.path / ".git", "sha1")
    assert index is not None
    assert (len(index), index.find("a"), list(index.below("a"))) == (0, None, [])


def listed_by_git(repository: Repository) -> bytes:
    return os.fsencode(repository.git("ls-files", "-s", "-t", "-z"))


@pytest.mark.skipif(os.name == "nt", reason="Names of arbitrary bytes, links and modes are needed.")
def test_a_small_index_is_listed_as_git_lists_it(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository", {"a.py": "1\n", "a-b/c": "2\n", "ü/ line\nend": "3\n"})
    assert list_small_index(repository.path) == listed_by_git(repository)
    (repository.path / os.fsdecode(b"\xff")).write_bytes(b"4\n")
    (repository.path / "a.py").chmod(0o755)
    (repository.path / "link").symlink_to("a.py")
    make_repository(repository.path / "nested", {"b.py": "1\n"})
    repository.git("add", "--all")
    assert {mode.split()[1] for mode in listed_by_git(repository).split(b"\0") if mode} == {
        *(b"100644", b"100755", b"120000", b"160000")
    }
    assert list_small_index(repository.path) == listed_by_git(repository)
    linked = repository.add_worktree(tmp_path / "linked", "other")
    assert list_small_index(linked.path) == listed_by_git(linked)


def test_an_index_that_only_git_can_list_is_left_to_git(tmp_path: Path) -> None:
    files = {"a.py": "1\n", "b.py": "2\n"}
    repository = make_repository(tmp_path / "repository", files)
    index = repository.path / ".git" / "index"
    plain = index.read_bytes()
    for flag in ("--skip-worktree", "--assume-unchanged", "--split-index"):
        repository.git("update-index", flag, *([] if flag == "--split-index" else ["a.py"]))
        assert list_small_index(repository.path) is None, flag
        index.write_bytes(plain)
    base, ours, theirs = repository.head(), repository.commit({"a.py": "2\n"}), repository.commit({"a.py": "3\n"})
    repository.git("read-tree", ours)
    repository.git("read-tree", "-i", "-m", base, ours, theirs)
    assert list_small_index(repository.path) is None, "a conflict"
    index.write_bytes(plain.replace(b"a.py", b"c.py"))
    assert list_small_index(repository.path) is None, "other content than the checksum's"
    index.write_bytes(plain)
    assert list_small_index(repository.path) is not None
    repository.commit({f"{number}.py": "1\n" for number in range(200)})
    assert list_small_index(repository.path) is None, "too large"
    assert list_small_index(tmp_path) is None, "no repository"
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "long")
    long = Repository(tmp_path / "long")
    long.commit(files)
    assert list_small_index(long.path) is None, "other ids"


def _as_listed(entry: IndexEntry | None) -> str:
    assert entry is not None
    return f"{entry.mode:o} {entry.id} 0 {entry.path}"
