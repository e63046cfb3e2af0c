"""Tests of the index reader against `git ls-files`."""

from pathlib import Path

from sidecar.codebase.worktree import IndexEntry, read_index
from tests.support.repositories import make_repository

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


def _as_listed(entry: IndexEntry | None) -> str:
    assert entry is not None
    return f"{entry.mode:o} {entry.id} 0 {entry.path}"
