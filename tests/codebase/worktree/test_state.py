"""Tests of the worktree state: what git reports for any content, with a different hash for every state."""

import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest

from sidecar.codebase.content_ids import ContentHashes
from sidecar.codebase.worktree.state import Scan
from tests.codebase.codebase_client import CodebaseClient
from tests.support.client import Client
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository, git

Make = Callable[..., Repository]
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file names and modes")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are any bytes")


@pytest.fixture
def repository(make_repository: Make) -> Repository:
    return make_repository({"a.txt": "one\n", "b.txt": "two\n", "sub/c.txt": "three\n"})


@pytest.fixture
def looks(client: Client, repository: Repository) -> CodebaseClient:
    return CodebaseClient(client, repository.path)


def test_a_clean_worktree_has_no_changed_files(looks: CodebaseClient, repository: Repository) -> None:
    state = looks.state()
    assert state["changed"] == []
    assert (state["kind"], state["branch"], state["headCommit"]) == ("git", "main", repository.head())
    assert (state["root"], state["proof"]) == (str(repository.path), "status")


def test_each_kind_of_change_is_named(looks: CodebaseClient, repository: Repository) -> None:
    repository.commit({"moved.txt": "a text that is long enough to be found again\n" * 3, "gone.txt": "", "d.txt": "d"})
    repository.write({"a.txt": "staged\n"})
    repository.git("add", "a.txt")
    repository.write({"b.txt": "unstaged\n", "new.txt": "new\n"})
    repository.git("mv", "moved.txt", "sub/here.txt")
    repository.git("rm", "--quiet", "d.txt")
    (repository.path / "gone.txt").unlink()
    assert looks.changed() == {
        "a.txt": ("staged", "M."),
        "b.txt": ("unstaged", ".M"),
        "d.txt": ("deleted", "D."),
        "gone.txt": ("deleted", ".D"),
        "new.txt": ("untracked", "??"),
        "sub/here.txt": ("renamed", "R."),
    }
    originals = {file["path"]: file["originalPath"] for file in looks.state()["changed"]}
    assert originals["sub/here.txt"] == "moved.txt"


def test_a_conflict_is_reported_and_resolving_it_changes_the_state(
    looks: CodebaseClient, repository: Repository
) -> None:
    repository.git("checkout", "--quiet", "-b", "other")
    repository.commit({"a.txt": "theirs\n"})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"a.txt": "ours\n"})
    with pytest.raises(AssertionError, match="merge"):
        repository.git("merge", "other")
    assert looks.changed() == {"a.txt": ("conflicted", "UU")}
    in_conflict = looks.hash()
    repository.git("add", "a.txt")
    assert looks.changed() == {"a.txt": ("staged", "M.")}
    assert looks.hash() != in_conflict


def test_a_rebase_in_the_middle_has_a_state(looks: CodebaseClient, repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "other")
    repository.commit({"a.txt": "theirs\n"})
    repository.git("checkout", "--quiet", "main")
    upstream = repository.commit({"a.txt": "ours\n"})
    with pytest.raises(AssertionError, match="rebase"):
        repository.git("rebase", "--quiet", "main", "other")
    state = looks.state()
    assert (state["branch"], state["headCommit"]) == (None, upstream)
    assert looks.changed() == {"a.txt": ("conflicted", "UU")}


def test_a_second_edit_of_a_changed_file_changes_the_state(looks: CodebaseClient, repository: Repository) -> None:
    hashes = set()
    for text in ("edit 1\n", "edit 2\n", "edit 3, longer\n"):
        repository.write({"a.txt": text})
        hashes.add(looks.hash())
    assert len(hashes) == 3


def test_restoring_earlier_content_restores_the_state(looks: CodebaseClient, repository: Repository) -> None:
    clean = looks.hash()
    repository.write({"a.txt": "edited\n"})
    assert looks.hash() != clean
    repository.write({"a.txt": "one\n"})
    assert looks.hash() == clean


