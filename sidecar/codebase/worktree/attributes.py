"""Whether git may convert a file's content before it compares it, told by the attribute files above the file."""

import functools
import operator
import os
from collections.abc import Iterator
from pathlib import Path

from sidecar.codebase.worktree.conversion import ANYTHING, DIFFS, FILTERS, asked_by
from sidecar.codebase.worktree.survey import Comparing
from sidecar.system.git import Git

_NAME = ".gitattributes"
_ATTRIBUTES = {"filter": FILTERS, "ident": FILTERS, "working-tree-encoding": FILTERS, "diff": DIFFS}
_PLAIN = {FILTERS: (b"unspecified", b"unset"), DIFFS: (b"unspecified",)}


class Attributes:
    """What the attributes of single files ask for. One thread at a time."""

    def __init__(self, root: str, comparing: Comparing) -> None:
        self._root = root
        self._comparing = comparing
        self._told: dict[str, int] = {}

    def asked_of(self, path: str) -> int:
        """Tells what may be done to a tracked file's content: FILTERS, LINES, DIFFS; raises GitFailed."""
        asked = self._comparing.conversion.everywhere
        for folder in _folders_above(path):
            asked |= self._asked_in(folder)
        if asked & (FILTERS | DIFFS):
            asked &= ~(FILTERS | DIFFS) | self._told_by_git(path)
        return asked

    def forget(self) -> None:
        """Asks git again; for when attribute files may be others than before."""
        self._told.clear()

    def _asked_in(self, folder: str) -> int:
        file = f"{self._root}/{folder}{_NAME}"
        if not os.path.lexists(file):
            # One that is tracked and was taken away still counts: git reads it from the index.
            return ANYTHING if self._comparing.tracked.find(folder + _NAME) is not None else 0
        return asked_by(file)

    def _told_by_git(self, path: str) -> int:
        """Tells which of FILTERS and DIFFS the attributes of one path ask for."""
        if path not in self._told:
            asked = path.encode("utf-8", "surrogateescape") + b"\0"
            git = Git(Path(self._root), root=Path(self._root))
            values = git.run("check-attr", "-z", "--stdin", *_ATTRIBUTES, stdin=asked).split(b"\0")[2::3]
            pairs = zip(_ATTRIBUTES.values(), values, strict=True)
            self._told[path] = functools.reduce(
                operator.or_, (kind for kind, value in pairs if value not in _PLAIN[kind]), 0
            )
        return self._told[path]


def _folders_above(path: str) -> Iterator[str]:
    """Yields the root and each folder above a path, relative, with a slash at the end."""
    yield ""
    at = path.find("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find("/", at + 1)
