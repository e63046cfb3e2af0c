"""More random work on files: conversions between kinds, odd names, many edits at once."""

import mmap
import os
import shutil
import subprocess

from tests.support import random_work
from tests.support.random_work import OPERATIONS, Operation, RandomWork

_ODD_NAMES = (":(top)x", "*", "new\nline.txt", "-n", " ", "caf\udce9.txt", "größe ß.py", 'quo"te', "a\\b", "x" * 200)


def write_odd_name(work: RandomWork) -> None:
    path = work.folder() / work.random.choice(_ODD_NAMES)
    path.write_bytes(work.text())


def edit(work: RandomWork) -> None:
    path = work.file()
    lines = path.read_bytes().split(b"\n")
    lines[work.random.randrange(len(lines))] += b"edited"
    path.write_bytes(b"\n".join(lines))


def edit_many(work: RandomWork) -> None:
    for _ in range(work.random.choice((3, 10, 30))):
        edit(work)


def edit_and_take_back(work: RandomWork) -> None:
    path = work.file()
    content = path.read_bytes()
    path.write_bytes(work.text())
    path.write_bytes(content)


def edit_line_ends(work: RandomWork) -> None:
    path = work.file()
    content = path.read_bytes().replace(b"\r\n", b"\n")
    path.write_bytes(content if work.random.random() < 0.5 else content.replace(b"\n", b"\r\n"))


def edit_by_another_process(work: RandomWork) -> None:
    subprocess.run(["sed", "-i", "s/1/2/", str(work.file())], check=False, capture_output=True)


def restore(work: RandomWork) -> None:
    path = work.file()
    name = path.relative_to(work.root).as_posix()
    shown = subprocess.run(["git", "show", f"HEAD:{name}"], cwd=work.root, capture_output=True, check=False)
    if shown.returncode == 0:
        path.write_bytes(shown.stdout)


def file_to_folder(work: RandomWork) -> None:
    path = work.file()
    path.unlink()
    path.mkdir()
    (path / "inside.txt").write_bytes(work.text())


def folder_to_file(work: RandomWork) -> None:
    folder = work.folder()
    shutil.rmtree(folder)
    folder.write_bytes(work.text())


def file_to_link(work: RandomWork) -> None:
    path = work.file()
    path.unlink()
    path.symlink_to(work.random.choice(("a.txt", "..", "nowhere")))


def link_to_what_it_leads_to(work: RandomWork) -> None:
    links = [path for path in sorted(work.root.rglob("*")) if path.is_symlink() and ".git" not in path.parts]
    path = work.random.choice(links)
    path.unlink()
    if work.random.random() < 0.5:
        path.write_bytes(work.text())
    else:
        path.mkdir()
        (path / "was-a-link.txt").write_bytes(work.text())


def swap_files(work: RandomWork) -> None:
    first, second = work.file(), work.file()
    temporary = work.outside / "file-between"
    first.rename(temporary)
    second.rename(first)
    temporary.rename(second)


def copy_folder(work: RandomWork) -> None:
    work._count += 1
    folder = work.folder()
    if sum(1 for _ in folder.rglob("*")) < 30:  # copies of copies would grow without end
        shutil.copytree(folder, work.root / f"copy{work._count % 5}", symlinks=True, dirs_exist_ok=True)


def delete_and_write_again(work: RandomWork) -> None:
    path = work.file()
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content if work.random.random() < 0.5 else work.text())


def write_through_a_mapping_of_the_whole(work: RandomWork) -> None:
    path = work.file()
    if path.stat().st_size:
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapping:
            mapping[:] = (work.text() * (len(mapping) // 20 + 1))[: len(mapping)]


def make_executable(work: RandomWork) -> None:
    path = work.file()
    path.chmod(path.stat().st_mode ^ 0o111)


def touch(work: RandomWork) -> None:
    os.utime(work.file())


def commit_in_another_worktree(work: RandomWork) -> None:
    """Commit in a linked worktree, which shares references and objects and nothing else."""
    other = work.outside / "worktree"
    if not other.is_dir():
        work.git("worktree", "add", "--force", "--detach", str(other))
    (other / "elsewhere.txt").write_bytes(work.text())
    for command in (("add", "--all"), ("commit", "--quiet", "--message", "Elsewhere")):
        work.git("-C", str(other), *command)
    work.git("-C", str(other), "branch", "--force", "elsewhere")


FILE_CHANGES: tuple[Operation, ...] = (
    *(write_odd_name, edit, edit, edit, edit_many, edit_and_take_back, edit_line_ends, edit_by_another_process),
    *(restore, file_to_folder, folder_to_file, file_to_link, link_to_what_it_leads_to, swap_files, copy_folder),
    *(delete_and_write_again, write_through_a_mapping_of_the_whole, make_executable, touch),
)

_RULES_AND_GIT = frozenset(OPERATIONS[OPERATIONS.index(random_work.change_ignored) :])
FILE_WORK: tuple[Operation, ...] = (
    *(operation for operation in OPERATIONS if operation not in _RULES_AND_GIT),
    *FILE_CHANGES,
    *FILE_CHANGES,
    *(random_work.add_one, random_work.commit, random_work.stash, random_work.unstash, random_work.change_ignored),
    *(random_work.switch_branch, random_work.nothing, random_work.make_own_files),
)
ALL_WORK: tuple[Operation, ...] = (*OPERATIONS, *FILE_CHANGES, commit_in_another_worktree)
