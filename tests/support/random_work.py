"""Random work in a repository, as agents, users and editors do it: each step is one operation, reported by its name."""

import contextlib
import mmap
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.repositories import HERMETIC, Repository

Operation = Callable[["RandomWork"], None]

_NAMES = ("a.txt", "b.py", "größe.txt", "with space.md", "x.log", "yarn.lock", "keep.me")
_FOLDERS = ("", "src", "src/deep/er", "build", "docs", "node_modules/pkg", "ü ß")
_RULES = ("", "*.log\n", "build/\n", "build/\n!build/keep.me\n", "node_modules/\n*.log\n", "/src/deep\n", "docs/*\n")


class RandomWork:
    """A repository under random work; the same seed gives the same work."""

    def __init__(
        self, repository: Repository, outside: Path, seed: int, operations: "Sequence[Operation] | None" = None
    ) -> None:
        self.root = repository.path
        self.outside = outside
        self.random = random.Random(seed)
        self.operations = operations or OPERATIONS
        self._count = 0
        outside.mkdir(exist_ok=True)

    def step(self) -> str:
        """Do one operation, or a few in a row, and return their names."""
        names = []
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            operation = self.random.choice(self.operations)
            with contextlib.suppress(OSError, shutil.Error, IndexError):
                operation(self)
            names.append(operation.__name__)
        return "+".join(names)

    def git(self, *arguments: str) -> None:
        """Run git, whether it succeeds or not."""
        environment = {**os.environ, **HERMETIC, "GIT_EDITOR": "true"}
        subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    def text(self) -> bytes:
        """Return unique content of one of a few sizes."""
        self._count += 1
        return f"{self._count:08} {self.random.random():.17f}\n".encode() * self.random.choice((1, 1, 3, 400))

    def random_path(self) -> Path:
        """Return a path where a file may be."""
        path = self.root / self.random.choice(_FOLDERS) / self.random.choice(_NAMES)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def file(self) -> Path:
        """Return an existing file, or a path for one."""
        files = [path for path in sorted(self.root.rglob("*")) if ".git" not in path.parts and path.is_file()]
        return self.random.choice(files[:400]) if files else self.random_path()

    def folder(self) -> Path:
        """Return an existing folder."""
        folders = [path for path in sorted(self.root.rglob("*")) if ".git" not in path.parts and path.is_dir()]
        if folders:
            return self.random.choice(folders)
        (self.root / "src").mkdir()
        return self.root / "src"


def write(work: RandomWork) -> None:
    work.random_path().write_bytes(work.text())


