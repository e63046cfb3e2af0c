"""Whether git may convert a file's content before it compares it, told by the attribute files above the file."""

import os
from collections.abc import Iterator
from pathlib import Path

from sidecar.codebase.conversion import FILTERS, LINES, asked_by
from sidecar.codebase.survey import Comparing
from sidecar.system.git import Git

_NAME = ".gitattributes"
_FILTERING = ("filter", "ident", "working-tree-encoding")
_PLAIN = (b"unspecified", b"unset")


class Attributes:
    """What the attributes of single files ask for. One thread at a time."""

    def __init__(self, root: str, comparing: Comparing) -> None:
        self._root = root
        self._comparing = comparing
        self._filtered: dict[str, bool] = {}

    def asked_of(self, path: str) -> int:
        """Tells what may be done to a tracked file's content: FILTERS, LINES; raises GitFailed."""
        asked = self._comparing.conversion.everywhere
        for folder in _folders_above(path):
            asked |= self._asked_in(folder)
        if asked & FILTERS and not self._is_filtered(path):
            asked &= ~FILTERS
        return asked

    def forget(self) -> None:
        """Asks git again; for when attribute files may be others than before."""
        self._filtered.clear()

    def _asked_in(self, folder: str) -> int:
        file = f"{self._root}/{folder}{_NAME}"
        if not os.path.lexists(file):
            # One that is tracked and was taken away still counts: git reads it from the index.
            return FILTERS | LINES if self._comparing.tracked.find(folder + _NAME) is not None else 0
        return asked_by(file)

    def _is_filtered(self, path: str) -> bool:
        if path not in self._filtered:
            asked = path.encode("utf-8", "surrogateescape") + b"\0"
            git = Git(Path(self._root), root=Path(self._root))
            told = git.run("check-attr", "-z", "--stdin", *_FILTERING, stdin=asked).split(b"\0")
            values = told[2::3]
            self._filtered[path] = len(values) != len(_FILTERING) or any(value not in _PLAIN for value in values)
        return self._filtered[path]


def _folders_above(path: str) -> Iterator[str]:
    """Yields the root and each folder above a path, relative, with a slash at the end."""
    yield ""
    at = path.find("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find("/", at + 1)
