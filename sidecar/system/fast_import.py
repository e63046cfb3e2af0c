"""Commits through `git fast-import`, for repositories libgit2 cannot open: SHA-256, partial clones.

git moves the ref only if the new commit follows the current one. Hooks are disabled.
"""

import hashlib
import os
from collections.abc import Iterator

from sidecar.core.errors import WorkspaceUnavailable
from sidecar.system.git import Git, GitFailed
from sidecar.system.refs import (
    AUTHOR_EMAIL,
    AUTHOR_NAME,
    HEADS,
    BranchCommit,
    RepositoryLocation,
    Tip,
    path_conflict,
    require_no_ref_conflict,
)

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


def try_commit(location: RepositoryLocation, branch: str, branch_commit: BranchCommit) -> Tip | None:
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