def test_staging_alone_changes_the_state(looks: CodebaseClient, repository: Repository) -> None:
    repository.write({"a.txt": "edited\n", "new.txt": "new\n"})
    before, content = looks.hash(), looks.content("a.txt")
    repository.git("add", "a.txt")
    staged = looks.hash()
    repository.git("add", "new.txt")
    assert len({before, staged, looks.hash()}) == 3
    assert looks.content("a.txt") == content


def test_staged_content_affects_the_state(looks: CodebaseClient, repository: Repository) -> None:
    hashes = set()
    for staged in ("staged once\n", "staged twice\n"):
        repository.write({"a.txt": staged})
        repository.git("add", "a.txt")
        repository.write({"a.txt": "on disk\n"})
        hashes.add(looks.hash())
    assert len(hashes) == 2


@on_posix
def test_a_change_of_mode_is_a_change(looks: CodebaseClient, repository: Repository) -> None:
    clean = looks.hash()
    os.chmod(repository.path / "a.txt", 0o755)
    assert looks.changed() == {"a.txt": ("unstaged", ".M")}
    on_disk = looks.hash()
    repository.git("add", "a.txt")
    assert len({clean, on_disk, looks.hash()}) == 3


def test_a_file_removed_from_the_index_only_is_untracked(looks: CodebaseClient, repository: Repository) -> None:
    repository.git("rm", "--quiet", "--cached", "a.txt")
    assert looks.changed() == {"a.txt": ("untracked", "D?")}
    assert "a.txt" in looks.search("one a.txt")


def test_an_ignored_file_removed_from_the_index_is_deleted(looks: CodebaseClient, repository: Repository) -> None:
    repository.commit({"local.txt": "zebra\n"})
    repository.commit({".gitignore": "local.txt\n"})
    repository.git("rm", "--quiet", "--cached", "local.txt")
    assert looks.changed() == {"local.txt": ("deleted", "D.")}
    assert looks.content("local.txt") == "absent"
    assert looks.search("zebra") == []


def test_an_intended_addition_that_is_a_rename_leaves_no_old_file(
    looks: CodebaseClient, repository: Repository
) -> None:
    repository.commit({"long.txt": "walrus and more words that make a file\n" * 5})
    (repository.path / "long.txt").rename(repository.path / "other.txt")
    repository.git("add", "--intent-to-add", "other.txt")
    looks.index()
    assert looks.search("walrus") == ["other.txt"]


