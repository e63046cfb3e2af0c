"""Content hashes of files in the worktree, read again only when their stat changed."""

import hashlib
import os
import stat
import threading
from collections.abc import Callable

HASHED_BYTES = 16 * 2**20
"""A larger file is told apart by size and modification time; no pack shows any of it."""

RACY_NS = 10_000_000
"""A file modified within 10 ms of the look may change again without its stat changing."""

_Signature = tuple[int, int, int, int]


class ContentHashes:
    """Hashes by path; never follows a symbolic link."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._known: dict[str, tuple[_Signature, str]] = {}
        self._lock = threading.Lock()

    def of(self, path: str) -> str | None:
        """Gives a hash of what is at an absolute path; None where nothing is or nothing may be read."""
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return None
        signature = (found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode)
        with self._lock:
            known = self._known.get(path)
        if known is not None and known[0] == signature:
            return known[1]
        content = _hash(path, found)
        if content is not None and abs(self._now_ns() - found.st_mtime_ns) > RACY_NS:
            with self._lock:
                self._known[path] = (signature, content)
        return content


def blob_id(content: bytes) -> str:
    """Gives the id git would store this content under, so that a file keeps its id when it is committed."""
    return hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()


def read_file(path: str, limit_bytes: int) -> bytes | None:
    """Reads a regular file without following a link at its end; None where there is none, or a larger one."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if os.path.islink(path):
            return None
        fd = os.open(path, flags)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > limit_bytes:
            return None
        with os.fdopen(os.dup(fd), "rb") as file:
            content = file.read(limit_bytes + 1)
        return content if len(content) <= limit_bytes else None
    except OSError:
        return None
    finally:
        os.close(fd)


def _hash(path: str, found: os.stat_result) -> str | None:
    if stat.S_ISLNK(found.st_mode):
        try:
            return "link:" + blob_id(os.fsencode(os.readlink(path)))
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
    return executable + blob_id(content)
