"""The only writer of a user's repository: adds files to one branch as a commit, and moves that one ref.

Blobs, trees and a commit are written as objects; then the ref is moved if it still is where it was read. HEAD, index,
worktree, stash and all other refs are not looked at, and no hook runs.
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
    Addition,
    Files,
    Place,
    Tip,
    in_another_place,
    require_room,
)

_FILE, _FOLDER = 0o100644, 0o040000
_REFLOG = "continuity: artifacts"


def add_once(place: Place, branch: str, addition: Addition) -> Tip | None:
    """Adds files to a branch, which it makes where there is none; None where another writer was first.

    Raises WorkspaceUnavailable for a repository that cannot be used, PolicyDenied where the branch cannot be,
    Conflict for a folder in the place of a file or the other way round.
    """
    repository = _opened(place)
    if repository is None:
        return fast_import.add_once(place, branch, addition)
    name = HEADS + branch
    try:
        held = repository.references.get(name)
        if held is None:
            require_room(branch, repository.references)
        parent = repository[held.target] if held is not None else None
        tree = _tree_with(repository, parent.tree if parent is not None else None, addition.files)
        if parent is not None and tree == parent.tree.id:
            return Tip(str(parent.id), is_new=False)
        commit = _commit(repository, addition, tree, [parent.id] if parent is not None else [])
    except (pygit2().GitError, KeyError, ValueError, OSError) as error:
        raise WorkspaceUnavailable(
            "The repository's objects cannot be read or written.", hint="Check its permissions and run `git fsck`."
        ) from error
    return Tip(str(commit), is_new=True) if _swap(repository, name, held, commit) else None


def lock_of(place: Place, branch: str) -> Path | None:
    """Gives the lock that keeps a branch from being moved, if one stands."""
    lock = place.common_dir / f"{HEADS}{branch}.lock"
    return lock if lock.exists() else None


def is_readable(place: Place, branch: str) -> bool:
    """Says whether a branch's commit and its folders can be read; nothing is written.

    A branch that is not there, and a repository of a format that libgit2 does not know, count as readable.
    """
    library = pygit2()
    try:
        repository = library.Repository(str(place.common_dir))
    except (library.GitError, KeyError, ValueError, OSError):
        return True
    try:
        held = repository.references.get(HEADS + branch)
        waiting = [held.peel(library.Commit).tree] if held is not None else []
        while waiting:
            tree = waiting.pop()
            waiting += [repository[entry.id] for entry in tree if entry.filemode == _FOLDER]
            if not all(entry.id in repository for entry in tree):
                return False
    except (library.GitError, KeyError, ValueError, OSError):
        return False
    return True


def _opened(place: Place) -> Any:
    """Opens a repository; None for one of a format that git knows and libgit2 does not."""
    library = pygit2()
    try:
        library.option(library.enums.Option.ENABLE_FSYNC_GITDIR, True)  # a ref never outlives its objects
        repository = library.Repository(str(place.common_dir))
        repository.set_ident(AUTHOR_NAME, AUTHOR_EMAIL)
    except (library.GitError, KeyError, ValueError, OSError) as error:
        if "not owned" in str(error):
            raise WorkspaceUnavailable(
                "The repository belongs to another user.", hint="Trust it with git's `safe.directory`."
            ) from error
        if fast_import.serves(place):
            return None
        raise PolicyDenied(
            "The repository's format cannot be written safely.",
            hint="Artifacts stay in the state file.",
        ) from error
    return repository


def _tree_with(repository: Any, tree: Any, files: Files) -> Any:
    """Writes a tree that holds files beside what it held, and gives its id."""
    builder = repository.TreeBuilder(tree) if tree is not None else repository.TreeBuilder()
    below: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        first, _, rest = path.partition("/")
        if rest:
            below.setdefault(first, {})[rest] = content
        else:
            _held(tree, first, "blob")
            builder.insert(first, repository.create_blob(content), _FILE)
    for folder, inner in below.items():
        builder.insert(folder, _tree_with(repository, _held(tree, folder, "tree"), inner), _FOLDER)
    return builder.write()


def _held(tree: Any, name: str, kind: str) -> Any:
    """Gives what a tree has under a name; raises Conflict where that is of another kind."""
    found = tree[name] if tree is not None and name in tree else None
    if found is not None and found.type_str != kind:
        raise in_another_place(name)
    return found


def _commit(repository: Any, addition: Addition, tree: Any, parents: list[Any]) -> Any:
    signature = pygit2().Signature(AUTHOR_NAME, AUTHOR_EMAIL, addition.at_s, 0)
    return repository.create_commit(None, signature, signature, addition.message, tree, parents)


def _swap(repository: Any, name: str, held: Any, commit: Any) -> bool:
    """Moves the ref if it still is where it was read; False where it is not, or somebody holds its lock."""
    try:
        if held is None:
            repository.create_reference_direct(name, commit, False, message=_REFLOG)
        else:
            held.set_target(commit, _REFLOG)
    except (pygit2().GitError, ValueError, OSError):
        return False
    return True