@on_posix
def test_a_link_is_identified_by_its_target_and_never_followed(
    looks: CodebaseClient, repository: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("pelican one")
    (repository.path / "link").symlink_to(outside)
    before, content = looks.hash(), looks.content("link")
    assert content.startswith("link:")
    outside.write_text("pelican two, longer")
    assert looks.hash() == before
    looks.index()
    assert looks.search("pelican") == []
    (repository.path / "link").unlink()
    (repository.path / "link").symlink_to(tmp_path / "elsewhere")
    assert looks.hash() != before


@on_posix
def test_a_folder_replaced_by_a_link_shows_nothing_of_its_target(
    looks: CodebaseClient, repository: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "c.txt").write_text("pelican\n")
    (repository.path / "sub" / "c.txt").unlink()
    (repository.path / "sub").rmdir()
    (repository.path / "sub").symlink_to(outside)
    assert looks.changed() == {"sub": ("untracked", "??"), "sub/c.txt": ("deleted", ".D")}
    assert looks.content("sub/c.txt") == "absent"
    before = looks.hash()
    (outside / "c.txt").write_text("pelican, again\n")
    assert looks.hash() == before
    looks.index()
    assert looks.search("pelican") == []


ODD_NAMES = (
    "with space.txt", "it's.txt", "umlaut-größe.txt", "日本語.txt", "-rf", "--help.txt", "star*.txt", "[a-z]?.txt",
    "a -> b", "trailing ", "#hash.txt", ":(top)x", "!bang", "emoji-🦊.md",
)  # fmt: skip
ODD_POSIX_NAMES = ('say "hi".txt', "line\nbreak.txt", "tab\there", "back\\slash.txt", "R100 a\tb")


def on_one_line(path: str) -> str:
    """Return a path as answers show it."""
    return re.sub(r"[\n\t]", "\N{REPLACEMENT CHARACTER}", path)


@on_posix
@pytest.mark.parametrize("tracked", [True, False], ids=["tracked", "untracked"])
def test_odd_file_names_are_preserved(looks: CodebaseClient, repository: Repository, *, tracked: bool) -> None:
    names = (*ODD_NAMES, *ODD_POSIX_NAMES, "deep folder/ü -> ß/x y.txt")
    if tracked:
        repository.commit(dict.fromkeys(names, "one\n"))
    repository.write(dict.fromkeys(names, "two\n"))
    kind_and_code = ("unstaged", ".M") if tracked else ("untracked", "??")
    assert looks.changed() == dict.fromkeys(map(on_one_line, names), kind_and_code)


@on_posix
def test_a_rename_between_odd_names_reports_both(looks: CodebaseClient, repository: Repository) -> None:
    repository.commit({"a -> b": "some text that stays\n" * 4})
    repository.git("mv", "--", "a -> b", 'c\n"d" -> e')
    (file,) = looks.state()["changed"]
    assert (file["path"], file["originalPath"], file["kind"]) == (on_one_line('c\n"d" -> e'), "a -> b", "renamed")


@on_linux
def test_file_names_that_are_not_utf_8_are_distinguished(looks: CodebaseClient, repository: Repository) -> None:
    folder = os.fsencode(repository.path)
    hashes = {looks.hash()}
    for name in (b"latin-\xe9.txt", b"latin-\xe8.txt"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"same\n")
        hashes.add(looks.hash())
    assert len(hashes) == 3
    assert [file["path"] for file in looks.state()["changed"]] == ["latin-\ufffd.txt"] * 2
    assert looks.index()["complete"]


@on_linux
def test_a_branch_name_that_is_not_utf_8_is_shown_with_replacements(
    looks: CodebaseClient, repository: Repository
) -> None:
    head = repository.git("rev-parse", "HEAD")
    folder = os.fsencode(repository.path / ".git")
    with open(os.path.join(folder, b"refs/heads/caf\xe9"), "w") as file:
        file.write(head + "\n")
    with open(os.path.join(folder, b"HEAD"), "wb") as file:
        file.write(b"ref: refs/heads/caf\xe9\n")
    assert looks.state()["branch"] == "caf\ufffd"


def test_a_repository_without_commits_has_no_head(client: Client, make_repository: Make) -> None:
    empty = make_repository()
    looks = CodebaseClient(client, empty.path)
    state = looks.state()
    assert (state["headCommit"], state["branch"], state["changed"]) == (None, "main", [])
    empty.write({"first.txt": "first\n"})
    assert looks.changed() == {"first.txt": ("untracked", "??")}
    empty.git("add", "first.txt")
    assert looks.changed() == {"first.txt": ("staged", "A.")}
    looks.index()
    assert looks.search("first") == ["first.txt"]


def test_a_detached_head_has_a_commit_and_no_branch(looks: CodebaseClient, repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--detach")
    state = looks.state()
    assert (state["headCommit"], state["branch"]) == (repository.head(), None)


def test_a_subfolder_lists_its_own_changes_and_its_hash_covers_the_repository(
    client: Client, repository: Repository
) -> None:
    looks = CodebaseClient(client, repository.path / "sub")
    hashes = {looks.hash()}
    repository.write({"a.txt": "outside\n", "x.txt": "outside\n"})
    hashes.add(looks.hash())
    assert looks.changed() == {}
    repository.write({"sub/c.txt": "inside\n", "sub/deep/new.txt": "pelican\n"})
    hashes.add(looks.hash())
    assert looks.changed() == {"c.txt": ("unstaged", ".M"), "deep/new.txt": ("untracked", "??")}
    assert looks.state()["root"] == str(repository.path)
    assert len(hashes) == 3


def test_two_renames_differ_by_their_original_path(looks: CodebaseClient, repository: Repository) -> None:
    text = "text to be found again\n" * 5
    repository.commit({"sub/one.txt": text, "sub/two.txt": text})
    hashes = set()
    for name in ("one.txt", "two.txt"):
        repository.git("mv", f"sub/{name}", "sub/other.txt")
        (file,) = looks.state()["changed"]
        assert (file["path"], file["originalPath"]) == ("sub/other.txt", f"sub/{name}")
        hashes.add(looks.hash())
        repository.git("mv", "sub/other.txt", f"sub/{name}")
    assert len(hashes) == 2


def test_a_rename_from_outside_the_workspace_names_the_original(client: Client, repository: Repository) -> None:
    repository.commit({"outside.txt": "text to be found again\n" * 5})
    repository.git("mv", "outside.txt", "sub/inside.txt")
    (file,) = CodebaseClient(client, repository.path / "sub").state()["changed"]
    assert (file["path"], file["originalPath"]) == ("inside.txt", "../outside.txt")


def test_the_sidecars_folders_are_excluded(client: Client, looks: CodebaseClient, repository: Repository) -> None:
    clean = looks.hash()
    repository.write({".chati/m.md": "pelican\n", ".spool/.state/x": "pelican\n", "sub/.chati/m.md": "pelican\n"})
    assert (looks.changed(), looks.hash()) == ({}, clean)
    repository.git("add", "--force", ".chati/m.md")
    assert (looks.changed(), looks.hash()) == ({}, clean)
    looks.index()
    assert looks.search("pelican") == []
    assert CodebaseClient(client, repository.path / "sub").changed() == {}


def test_new_files_of_a_desktop_are_no_change(looks: CodebaseClient, repository: Repository) -> None:
    clean = looks.hash()
    names = [".DS_Store", "sub/.DS_Store", "sub/Thumbs.db", "sub/desktop.ini"]
    names += ["Icon\r"] if sys.platform != "win32" else []
    repository.write({**dict.fromkeys(names, "1\n"), "._a.txt": b"\0\5\x16\7\0\2\0\0Mac OS X"})
    assert (looks.changed(), looks.hash()) == ({}, clean)
    repository.write({"._own": "1\n"})
    repository.git("add", "--force", ".DS_Store")
    assert looks.changed() == {"._own": ("untracked", "??"), ".DS_Store": ("staged", "A.")}


def test_the_sidecars_state_is_excluded(client: Client, state_dir: Path) -> None:
    looks = CodebaseClient(client, state_dir.parent)
    assert looks.state()["changed"] == []
    git(state_dir.parent, "init", "--quiet")
    assert looks.state()["changed"] == []


@on_posix
def test_the_sidecars_state_is_excluded_by_any_spelling_of_its_path(
    open_sidecar: Callable[[], MemorySidecar], state_dir: Path, repository: Repository
) -> None:
    (repository.path / "state").mkdir()
    state_dir.symlink_to(repository.path / "state")
    client = open_sidecar().client
    client.initialize()
    assert CodebaseClient(client, repository.path).state()["changed"] == []


def test_the_sidecars_state_in_a_project_of_windows_is_excluded() -> None:
    project: Any = PureWindowsPath(r"C:\shop")
    scan = Scan(ContentHashes(lambda: 0), project / "state")
    assert scan.is_sidecar_path(project, "state/continuity.db")
    assert not scan.is_sidecar_path(project, "state.py")


def test_executables_and_fifos_do_not_hang_or_run(looks: CodebaseClient, repository: Repository) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs FIFOs")
    (repository.path / "a.txt").unlink()
    os.mkfifo(repository.path / "a.txt")
    assert stat.S_ISFIFO(os.stat(repository.path / "a.txt").st_mode)
    assert set(looks.changed()) <= {"a.txt"}
    assert looks.index()["files"] <= 3


def test_a_token_in_a_branch_name_is_masked(looks: CodebaseClient, repository: Repository) -> None:
    token = "ghp_" + "k3Jx9QwErTyUiOpAsDfGhJkLzXcVbNm12345"
    repository.git("checkout", "-q", "-b", f"fix/{token}")
    state = looks.state()
    assert token not in str(state)
    assert state["branch"].startswith("fix/")
