"""The branches of the user's repository: where it is, what uses them, and commits to one; no other code writes to it.

Commits go through libgit2, or through `git fast-import` for repositories that libgit2 cannot open (SHA-256, partial
clones).
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.core.errors import Conflict, PolicyDenied, WorkspaceUnavailable
from sidecar.system.git import (
    HEADS,
    SYMBOLIC,
    Git,
    GitFailed,
    first_line_of,
    lookup_name,
    open_repository,
    pygit2,
    require_no_pipe,
)
from sidecar.system.safe_open import read_regular

AUTHOR_NAME, AUTHOR_EMAIL = "1Code continuity", "continuity@onecode.invalid"
"""Author of our commits: never the user, with an address that cannot exist (RFC 2606)."""

Files = Mapping[str, bytes]
"""Contents by path, with `/` between the parts."""


class BranchCommit(NamedTuple):
    """Files to add to a branch, with the commit's message and time (seconds since 1970-01-01 UTC)."""

    files: Files
    message: str
    at_s: int


class Tip(NamedTuple):
    """A branch's newest commit that contains the files; `is_new` is False if they were there already."""

    commit: str
    is_new: bool


def require_no_ref_conflict(branch: str, refs: Iterable[str]) -> None:
    """Raise PolicyDenied if a ref's name is a folder of the branch's name, or the other way round."""
    name = HEADS + branch
    parts = name.split("/")
    parent_refs = {"/".join(parts[:count]) for count in range(3, len(parts))}
    for other in refs:
        if other in parent_refs or other.startswith(f"{name}/"):
            raise PolicyDenied(
                f"The branch name `{branch}` conflicts with the existing branch `{other.removeprefix(HEADS)}`.",
                hint="Choose another branch in the setting `memoryBranch`.",
            )


def path_conflict(name: str) -> Conflict:
    """Return the error for a file where the branch has a folder, or the other way round."""
    return Conflict(f"`{name}` on the memory branch is not of the expected kind.", hint="Rename it on that branch.")


_REMOTES = "refs/remotes"
_IN_PROGRESS_FILES = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START", "rebase-merge/update-refs")
"""Files that name the branches a rebase or bisection returns to, one per line."""

MAX_REF_BYTES = 2**20
"""Maximum size of a file that names refs."""

_MAX_HOPS = 5
"""Maximum length of a chain of symbolic refs; git has the same limit."""


class RepositoryLocation(NamedTuple):
    """A repository: the folder it was found from, and the git directory all its worktrees share."""

    folder: Path
    common_dir: Path


class BranchUses(NamedTuple):
    """Uses of branches, by their short names."""

    checked_out: frozenset[str]
    """Branches that a worktree has checked out, will create with its first commit, or returns to after a rebase or a
    bisection.
    """
    remote_defaults: frozenset[str]
    """Default branches of the remotes."""
    symbolic_target: str | None
    """Target of the requested branch if it is a symbolic ref."""
    same_names: frozenset[str] = frozenset()
    """Other refs that git finds by the requested branch's name, as `refs/remotes/origin/x` for `origin/x`."""
    is_foreign: bool = False
    """Whether the requested branch exists and was started by somebody else."""


def locate_repository(folder: Path) -> RepositoryLocation:
    """Return the repository at or above a folder, bare ones included.

    Raise WorkspaceUnavailable if there is none, or if a named pipe is in the place of one of its files.
    """
    try:
        require_no_pipe(str(folder))
    except OSError as error:
        raise WorkspaceUnavailable(
            f"Nothing can be read from the repository: {error.strerror}.", hint="Remove the pipe."
        ) from error
    try:
        git_dir_path = pygit2().discover_repository(str(folder))
    except (ValueError, KeyError, OSError):
        git_dir_path = None
    if git_dir_path is None:
        raise WorkspaceUnavailable(
            "The project is not in a git repository.", hint="Artifacts stay in the state file as drafts."
        )
    git_dir = Path(git_dir_path)
    common_dir = first_line_of(git_dir / "commondir")
    return RepositoryLocation(folder, (git_dir / common_dir).resolve() if common_dir else git_dir)


