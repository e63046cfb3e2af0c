"""Tests of the incremental state: after an edit it equals a full read, or git is called."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest

from sidecar.call import Process
from sidecar.codebase import Repository as CodebaseRepository
from sidecar.codebase import StateUnavailable
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of, read_full_state, wait_until_watched
from tests.support.repositories import Repository

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux names each changed file")

Make = Callable[..., Repository]

FILES = {
    "a.txt": "one\n",
    "b.txt": "two\n",
    "run.sh": "echo\n",
    "sub/c.txt": "three\n",
    "sub/deep/d.txt": "four\n",
    "sub.txt": "between\n",
    "other/e.txt": "five\n",
    "ü ß/größe 1.txt": "six\n",
    "staged.txt": "seven\n",
    "gone.txt": "eight\n",
    "kept.txt": "nine\n",
    "old.txt": "a name that will change\nand some lines\nso that it is known again\n",
    ".gitignore": "*.log\nbuilt/\n",
}


@pytest.fixture
def process(sidecar: MemorySidecar) -> Process:
    return process_of(sidecar)


@pytest.fixture
def repository(make_repository: Make) -> Repository:
    made = make_repository(FILES)
    (made.path / "link").symlink_to("a.txt")
    made.commit({"built/seed": "x\n"})
    made.write({"staged.txt": "staged\n", "added.txt": "new\n", "dirty.txt": "untracked\n", "b.txt": "dirty\n"})
    (made.path / "gone.txt").unlink()
    (made.path / "old.txt").rename(made.path / "new name.txt")
    index = pygit2.Repository(str(made.path)).index  # as `git add`, `rm` and `mv` do, without a process for each
    for name in ("kept.txt", "gone.txt", "old.txt"):
        index.remove(name)
    for name in ("staged.txt", "added.txt", "new name.txt"):
        index.add(name)
    index.write()
    return made


def watched(process: Process, folder: Path) -> CodebaseRepository:
    workspace = CodebaseRepository(process.workspaces.get(str(folder), None), process)
    assert wait_until_watched(workspace)
    return workspace


def work(repository: Repository, script: str) -> None:
    """Run a script in the repository as another process."""
    subprocess.run(["sh", "-c", script], cwd=repository.path, check=True, capture_output=True)


DECIDED = {
    "edit": "echo edited > a.txt",
    "edit again": "echo edited > b.txt",
    "edit back": "echo two > b.txt",
    "edit deep": "echo edited > sub/deep/d.txt",
    "edit an odd name": "echo edited > 'ü ß/größe 1.txt'",
    "edit what is staged": "echo more > staged.txt",
    "edit what is added": "echo more > added.txt",
    "edit what is renamed": "echo more > 'new name.txt'",
    "edit through a link": "echo through > link",
    "delete": "rm a.txt",
    "delete what is added": "rm added.txt",
    "delete what is renamed": "rm 'new name.txt'",
    "delete what is untracked": "rm dirty.txt",
    "delete what was kept": "rm kept.txt",
    "bring back what is gone": "echo again > gone.txt",
    "bring back the old name": "echo again > old.txt",
    "new": "echo new > new.txt",
    "new and ignored": "echo new > new.log; echo n > n.txt",
    "new, with odd names": "echo 1 > ':(top)x'; echo 2 > '*'; echo 3 > ./-n; echo 4 > 'new\nline'; echo 5 > ' '",
    "new, not in UTF-8": "echo 1 > \"$(printf 'caf\\351')\"",
    "new and ours": "mkdir sub/.chati; echo 1 > sub/.chati/m.md; echo 1 > x.txt",
    "new, of a desktop": "echo 1 > .DS_Store; printf '\\0\\5\\026\\7\\0' > sub/._c.txt; echo 1 > ._own",
    "new folders": "mkdir -p n/e n/built; echo 1 > n/e/w.txt; echo 1 > n/e/w.log; echo 1 > n/built/x; echo 2 > n/o",
    "a folder that comes with rules": "mkdir ../n; echo '*.md' > ../n/.gitignore; echo 1 > ../n/a.md; mv ../n n",
    "an empty folder": "mkdir empty; echo 1 > a.txt",
    "executable": "chmod +x run.sh",
    "only touched": "touch b.txt; echo 1 > a.txt",
    "replaced": "echo 1 > t; mv t a.txt",
    "edited in place": "sed -i s/one/two/ a.txt",
    "renamed": "mv a.txt z.txt",
    "a folder renamed": "mv sub bus",
    "a folder renamed and written to": "mv sub bus; echo late > bus/deep/d.txt; echo late > bus/late.txt",
    "a folder moved into a new one": "mkdir n; mv sub n/sub",
    "folders swapped": "mv sub ../t; mv other sub; mv ../t other",
    "a folder deleted": "rm -r sub",
    "a folder out": "mv sub ../out",
    "a folder out, and back as another": "mv sub ../out; echo 1 > ../out/c.txt; mv ../out moved",
    "a file becomes a folder": "rm a.txt; mkdir a.txt; echo 1 > a.txt/x",
    "a folder becomes a file": "rm -r sub; echo file > sub",
    "a file becomes a link": "ln -sf b.txt a.txt",
    "a link becomes a file": "rm link; echo file > link",
    "a link leads elsewhere": "ln -sf b.txt link",
    "a folder becomes a link": "rm -r sub; ln -s other sub",
    "a folder becomes a link out": "rm -r sub; ln -s .. sub",
    "line ends": "printf 'one\r\ntwo\r\n' > a.txt",
    "the mode of a folder": "chmod 700 sub; echo 1 > a.txt",
}

LEFT_TO_GIT = {
    "ignore rules": "printf 'c.txt\n*.md\n' > sub/.gitignore; echo 1 > sub/n.md",
    "attributes": "echo '*.txt text' > .gitattributes; printf 'one\r\n' > a.txt",
    "staged": "git add b.txt",
    "branch": "git symbolic-ref HEAD refs/heads/next",
    "excluded": "mkdir -p .git/info; echo dirty.txt > .git/info/exclude",
    "a pipe": "rm a.txt; mkfifo a.txt",
    "a repository": "git init inner",
    "the mode of the root": "chmod 700 .",
}


@pytest.mark.parametrize("name", DECIDED)
def test_the_incremental_state_equals_git_status(process: Process, repository: Repository, name: str) -> None:
    workspace = watched(process, repository.path)
    before = workspace.state()
    work(repository, DECIDED[name])
    state = workspace.state()
    assert state.proof == "watch"
    assert state is not before
    assert state._replace(proof="status") == read_full_state(repository.path, process)


@pytest.mark.parametrize("name", LEFT_TO_GIT)
def test_undecidable_changes_are_left_to_git(process: Process, repository: Repository, name: str) -> None:
    workspace = watched(process, repository.path)
    work(repository, LEFT_TO_GIT[name])
    state = workspace.state()
    assert state.proof == "status"
    assert state == read_full_state(repository.path, process)


@pytest.mark.parametrize("where", ["sub", "linked", "sha256"])
def test_subfolders_linked_worktrees_and_sha256_are_supported(
    process: Process, repository: Repository, tmp_path: Path, where: str
) -> None:
    folder, place = repository.path, repository
    if where == "sub":
        folder = repository.path / "sub"
    elif where == "linked":
        place = repository.add_worktree(tmp_path / "linked", "feature")
        folder = place.path
    else:
        folder = tmp_path / "wide"
        folder.mkdir()
        place = Repository(folder)
        place.git("init", "--quiet", "--object-format=sha256")
        place.commit(FILES)
        place.git("rm", "--quiet", "--cached", "kept.txt")
    workspace = watched(process, folder)
    for number, change in enumerate(({"a.txt": "1\n"}, {"sub/c.txt": "2\n", "sub/n.txt": "n\n"}, {"kept.txt": "3\n"})):
        place.write(change)
        state = workspace.state()
        assert state.proof == "watch", number
        assert state._replace(proof="status") == read_full_state(folder, process), number


def test_ten_edits_and_a_folder_full_of_new_files_in_one_step(process: Process, repository: Repository) -> None:
    workspace = watched(process, repository.path)
    repository.write({f"many/{number}.txt": f"{number}\n" for number in range(300)})
    repository.write({f"{name}/{number}.txt": "x\n" for number in range(3) for name in ("sub", "other", "sub/deep")})
    state = workspace.state()
    assert (state.proof, state._replace(proof="status")) == ("watch", read_full_state(repository.path, process))


def test_very_many_changed_files_are_left_to_git(process: Process, repository: Repository) -> None:
    workspace = watched(process, repository.path)
    repository.write({f"many/{number // 50}/{number}.txt": "x\n" for number in range(1_500)})
    assert workspace.state() == read_full_state(repository.path, process)


def test_a_workspace_in_a_subfolder_has_the_changes_of_the_rest(process: Process, repository: Repository) -> None:
    workspace = watched(process, repository.path / "sub")
    repository.write({"a.txt": "elsewhere\n", "other/n.txt": "new\n", "sub/c.txt": "inside\n"})
    state = workspace.state()
    assert [file.path for file in state.changed] == ["c.txt"]
    outside = {file.path: file.kind for file in state.outside}
    assert (outside["../a.txt"], outside["../other/n.txt"]) == ("unstaged", "untracked")
    assert (state.proof, state._replace(proof="status")) == (
        "watch", read_full_state(repository.path / "sub", process),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("attributes", "content", "is_decided"),
    [
        ("*.txt text=auto\n", "plain\n", True),
        ("*.txt text=auto\n", "with\r\n", False),
        ("*.bin filter=upper\n", "plain\n", True),
        ("a.* filter=upper\n", "plain\n", False),
        ("*.txt ident\n", "$Id$\n", False),
        ("[attr]shout filter=upper\n*.txt shout\n", "plain\n", False),
    ],
)
def test_contents_that_git_converts_are_left_to_git(
    process: Process, repository: Repository, attributes: str, content: str, *, is_decided: bool
) -> None:
    repository.git("config", "filter.upper.clean", "tr a-z A-Z")
    repository.write({".gitattributes": attributes})
    workspace = watched(process, repository.path)
    repository.write({"a.txt": content})
    state = workspace.state()
    assert (state.proof == "watch") is is_decided
    assert state._replace(proof="status") == read_full_state(repository.path, process)


@pytest.mark.parametrize("setting", ["core.trustCtime=false", "core.checkStat=minimal", "core.sparseCheckout=true"])
def test_settings_that_change_what_git_compares_leave_it_to_git(
    process: Process, repository: Repository, setting: str
) -> None:
    repository.git("config", *setting.split("="))
    workspace = watched(process, repository.path)
    repository.write({"a.txt": "edited\n"})
    assert workspace.state() == read_full_state(repository.path, process)


def test_file_modes_are_ignored_if_git_ignores_them(process: Process, repository: Repository) -> None:
    repository.git("config", "core.fileMode", "false")
    workspace = watched(process, repository.path)
    (repository.path / "run.sh").chmod(0o755)
    state = workspace.state()
    assert (state.proof, state._replace(proof="status")) == ("watch", read_full_state(repository.path, process))


def test_a_conflict_is_left_to_git(process: Process, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\n"})
    repository.git("checkout", "--quiet", "-b", "other")
    repository.commit({"a.txt": "other\n"})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"a.txt": "main\n"})
    with pytest.raises(AssertionError):
        repository.git("merge", "other")
    workspace = watched(process, repository.path)
    repository.write({"a.txt": "<<<<<<< still\n"})
    assert workspace.state() == read_full_state(repository.path, process)


def test_committed_content_with_a_different_size_is_left_to_git(process: Process, repository: Repository) -> None:
    repository.write({".gitattributes": "*.txt eol=crlf\n"})
    work(repository, "rm a.txt; git checkout a.txt")
    assert (repository.path / "a.txt").read_bytes() == b"one\r\n"
    workspace = watched(process, repository.path)
    repository.write({"a.txt": "one\n"})
    assert workspace.state() == read_full_state(repository.path, process)


@pytest.mark.parametrize("script", ["rm -r sub; echo file > sub", "mv sub t; mkdir sub; echo 1 > sub/x", "rm -r sub"])
def test_a_workspace_whose_folder_was_replaced_is_read_anew(
    process: Process, repository: Repository, script: str
) -> None:
    workspace = watched(process, repository.path / "sub")
    work(repository, script)
    try:
        found: object = workspace.state()
    except StateUnavailable as error:
        found = error.reason
    try:
        expected: object = read_full_state(repository.path / "sub", process)
    except StateUnavailable as error:
        expected = error.reason
    assert found == expected
