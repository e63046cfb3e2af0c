"""A map of path → content id of which a few changes cost little, however many files it has. Pure."""

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import NamedTuple

MAX_OVERLAY, OVERLAY_SHARE = 2_000, 16
"""With more overlaid files than this number, or this share, the base is rebuilt."""


class FileDelta(NamedTuple):
    """The differences between two sets of files, each sorted by path."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    """Files with another content id."""
    removed: tuple[str, ...]


class FileMap(Mapping[str, str]):
    """Immutable map of path → content id, sorted by path; the same object means the same files.

    A large base that several maps share, and a small overlay, in which None removes a file. So a few changes to a
    hundred thousand files cost only as much as the changes.
    """

    __slots__ = ("_count", "_whole", "base", "overlay")

    def __init__(self, base: dict[str, str], overlay: Mapping[str, str | None]) -> None:
        """Neither map may be modified later; `base` is sorted by path."""
        self.base = base
        self.overlay = overlay
        self._whole: dict[str, str] | None = None if overlay else base
        self._count = len(base)
        for path, content in overlay.items():
            self._count += (content is not None) - (path in base)

    def __getitem__(self, path: str) -> str:
        content = self.overlay[path] if path in self.overlay else self.base[path]
        if content is None:
            raise KeyError(path)
        return content

    def __contains__(self, path: object) -> bool:
        if isinstance(path, str) and path in self.overlay:
            return self.overlay[path] is not None
        return path in self.base

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self._merged())

    def keys(self) -> KeysView[str]:
        """Return the paths in order."""
        return self._merged().keys()

    def items(self) -> ItemsView[str, str]:
        """Return paths and content ids in the order of paths."""
        return self._merged().items()

    def values(self) -> ValuesView[str]:
        """Return the content ids in the order of paths."""
        return self._merged().values()

    def with_overlay(self, overlay: Mapping[str, str | None]) -> "FileMap":
        """Return a copy with more files overlaid."""
        return FileMap(self.base, {**self.overlay, **overlay})

    def replaced_by(self, files: dict[str, str]) -> "FileMap":
        """Return exactly these files, as an overlay on the present base if few changed, which is cheap to compare."""
        ordered = files if _is_sorted(files) else dict(sorted(files.items()))
        base = self.base
        if not base:
            return FileMap(ordered, {})
        differing = ordered.items() ^ base.items()
        if len(differing) > min(MAX_OVERLAY, len(base) // OVERLAY_SHARE):
            return FileMap(ordered, {})
        return FileMap(base, {path: ordered.get(path) for path, _ in differing})

    def changed_since(self, before: Mapping[str, str]) -> FileDelta:
        """Return the differences to other files; it costs only the changes if both share a base."""
        if not before:
            return FileDelta(tuple(sorted(self)), (), ())
        if isinstance(before, FileMap) and before.base is self.base:
            paths = sorted(self.overlay.keys() | before.overlay.keys())
        else:
            paths = sorted({path for path, _ in self.items() ^ before.items()})
        added = tuple(path for path in paths if path in self and path not in before)
        removed = tuple(path for path in paths if path in before and path not in self)
        both = (path for path in paths if path in self and path in before)
        return FileDelta(added, tuple(path for path in both if self[path] != before[path]), removed)

    def _merged(self) -> dict[str, str]:
        if self._whole is None:
            whole: dict[str, str | None] = {**self.base, **self.overlay}
            present = {path: content for path, content in whole.items() if content is not None}
            appended = any(path not in self.base for path in self.overlay)
            self._whole = dict(sorted(present.items())) if appended else present
        return self._whole


def delta_between(before: Mapping[str, str], files: Mapping[str, str]) -> FileDelta:
    """Return the differences between two mappings of path → content id."""
    return (files if isinstance(files, FileMap) else FileMap(dict(files), {})).changed_since(before)


def _is_sorted(files: dict[str, str]) -> bool:
    paths = iter(files)
    before = next(paths, "")
    for path in paths:
        if path < before:
            return False
        before = path
    return True