def rewrite_same_size(work: RandomWork) -> None:
    path = work.file()
    size = path.stat().st_size
    path.write_bytes((work.text() * (size // 20 + 1))[:size])


def rewrite_same_size_and_time(work: RandomWork) -> None:
    path = work.file()
    status = path.stat()
    while time.time_ns() // 10**9 <= status.st_ctime_ns // 10**9:
        time.sleep(0.05)  # git compares whole seconds, and would itself not see it
    path.write_bytes((work.text() * (status.st_size // 20 + 1))[: status.st_size])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def append(work: RandomWork) -> None:
    with open(work.file(), "ab") as file:
        file.write(work.text())


def truncate(work: RandomWork) -> None:
    path = work.file()
    os.truncate(path, path.stat().st_size // 2)


def delete(work: RandomWork) -> None:
    work.file().unlink()


def rename_file(work: RandomWork) -> None:
    work.file().rename(work.random_path())


def rename_folder(work: RandomWork) -> None:
    work._count += 1
    work.folder().rename(work.root / f"moved{work._count % 7}")


def rename_folder_and_write_in_it(work: RandomWork) -> None:
    work._count += 1
    target = work.root / f"moved{work._count % 7}"
    work.folder().rename(target)
    (target / "late.txt").write_bytes(work.text())


def rename_folder_into_a_new_one(work: RandomWork) -> None:
    work._count += 1
    parent = work.root / f"new{work._count % 7}"
    parent.mkdir()
    folder = work.folder()
    folder.rename(parent / folder.name)
    (parent / folder.name / "late.txt").write_bytes(work.text())


def swap_folders(work: RandomWork) -> None:
    first, second, temporary = work.folder(), work.folder(), work.outside / "between"
    first.rename(temporary)
    second.rename(first)
    temporary.rename(second)


def move_folder_out(work: RandomWork) -> None:
    shutil.rmtree(work.outside / "out", ignore_errors=True)
    work.folder().rename(work.outside / "out")


def move_folder_in(work: RandomWork) -> None:
    (work.outside / "out").rename(work.root / work.random.choice(("back", "src", "build")))


def write_outside(work: RandomWork) -> None:
    (work.outside / "out" / "a.txt").write_bytes(work.text())


def delete_folder(work: RandomWork) -> None:
    shutil.rmtree(work.folder())


def change_mode(work: RandomWork) -> None:
    os.chmod(work.file(), work.random.choice((0o644, 0o755)))


def change_mode_of_folder(work: RandomWork) -> None:
    folder = work.folder()
    os.chmod(folder, work.random.choice((0o755, 0o700)))


def link(work: RandomWork) -> None:
    path = work.random_path()
    path.unlink(missing_ok=True)
    path.symlink_to(work.random.choice(("a.txt", "src", "nowhere", str(work.outside))))


def replace_folder_by_link(work: RandomWork) -> None:
    folder = work.folder()
    shutil.rmtree(folder)
    folder.symlink_to(work.outside)


def make_deep(work: RandomWork) -> None:
    work._count += 1
    deep = work.folder() / f"n{work._count % 5}" / "a" / "b" / "c"
    deep.mkdir(parents=True, exist_ok=True)
    (deep / "deep.txt").write_bytes(work.text())


def replace_atomically(work: RandomWork) -> None:
    path = work.file()
    beside = path.with_name(f".{path.name}.swp")
    beside.write_bytes(work.text())
    beside.replace(path)


def replace_with_backup(work: RandomWork) -> None:
    path = work.file()
    text = work.text()
    path.rename(path.with_name(path.name + "~"))
    path.write_bytes(text)
    path.with_name(path.name + "~").unlink()


def write_through_mapping(work: RandomWork) -> None:
    path = work.file()
    if path.stat().st_size == 0:
        return  # there is nothing to map
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapping:
        mapping[: min(8, len(mapping))] = work.text()[: min(8, len(mapping))]


def write_by_another_process(work: RandomWork) -> None:
    script = "import sys; open(sys.argv[1], 'ab').write(sys.argv[2].encode())"
    command = [sys.executable, "-I", "-S", "-c", script, str(work.random_path()), work.text().decode()[:60]]
    subprocess.run(command, check=False, capture_output=True)


def change_ignored(work: RandomWork) -> None:
    folder = work.random.choice((".", "src", "build", "docs"))
    path = work.root / folder / ".gitignore"
    path.parent.mkdir(exist_ok=True)
    path.write_text(work.random.choice(_RULES), encoding="utf-8")


def change_excluded(work: RandomWork) -> None:
    (work.root / ".git" / "info" / "exclude").write_text(work.random.choice(_RULES), encoding="utf-8")


def change_configuration(work: RandomWork) -> None:
    work.git("config", "core.fileMode", work.random.choice(("true", "false")))


def change_attributes(work: RandomWork) -> None:
    rules = work.random.choice(("* text=auto\n", "*.txt eol=crlf\n", ""))
    (work.root / ".gitattributes").write_text(rules, encoding="utf-8")


def make_own_files(work: RandomWork) -> None:
    path = work.root / ".chati" / "memories" / "m.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(work.text())


def add_all(work: RandomWork) -> None:
    work.git("add", "--all")


def add_one(work: RandomWork) -> None:
    work.git("add", "--force", "--", str(work.file()))


def intend_to_add(work: RandomWork) -> None:
    work.git("add", "--intent-to-add", "--", str(work.file()))


def unstage(work: RandomWork) -> None:
    work.git("reset", "--quiet")


def take_out_of_index(work: RandomWork) -> None:
    work.git("rm", "--quiet", "--cached", "--", str(work.file()))


def assume_unchanged(work: RandomWork) -> None:
    flag = work.random.choice(("--assume-unchanged", "--no-assume-unchanged", "--refresh"))
    work.git("update-index", flag, str(work.file()))


def commit(work: RandomWork) -> None:
    work.git("add", "--all")
    work.git("commit", "--quiet", "--message", "Work")


def commit_staged(work: RandomWork) -> None:
    work.git("commit", "--quiet", "--message", "Work")


def amend(work: RandomWork) -> None:
    work._count += 1
    work.git("commit", "--quiet", "--amend", "--allow-empty", "--message", f"Amend {work._count}")


def switch_branch(work: RandomWork) -> None:
    work.git("checkout", "--quiet", work.random.choice(("main", "one", "two/three")))


def force_branch(work: RandomWork) -> None:
    work.git("checkout", "--quiet", "--force", "-B", work.random.choice(("one", "two/three")))


def rename_branch(work: RandomWork) -> None:
    work.git("branch", "--move", "one", work.random.choice(("five", "two/six")))


def detach(work: RandomWork) -> None:
    work.git("checkout", "--quiet", "--detach", "HEAD~1")


def move_branch_only(work: RandomWork) -> None:
    work.git("update-ref", "HEAD", "HEAD~1")


def move_head_only(work: RandomWork) -> None:
    work.git("symbolic-ref", "HEAD", work.random.choice(("refs/heads/main", "refs/heads/one", "refs/heads/none")))


def pack_references(work: RandomWork) -> None:
    work.git("pack-refs", "--all")


def stash(work: RandomWork) -> None:
    work.git("stash", "--quiet", *work.random.choice(((), ("--include-untracked",))))


def unstash(work: RandomWork) -> None:
    work.git("stash", "pop", "--quiet")


def reset_hard(work: RandomWork) -> None:
    work.git("reset", "--quiet", "--hard", work.random.choice(("HEAD", "HEAD~1")))


def reset_soft(work: RandomWork) -> None:
    work.git("reset", "--quiet", work.random.choice(("--soft", "--mixed")), "HEAD~1")


def merge(work: RandomWork) -> None:
    work.git("merge", "--quiet", work.random.choice(("main", "one", "two/three")))


def rebase(work: RandomWork) -> None:
    work.git("rebase", "--quiet", work.random.choice(("main", "one", "two/three")))


def pick(work: RandomWork) -> None:
    work.git("cherry-pick", work.random.choice(("main", "one", "two/three")))


def abort_unfinished(work: RandomWork) -> None:
    for what in ("merge", "rebase", "cherry-pick"):
        work.git(what, "--abort")


def clean(work: RandomWork) -> None:
    work.git("clean", "--quiet", "-d", "--force", *work.random.choice(((), ("-x",))))


def refresh(work: RandomWork) -> None:
    work.git("status")


def nothing(_work: RandomWork) -> None:
    pass


def collect_garbage(work: RandomWork) -> None:
    work.git("gc", "--quiet")


def sparse(work: RandomWork) -> None:
    work.git("sparse-checkout", *work.random.choice((("set", "--no-cone", "/*", "!/docs"), ("disable",))))


OPERATIONS: tuple[Operation, ...] = (
    *(write, write, write, rewrite_same_size, rewrite_same_size, rewrite_same_size_and_time, append, truncate, delete),
    *(rename_file, rename_folder, rename_folder_and_write_in_it, rename_folder_into_a_new_one, swap_folders),
    *(move_folder_out, move_folder_in, write_outside, delete_folder, change_mode, change_mode_of_folder, link),
    *(replace_folder_by_link, make_deep, replace_atomically, replace_atomically, replace_with_backup),
    *(write_through_mapping, write_by_another_process, change_ignored, change_ignored, change_excluded),
    *(change_configuration, change_attributes, make_own_files, add_all, add_one, intend_to_add, unstage),
    *(take_out_of_index, assume_unchanged, commit, commit, commit_staged, amend, switch_branch, switch_branch),
    *(force_branch, rename_branch, detach, move_branch_only, move_head_only, pack_references, stash, unstash),
    *(reset_hard, reset_soft, merge, rebase, pick, abort_unfinished, abort_unfinished, clean, refresh),
    *(nothing, nothing, nothing, nothing, collect_garbage, sparse),
)
