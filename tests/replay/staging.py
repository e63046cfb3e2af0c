"""The repositories of a replay: clones of the recorded ones, and the steps performed in them."""

import os
from pathlib import Path

from sidecar.system.git import Git, GitFailed
from sidecar.system.safe_open import read_regular
from tests.replay.reader import ReplayFailed
from tests.replay.recording import (
    MAIN,
    AddWorktree,
    Commit,
    Delete,
    Edit,
    Merge,
    Rename,
    Reset,
    Session,
    Step,
    Switch,
    Write,
)

CLONE_SECONDS = 900.0
MAX_FILE_BYTES = 64 * 2**20

_SETTINGS = (
    "-c", "user.name=1Code",
    "-c", "user.email=1code@localhost",
    "-c", "commit.gpgSign=false",
    "-c", f"core.hooksPath={os.devnull}",  # the repository's hooks do not run
    "-c", "gc.auto=0",
)  # fmt: skip


class Stage:
    """A session's repository and its worktrees, by name."""

    def __init__(self, root: Path, folder: Path) -> None:
        """`folder` is the parent of further worktrees."""
        self._folder = folder
        self.roots: dict[str, Path] = {MAIN: root}

    def do(self, step: Step, worktree: str, now: str) -> list[str]:
        """Perform a step at a time (RFC 3339) and return the files it wrote; raise ReplayFailed."""
        root = self.roots[worktree]
        try:
            return self._do(step, root, now)
        except GitFailed as error:
            raise ReplayFailed(f"git cannot do that here: {error.reason}.") from error
        except OSError as error:
            raise ReplayFailed(f"The file cannot be changed ({type(error).__name__}).") from error

    def _do(self, step: Step, root: Path, now: str) -> list[str]:
        match step:
            case Write():
                _write(_inside(root, step.write), step.text)
                return [step.write]
            case Edit():
                _replace(_inside(root, step.edit), step)
                return [step.edit]
            case Delete():
                _inside(root, step.delete).unlink()
                return [step.delete]
            case Rename():
                _inside(root, step.to).parent.mkdir(parents=True, exist_ok=True)
                _inside(root, step.rename).rename(_inside(root, step.to))
                return [step.rename, step.to]
            case _:
                self._git(step, root, now)
                return []

    def _git(self, step: Step, root: Path, now: str) -> None:
        match step:
            case Commit():
                _run(root, now, "add", "--all")
                _run(root, now, "commit", "--quiet", "--no-verify", "--allow-empty", "--message", step.commit)
            case Switch():
                _run(root, now, "switch", "--quiet", *(["--create"] if step.create else []), step.switch)
            case Reset():
                _run(root, now, "reset", "--quiet", "--hard", step.reset)
            case Merge():
                _run(root, now, "merge", "--quiet", "--no-edit", "--no-ff", step.merge)
            case AddWorktree():
                target = self._folder / f"worktree-{len(self.roots)}"
                _run(root, now, "worktree", "add", "--quiet", "-b", step.branch, os.fspath(target))
                self.roots[step.add_worktree] = target
            case _:
                raise AssertionError(step)


def stage(session: Session, repositories: Path, folder: Path, now: str) -> Stage:
    """Clone the session's repository into a folder; raise ReplayFailed."""
    source = repositories / session.repository
    if not source.is_dir():
        raise ReplayFailed(f"Session {session.session!r}: there is no repository at {source}.")
    try:
        root = _copied(source, session, folder, now)
        Git(root).run("rev-parse", "--verify", "--quiet", "HEAD")
    except GitFailed as error:
        raise ReplayFailed(f"Session {session.session!r}: {source} cannot be played on: {error.reason}.") from error
    return Stage(root, folder)


def _copied(source: Path, session: Session, folder: Path, now: str) -> Path:
    """Clone a repository without its uncommitted changes."""
    folder.mkdir(parents=True)
    target = folder / source.name.removesuffix(".git")
    _run(folder, now, "clone", "--quiet", os.fspath(source.resolve()), os.fspath(target), timeout=CLONE_SECONDS)
    if session.at is not None:
        _run(target, now, "reset", "--quiet", "--hard", session.at)
    return target


def _run(root: Path, now: str, *arguments: str, timeout: float = 120.0) -> None:
    variables = {
        "GIT_AUTHOR_DATE": now,
        "GIT_COMMITTER_DATE": now,
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_ALLOW_PROTOCOL": "file",
    }
    Git(root, variables=variables).run(*_SETTINGS, *arguments, timeout=timeout)


def _inside(root: Path, name: str) -> Path:
    """Return a file's path in the worktree; raise ReplayFailed for one outside it or in `.git`."""
    parts = name.split("/")
    folder = os.path.realpath(root.joinpath(*parts[:-1])) if not os.path.isabs(name) else ""
    base = os.path.realpath(root)
    is_git = any(part.casefold() == ".git" for part in parts)
    if is_git or ".." in parts or "\\" in name or (folder != base and not folder.startswith(os.path.join(base, ""))):
        raise ReplayFailed(f"{name!r} is no file of the worktree.")
    target = Path(folder, parts[-1])
    if target.is_symlink():
        raise ReplayFailed(f"{name!r} is a link; a recording names the file it leads to.")
    return target


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode())


def _replace(target: Path, step: Edit) -> None:
    try:
        text = read_regular(os.fspath(target), MAX_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayFailed(f"{step.edit!r} cannot be read as text.") from error
    times = text.count(step.find)
    if times != 1:
        raise ReplayFailed(f"`find` occurs {times} times in {step.edit!r}, and not once.")
    target.write_bytes(text.replace(step.find, step.replace).encode())
