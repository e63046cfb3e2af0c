"""Commits to one branch of the user's repository; the only code that writes to it.

Blobs, trees and a commit are written as objects; then the ref moves if nobody moved it meanwhile. HEAD, index,
worktree, stash and all other refs stay untouched, and no hook runs.
"""

from pathlib import Path
from typing import Any

from sidecar.core.errors import PolicyDenied, WorkspaceUnavailable
from sidecar.system import fast_import
from sidecar.system.libgit import pygit2
from sidecar.system.refs import (
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

_FILE, _FOLDER = 0o100644, 0o040000
_REFLOG = "continuity: artifacts"


def try_commit(location: RepositoryLocation, branch: str, branch_commit: BranchCommit) -> Tip | None:
    """Add files to a branch, creating it if needed; return None if another writer was first.

    Raise WorkspaceUnavailable for an unusable repository, PolicyDenied if the branch cannot exist, Conflict for a
    folder where a file should be or the other way round.
    """
    repository = _open_repository(location)
    if repository is None:
        return fast_import.try_commit(location, branch, branch_commit)
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
        if fast_import.is_supported(location):
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
