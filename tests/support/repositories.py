"""Git repositories for tests: no user or system configuration, fixed authors and dates."""

import contextlib
import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from sidecar.system.folder_watch import COOKIE_PREFIX

DATE = "2026-03-01T09:00:00+00:00"

HERMETIC = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": DATE,
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": DATE,
    "GIT_TERMINAL_PROMPT": "0",
}

Contents = str | bytes

PATIENCE_SECONDS = 120.0
"""Enough for a busy machine."""

SIDECARS_AUTHOR = "continuity@onecode.invalid"

repositories_made: list[Path] = []
"""Every repository created since the list was cleared, by any test."""


class Repository:
    """A git repository in its own folder, driven by the real git."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *arguments: str) -> str:
        """Run git here and return its output without the last line end. Raise if git fails."""
        return git(self.path, *arguments)

    def write(self, files: Mapping[str, Contents]) -> None:
        """Write files, with their folders."""
        for name, contents in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    def commit(self, files: Mapping[str, Contents] | None = None, message: str = "Change things") -> str:
        """Write files, commit everything and return the commit's id."""
        self.write(files or {})
        if message == message.strip() and "\n" not in message and _is_plain(self.path):
            return _commit_all(self.path, message)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.head()

    def head(self) -> str:
        """Return the id of the checked-out commit."""
        return _loose_head(self.path) or self.git("rev-parse", "HEAD")

    def add_worktree(self, path: Path, branch: str) -> "Repository":
        """Add a linked worktree on a new branch."""
        self.git("worktree", "add", "--quiet", "-b", branch, str(path))
        return Repository(path)

    def add_submodule(self, other: "Repository", name: str) -> "Repository":
        """Add and commit another repository as a submodule."""
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), name)
        self.git("commit", "--quiet", "--message", f"Add {name}")
        return Repository(self.path / name)

    def protected_state(self, *but: str) -> dict[str, object]:
        """Return everything only the user may change: the files of the worktree and of the git directory.

        Objects are only ever added, and branches named in `but`, with their log, may move. Linked worktrees' own files
        are in the git directory too.
        """
        common = Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
        is_bare = self.git("rev-parse", "--is-bare-repository") == "true"
        moved = {f"{folder}/{branch}" for branch in but for folder in ("refs/heads", "logs/refs/heads")}
        git_files = {
            f".git/{name}": content
            for name, content in _files(common).items()
            if name not in moved and not name.startswith("objects/")
        }
        refs = self.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)").splitlines()
        worktree = {} if is_bare else {k: v for k, v in _files(self.path).items() if not k.startswith(".git/")}
        return {**git_files, **worktree, "refs": [ref for ref in refs if ref.split(" ")[0] not in moved]}


def stray_commits(path: Path) -> list[str]:
    """Return the sidecar's commits that are reachable from HEAD, a stash, or any ref except a memory branch.

    A repository that a test removed or damaged has none.
    """
    import pygit2

    try:
        repository = pygit2.Repository(str(path), pygit2.enums.RepositoryOpenFlag.NO_SEARCH)
        walker = repository.walk(None)
        for name in [*repository.references, "HEAD"]:
            if not re.match(r"refs/(heads|remotes/[^/]+)/memory/", name):
                with contextlib.suppress(KeyError):  # HEAD of a branch without a commit
                    walker.push(repository.references[name].peel(pygit2.Commit).id)
        return [str(commit.id) for commit in walker if commit.author.email == SIDECARS_AUTHOR]
    except (pygit2.GitError, ValueError):
        return _stray_commits_of(path)  # libgit2 cannot open it, or a test damaged it


def _stray_commits_of(path: Path) -> list[str]:
    memory_refs = ("refs/heads/memory/*", "refs/remotes/*/memory/*")
    done = subprocess.run(
        [
            "git",
            "log",
            "--format=%H",
            f"--author={SIDECARS_AUTHOR}",
            *(f"--exclude={ref}" for ref in memory_refs),
            "--all",
        ],
        cwd=path if path.is_dir() else None,
        env={**os.environ, **HERMETIC, "GIT_CEILING_DIRECTORIES": str(path.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return done.stdout.decode().split() if path.is_dir() and done.returncode == 0 else []


def _files(folder: Path) -> dict[str, bytes]:
    """Return a folder's files, without a watcher's temporary cookies."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(COOKIE_PREFIX)
    }


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder and return its output without the last line end. Raise if git fails or does not end.

    The output goes to files: a pipe ends only when every process that inherited it has ended.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env={**os.environ, **HERMETIC},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read())
    assert done.returncode == 0, f"git {' '.join(arguments)}: {texts[1].decode()}"
    return texts[0].decode("utf-8", "surrogateescape").removesuffix("\n")


def make_repository(path: Path, files: Mapping[str, Contents] | None = None) -> Repository:
    """Create a repository on branch `main`; with files also its first commit.

    A copied template and a commit by libgit2 give the same as `git init`, `add` and `commit`, without four processes
    per repository. Where git would convert contents or run a hook, git commits.
    """
    path.mkdir(parents=True, exist_ok=True)
    repository = Repository(path)
    shutil.copytree(_template(), path / ".git", dirs_exist_ok=True)
    repositories_made.append(path)
    if files is None:
        return repository
    repository.commit(files, "Begin")
    return repository


@functools.cache
def _template() -> Path:
    """Return the git directory of an empty repository, created once per process."""
    folder = Path(tempfile.mkdtemp(prefix="template-"))
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for hook in (folder / ".git" / "hooks").iterdir():
        hook.unlink()  # samples, which nothing needs and every test would copy
    return folder / ".git"


_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "info/attributes")
_OF_GIT_ALONE = frozenset((".git", ".gitattributes", ".gitmodules"))


def _is_plain(path: Path) -> bool:
    """Whether libgit2 commits the same as git: configuration of the template, no conversion, nothing under way."""
    folder = path / ".git"
    try:
        if (folder / "config").read_bytes() != (_template() / "config").read_bytes() or any(
            (folder / "hooks").iterdir()
        ):
            return False
    except OSError:  # a linked worktree, a submodule, or damaged
        return False
    for where, folders, files in os.walk(path):
        if where == os.fspath(path):
            folders.remove(".git")
        if not _OF_GIT_ALONE.isdisjoint((*folders, *files)):
            return False
    return not any((folder / name).exists() for name in _UNDER_WAY)


def _loose_head(path: Path) -> str | None:
    """Return the checked-out commit where it is a loose ref of the main worktree."""
    folder = path / ".git"
    try:
        head = (folder / "HEAD").read_text(encoding="ascii").strip()
        name = head.removeprefix("ref: ")
        text = head if name == head else (folder / name).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return text if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text) else None


def _commit_all(path: Path, message: str) -> str:
    import pygit2

    repository = pygit2.Repository(str(path), pygit2.enums.RepositoryOpenFlag.NO_SEARCH)
    repository.index.add_all()
    repository.index.write()
    tree = repository.index.write_tree()
    seconds = int(datetime.fromisoformat(DATE).timestamp())
    ada = pygit2.Signature(HERMETIC["GIT_AUTHOR_NAME"], HERMETIC["GIT_AUTHOR_EMAIL"], seconds, 0)
    parents = [] if repository.head_is_unborn else [repository.head.target]
    commit = repository.create_commit("HEAD", ada, ada, f"{message}\n", tree, parents)
    repository.free()
    return str(commit)
