"""The git command: a clean environment, no prompts, no locks taken, no console window."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from sidecar.system.environment import environment, for_child

_CONFIG = (
    "-c", "core.fsmonitor=false",  # never start a daemon or a hook of the repository's
    "-c", "core.quotepath=off",
    "-c", "status.submoduleSummary=false",
    "-c", "diff.noprefix=false",
    "-c", "diff.mnemonicPrefix=false",
)  # fmt: skip

_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}

_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0

DEFAULT_TIMEOUT_SECONDS = 20.0


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
    """Runs git in one folder, or on a given pair of git directory and work tree."""

    def __init__(self, cwd: Path, git_dir: Path | None = None) -> None:
        self.cwd = cwd
        self._where = () if git_dir is None else (f"--git-dir={git_dir}", f"--work-tree={cwd}")

    def run(self, *arguments: str, stdin: bytes | None = None, timeout: float = DEFAULT_TIMEOUT_SECONDS) -> bytes:
        """Gives the command's output; raises GitFailed, or GitMissing without a git command."""
        try:
            process = subprocess.Popen(
                ["git", *_CONFIG, *self._where, *arguments],
                cwd=self.cwd,
                env=_child_environment(),
                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=_NO_WINDOW,
            )
        except FileNotFoundError as error:
            if not self.cwd.is_dir():
                raise GitFailed("the folder is gone") from error
            raise GitMissing from error
        except OSError as error:
            raise GitFailed(f"git could not be started ({type(error).__name__})") from error
        with process:
            try:
                output, complaint = process.communicate(stdin, timeout=timeout)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise GitFailed("git took too long") from error
        if process.returncode != 0:
            raise GitFailed(_reason(complaint))
        return output

    def text(self, *arguments: str) -> str:
        """Gives the command's output as text without the last line end."""
        return self.run(*arguments).decode("utf-8", "replace").rstrip("\n")

    @staticmethod
    def version() -> str:
        """Gives `git version …`; raises GitMissing."""
        return Git(Path.cwd()).text("version")


def _child_environment() -> dict[str, str]:
    """The user's environment without the variables that would point git at another repository."""
    pointing = (
        name for name in environment() if name.startswith("GIT_") and name not in ("GIT_SSH", "GIT_SSH_COMMAND")
    )
    clean = for_child(_ENVIRONMENT)
    for name in pointing:
        if name not in _ENVIRONMENT and not name.startswith("GIT_CONFIG_"):
            clean.pop(name, None)
    return clean


def _reason(stderr: bytes) -> str:
    known: Sequence[tuple[bytes, str]] = (
        (b"not a git repository", "not a git repository"),
        (b"dubious ownership", "the repository belongs to another user"),
        (b"unknown revision", "unknown revision"),
        (b"bad object", "unknown revision"),
        (b"bad revision", "unknown revision"),
        (b"Permission denied", "no permission"),
        (b"index file", "the index is damaged"),
    )
    return next((reason for mark, reason in known if mark in stderr), "git failed")