def branch_uses(location: RepositoryLocation, branch: str) -> BranchUses:
    """Return what the repository's branches are used for, and what `branch` itself is."""
    common, git = location.common_dir, Git(location.folder)
    return BranchUses(
        frozenset(_checked_out(common)),
        frozenset(_remote_defaults(common)),
        _symbolic_target(common / f"{HEADS}{branch}"),
        frozenset(_same_names(git, branch)),
        _is_foreign(git, branch),
    )


def _same_names(git: Git, branch: str) -> Iterator[str]:
    """Yield the refs that `git rev-parse` prefers to a branch, or confuses with it (gitrevisions(7)).

    Below the name of a remote, a fetch may create a ref of the same name at any time.
    """
    patterns = [f"{prefix}{branch}" for prefix in ("refs/", "refs/tags/", "refs/remotes/")]
    first, is_below, _ = branch.partition("/")
    of_remote = f"refs/remotes/{first}/"
    for ref in _output(git, "for-each-ref", "--format=%(refname)", *patterns, *([of_remote] if is_below else [])):
        is_in_remote = bool(is_below) and ref.startswith(of_remote)
        if ref in patterns or ref == f"refs/remotes/{branch}/HEAD" or is_in_remote:
            yield ref


def _is_foreign(git: Git, branch: str) -> bool:
    """Whether a branch has a first commit that is not ours: we start the memory branch without a parent."""
    authors = _output(git, "log", "--max-parents=0", "--no-mailmap", "--format=%ae", f"{HEADS}{branch}", "--")
    return any(author != AUTHOR_EMAIL for author in authors)


def _output(git: Git, *arguments: str) -> list[str]:
    """Return the lines of a command; none if it fails, as for a missing branch: the commit itself then says why."""
    try:
        return git.text(*arguments).splitlines()
    except GitFailed:
        return []


def _checked_out(common: Path) -> Iterator[str]:
    for git_dir in (common, *_folders(common / "worktrees")):
        yield from _resolve_symbolic(common, _symbolic_target(git_dir / "HEAD"))
        for name in _IN_PROGRESS_FILES:
            for line in _lines(git_dir / name):
                yield line.removeprefix(HEADS)


def _resolve_symbolic(common: Path, ref: str | None) -> Iterator[str]:
    """Yield the branch a ref names, following symbolic refs."""
    for _ in range(_MAX_HOPS):
        if ref is None:
            return
        if ref.startswith(HEADS):
            yield ref.removeprefix(HEADS)
        ref = _symbolic_target(common / ref)


def _remote_defaults(common: Path) -> Iterator[str]:
    """Yield the remotes' default branches. A remote's name may contain slashes; symbolic refs are never packed."""
    root = common / _REMOTES
    for folder, _, names in os.walk(root):
        target = _symbolic_target(Path(folder) / "HEAD") if "HEAD" in names else None
        prefix = f"{_REMOTES}/{Path(folder).relative_to(root).as_posix()}/"
        if target is not None and target.startswith(prefix):
            yield target.removeprefix(prefix)


def _symbolic_target(file: Path) -> str | None:
    """Return the target of a symbolic ref, else None. Old versions of git used symbolic links."""
    try:
        if file.is_symlink():
            return os.readlink(file).replace(os.sep, "/")
    except OSError:
        return None
    line = first_line_of(file)
    return line.removeprefix(SYMBOLIC).strip() if line.startswith(SYMBOLIC) else None


def _lines(file: Path) -> list[str]:
    try:
        return read_regular(str(file), MAX_REF_BYTES).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []


def _folders(folder: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir()]
    except OSError:
        return []


_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
_IDENTITY = {"GIT_COMMITTER_NAME": AUTHOR_NAME, "GIT_COMMITTER_EMAIL": AUTHOR_EMAIL}  # for the reflog


def is_supported(location: RepositoryLocation) -> bool:
    """Whether git knows the repository's format and stores refs as files."""
    git = Git(location.folder)
    try:
        git.run("rev-parse", "--git-dir")
        refs = git.run("config", "--get", "extensions.refStorage", success_codes=(0, 1)).strip()
    except GitFailed:
        return False
    return refs in {b"", b"files"}


