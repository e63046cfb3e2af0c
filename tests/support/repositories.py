"""Git repositories for tests: nothing of the user's or the system's configuration, fixed authors and dates."""

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

from sidecar.system.watch.base import COOKIE_PREFIX

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

SIDECARS_AUTHOR = "continuity@onecode.invalid"

made: list[Path] = []
"""Every repository made since the list was cleared, whatever test made it."""


class Repository:
    """A git repository in a folder of its own, driven by the real git."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *arguments: str) -> str:
        """Runs git here and gives its output without the last line end; raises when git fails."""
        return git(self.path, *arguments)

    def write(self, files: Mapping[str, Contents]) -> None:
        """Writes files, with their folders."""
        for name, contents in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    def commit(self, files: Mapping[str, Contents] | None = None, message: str = "Change things") -> str:
        """Writes files, commits everything there is and gives the commit's id."""
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.head()

    def head(self) -> str:
        """Gives the id of the commit checked out."""
        return self.git("rev-parse", "HEAD")

    def add_worktree(self, path: Path, branch: str) -> "Repository":
        """Makes a linked worktree on a new branch."""
        self.git("worktree", "add", "--quiet", "-b", branch, str(path))
        return Repository(path)

    def add_submodule(self, other: "Repository", name: str) -> "Repository":
        """Adds and commits another repository as a submodule."""
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), name)
        self.git("commit", "--quiet", "--message", f"Add {name}")
        return Repository(self.path / name)

    def untouchable(self, *but: str) -> dict[str, object]:
        """Gives all that nobody but the user may change: the worktree's files and the git directory's.

        Objects are only ever added, and branches named in `but`, with their log, may move. Linked worktrees' own
        files stand in the git directory too.
        """
        common = Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
        is_bare = self.git("rev-parse", "--is-bare-repository") == "true"
        moved = {f"{folder}/{branch}" for branch in but for folder in ("refs/heads", "logs/refs/heads")}
        kept = {
            f".git/{name}": content
            for name, content in _files(common).items()
            if name not in moved and not name.startswith("objects/")
        }
        refs = self.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)").splitlines()
        worktree = {} if is_bare else {k: v for k, v in _files(self.path).items() if not k.startswith(".git/")}
        return {**kept, **worktree, "refs": [ref for ref in refs if ref.split(" ")[0] not in moved]}


def stray_commits(path: Path) -> list[str]:
    """Lists the sidecar's commits that HEAD, a stash, or any ref but a memory branch leads to.

    A repository that a test took away or damaged holds none.
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
        return _stray_commits_of(path)  # what libgit2 cannot open, and what a test damaged


def _stray_commits_of(path: Path) -> list[str]:
    memory = ("refs/heads/memory/*", "refs/remotes/*/memory/*")
    done = subprocess.run(
        ["git", "log", "--format=%H", f"--author={SIDECARS_AUTHOR}", *(f"--exclude={ref}" for ref in memory), "--all"],
        cwd=path if path.is_dir() else None,
        env={**os.environ, **HERMETIC, "GIT_CEILING_DIRECTORIES": str(path.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.stdout.decode().split() if path.is_dir() and done.returncode == 0 else []


def _files(folder: Path) -> dict[str, bytes]:
    """Gives a folder's files; a watcher's cookies come and go by themselves."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(COOKIE_PREFIX)
    }


def git(folder: Path, *arguments: str) -> str:
    """Runs git in a folder and gives its output without the last line end; raises when git fails."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **HERMETIC},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr.decode()}"
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def make_repository(path: Path, files: Mapping[str, Contents] | None = None) -> Repository:
    """Create a repository on branch `main`; with files also its first commit.

    A copied template and a commit by libgit2 give the same bytes as `git init`, `add` and `commit`, without four
    processes per repository. Where git would convert contents, git commits.
    """
    path.mkdir(parents=True, exist_ok=True)
    repository = Repository(path)
    shutil.copytree(_template(), path / ".git", dirs_exist_ok=True)
    made.append(path)
    if files is None:
        return repository
    if any(name.endswith(".gitattributes") for name in files):
        repository.commit(files, "Begin")
    else:
        repository.write(files)
        _commit_first(path, "Begin")
    return repository


@functools.cache
def _template() -> Path:
    """Return the git directory of an empty repository, created once per process."""
    folder = Path(tempfile.mkdtemp(prefix="template-"))
    git(folder, "init", "--quiet", "--initial-branch", "main")
    return folder / ".git"


def _commit_first(path: Path, message: str) -> None:
    import pygit2

    repository = pygit2.Repository(str(path))
    repository.index.add_all()
    repository.index.write()
    tree = repository.index.write_tree()
    seconds = int(datetime.fromisoformat(DATE).timestamp())
    ada = pygit2.Signature(HERMETIC["GIT_AUTHOR_NAME"], HERMETIC["GIT_AUTHOR_EMAIL"], seconds, 0)
    repository.create_commit("refs/heads/main", ada, ada, f"{message}\n", tree, [])
    repository.free()
