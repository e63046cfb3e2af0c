"""Content hashes of files in the worktree, read again only when their stat changed."""

import hashlib
import os
import stat
import threading
from collections.abc import Callable
from typing import Literal

from sidecar.system.safe_open import read_file

HASHED_BYTES = 16 * 2**20
"""A larger file is told apart by size and modification time; no pack shows any of it."""

MAX_KNOWN = 200_000
"""Hashes kept in memory; beyond it they are read again."""

RACY_NS = 100_000_000
"""File times move in steps of up to 10 ms: a file written shortly before the look may change without its stat."""

COARSE_RACY_NS = 2_500_000_000
"""The same for a file system whose times move in whole seconds, or two."""

ObjectFormat = Literal["sha1", "sha256"]

_Signature = tuple[int, int, int, int, int]


class ContentHashes:
    """Hashes by path; never follows a symbolic link."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._known: dict[tuple[str, ObjectFormat], tuple[_Signature, str]] = {}
        self._lock = threading.Lock()

    def of(self, path: str, object_format: ObjectFormat = "sha1") -> str | None:
        """Gives a hash of what is at an absolute path; None where nothing is or nothing may be read."""
        looked_at_ns = self._now_ns()  # before the stat: what is written after it must not pass for known
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return None
        signature = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)
        key = (path, object_format)
        with self._lock:
            known = self._known.get(key)
        if known is not None and known[0] == signature:
            return known[1]
        content = _hash(path, found, object_format)
        if content is not None and not _is_racy(found, looked_at_ns):
            with self._lock:
                if len(self._known) >= MAX_KNOWN:
                    self._known.clear()
                self._known[key] = (signature, content)
        return content


def blob_id(content: bytes, object_format: ObjectFormat = "sha1") -> str:
    """Gives the id git would store this content under, so that a file keeps its id when it is committed."""
    digest = hashlib.new(object_format, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def content_identity(content_id: str) -> str:
    """Gives what tells one content from another, without the marks that say where it lies."""
    return content_id.removeprefix("w:").removeprefix("x:")


def _is_racy(found: os.stat_result, looked_at_ns: int) -> bool:
    changed_at_ns = max(found.st_mtime_ns, found.st_ctime_ns)
    coarse = changed_at_ns % 1_000_000_000 == 0
    return looked_at_ns - changed_at_ns < (COARSE_RACY_NS if coarse else RACY_NS)


def _hash(path: str, found: os.stat_result, object_format: ObjectFormat) -> str | None:
    if stat.S_ISLNK(found.st_mode):
        try:
            return "link:" + blob_id(os.fsencode(os.readlink(path)), object_format)
        except OSError:
            return None
    if not stat.S_ISREG(found.st_mode):
        return f"other:{stat.S_IFMT(found.st_mode):o}"
    if found.st_size > HASHED_BYTES:
        return f"large:{found.st_size}:{found.st_mtime_ns}"
    content = read_file(path, HASHED_BYTES)
    if content is None:
        return f"unreadable:{found.st_size}:{found.st_mtime_ns}"
    executable = "x:" if found.st_mode & stat.S_IXUSR else ""
    return executable + blob_id(content, object_format)