def try_commit_fast_import(location: RepositoryLocation, branch: str, branch_commit: BranchCommit) -> Tip | None:
    """Add files to a branch, creating it if needed; return None if another writer was first.

    Raise PolicyDenied if another branch is in the way, Conflict for a file where a folder should be,
    WorkspaceUnavailable if git cannot read the repository.
    """
    git = Git(location.folder, variables=_IDENTITY)
    try:
        refs = related_refs(git, branch)
        parent = refs.get(HEADS + branch)
        if parent is None:
            require_no_ref_conflict(branch, refs)
        elif _contains_files(git, parent, branch_commit):
            return Tip(parent, is_new=False)
        else:
            _require_folders(git, parent, branch_commit)
    except GitFailed as error:
        raise WorkspaceUnavailable("The repository cannot be read.", hint=f"git reports: {error.reason}.") from error
    stream = b"".join(_stream(branch, parent, branch_commit))
    try:
        output = git.run(*_NO_HOOKS, "fast-import", "--quiet", "--done", stdin=stream)
    except GitFailed:
        return None
    return Tip(output.decode("ascii", "replace").strip(), is_new=True)


def related_refs(git: Git, branch: str) -> dict[str, str]:
    """Return commits by ref: the branch, and all refs that share the first part of its name. Raise GitFailed."""
    pattern = HEADS + branch.split("/", maxsplit=1)[0]
    lines = git.text("for-each-ref", "--format=%(objectname) %(refname)", pattern).splitlines()
    return {name: commit for commit, _, name in (line.partition(" ") for line in lines)}


def _contains_files(git: Git, commit: str, branch_commit: BranchCommit) -> bool:
    entries = set(git.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *branch_commit.files).split(b"\0"))
    algorithm = git.text("rev-parse", "--show-object-format")
    return all(_entry(path, content, algorithm) in entries for path, content in branch_commit.files.items())


def _require_folders(git: Git, commit: str, branch_commit: BranchCommit) -> None:
    folders = {path[:end] for path in branch_commit.files for end, char in enumerate(path) if char == "/"}
    queries = "".join(f"{commit}:{folder}\n" for folder in sorted(folders)).encode()
    kinds = git.run("cat-file", "--batch-check=%(objecttype)", stdin=queries).split(b"\n")
    for folder, kind in zip(sorted(folders), kinds, strict=False):
        if kind == b"blob":
            raise path_conflict(folder)


def _entry(path: str, content: bytes, algorithm: str) -> bytes:
    """Return a file's line in `git ls-tree`; a blob's id is the hash of its kind, length and content."""
    digest = hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    return f"100644 blob {digest}\t{path}".encode()


def _stream(branch: str, parent: str | None, branch_commit: BranchCommit) -> Iterator[bytes]:
    """Yield the commit in the format of `git help fast-import`; the paths contain nothing that needs quoting."""
    yield f"commit {HEADS}{branch}\nmark :1\n".encode()
    for role in ("author", "committer"):
        yield f"{role} {AUTHOR_NAME} <{AUTHOR_EMAIL}> {branch_commit.at_s} +0000\n".encode()
    yield _data(branch_commit.message.encode("utf-8", "replace"))
    if parent is not None:
        yield f"from {parent}\n".encode()
    for path, content in branch_commit.files.items():
        yield f"M 100644 inline {path}\n".encode() + _data(content)
    yield b"\nget-mark :1\ndone\n"


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


_FILE, _FOLDER = 0o100644, 0o040000
_REFLOG = "continuity: artifacts"


def try_commit(location: RepositoryLocation, branch: str, branch_commit: BranchCommit) -> Tip | None:
    """Add files to a branch, creating it if needed; return None if another writer was first.

    Blobs, trees and a commit are written as objects, then the ref moves unless someone else moved it meanwhile. HEAD,
    index, worktree, stash and all other refs stay untouched, and no hook runs.
    Raise WorkspaceUnavailable for an unusable repository, PolicyDenied if the branch cannot exist, Conflict for a
    folder where a file should be or the other way round.
    """
    repository = _open_repository(location)
    if repository is None:
        return try_commit_fast_import(location, branch, branch_commit)
    name = lookup_name(HEADS + branch)
    try:
        ref = repository.references.get(name)
        if ref is None:
            require_no_ref_conflict(branch, repository.references)
        parent = repository[ref.target] if ref is not None else None
        tree = _write_tree(repository, parent.tree if parent is not None else None, branch_commit.files)
        if parent is not None and tree == parent.tree.id:
            return Tip(str(parent.id), is_new=False)
        commit = _commit(repository, branch_commit, tree, [parent.id] if parent is not None else [])
    except (pygit2().GitError, KeyError, ValueError, OSError) as error:
        raise WorkspaceUnavailable(
            "The repository's objects cannot be read or written.", hint="Check its permissions and run `git fsck`."
        ) from error
    is_moved = _create_ref(location, name, commit) if ref is None else _move_ref(ref, commit)
    return Tip(str(commit), is_new=True) if is_moved else None


