"""Adds files to one branch with `git fast-import`, in repositories that libgit2 cannot open: SHA-256, partial clones.

git moves the ref only if the new commit follows what the ref is at, and its hook for refs is switched off.
"""

import hashlib
import os
from collections.abc import Iterator

from sidecar.core.errors import WorkspaceUnavailable
from sidecar.system.git import Git, GitFailed
from sidecar.system.refs import AUTHOR_EMAIL, AUTHOR_NAME, HEADS, Addition, Place, Tip, in_another_place, require_room

_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
_IDENTITY = {"GIT_COMMITTER_NAME": AUTHOR_NAME, "GIT_COMMITTER_EMAIL": AUTHOR_EMAIL}  # of the branch's log


def serves(place: Place) -> bool:
    """Says whether git knows the repository's format, and its refs are files."""
    git = Git(place.folder)
    try:
        git.run("rev-parse", "--git-dir")
        refs = git.run("config", "--get", "extensions.refStorage", fine=(0, 1)).strip()
    except GitFailed:
        return False
    return refs in {b"", b"files"}


def add_once(place: Place, branch: str, addition: Addition) -> Tip | None:
    """Adds files to a branch, which it makes where there is none; None where another writer was first.

    Raises PolicyDenied where another branch is in the way, Conflict where a file is in a folder's place,
    WorkspaceUnavailable where git cannot look.
    """
    git = Git(place.folder, variables=_IDENTITY)
    try:
        refs = _refs_near(git, branch)
        parent = refs.get(HEADS + branch)
        if parent is None:
            require_room(branch, refs)
        elif _holds(git, parent, addition):
            return Tip(parent, is_new=False)
        else:
            _require_folders(git, parent, addition)
    except GitFailed as error:
        raise WorkspaceUnavailable("The repository cannot be read.", hint=f"git reports: {error.reason}.") from error
    stream = b"".join(_stream(branch, parent, addition))
    try:
        told = git.run(*_NO_HOOKS, "fast-import", "--quiet", "--done", stdin=stream)
    except GitFailed:
        return None
    return Tip(told.decode("ascii", "replace").strip(), is_new=True)


def _refs_near(git: Git, branch: str) -> dict[str, str]:
    """Gives commits by ref: of the branch, and of all that share the first part of its name."""
    pattern = HEADS + branch.split("/", maxsplit=1)[0]
    lines = git.text("for-each-ref", "--format=%(objectname) %(refname)", pattern).splitlines()
    return {name: commit for commit, _, name in (line.partition(" ") for line in lines)}


def _holds(git: Git, commit: str, addition: Addition) -> bool:
    entries = set(git.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *addition.files).split(b"\0"))
    algorithm = git.text("rev-parse", "--show-object-format")
    return all(_entry(path, content, algorithm) in entries for path, content in addition.files.items())


def _require_folders(git: Git, commit: str, addition: Addition) -> None:
    folders = {path[:end] for path in addition.files for end, sign in enumerate(path) if sign == "/"}
    asked = "".join(f"{commit}:{folder}\n" for folder in sorted(folders)).encode()
    found = git.run("cat-file", "--batch-check=%(objecttype)", stdin=asked).split(b"\n")
    for folder, kind in zip(sorted(folders), found, strict=False):
        if kind == b"blob":
            raise in_another_place(folder)


def _entry(path: str, content: bytes, algorithm: str) -> bytes:
    """A file as a tree's list has it; a blob is named by the digest of its kind, length and content."""
    digest = hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    return f"100644 blob {digest}\t{path}".encode()


def _stream(branch: str, parent: str | None, addition: Addition) -> Iterator[bytes]:
    """Gives the commit in the format of `git help fast-import`; paths have no signs that need quoting."""
    yield f"commit {HEADS}{branch}\nmark :1\n".encode()
    for role in ("author", "committer"):
        yield f"{role} {AUTHOR_NAME} <{AUTHOR_EMAIL}> {addition.at_s} +0000\n".encode()
    yield _sized(addition.message.encode("utf-8", "replace"))
    if parent is not None:
        yield f"from {parent}\n".encode()
    for path, content in addition.files.items():
        yield f"M 100644 inline {path}\n".encode() + _sized(content)
    yield b"\nget-mark :1\ndone\n"


def _sized(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
