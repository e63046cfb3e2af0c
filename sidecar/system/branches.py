"""The only writer of a user's repository: adds files to one branch as a commit, and moves that one ref.

Blobs, trees and a commit are written as objects; then the ref is moved if it still is where it was read. HEAD, index,
worktree, stash and all other refs are not looked at, and no hook runs.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.core.errors import Conflict, PolicyDenied, WorkspaceUnavailable
from sidecar.system.libgit import pygit2
from sidecar.system.refs import HEADS, Place

AUTHOR_NAME, AUTHOR_EMAIL = "1Code continuity", "continuity@onecode.invalid"
"""Who commits: never the user, and an address that cannot be anybody's (RFC 2606)."""

_FILE, _FOLDER = 0o100644, 0o040000
_REFLOG = "continuity: artifacts"

Files = Mapping[str, bytes]
"""Contents by path, parts of it joined by slashes."""


class Addition(NamedTuple):
    """Files to add to a branch, with the commit's message and moment (seconds since 1970-01-01 UTC)."""

    files: Files
    message: str
    at_s: int


class Tip(NamedTuple):
    """A branch's newest commit that holds the files; `is_new` unless they were there already."""

    commit: str
    is_new: bool


def add_once(place: Place, branch: str, addition: Addition) -> Tip | None:
    """Adds files to a branch, which it makes where there is none; None where another writer was first.

    Raises WorkspaceUnavailable for a repository that cannot be used, PolicyDenied where the branch cannot be,
    Conflict for a folder in the place of a file or the other way round.
    """
    repository = _opened(place)
    name = HEADS + branch
    try:
        held = repository.references.get(name)
        if held is None:
            _require_room(repository, name)
        parent = repository[held.target] if held is not None else None
        tree = _tree_with(repository, parent.tree if parent is not None else None, addition.files)
        if parent is not None and tree == parent.tree.id:
            return Tip(str(parent.id), is_new=False)
        commit = _commit(repository, addition, tree, [parent.id] if parent is not None else [])
    except (pygit2().GitError, KeyError, ValueError, OSError) as error:
        raise WorkspaceUnavailable(
            "The repository's objects cannot be read or written.", hint="Check its permissions and `git fsck`."
        ) from error
    return Tip(str(commit), is_new=True) if _swap(repository, name, held, commit) else None


def lock_of(place: Place, branch: str) -> Path | None:
    """Gives the lock that keeps a branch from being moved, if one stands."""
    lock = place.common_dir / f"{HEADS}{branch}.lock"
    return lock if lock.exists() else None


def _opened(place: Place) -> Any:
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
        raise PolicyDenied(
            "The repository's format is one that cannot be written safely.",
            hint="Artifacts stay in the state file as they are.",
        ) from error
    return repository


def _require_room(repository: Any, name: str) -> None:
    """A branch and a folder of branches cannot have the same name."""
    parts = name.split("/")
    above = {"/".join(parts[:count]) for count in range(3, len(parts))}
    for other in repository.references:
        if other in above or other.startswith(f"{name}/"):
            raise PolicyDenied(
                f"The branch `{other.removeprefix(HEADS)}` stands in the way of `{name.removeprefix(HEADS)}`.",
                hint="Name another branch in the setting `memoryBranch`.",
            )


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
        raise Conflict(f"`{name}` on the memory branch is something else than expected.", hint="Rename it there.")
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
