"""Tests of kinds of repositories: worktrees, submodules, sparse and shallow ones, folders without git, damaged ones."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.codebase.worktree import head_of, state
from sidecar.core.errors import WorkspaceUnavailable
from tests.codebase.codebase_client import CodebaseClient
from tests.support.client import Client
from tests.support.git_wrapper import needs_script, prepend_git_wrapper
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of
from tests.support.repositories import Repository, git
from tests.support.repositories import make_repository as make_repository_at

Make = Callable[..., Repository]
UNAVAILABLE = WorkspaceUnavailable.code
NOBODY = 65534
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")


def test_a_linked_worktree_has_its_own_state(client: Client, make_repository: Make, tmp_path: Path) -> None:
    main = make_repository({"a.txt": "one\n"})
    linked = main.add_worktree(tmp_path / "linked", "feature")
    here, there = CodebaseClient(client, linked.path), CodebaseClient(client, main.path)
    linked.write({"a.txt": "edited\n"})
    assert here.state()["branch"] == "feature"
    assert here.changed() == {"a.txt": ("unstaged", ".M")}
    assert there.changed() == {}


def test_worktrees_of_one_repository_share_summaries(client: Client, make_repository: Make, tmp_path: Path) -> None:
    main = make_repository({f"src/{number}.py": f"x{number} = {number}\n" for number in range(30)})
    linked = main.add_worktree(tmp_path / "linked", "feature")
    linked.write({"src/0.py": "pelican = 0\n"})
    first = CodebaseClient(client, main.path).index()
    assert (first["analysed"], first["fromCache"]) == (30, 0)
    second = CodebaseClient(client, linked.path).index()
    assert (second["analysed"], second["fromCache"], second["complete"]) == (1, 29, True)


def test_another_repository_shares_nothing(client: Client, make_repository: Make) -> None:
    files = {"a.py": "pelican = 1\n"}
    CodebaseClient(client, make_repository(files, "first").path).index()
    assert CodebaseClient(client, make_repository(files, "second").path).index()["fromCache"] == 0


def test_committing_an_analysed_file_needs_no_analysis(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.py": "one = 1\n"})
    looks = CodebaseClient(client, repository.path)
    repository.write({"b.py": "pelican = 2\n"})
    assert looks.index()["analysed"] == 2
    repository.commit()
    assert (again := looks.index())["analysed"] == 0, again
    assert looks.search("pelican") == ["b.py"]


def test_a_submodule_is_one_entry_and_its_own_edits_count(client: Client, make_repository: Make) -> None:
    outer = make_repository({"a.txt": "one\n"}, "outer")
    inner = outer.add_submodule(make_repository({"in.txt": "pelican\n"}, "other"), "module")
    looks = CodebaseClient(client, outer.path)
    assert looks.changed() == {}
    hashes = {looks.hash()}
    for text in ("edit 1\n", "edit 2\n"):
        inner.write({"in.txt": text})
        assert looks.changed() == {"module": ("unstaged", ".M")}
        hashes.add(looks.hash())
    inner.write({"new.txt": "new\n"})
    hashes.add(looks.hash())
    inner.commit()
    hashes.add(looks.hash())
    assert len(hashes) == 5


def test_a_workspace_inside_a_submodule_has_the_submodules_state(client: Client, make_repository: Make) -> None:
    outer = make_repository({"a.txt": "one\n"}, "outer")
    inner = outer.add_submodule(make_repository({"in.txt": "pelican\n"}, "other"), "module")
    looks = CodebaseClient(client, inner.path)
    assert looks.state()["root"] == str(inner.path)
    assert looks.state()["headCommit"] == inner.head()
    inner.write({"in.txt": "pelican, edited\n"})
    assert looks.changed() == {"in.txt": ("unstaged", ".M")}
    looks.index()
    assert looks.search("pelican") == ["in.txt"]


def test_an_ignored_submodule_still_counts(client: Client, make_repository: Make) -> None:
    outer = make_repository({"a.txt": "one\n"}, "outer")
    inner = outer.add_submodule(make_repository({"in.txt": "1\n"}, "other"), "module")
    outer.git("config", "submodule.module.ignore", "all")
    inner.write({"in.txt": "2\n"})
    assert CodebaseClient(client, outer.path).changed() == {"module": ("unstaged", ".M")}


def test_an_untracked_repository_inside_is_one_entry_and_its_edits_count(client: Client, make_repository: Make) -> None:
    outer = make_repository({"a.txt": "one\n"}, "outer")
    inner = make_repository_at(outer.path / "nested", {"in.txt": "pelican\n"})
    looks = CodebaseClient(client, outer.path)
    assert looks.changed() == {"nested/": ("untracked", "??")}
    before = looks.hash()
    inner.write({"in.txt": "edited\n"})
    assert looks.hash() != before
    looks.index()
    assert looks.search("pelican") == []


def test_files_that_are_not_checked_out_are_not_found(client: Client, make_repository: Make) -> None:
    repository = make_repository({"in/a.txt": "pelican\n", "out/b.txt": "pelican\n", "top.txt": "top\n"})
    repository.git("sparse-checkout", "set", "in")
    looks = CodebaseClient(client, repository.path)
    assert looks.changed() == {}
    looks.index()
    assert looks.search("pelican") == ["in/a.txt"]


def test_worktrees_that_check_out_different_files_of_a_commit_find_their_own(
    client: Client, make_repository: Make, tmp_path: Path
) -> None:
    repository = make_repository({"in/a.txt": "pelican\n", "out/b.txt": "pelican\n", "top.txt": "top\n"})
    for folder in ("in", "out"):
        repository.git("worktree", "add", "--quiet", "--detach", str(tmp_path / folder))
        Repository(tmp_path / folder).git("sparse-checkout", "set", folder)
        looks = CodebaseClient(client, tmp_path / folder)
        looks.index()
        assert looks.search("pelican") == [f"{folder}/{'a' if folder == 'in' else 'b'}.txt"]


def test_a_shallow_clone_works(client: Client, make_repository: Make, tmp_path: Path) -> None:
    origin = make_repository({"a.txt": "one\n"}, "origin")
    origin.commit({"a.txt": "pelican\n"})
    git(tmp_path, "clone", "--quiet", "--depth=1", origin.path.as_uri(), "clone")
    clone = Repository(tmp_path / "clone")
    looks = CodebaseClient(client, clone.path)
    assert (looks.state()["headCommit"], looks.changed()) == (origin.head(), {})
    looks.index()
    assert looks.search("pelican") == ["a.txt"]


def test_the_commits_that_complete_a_shallow_clone_are_known(
    client: Client, make_repository: Make, tmp_path: Path
) -> None:
    origin = make_repository({"a.txt": "one\n", "b.txt": "one\n"}, "origin")
    origin.commit({"a.txt": "two\n"}, "Feed the flamingo")
    origin.commit({"b.txt": "two\n"}, "Change it")
    git(tmp_path, "clone", "--quiet", "--depth=1", origin.path.as_uri(), "clone")
    clone = Repository(tmp_path / "clone")
    looks = CodebaseClient(client, clone.path)
    looks.index()
    assert "nearestCommits" not in looks.parts("flamingo", "a.txt")
    clone.git("-c", "protocol.file.allow=always", "fetch", "--quiet", "--unshallow")
    clone.write({"new.txt": "new\n"})
    looks.index()
    assert "nearestCommits" in looks.parts("flamingo", "a.txt")
    clone.git("-c", "protocol.file.allow=always", "fetch", "--quiet", "--depth=1")
    clone.commit({"b.txt": "three\n"})
    looks.index()
    assert "nearestCommits" not in looks.parts("flamingo", "a.txt")


def test_line_endings_converted_by_git_are_not_a_change(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "pelican\ntwo\n"})
    repository.git("config", "core.autocrlf", "true")
    (repository.path / "a.txt").unlink()
    repository.git("checkout", "--", "a.txt")
    assert (repository.path / "a.txt").read_bytes() == b"pelican\r\ntwo\r\n"
    looks = CodebaseClient(client, repository.path)
    assert looks.changed() == {}
    repository.write({"a.txt": "pelican\r\nthree\r\n"})
    assert looks.changed() == {"a.txt": ("unstaged", ".M")}


def test_a_sha_256_repository_works(client: Client, tmp_path: Path) -> None:
    folder = tmp_path / "sha256"
    folder.mkdir()
    git(folder, "init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    repository = Repository(folder)
    repository.commit({"a.txt": "pelican\n"})
    looks = CodebaseClient(client, folder)
    assert len(looks.state()["headCommit"]) == 64
    repository.write({"b.txt": "walrus\n"})
    assert looks.content("b.txt") == repository.git("hash-object", "--no-filters", "b.txt")
    assert looks.index()["analysed"] == 2
    repository.commit()
    assert looks.index()["analysed"] == 0
    assert looks.search("walrus") == ["b.txt"]


def test_a_folder_without_git_honours_every_gitignore(client: Client, tmp_path: Path) -> None:
    folder = Repository(tmp_path / "plain")
    folder.write({
        ".gitignore": "*.log\n/build/\n!keep.log\n",
        "a.txt": "pelican\n", "x.log": "pelican\n", "keep.log": "pelican\n", "build/out.txt": "pelican\n",
        "sub/.gitignore": "local.txt\n", "sub/local.txt": "pelican\n", "sub/build/in.txt": "pelican\n",
        ".DS_Store": "pelican\n", "sub/._build": b"\0\5\x16\7pelican\n",
    })  # fmt: skip
    looks = CodebaseClient(client, folder.path)
    state = looks.state()
    assert (state["kind"], state["headCommit"], state["proof"]) == ("folder", None, "walk")
    assert set(looks.changed()) == {".gitignore", "a.txt", "keep.log", "sub/.gitignore", "sub/build/in.txt"}
    looks.index()
    assert set(looks.search("pelican")) == {"a.txt", "keep.log", "sub/build/in.txt"}
    before = looks.hash()
    folder.write({"a.txt": "walrus!\n"})
    assert looks.hash() != before


def test_a_search_in_a_folder_of_repositories_names_them(client: Client, tmp_path: Path) -> None:
    def warnings() -> Any:
        return client.request("codebase/search", {"cwd": str(tmp_path / "plain"), "query": "pelican"})["warnings"]

    (tmp_path / "plain").mkdir()
    assert warnings() == []
    make_repository_at(tmp_path / "plain" / "one", {"a.txt": "pelican\n"})
    assert warnings() == ["The repository `one` below this folder was not searched: open it as the project."]
    for name in ("two", "three", "two/inner", "four"):
        make_repository_at(tmp_path / "plain" / name, {"a.txt": "pelican\n"})
    (warning,) = warnings()
    assert warning.startswith("4 repositories below this folder were not searched (`four`, `one`, `three` and 1 more)")


def expect_too_many_files(client: Client, folder: Path) -> None:
    error = client.error("codebase/search", {"cwd": str(folder), "query": "pelican"})
    assert "the folder is not in a git repository and has too many files" in error.message
    assert error.data["hint"] == "Open a repository or a smaller folder as the project."


def test_a_folder_with_too_many_files_is_named_as_such(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.txt").write_text("pelican\n", encoding="utf-8")
    monkeypatch.setattr(state, "MAX_FOLDER_FILES", 0)
    expect_too_many_files(client, tmp_path / "plain")


@needs_script
def test_a_folder_that_takes_too_long_to_list_has_too_many_files(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.txt").write_text("pelican\n", encoding="utf-8")
    prepend_git_wrapper(tmp_path / "before", 'case " $* " in *" --others "*) sleep 5;; esac', monkeypatch)
    monkeypatch.setattr(state, "LIST_SECONDS", 0.1)
    expect_too_many_files(client, tmp_path / "plain")


def test_a_folder_of_repositories_notices_their_edits(client: Client, tmp_path: Path) -> None:
    inner = make_repository_at(tmp_path / "plain" / "one", {"a.txt": "1\n"})
    looks = CodebaseClient(client, tmp_path / "plain")
    before = looks.hash()
    assert looks.changed() == {"one/": ("untracked", "??")}
    inner.write({"a.txt": "2\n"})
    assert looks.hash() != before


def test_an_empty_git_folder_is_skipped_as_git_does(client: Client, make_repository: Make) -> None:
    outer = make_repository({"a.txt": "one\n", "sub/b.txt": "two\n"})
    (outer.path / "sub" / ".git").mkdir()
    outer.write({"sub/b.txt": "edited\n"})
    looks = CodebaseClient(client, outer.path / "sub")
    assert looks.state()["root"] == str(outer.path)
    assert looks.changed() == {"b.txt": ("unstaged", ".M")}


def test_an_empty_git_folder_is_not_a_repository(client: Client, tmp_path: Path) -> None:
    (tmp_path / "plain" / ".git").mkdir(parents=True)
    (tmp_path / "plain" / "a.txt").write_text("one")
    looks = CodebaseClient(client, tmp_path / "plain")
    assert looks.state()["kind"] == "folder"
    assert list(looks.changed()) == ["a.txt"]


@pytest.mark.parametrize("text", ["rubbish\n", "gitdir: /nowhere/at/all\n", ""], ids=["rubbish", "nowhere", "empty"])
def test_a_dangling_git_file_is_reported_as_damage(client: Client, tmp_path: Path, text: str) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / ".git").write_text(text)
    failure = CodebaseClient(client, tmp_path / "broken").failure()
    assert failure.code == UNAVAILABLE
    assert "the repository is damaged" in failure.message


def test_a_damaged_head_does_not_fall_back_to_the_outer_repository(client: Client, make_repository: Make) -> None:
    outer = make_repository({"a.txt": "one\n"}, "outer")
    inner = make_repository_at(outer.path / "inner", {"b.txt": "two\n"})
    (inner.path / ".git" / "HEAD").write_text("rubbish")
    assert "the repository is damaged" in CodebaseClient(client, inner.path).failure().message
    assert CodebaseClient(client, outer.path).changed() == {"inner/b.txt": ("untracked", "??")}


@pytest.mark.parametrize("keep_bytes", [0, 20, 60], ids=["empty", "half a head", "half"])
def test_a_damaged_index_is_reported(client: Client, make_repository: Make, keep_bytes: int) -> None:
    repository = make_repository({"a.txt": "one\n"})
    index = repository.path / ".git" / "index"
    index.write_bytes(index.read_bytes()[:keep_bytes])
    assert " is damaged" in CodebaseClient(client, repository.path).failure().message


def test_a_garbage_index_is_reported(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\n"})
    (repository.path / ".git" / "index").write_bytes(b"rubbish " * 20)
    assert "the index is damaged" in CodebaseClient(client, repository.path).failure().message


def test_a_bare_repository_is_not_a_workspace(client: Client, make_repository: Make, tmp_path: Path) -> None:
    made = make_repository({"a.txt": "one\n"})
    made.git("clone", "--quiet", "--bare", str(made.path), str(tmp_path / "bare.git"))
    linked = tmp_path / "linked"
    git(tmp_path / "bare.git", "worktree", "add", "--quiet", "-b", "feature", str(linked))
    for folder in (tmp_path / "bare.git", made.path / ".git"):
        failure = CodebaseClient(client, folder).failure()
        assert (failure.code, "not in a work tree" in failure.message) == (UNAVAILABLE, True)
    assert CodebaseClient(client, linked).state()["branch"] == "feature"


def test_a_deleted_folder_is_reported(client: Client, make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository({"a.txt": "one\n"})
    looks = CodebaseClient(client, repository.path)
    looks.state()
    repository.path.rename(tmp_path / "elsewhere")
    failure = looks.failure()
    assert (failure.code, failure.message) == (UNAVAILABLE, "The workspace's folder does not exist.")


def test_a_file_as_workspace_is_reported(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\n"})
    failure = CodebaseClient(client, repository.path / "a.txt").failure()
    assert (failure.code, failure.message) == (UNAVAILABLE, "The workspace is not a folder.")


def test_a_path_too_long_for_the_system_is_reported(client: Client, tmp_path: Path) -> None:
    failure = CodebaseClient(client, tmp_path / ("x" * 300)).failure()
    assert (failure.code, failure.message) == (UNAVAILABLE, "The workspace's folder cannot be read.")


def test_a_relative_path_is_refused(client: Client) -> None:
    assert CodebaseClient(client, Path("somewhere")).failure().code == UNAVAILABLE


_ASK = """
import os, sys
from pathlib import Path
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.workspace import Workspace
workspace = Workspace(Path(sys.argv[1]), Path(sys.argv[1]))
if os.geteuid() == 0:
    os.setgroups([])
    os.setuid(65534)
