"""Commits to one branch of the user's repository; the only code that writes to it.

Blobs, trees and a commit are written as objects; then the ref moves if nobody moved it meanwhile. HEAD, index,
worktree, stash and all other refs stay untouched, and no hook runs.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sidecar.core.errors import PolicyDenied, WorkspaceUnavailable
from sidecar.system.branch_uses import (
    AUTHOR_EMAIL,
    AUTHOR_NAME,
    HEADS,
    BranchCommit,
    Files,
    RepositoryLocation,
    Tip,
    path_conflict,
    require_no_ref_conflict,
)
from sidecar.system.git import Git, GitFailed
from sidecar.system.libgit import pygit2

# Commits through `git fast-import`, for repositories libgit2 cannot open: SHA-256, partial clones.
#
# git moves the ref only if the new commit follows the current one. Hooks are disabled.


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
        refs = _related_refs(git, branch)
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


def _related_refs(git: Git, branch: str) -> dict[str, str]:
    """Return commits by ref: the branch, and all refs that share the first part of its name."""
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

    Raise WorkspaceUnavailable for an unusable repository, PolicyDenied if the branch cannot exist, Conflict for a
    folder where a file should be or the other way round.
    """
    repository = _open_repository(location)
    if repository is None:
        return try_commit_fast_import(location, branch, branch_commit)
    name = HEADS + branch
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
    return Tip(str(commit), is_new=True) if _compare_and_swap(repository, name, ref, commit) else None


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
        repository = library.Repository(str(location.common_dir))
    except (library.GitError, KeyError, ValueError, OSError):
        return True
    try:
        ref = repository.references.get(HEADS + branch)
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
        repository = library.Repository(str(location.common_dir))
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
    entry = tree[name] if tree is not None and name in tree else None
    if entry is not None and entry.type_str != kind:
        raise path_conflict(name)
    return entry


def _commit(repository: Any, branch_commit: BranchCommit, tree: Any, parents: list[Any]) -> Any:
    signature = pygit2().Signature(AUTHOR_NAME, AUTHOR_EMAIL, branch_commit.at_s, 0)
    return repository.create_commit(None, signature, signature, branch_commit.message, tree, parents)


def _compare_and_swap(repository: Any, name: str, ref: Any, commit: Any) -> bool:
    """Move the ref if it still is where it was read; return False if it is not, or if it is locked."""
    try:
        if ref is None:
            repository.create_reference_direct(name, commit, False, message=_REFLOG)
        else:
            ref.set_target(commit, _REFLOG)
    except (pygit2().GitError, ValueError, OSError):
        return False
    return True
