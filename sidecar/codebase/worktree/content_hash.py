"""Content hashes of files in the worktree, recomputed only when a file's stat changes."""

import hashlib
import os
import stat
import threading
from collections.abc import Callable
from typing import Literal

from sidecar.system.safe_open import read_if_regular

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
        """Return a hash of what is at an absolute path; None if there is nothing, or nothing readable."""
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
        if content is not None and not _is_racy(file_stat, checked_at_ns):
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
    content = read_if_regular(path, MAX_HASHED_BYTES)
    if content is None:
        return f"unreadable:{file_stat.st_size}:{file_stat.st_mtime_ns}"
    executable = "x:" if file_stat.st_mode & stat.S_IXUSR else ""
    return executable + blob_id(content, object_format)
