"""Files by path, made so that a few changes to a hundred thousand files cost as much as the changes do."""

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import NamedTuple

MAX_LAID, SHARE_LAID = 2_000, 16
"""With more than so many laid over them, or one in so many, the files below are put together anew."""


class Delta(NamedTuple):
    """What differs between two sets of files, each in the order of paths."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    """Of another content id."""
    removed: tuple[str, ...]


class Files(Mapping[str, str]):
    """Paths → content ids, in the order of paths. Never changed once made: the same object is the same files.

    Many files that stay, and a few *laid* over them, of which None takes a file away.
    """

    __slots__ = ("_count", "_whole", "below", "laid")

    def __init__(self, below: dict[str, str], laid: Mapping[str, str | None]) -> None:
        """Takes both, which must not change, and `below` in the order of its paths."""
        self.below = below
        self.laid = laid
        self._whole: dict[str, str] | None = None if laid else below
        self._count = len(below)
        for path, content in laid.items():
            self._count += (content is not None) - (path in below)

    def __getitem__(self, path: str) -> str:
        content = self.laid[path] if path in self.laid else self.below[path]
        if content is None:
            raise KeyError(path)
        return content

    def __contains__(self, path: object) -> bool:
        return self.laid[path] is not None if path in self.laid else path in self.below  # type: ignore[index]  # what is in is a path

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self._put_together())

    def keys(self) -> KeysView[str]:
        """Gives the paths in order."""
        return self._put_together().keys()

    def items(self) -> ItemsView[str, str]:
        """Gives paths and content ids in order."""
        return self._put_together().items()

    def values(self) -> ValuesView[str]:
        """Gives the content ids in the order of paths."""
        return self._put_together().values()

    def with_laid(self, laid: Mapping[str, str | None]) -> "Files":
        """Gives these files with others laid over them."""
        return Files(self.below, {**self.laid, **laid})

    def replaced_by(self, files: dict[str, str]) -> "Files":
        """Gives exactly these files, as changes to the present ones where they are few, so that they can be told."""
        ordered = files if _is_sorted(files) else dict(sorted(files.items()))
        below = self.below
        if not below:
            return Files(ordered, {})
        differing = ordered.items() ^ below.items()
        if len(differing) > min(MAX_LAID, len(below) // SHARE_LAID):
            return Files(ordered, {})
        return Files(below, {path: ordered.get(path) for path, _ in differing})

    def changed_since(self, before: Mapping[str, str]) -> Delta:
        """Tells what differs from other files; at the cost of the changes where one comes from the other."""
        if not before:
            return Delta(tuple(sorted(self)), (), ())
        if isinstance(before, Files) and before.below is self.below:
            paths = sorted(self.laid.keys() | before.laid.keys())
        else:
            paths = sorted({path for path, _ in self.items() ^ before.items()})
        added = tuple(path for path in paths if path in self and path not in before)
        removed = tuple(path for path in paths if path in before and path not in self)
        both = (path for path in paths if path in self and path in before)
        return Delta(added, tuple(path for path in both if self[path] != before[path]), removed)

    def _put_together(self) -> dict[str, str]:
        if self._whole is None:
            whole: dict[str, str | None] = {**self.below, **self.laid}
            kept = {path: content for path, content in whole.items() if content is not None}
            appended = any(path not in self.below for path in self.laid)
            self._whole = dict(sorted(kept.items())) if appended else kept
        return self._whole


def delta_between(before: Mapping[str, str], files: Mapping[str, str]) -> Delta:
    """Tells what differs between any two mappings of paths to content ids."""
    return (files if isinstance(files, Files) else Files(dict(files), {})).changed_since(before)


def _is_sorted(files: dict[str, str]) -> bool:
    paths = iter(files)
    before = next(paths, "")
    for path in paths:
        if path < before:
            return False
        before = path
    return True
