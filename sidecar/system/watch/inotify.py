"""Thin binding of Linux's inotify, and the file systems it works on.

A thread empties the kernel's queue before it overflows.
"""

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

_LOCAL_TYPES = {
    0xEF53: "ext", 0x58465342: "xfs", 0x9123683E: "btrfs", 0x01021994: "tmpfs", 0xF2F52010: "f2fs", 0x2FC12FC1: "zfs",
    0xCA451A4E: "bcachefs", 0x858458F6: "ramfs", 0x3153464A: "jfs", 0x52654973: "reiserfs",
}  # fmt: skip
"""By the type that statfs(2) returns. Not included: network, FUSE, overlay and virtual machine file systems."""

_STATFS_BYTES = 256
"""More than `struct statfs` needs anywhere; its first word is the type."""


def is_local(folder: str) -> bool:
    """Whether a folder is on a file system whose events are reliable: one that only this kernel writes to."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    if libc.statfs(os.fsencode(folder), buffer) != 0:
        return False
    return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF in _LOCAL_TYPES


def mounted_below(folder: str) -> bool:
    """Whether another file system is mounted below a folder; True if that is unknown."""
    prefix = os.fsencode(folder).rstrip(b"/") + b"/"
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            mount_points = [line.split(b" ")[4] for line in file]
    except (OSError, IndexError):
        return True
    return any(_unescaped(point).startswith(prefix) for point in mount_points)


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

MAX_PENDING_BYTES = 2 * 2**20
"""Maximum bytes of queued events, a checkout of some 12,000 files: 0.1 s to read. Beyond it they count as lost."""

BATCH_MS = 5
"""How long the thread lets events accumulate, to stay out of the caller's way; the kernel queues a second's worth."""

_READ_BYTES = 256 * 1024
_EVENT = struct.Struct("iIII")


class Event(NamedTuple):
    """One event of a watched folder, or of its child `name`."""

    wd: int
    mask: int
    name: bytes


class Inotify:
    """One kernel queue. Its thread only moves bytes; they are parsed when a caller asks."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.inotify_add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._fd = self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._fd < 0:
            raise Unwatchable("too many watchers" if ctypes.get_errno() == errno.EMFILE else "no inotify")
        self._lock = threading.Lock()
        self._chunks: list[bytes] = []
        self._pending_bytes = 0
        self._lost = False
        self._stop_read, self._stop_write = os.pipe()
        self._closed = False
        threading.Thread(target=self._read_loop, name="inotify", daemon=True).start()

    def add(self, folder: str) -> int:
        """Watch a folder and return its number, the same for the same folder; raise OSError."""
        wd: int = self._libc.inotify_add_watch(self._fd, os.fsencode(folder), MASK)
        if wd < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return wd

    def remove(self, wd: int) -> None:
        """Stop watching a folder; a deleted one is not an error."""
        self._libc.inotify_rm_watch(self._fd, wd)

    def take_events(self) -> tuple[list[bytes], bool]:
        """Return all events so far, including those in the kernel's queue, and whether any were lost."""
        with self._lock:
            self._drain()
            chunks, lost = self._chunks, self._lost
            self._chunks, self._pending_bytes, self._lost = [], 0, False
        return chunks, lost

    def close(self) -> None:
        """Stop the thread, which closes the queue."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._stop_write)

    def _read_loop(self) -> None:
        poller = select.poll()
        poller.register(self._fd, select.POLLIN)
        poller.register(self._stop_read, 0)  # its end is always reported
        stopping = select.poll()
        stopping.register(self._stop_read, 0)
        while not any(fd == self._stop_read for fd, _ in poller.poll()) and not stopping.poll(BATCH_MS):
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
                self._pending_bytes += len(chunk)
                if self._pending_bytes > MAX_PENDING_BYTES:
                    self._chunks, self._lost = [], True
                else:
                    self._chunks.append(chunk)


def parse_events(chunk: bytes) -> Iterator[Event]:
    """Split what the kernel wrote; a child's name is padded with zeros."""
    offset, end, size = 0, len(chunk), _EVENT.size
    while offset < end:
        wd, mask, _, length = _EVENT.unpack_from(chunk, offset)
        offset += size
        yield Event(wd, mask, chunk[offset : offset + length].rstrip(b"\0"))
        offset += length


def watch_limit() -> int:
    """Return how many folders this user may watch in all; 0 if unknown."""
    try:
        with open("/proc/sys/fs/inotify/max_user_watches", "rb") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0
