"""Which file systems of Linux tell all that happens on them: those that only this kernel writes to."""

import contextlib
import ctypes
import errno
import os
import select
import struct
import threading
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.system.watch.base import Unwatchable

_LOCAL = {
    0xEF53: "ext", 0x58465342: "xfs", 0x9123683E: "btrfs", 0x01021994: "tmpfs", 0xF2F52010: "f2fs", 0x2FC12FC1: "zfs",
    0xCA451A4E: "bcachefs", 0x858458F6: "ramfs", 0x3153464A: "jfs", 0x52654973: "reiserfs",
}  # fmt: skip
"""By the number that statfs(2) gives. Not here: network, FUSE, overlay, virtual machine shares."""

_STATFS_BYTES = 256
"""More than `struct statfs` takes anywhere; its first word is the type."""


def is_local(folder: str) -> bool:
    """Says whether a folder lies on a file system whose events can be relied on."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    if libc.statfs(os.fsencode(folder), buffer) != 0:
        return False
    return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF in _LOCAL


def mounted_below(folder: str) -> bool:
    """Says whether another file system is mounted somewhere below a folder; also when that cannot be known."""
    prefix = os.fsencode(folder).rstrip(b"/") + b"/"
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            points = [line.split(b" ")[4] for line in file]
    except (OSError, IndexError):
        return True
    return any(_unescaped(point).startswith(prefix) for point in points)


def _unescaped(point: bytes) -> bytes:
    for code, char in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        point = point.replace(code, char)
    return point


# A thin binding of Linux's inotify; a thread takes the events off the kernel's queue before it overflows.


MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED, IS_DIR = 0x2000, 0x4000, 0x8000, 0x40000000
_ONLY_DIR, _DONT_FOLLOW = 0x01000000, 0x02000000

MASK = (
    MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
    | _ONLY_DIR | _DONT_FOLLOW
)  # fmt: skip

MAX_WAITING_BYTES = 2 * 2**20
"""Events kept until somebody asks, a checkout of some 12,000 files: 0.1 s to read. Beyond it they count as lost."""

GATHER_MS = 5
"""So long the thread lets events gather: it stays out of the way of whoever asks, and the queue holds a second's."""

_READ_BYTES = 256 * 1024
_EVENT = struct.Struct("iIII")


class Event(NamedTuple):
    """One event of a watched folder, or of the child `name` in it."""

    wd: int
    mask: int
    name: bytes


class Inotify:
    """One queue of the kernel's. Its thread only moves bytes; nothing is looked at before somebody asks."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.inotify_add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._fd = self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._fd < 0:
            raise Unwatchable("too many watchers" if ctypes.get_errno() == errno.EMFILE else "no inotify")
        self._lock = threading.Lock()
        self._chunks: list[bytes] = []
        self._waiting_bytes = 0
        self._lost = False
        self._stop_read, self._stop_write = os.pipe()
        self._closed = False
        threading.Thread(target=self._move, name="inotify", daemon=True).start()

    def add(self, folder: str) -> int:
        """Watches a folder and gives its number, the same for the same folder; raises OSError."""
        wd: int = self._libc.inotify_add_watch(self._fd, os.fsencode(folder), MASK)
        if wd < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return wd

    def remove(self, wd: int) -> None:
        """Watches a folder no longer; one that is gone is gone."""
        self._libc.inotify_rm_watch(self._fd, wd)

    def take(self) -> tuple[list[bytes], bool]:
        """Gives all events so far, also those still in the kernel's queue, and whether any were lost."""
        with self._lock:
            self._drain()
            chunks, lost = self._chunks, self._lost
            self._chunks, self._waiting_bytes, self._lost = [], 0, False
        return chunks, lost

    def close(self) -> None:
        """Ends the thread, which closes the queue."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._stop_write)

    def _move(self) -> None:
        poller = select.poll()
        poller.register(self._fd, select.POLLIN)
        poller.register(self._stop_read, 0)  # its end is always told
        stopping = select.poll()
        stopping.register(self._stop_read, 0)
        while not any(fd == self._stop_read for fd, _ in poller.poll()) and not stopping.poll(GATHER_MS):
            with self._lock:
                self._drain()
        with self._lock:
            os.close(self._fd)
            os.close(self._stop_read)
            self._fd = -1

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._fd >= 0:
                chunk = os.read(self._fd, _READ_BYTES)
                self._waiting_bytes += len(chunk)
                if self._waiting_bytes > MAX_WAITING_BYTES:
                    self._chunks, self._lost = [], True
                else:
                    self._chunks.append(chunk)


def events_in(chunk: bytes) -> Iterator[Event]:
    """Splits what the kernel wrote; a child's name is filled up with zeros."""
    at, end, size = 0, len(chunk), _EVENT.size
    while at < end:
        wd, mask, _, length = _EVENT.unpack_from(chunk, at)
        at += size
        yield Event(wd, mask, chunk[at : at + length].rstrip(b"\0"))
        at += length


def allowed_watches() -> int:
    """Gives how many folders this user may watch in all; 0 where that cannot be known."""
    try:
        with open("/proc/sys/fs/inotify/max_user_watches", "rb") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0
