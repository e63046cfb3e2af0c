"""Git's index as it is read here says of each file what git says, in whatever piece it lies."""

from pathlib import Path

from sidecar.codebase.worktree.git_index import IndexEntry, read_index
from tests.support.repositories import make_repository

FOLDERS = ("a", "a-b", "a/b", "b/c", "ü")


def test_every_entry_of_many_is_found_and_no_other(tmp_path: Path) -> None:
    files = {f"{folder}/{number}.txt": f"{number}\n" for folder in FOLDERS for number in range(130)}
    repository = make_repository(tmp_path / "repository", files)
    index = read_index(repository.path / ".git", "sha1")
    assert index is not None
    told = [line.split("\t") for line in repository.git("ls-files", "-s", "-z").split("\0") if line]
    assert [_told(index.find(path)) for _, path in told] == [f"{said} {path}" for said, path in told]
    assert len(index) == len(told) == len(files)
    assert all(index.find(path) is None for path in ("", "a", "a/", "a/b", "a/b/130.txt", "zz"))


def test_a_folder_gives_what_lies_below_it_alone(tmp_path: Path) -> None:
    files = {f"{folder}/{number}.txt": f"{number}\n" for folder in FOLDERS for number in range(130)}
    index = read_index(make_repository(tmp_path / "repository", files).path / ".git", "sha1")
    assert index is not None
    for folder in FOLDERS:
        below = [path for path in sorted(files, key=str.encode) if path.startswith(f"{folder}/")]
        assert [entry.path for entry in index.below(folder)] == below


def test_the_index_of_nothing_holds_nothing(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    repository.git("read-tree", "--empty")
    index = read_index(repository.path / ".git", "sha1")
    assert index is not None
    assert (len(index), index.find("a"), list(index.below("a"))) == (0, None, [])


def _told(entry: IndexEntry | None) -> str:
    assert entry is not None
    return f"{entry.mode:o} {entry.id} 0 {entry.path}"
