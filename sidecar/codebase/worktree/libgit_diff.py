"""Which contents files had in a commit."""

import sys
from collections.abc import Sequence
from pathlib import Path

from sidecar.codebase.worktree.content_hash import blob_id, content_identity
from sidecar.codebase.worktree.diff import FileDiff, diff_of_patch
from sidecar.codebase.worktree.state import ChangedFile, RepositoryState
from sidecar.storage.lru import Lru
from sidecar.system.git import Git
from sidecar.system.libgit import pygit2
from sidecar.system.safe_open import read_below

# The difference of one plain text file against a commit, made in this process as git makes it.
#
# libgit2 carries git's own comparing code; what it does not carry are attributes, conversions and renames, so it is
# only given files that surely have none.


MAX_BYTES = 512 * 1024
"""A larger file is left to git, which can be given up on."""

_CONTEXT_LINES = 2
_LOOKED_AT_BYTES = 8_000
"""git takes a file for binary by a zero among its first bytes."""

_REGULAR_MODES = (0o100644, 0o100755)
_CODES = (".M", "M.", "MM")
_CONTENTS_BYTES = 4 * 2**20


def is_ready() -> bool:
    """Says whether the library is loaded, which takes longer than one git command."""
    return "pygit2" in sys.modules


def make_ready() -> None:
    """Loads the library."""
    pygit2()


class QuickDiff:
    """Makes differences; keeps the committed contents it read. Thread-safe."""

    def __init__(self) -> None:
        self._committed = Lru(_CONTENTS_BYTES)

    def of(self, cwd: Path, state: RepositoryState, file: ChangedFile, *, keeps_lines: bool) -> FileDiff | None:
        """Gives the difference of a file that is not filtered; None where only git can tell.

        `keeps_lines` is False where git may convert line ends.
        """
        if file.code not in _CODES or file.kind == "renamed" or state.head is None or len(state.head) != 40:
            return None
        new = read_below(str(cwd), file.path, MAX_BYTES)
        if new is None or blob_id(new) != content_identity(file.content_hash) or not _is_plain(new, keeps_lines):
            return None
        old = self._read(state.root, state.head, state.prefix + file.path)
        if old is None or not _is_plain(old, keeps_lines):
            return None
        library = pygit2()
        flag = library.enums.DiffOption.INDENT_HEURISTIC
        patch = library.Patch.create_from(old, new, flag=flag, context_lines=_CONTEXT_LINES)
        # git cuts the name of a hunk to 80 bytes before it strips it, libgit2 after.
        lines = (line.rstrip(b" \t\r") if line.startswith(b"@@ ") else line for line in patch.data.split(b"\n"))
        return diff_of_patch(file.path, b"\n".join(lines))

    def _read(self, root: Path, head: str, path: str) -> bytes | None:
        """Reads a regular file of a commit; None where libgit2 cannot, or it is none."""
        known = self._committed.get((head, path))
        if isinstance(known, bytes):
            return known
        library = pygit2()
        try:
            found = library.Repository(str(root))[head].tree[path]
            if found.filemode not in _REGULAR_MODES or found.size > MAX_BYTES:
                return None
            content = bytes(found.data)
        except (library.GitError, KeyError, ValueError, OSError):
            return None
        self._committed.put((head, path), content, len(content) + 100)
        return content


def _is_plain(content: bytes, keeps_lines: bool) -> bool:
    if b"\0" in content[:_LOOKED_AT_BYTES] or b"\f" in content or b"\v" in content:
        return False  # a form feed is a space to libgit2 and none to git
    return keeps_lines or b"\r\n" not in content


_REGULAR = ("100644", "100755")
_SHA1_CHARACTERS = 40


def blobs_of(state: RepositoryState, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """Gives the blob ids of those of the paths, relative to `cwd`, that are regular files in a commit.

    Raises GitFailed.
    """
    if is_ready() and len(commit) == _SHA1_CHARACTERS:
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
