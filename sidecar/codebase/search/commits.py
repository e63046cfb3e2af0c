"""The commits that lead to a head, as `git log` tells them: subject, changed files, files that moved."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from sidecar.system.git import Git

MAX_COMMITS = 5_000
"""Older ones say little about today's files; reading so many takes a fraction of a second."""

MAX_COMMIT_FILES = 30
"""A commit of more files is a sweep through the tree: it says nothing about which files belong together."""

_LOG = (
    "log", "--full-history", "--no-merges", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--relative",
    "--ignore-submodules=all", "--no-show-signature", "--no-mailmap", "--no-notes", "-z", "--format=%H %ct %P%x09%s",
)  # fmt: skip
"""`--full-history`: git's simplification hides commits whose change was made twice."""


class Commit(NamedTuple):
    """One commit; paths are relative to the workspace, as they were then."""

    id: str
    committed_at: int
    """Seconds since 1970, as the committer's clock said."""
    subject: str
    paths: tuple[str, ...]
    """Files that are there after it, changed by it; none where it changed too many, or was the first of all."""
    moved: tuple[tuple[str, str], ...]
    """Old and new path of the files it moved."""


class _Change(NamedTuple):
    status: str
    old_blob: str
    new_blob: str
    path: str


def read_commits(cwd: Path, head: str, limit: int = MAX_COMMITS, *, since: str | None = None) -> list[Commit]:
    """Reads the commits that `head` can reach, without merges, newest first; raises GitFailed.

    With `since`, without those that this one can reach.
    """
    range_ = (head,) if since is None else (head, f"^{since}")
    output = Git(cwd).run(*_LOG, f"--max-count={limit}", *range_, "--")
    return list(parse_log(output.decode("utf-8", "surrogateescape")))


def parse_log(output: str) -> Iterator[Commit]:
    """Reads headers (id, time, parents, tab, subject), each with raw entries (modes, blobs, status) and their paths."""
    header: str | None = None
    changes: list[_Change] = []
    fields = iter(output.split("\0"))
    for field in fields:
        if field.lstrip("\n").startswith(":"):
            _, _, old_blob, new_blob, status = field.strip("\n").split(" ")
            changes.append(_Change(status[:1], old_blob, new_blob, next(fields, "")))
        elif field:
            if header is not None:
                yield _commit(header, changes)
            header, changes = field, []
    if header is not None:
        yield _commit(header, changes)


def _commit(header: str, changes: list[_Change]) -> Commit:
    ids, _, subject = header.partition("\t")
    id_, committed_at, *parents = ids.split()
    tells = parents and len(changes) <= MAX_COMMIT_FILES
    paths = tuple(change.path for change in changes if change.status != "D") if tells else ()
    return Commit(id_, int(committed_at), subject, paths, tuple(_moves(changes)))


def _moves(changes: list[_Change]) -> Iterator[tuple[str, str]]:
    """Pairs what is gone with what is new: by the same content, else by file name, where either stands once."""
    gone = {change.path: change.old_blob for change in changes if change.status == "D"}
    new = {change.path: change.new_blob for change in changes if change.status == "A"}
    for identity in (_blob, _name):
        left, right = _once(gone, identity), _once(new, identity)
        for key in sorted(left.keys() & right.keys()):
            yield left[key], right[key]
            del gone[left[key]], new[right[key]]


def _once(files: dict[str, str], identity: Callable[[str, str], str]) -> dict[str, str]:
    """Keeps the paths whose identity no other one has, by it."""
    counts = Counter(identity(path, blob) for path, blob in files.items())
    return {key: path for path, blob in files.items() if counts[key := identity(path, blob)] == 1}


def _blob(_: str, blob: str) -> str:
    return blob


def _name(path: str, _: str) -> str:
    return path.rpartition("/")[2]
