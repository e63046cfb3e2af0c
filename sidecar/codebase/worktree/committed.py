"""Which contents files had in a commit."""

from collections.abc import Sequence

from sidecar.codebase.worktree import quickdiff
from sidecar.codebase.worktree.state import RepositoryState
from sidecar.system.git import Git
from sidecar.system.libgit import pygit2

_REGULAR = ("100644", "100755")
_SHA1_CHARACTERS = 40


def blobs_of(state: RepositoryState, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """Gives the blob ids of those of the paths, relative to `cwd`, that are regular files in a commit.

    Raises GitFailed.
    """
    if quickdiff.is_ready() and len(commit) == _SHA1_CHARACTERS:
        found = _by_library(state, commit, paths)
        if found is not None:
            return found
    names = [f"{state.prefix}{path}" for path in paths]
    output = Git(state.root).run("ls-tree", "-z", "--full-tree", commit, "--", *names)
    found = {}
    for entry in output.decode("utf-8", "surrogateescape").split("\0"):
        meta, _, path = entry.partition("\t")
        mode, _, blob = meta.replace(" blob ", " ").partition(" ")
        if mode in _REGULAR:
            found[path.removeprefix(state.prefix)] = blob
    return found


def _by_library(state: RepositoryState, commit: str, paths: Sequence[str]) -> dict[str, str] | None:
    library = pygit2()
    try:
        tree = library.Repository(str(state.root))[commit].peel(library.Tree)
    except (library.GitError, KeyError, ValueError, OSError):
        return None
    found = {}
    for path in paths:
        try:
            entry = tree[state.prefix + path]
        except KeyError:
            continue
        if f"{int(entry.filemode):o}" in _REGULAR:
            found[path] = str(entry.id)
    return found
