"""The git command: a clean environment, no prompts, no locks taken, no console window."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sidecar.system.environment import environment, for_child

NOT_A_REPOSITORY = "not a git repository"
DAMAGED = "the repository is damaged"
NO_WORK_TREE = "the folder is not in a work tree"

_CONFIG = (
    "--no-pager",
    "-c", "core.fsmonitor=false",  # never start a daemon or a hook of the repository's
    "-c", "log.showSignature=false",  # would start gpg and put its words among the commits
    "-c", "i18n.logOutputEncoding=UTF-8",
    "-c", "diff.suppressBlankEmpty=false",  # a line of content keeps the mark before it
    "-c", "diff.renameLimit=1000",
    "-c", "status.renameLimit=1000",
)  # fmt: skip

_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # the same for a git that does not know it yet: nothing is fetched, whoever is told to
    "LC_ALL": "C",
}

_KEPT_VARIABLES = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH")
"""The user's own, which say how git is run and not on what; the configuration's (`GIT_CONFIG_…`) are kept too."""

_REASONS: Sequence[tuple[bytes, str]] = (
    (b"dubious ownership", "the repository belongs to another user"),
    (b"invalid gitfile format", DAMAGED),
    (b"filesystem boundary", NOT_A_REPOSITORY),
    (b"not a git repository", NOT_A_REPOSITORY),
    (b"must be run in a work tree", NO_WORK_TREE),
    (b"repository extension", "this git does not know the repository's format"),
    (b"Expected git repo version", "this git does not know the repository's format"),
    (b"unknown revision", "unknown revision"),
    (b"bad object", "unknown revision"),
    (b"bad revision", "unknown revision"),
    (b"Invalid revision range", "unknown revision"),
    (b"Permission denied", "no permission"),
    (b"index file", "the index is damaged"),
    (b"index signature", "the index is damaged"),
    (b"unable to read", DAMAGED),
    (b"bad config", "the repository's configuration is damaged"),
)

_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0

DEFAULT_TIMEOUT_SECONDS = 20.0


ANY_PROTOCOL = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
"""For `variables`, where what is run is the user's own, hooks for example: git's own choice."""


class GitFailed(Exception):
    """The command ended with an error; `reason` is a short word for it, never its output."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class GitMissing(GitFailed):
    """There is no git command on this machine."""

    def __init__(self) -> None:
        super().__init__("git is not installed")


class Git:
    """Runs git in one folder, or on a given pair of git directory and work tree.

    With `root`, git looks for a repository no higher than there. `variables` are added to its environment.
    """

    def __init__(
        self,
        cwd: Path,
        git_dir: Path | None = None,
        root: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.cwd = cwd
        self._variables = variables or {}
        self._where = () if git_dir is None else (f"--git-dir={git_dir}", f"--work-tree={cwd}")
        self._root = root

    def run(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        fine: tuple[int, ...] = (0,),
    ) -> bytes:
        """Gives the command's output; raises GitFailed, or GitMissing without a git command.

        `fine` are the exit codes of a command that did what it was asked.
        """
        try:
            process = subprocess.Popen(
                ["git", *_CONFIG, *self._where, *arguments],
                cwd=self.cwd,
                env={**_child_environment(self._root), **self._variables},
                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=_NO_WINDOW,
            )
        except FileNotFoundError as error:
            if not self.cwd.is_dir():
                raise GitFailed("the folder does not exist") from error
            raise GitMissing from error
        except OSError as error:
            raise GitFailed(f"git could not be started ({type(error).__name__})") from error
        with process:
            try:
                output, complaint = process.communicate(stdin, timeout=timeout)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise GitFailed("git timed out") from error
        if process.returncode not in fine:
            raise GitFailed(_reason(complaint))
        return output

    def text(self, *arguments: str) -> str:
        """Gives the command's output as text without the last line end."""
        return self.run(*arguments).decode("utf-8", "replace").rstrip("\n")

    @staticmethod
    def version() -> str:
        """Gives `git version …`; raises GitMissing."""
        return Git(Path.cwd()).text("version")


def _child_environment(root: Path | None) -> dict[str, str]:
    """The user's environment without the variables that would point git at another repository."""
    clean = for_child()
    for name in environment():
        if name.startswith("GIT_") and name not in _KEPT_VARIABLES and not name.startswith("GIT_CONFIG_"):
            clean.pop(name, None)
    if root is not None and os.pathsep not in str(root):
        clean["GIT_CEILING_DIRECTORIES"] = str(root.parent)
    return {**clean, **_ENVIRONMENT}


def _reason(stderr: bytes) -> str:
    return next((reason for mark, reason in _REASONS if mark in stderr), "git failed")
