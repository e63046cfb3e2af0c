"""After an edit the state is worked out from the one before, and equals what a full look finds; else git is asked."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.call import Process
from sidecar.codebase.repository import Repository as Watched
from sidecar.codebase.worktree.state import StateUnavailable
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
    made.git("add", "staged.txt", "added.txt")
    made.git("rm", "--quiet", "--cached", "kept.txt")
    made.git("rm", "--quiet", "gone.txt")
    made.git("mv", "old.txt", "new name.txt")
    return made


def watched(process: Process, folder: Path) -> Watched:
    one = Watched(process.workspaces.get(str(folder), None), process)
    assert wait_until_watched(one)
    return one


def work(repository: Repository, script: str) -> None:
    """Works in the repository as another process."""
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
def test_what_changed_in_the_worktree_is_worked_out_as_git_would_say(
    process: Process, repository: Repository, name: str
) -> None:
    one = watched(process, repository.path)
    before = one.state()
    work(repository, DECIDED[name])
    now = one.state()
    assert now.proof == "watch"
    assert now is not before
    assert now._replace(proof="status") == read_full_state(repository.path, process)


@pytest.mark.parametrize("name", LEFT_TO_GIT)
def test_what_is_not_plain_is_left_to_git(process: Process, repository: Repository, name: str) -> None:
    one = watched(process, repository.path)
    work(repository, LEFT_TO_GIT[name])
    now = one.state()
    assert now.proof == "status"
    assert now == read_full_state(repository.path, process)


@pytest.mark.parametrize("where", ["sub", "linked", "sha256"])
def test_other_places_and_formats_are_worked_out_the_same(
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
    one = watched(process, folder)
    for number, change in enumerate(({"a.txt": "1\n"}, {"sub/c.txt": "2\n", "sub/n.txt": "n\n"}, {"kept.txt": "3\n"})):
        place.write(change)
        now = one.state()
        assert now.proof == "watch", number
        assert now._replace(proof="status") == read_full_state(folder, process), number


def test_ten_edits_and_a_folder_full_of_new_files_in_one_step(process: Process, repository: Repository) -> None:
    one = watched(process, repository.path)
    repository.write({f"many/{number}.txt": f"{number}\n" for number in range(300)})
    repository.write({f"{name}/{number}.txt": "x\n" for number in range(3) for name in ("sub", "other", "sub/deep")})
    now = one.state()
    assert (now.proof, now._replace(proof="status")) == ("watch", read_full_state(repository.path, process))


def test_more_files_than_are_looked_at_one_by_one_are_left_to_git(process: Process, repository: Repository) -> None:
    one = watched(process, repository.path)
    repository.write({f"many/{number // 50}/{number}.txt": "x\n" for number in range(1_500)})
    assert one.state() == read_full_state(repository.path, process)


def test_a_workspace_in_a_subfolder_does_not_change_with_the_rest(process: Process, repository: Repository) -> None:
    one = watched(process, repository.path / "sub")
    before = one.state()
    repository.write({"a.txt": "elsewhere\n", "other/n.txt": "new\n"})
    assert one.state() is before


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
    one = watched(process, repository.path)
    repository.write({"a.txt": content})
    now = one.state()
    assert (now.proof == "watch") is is_decided
    assert now._replace(proof="status") == read_full_state(repository.path, process)


@pytest.mark.parametrize("setting", ["core.trustCtime=false", "core.checkStat=minimal", "core.sparseCheckout=true"])
def test_settings_that_change_what_git_compares_leave_it_to_git(
    process: Process, repository: Repository, setting: str
) -> None:
    repository.git("config", *setting.split("="))
    one = watched(process, repository.path)
    repository.write({"a.txt": "edited\n"})
    assert one.state() == read_full_state(repository.path, process)


def test_modes_do_not_count_where_git_does_not_heed_them(process: Process, repository: Repository) -> None:
    repository.git("config", "core.fileMode", "false")
    one = watched(process, repository.path)
    (repository.path / "run.sh").chmod(0o755)
    now = one.state()
    assert (now.proof, now._replace(proof="status")) == ("watch", read_full_state(repository.path, process))


def test_a_conflict_is_left_to_git(process: Process, make_repository: Make) -> None:
    repository = make_repository({"a.txt": "one\n"})
    repository.git("checkout", "--quiet", "-b", "other")
    repository.commit({"a.txt": "other\n"})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"a.txt": "main\n"})
    with pytest.raises(AssertionError):
        repository.git("merge", "other")
    one = watched(process, repository.path)
    repository.write({"a.txt": "<<<<<<< still\n"})
    assert one.state() == read_full_state(repository.path, process)


def test_a_file_of_the_committed_content_but_another_size_than_git_wrote_is_left_to_git(
    process: Process, repository: Repository
) -> None:
    repository.write({".gitattributes": "*.txt eol=crlf\n"})
    work(repository, "rm a.txt; git checkout a.txt")
    assert (repository.path / "a.txt").read_bytes() == b"one\r\n"
    one = watched(process, repository.path)
    repository.write({"a.txt": "one\n"})
    assert one.state() == read_full_state(repository.path, process)


@pytest.mark.parametrize("script", ["rm -r sub; echo file > sub", "mv sub t; mkdir sub; echo 1 > sub/x", "rm -r sub"])
def test_a_workspace_whose_own_folder_is_replaced_is_looked_at_anew(
    process: Process, repository: Repository, script: str
) -> None:
    one = watched(process, repository.path / "sub")
    work(repository, script)
    try:
        found: object = one.state()
    except StateUnavailable as error:
        found = error.reason
    try:
        expected: object = read_full_state(repository.path / "sub", process)
    except StateUnavailable as error:
        expected = error.reason
    assert found == expected
