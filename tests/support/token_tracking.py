"""Repositories in which one file contains a token of its own, so that what is sent can be compared with what is on
disk.
"""

import contextlib
import os
import re
from pathlib import Path

from tests.support.random_work import RandomWork
from tests.support.repositories import Repository

WATCHED = "src/watched.py"


class Work(RandomWork):
    """Work of people and agents, who do not touch the memory folder."""

    def git(self, *arguments: str) -> None:
        """Run git; `git clean` leaves the memories."""
        super().git(*arguments, *(("--exclude", ".chati") if arguments[0] == "clean" else ()))

    def file(self) -> Path:
        """Return a file outside the memory folder."""
        path = super().file()
        return self.random_path() if ".chati" in path.parts else path

    def folder(self) -> Path:
        """Return a folder outside the memory folder."""
        folder = super().folder()
        if ".chati" in folder.parts or ".chati" in os.listdir(folder):
            folder = self.root / "src"  # never the repository itself
            folder.mkdir(exist_ok=True)
        return folder


def files_of(number: int) -> dict[str, str]:
    """Return the initial files of a repository."""
    return {
        "README.md": f"# Project {number}\n\nIt counts.\n", WATCHED: "def token_0_0() -> int:\n    return 0\n",
        **{f"src/part{at}.py": f"def part_{number}_{at}() -> int:\n    return {at}\n" for at in range(12)},
    }  # fmt: skip


def tokens_in(text: str) -> set[str]:
    """Return the tokens in a text."""
    return set(re.findall(r"token_\d+_\d+", text))


def is_removed_line(line: str) -> bool:
    """Whether a line of a diff was removed, also in commits since the session's last run."""
    return line.lstrip().startswith("-")


def tokens_on_disk(path: Path) -> set[str]:
    """Return the tokens in the files, the index and the head commit."""
    tokens = set()
    for file in path.rglob("*"):
        if ".git" not in file.parts and ".chati" not in file.parts:
            with contextlib.suppress(OSError):
                tokens |= tokens_in(file.read_text("utf-8", "replace"))
    for where in (("HEAD",), ("--cached",)):
        with contextlib.suppress(AssertionError, OSError):  # random work may leave a repository without a commit
            tokens |= tokens_in(Repository(path).git("grep", "-h", "-a", "-E", "token_[0-9]+_[0-9]+", *where))
    return tokens


def head_index_and_branches(path: Path) -> tuple[bytes, bytes, str]:
    """Return what belongs only to the user: HEAD, the index, and every branch except the memory branch."""
    refs = Repository(path).git("for-each-ref", "--format=%(objectname) %(refname)")
    others = "\n".join(line for line in refs.splitlines() if "refs/heads/memory/" not in line)
    index = path / ".git" / "index"
    return (path / ".git" / "HEAD").read_bytes(), index.read_bytes() if index.exists() else b"", others


def head_of(repository: Repository) -> str:
    """Return the head commit; empty on a branch without one."""
    with contextlib.suppress(AssertionError):
        return repository.git("rev-parse", "--verify", "--quiet", "HEAD")
    return ""


def memory_commits(repository: Repository) -> int:
    """Count the commits on memory branches."""
    with contextlib.suppress(AssertionError):
        return int(repository.git("rev-list", "--count", "--branches=memory/*"))
    return 0