try:
    workspace.require()
except WorkspaceUnavailable as error:
    print(error.message)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_a_folder_without_permission_is_reported(tmp_path: Path) -> None:
    """Runs in a child process, which gives up root's rights: file modes do not bind root."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    try:
        done = subprocess.run(
            [sys.executable, "-c", _ASK, str(closed)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        )
    finally:
        closed.chmod(0o700)
    assert done.stdout.strip() == "The workspace's folder is not readable.", done.stderr


@as_root
def test_a_repository_of_another_user_is_reported(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\n"})
    for path in (repository.path, repository.path / ".git"):
        os.chown(path, NOBODY, NOBODY)
    assert "the repository belongs to another user" in CodebaseClient(client, repository.path).failure().message


def test_a_machine_without_git_is_reported(
    client: Client, make_repository: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository({"a.txt": "one\n"})
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    failure = CodebaseClient(client, repository.path).failure()
    assert (failure.code, "git is not installed" in failure.message) == (UNAVAILABLE, True)


def test_an_unknown_repository_format_is_reported(client: Client, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\n"})
    (repository.path / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 99\n")
    assert "does not know the repository's format" in CodebaseClient(client, repository.path).failure().message


def test_head_is_read_without_git(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository({"a.txt": "a\n"})
    assert head_of(repository.path) == repository.head()
    linked = repository.add_worktree(tmp_path / "linked", "side")
    linked.commit({"b.txt": "b\n"})
    assert head_of(linked.path) == linked.head() != repository.head()
    linked.git("pack-refs", "--all")
    assert head_of(linked.path) == linked.head()
    linked.git("checkout", "--quiet", "--detach", "main")
    assert head_of(linked.path) == repository.head()


def test_head_before_the_first_commit_or_without_a_repository_is_unknown(make_repository: Make, tmp_path: Path) -> None:
    assert head_of(make_repository().path) is None
    assert head_of(tmp_path) is None


@pytest.mark.skipif(sys.platform == "win32", reason="a user needs a right to create links there")
def test_a_link_leads_to_its_folder_after_that_was_moved(tmp_path: Path, sidecar: MemorySidecar) -> None:
    first, moved, link = tmp_path / "first", tmp_path / "moved", tmp_path / "link"
    first.mkdir()
    link.symlink_to(first)
    workspaces = process_of(sidecar).workspaces
    assert workspaces.get(str(link), None).cwd == first
    first.rename(moved)
    link.unlink()
    link.symlink_to(moved)
    assert workspaces.get(str(link), None).cwd == moved
