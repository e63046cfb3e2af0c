"""Repositories in which one file says a token of its own: what is told of it can be compared with what stands."""

import contextlib
import os
import re
from pathlib import Path

from tests.support.random_work import RandomWork
from tests.support.repositories import Repository

WATCHED = "src/watched.py"


class Work(RandomWork):
    """Work of people and agents, who leave the memories' folder to us."""

    def git(self, *arguments: str) -> None:
        """Runs git; cleaning up takes no memories."""
        super().git(*arguments, *(("--exclude", ".chati") if arguments[0] == "clean" else ()))

    def file(self) -> Path:
        """Gives a file that is not ours."""
        found = super().file()
        return self.place() if ".chati" in found.parts else found

    def folder(self) -> Path:
        """Gives a folder that is not ours."""
        found = super().folder()
        if ".chati" in found.parts or ".chati" in os.listdir(found):
            found = self.root / "src"  # never the repository itself
            found.mkdir(exist_ok=True)
        return found


def files_of(number: int) -> dict[str, str]:
    """Gives what a repository begins with."""
    return {
        "README.md": f"# Project {number}\n\nIt counts.\n", WATCHED: "def token_0_0() -> int:\n    return 0\n",
        **{f"src/part{at}.py": f"def part_{number}_{at}() -> int:\n    return {at}\n" for at in range(12)},
    }  # fmt: skip


def tokens_in(text: str) -> set[str]:
    """Gives the tokens that a text says."""
    return set(re.findall(r"token_\d+_\d+", text))


def is_gone(line: str) -> bool:
    """Whether a line of a difference tells what went, also in commits since the session last looked."""
    return line.lstrip().startswith("-")


def standing_in(path: Path) -> set[str]:
    """Gives the tokens that stand in the files, in the index or in the head commit."""
    found = set()
    for file in path.rglob("*"):
        if ".git" not in file.parts and ".chati" not in file.parts:
            with contextlib.suppress(OSError):
                found |= tokens_in(file.read_text("utf-8", "replace"))
    for where in (("HEAD",), ("--cached",)):
        with contextlib.suppress(AssertionError, OSError):  # random work may leave a repository without a commit
            found |= tokens_in(Repository(path).git("grep", "-h", "-a", "-E", "token_[0-9]+_[0-9]+", *where))
    return found


def users_own(path: Path) -> tuple[bytes, bytes, str]:
    """Gives what is the user's alone of a repository: HEAD, the index, and every branch but the memory branch."""
    refs = Repository(path).git("for-each-ref", "--format=%(objectname) %(refname)")
    others = "\n".join(line for line in refs.splitlines() if "refs/heads/memory/" not in line)
    index = path / ".git" / "index"
    return (path / ".git" / "HEAD").read_bytes(), index.read_bytes() if index.exists() else b"", others


def head_of(place: Repository) -> str:
    """Gives the head commit; empty on a branch without one."""
    with contextlib.suppress(AssertionError):
        return place.git("rev-parse", "--verify", "--quiet", "HEAD")
    return ""


def memory_commits(place: Repository) -> int:
    """Counts the commits on memory branches."""
    with contextlib.suppress(AssertionError):
        return int(place.git("rev-list", "--count", "--branches=memory/*"))
    return 0
