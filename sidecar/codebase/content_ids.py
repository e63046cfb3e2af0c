"""Content ids of files: hashes of contents, recomputed only when a file's stat changes, and a map of path → content id.

A few changes of the map cost little, however many files it has. Git's objects are read by their ids.
"""

import hashlib
import os
import stat
import threading
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.system.git import Git, GitFailed
from sidecar.system.safe_open import is_in_cloud_only, read_if_regular

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


MAX_HASHED_BYTES = 16 * 2**20
"""Larger files are identified by size and modification time; no pack shows their content."""

MAX_CACHED = 200_000
"""Maximum number of hashes in memory; beyond it they are recomputed."""

RACY_NS = 100_000_000
"""File times have steps of up to 10 ms: a file written shortly before the stat may change without changing it."""

COARSE_RACY_NS = 2_500_000_000
"""The same for a file system whose times have steps of one or two seconds."""

ObjectFormat = Literal["sha1", "sha256"]

_Signature = tuple[int, int, int, int, int]


class ContentHashes:
    """Hashes by path; never follows a symbolic link."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._cache: dict[tuple[str, ObjectFormat], tuple[_Signature, str]] = {}
        self._lock = threading.Lock()

    def of(self, path: str, object_format: ObjectFormat = "sha1") -> str | None:
        """Return a hash of what is at an absolute path; None if there is nothing, or nothing readable.

        A file that is only in a cloud counts as unreadable: to hash a folder must not download it.
        """
        checked_at_ns = self._now_ns()  # before the stat: a later write must not count as known
        try:
            file_stat = os.lstat(path)
        except (OSError, ValueError):
            return None
        signature = (
            file_stat.st_mtime_ns,
            file_stat.st_ctime_ns,
            file_stat.st_size,
            file_stat.st_ino,
            file_stat.st_mode,
        )
        key = (path, object_format)
        with self._lock:
            cached = self._cache.get(key)
        if cached is not None and cached[0] == signature:
            return cached[1]
        content = _hash(path, file_stat, object_format)
        if content is not None and not (_is_racy(file_stat, checked_at_ns) or is_in_cloud_only(file_stat)):
            with self._lock:
                if len(self._cache) >= MAX_CACHED:
                    self._cache.clear()
                self._cache[key] = (signature, content)
        return content


def blob_id(content: bytes, object_format: ObjectFormat = "sha1") -> str:
    """Return the id under which git would store this content, so that a file keeps its id when committed."""
    digest = hashlib.new(object_format, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def blob_sizes(cwd: Path, ids: list[str]) -> dict[str, int]:
    """Return the sizes of blobs, which are read before contents so that a huge file is never loaded."""
    if not ids:
        return {}
    output = Git(cwd).run("cat-file", "--batch-check", stdin="".join(f"{id_}\n" for id_ in ids).encode())
    fields = (line.split(" ") for line in output.decode().splitlines())
    return {parts[0]: int(parts[2]) for parts in fields if len(parts) == 3 and parts[1] == "blob"}


def read_blobs(cwd: Path, ids: list[str]) -> dict[str, bytes]:
    """Return the contents of blobs. Raise GitFailed."""
    if not ids:
        return {}
    output = Git(cwd).run("cat-file", "--batch", stdin="".join(f"{id_}\n" for id_ in ids).encode())
    contents: dict[str, bytes] = {}
    position = 0
    for object_id in ids:
        end = output.find(b"\n", position)
        if end < 0:
            raise GitFailed("git returned fewer objects than requested")
        header = output[position:end].split(b" ")
        position = end + 1
        if len(header) == 3 and header[1] == b"blob":
            size = int(header[2])
            contents[object_id] = output[position : position + size]
            position += size + 1
    return contents


def content_identity(content_id: str) -> str:
    """Return what distinguishes one content from another, without the prefixes for where it is stored."""
    if ":" not in content_id:  # nearly all
        return content_id
    return content_id.removeprefix("w:").removeprefix("s:").removeprefix("x:")


def _is_racy(file_stat: os.stat_result, checked_at_ns: int) -> bool:
    changed_at_ns = max(file_stat.st_mtime_ns, file_stat.st_ctime_ns)
    is_coarse = changed_at_ns % 1_000_000_000 == 0
    return checked_at_ns - changed_at_ns < (COARSE_RACY_NS if is_coarse else RACY_NS)


def _hash(path: str, file_stat: os.stat_result, object_format: ObjectFormat) -> str | None:
    if stat.S_ISLNK(file_stat.st_mode):
        try:
            return "link:" + blob_id(os.fsencode(os.readlink(path)), object_format)
        except OSError:
            return None
    if not stat.S_ISREG(file_stat.st_mode):
        return f"other:{stat.S_IFMT(file_stat.st_mode):o}"
    if file_stat.st_size > MAX_HASHED_BYTES:
        return f"large:{file_stat.st_size}:{file_stat.st_mtime_ns}"
    content = read_if_regular(path, MAX_HASHED_BYTES, may_download=False)
    if content is None:
        return f"unreadable:{file_stat.st_size}:{file_stat.st_mtime_ns}"
    executable = "x:" if file_stat.st_mode & stat.S_IXUSR else ""
    return executable + blob_id(content, object_format)