def ref_lock_path(location: RepositoryLocation, branch: str) -> Path | None:
    """Return the path of the lock file that blocks updates of a branch, if it exists."""
    lock = location.common_dir / f"{HEADS}{branch}.lock"
    return lock if lock.exists() else None


def is_branch_readable(location: RepositoryLocation, branch: str) -> bool:
    """Whether a branch's commit and its folders can be read; writes nothing.

    A missing branch and a repository format that libgit2 does not know count as readable.
    """
    library = pygit2()
    try:
        repository = open_repository(str(location.common_dir))
    except (library.GitError, KeyError, ValueError, OSError):
        return True
    try:
        ref = repository.references.get(lookup_name(HEADS + branch))
        pending = [ref.peel(library.Commit).tree] if ref is not None else []
        while pending:
            tree = pending.pop()
            pending += [repository[entry.id] for entry in tree if entry.filemode == _FOLDER]
            if not all(entry.id in repository for entry in tree):
                return False
    except (library.GitError, KeyError, ValueError, OSError):
        return False
    return True


def _open_repository(location: RepositoryLocation) -> Any:
    """Open a repository; return None for a format that git knows and libgit2 does not."""
    library = pygit2()
    try:
        library.option(library.enums.Option.ENABLE_FSYNC_GITDIR, True)  # a ref must not survive its objects
        repository = open_repository(str(location.common_dir))
        repository.set_ident(AUTHOR_NAME, AUTHOR_EMAIL)
    except (library.GitError, KeyError, ValueError, OSError) as error:
        if "not owned" in str(error):
            raise WorkspaceUnavailable(
                "The repository belongs to another user.", hint="Trust it with git's `safe.directory`."
            ) from error
        if is_supported(location):
            return None
        raise PolicyDenied(
            "The repository's format cannot be written safely.",
            hint="Artifacts stay in the state file.",
        ) from error
    return repository


def _write_tree(repository: Any, tree: Any, files: Files) -> Any:
    """Write a tree with the files added to the existing entries; return its id."""
    builder = repository.TreeBuilder(tree) if tree is not None else repository.TreeBuilder()
    subfolders: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        first, _, rest = path.partition("/")
        if rest:
            subfolders.setdefault(first, {})[rest] = content
        else:
            _entry_of_kind(tree, first, "blob")
            builder.insert(first, repository.create_blob(content), _FILE)
    for folder, inner in subfolders.items():
        builder.insert(folder, _write_tree(repository, _entry_of_kind(tree, folder, "tree"), inner), _FOLDER)
    return builder.write()


def _entry_of_kind(tree: Any, name: str, kind: str) -> Any:
    """Return the tree's entry of that name, if any; raise Conflict if it has another kind."""
    name = lookup_name(name)
    entry = tree[name] if tree is not None and name in tree else None
    if entry is not None and entry.type_str != kind:
        raise path_conflict(name)
    return entry


def _commit(repository: Any, branch_commit: BranchCommit, tree: Any, parents: list[Any]) -> Any:
    signature = pygit2().Signature(AUTHOR_NAME, AUTHOR_EMAIL, branch_commit.at_s, 0)
    return repository.create_commit(None, signature, signature, branch_commit.message, tree, parents)


def _create_ref(location: RepositoryLocation, name: str, commit: Any) -> bool:
    """Create a ref unless someone else did meanwhile; return False if so.

    By git itself: libgit2 looks for the ref before it locks it, so of two that create it at once one would be lost.
    """
    is_missing = "0" * len(str(commit))
    try:
        Git(location.folder, variables=_IDENTITY).run(
            *_NO_HOOKS, "update-ref", "-m", _REFLOG, name, str(commit), is_missing
        )
    except GitFailed:
        return False
    return True


def _move_ref(ref: Any, commit: Any) -> bool:
    """Move a ref if it still is where it was read; return False if it is not, or if it is locked."""
    try:
        ref.set_target(commit, _REFLOG)
    except (pygit2().GitError, ValueError, OSError):
        return False
    return True
