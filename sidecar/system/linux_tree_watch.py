"""Watches on a whole tree by Linux's inotify, and the file systems it works on.

A thread empties the kernel's queue before it overflows.
"""

import contextlib
import ctypes
import errno
import os
import select
import struct
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sidecar.core.clock import SystemClock
from sidecar.system import folder_watch
from sidecar.system.folder_watch import NO_CHANGES, UNKNOWN_CHANGES, FolderChanges, Unwatchable, WatchedFolders

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
"""Time for which the thread lets events accumulate, out of the caller's way; the kernel queues a second's worth."""

_READ_BYTES = 256 * 1024
_EVENT = struct.Struct("iIII")


class WatchEvent(NamedTuple):
    """One event of a watched folder, or of its child `name`."""

    wd: int
    mask: int
    name: bytes


class Inotify:
    """One kernel queue. Its thread only moves bytes; they are parsed when a caller asks."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.inotify_add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._fd = _new_queue(self._libc)
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
        if sys.platform == "linux":  # never started elsewhere
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


def _new_queue(libc: ctypes.CDLL) -> int:
    if sys.platform == "linux":
        return int(libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
    raise Unwatchable("no inotify")


def parse_events(chunk: bytes) -> Iterator[WatchEvent]:
    """Split what the kernel wrote; a child's name is padded with zeros."""
    offset, end, size = 0, len(chunk), _EVENT.size
    while offset < end:
        wd, mask, _, length = _EVENT.unpack_from(chunk, offset)
        offset += size
        yield WatchEvent(wd, mask, chunk[offset : offset + length].rstrip(b"\0"))
        offset += length


def watch_limit() -> int:
    """Return how many folders this user may watch in all; 0 if unknown."""
    try:
        with open("/proc/sys/fs/inotify/max_user_watches", "rb") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


SYNC_SECONDS = 0.25
"""Longer than the kernel ever takes on a local file system; after it the watch is not trusted."""

MAX_WATCHES = 100_000
"""Trees with more folders are not watched (about 1 KB of kernel memory each)."""

LIMIT_DIVISOR = 2
"""This process uses at most 1/n of the user's limit of watches: editors watch, too."""

_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_REMOVAL = MOVED_FROM | DELETE | DELETE_SELF
_COOKIE = folder_watch.COOKIE_PREFIX.encode()


class _WatchCount:
    """Number of watches of all trees of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.total = 0

    def add(self, number: int) -> int:
        with self.lock:
            self.total += number
            return self.total


_watch_count = _WatchCount()


class TreeWatch:
    """Watch of folders on Linux, for one thread at a time: one inotify watch per folder, added as folders appear.

    A new folder may fill before it is watched. The order of steps makes that harmless: its own event is reported as a
    change, everything in it is watched before the call returns, and only then does the caller read the files.
    """

    is_exact = True

    def __init__(self, folders: WatchedFolders, cookie_dir: Path) -> None:
        """Watch all existing folders; raise Unwatchable."""
        for top in folders.roots:
            if os.path.isdir(top) and (not is_local(top) or (top not in folders.flat_roots and mounted_below(top))):
                raise Unwatchable("the file system does not report its changes reliably")
        self.failure: str | None = None
        self._folders = folders
        self._cookie_dir = cookie_dir
        self._clock = SystemClock()
        self._limit = min(MAX_WATCHES, watch_limit() // LIMIT_DIVISOR)
        self._paths: dict[int, str] = {}
        self._markers: set[str] = set()
        self._inotify = Inotify()
        folder_watch.remove_stale_cookies(cookie_dir, self._clock.now_ms() / 1000)
        try:
            for top in sorted(folders.roots):
                self._watch_subtree(top)
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> int:
        """Number of watched folders."""
        return len(self._paths)

    def sync(self) -> FolderChanges:
        """Return what changed since the previous call; `failure` is set when that is no longer known."""
        if self.failure is None:
            try:
                return self._changes(self._events_up_to_cookie())
            except Unwatchable as error:
                self.failure = error.reason
        return UNKNOWN_CHANGES

    def update_folders(self, folders: WatchedFolders, unskipped: Iterable[str]) -> None:
        """Watch other folders from now on; callers must check again what is no longer skipped."""
        self._folders = folders
        for wd, path in list(self._paths.items()):
            if not folders.covers(path):
                self._unwatch(wd)
        try:
            for path in unskipped:
                if folders.covers(path):
                    self._watch_subtree(path)
        except Unwatchable as error:
            self.failure = error.reason

    def close(self) -> None:
        """End the watch."""
        _watch_count.add(-len(self._paths))
        self._paths = {}
        self.failure = self.failure or "closed"
        self._inotify.close()

    def _events_up_to_cookie(self) -> list[bytes]:
        """Return the events up to a cookie's own; raise Unwatchable."""
        name = folder_watch.new_cookie_name()
        try:
            folder_watch.touch_cookie(self._cookie_dir, name)
        except OSError as error:
            raise Unwatchable("the cookie cannot be created") from error
        cookie, chunks_so_far = name.encode(), []
        give_up_at = self._clock.monotonic_ms() + SYNC_SECONDS * 1000
        while True:
            chunks, lost = self._inotify.take_events()
            chunks_so_far += chunks
            if lost:
                raise Unwatchable("too many changes at once")
            if any(cookie in chunk for chunk in chunks):
                return chunks_so_far
            if self._clock.monotonic_ms() > give_up_at:
                raise Unwatchable("the cookie's event did not arrive")

    def _changes(self, chunks: list[bytes]) -> FolderChanges:
        changed, self._markers = self._markers, set()
        added: set[str] = set()
        removed: set[str] = set()
        for chunk in chunks:
            for event in parse_events(chunk):
                path = self._path_of(event)
                if path is None:
                    continue
                changed.add(path)
                if event.mask & IGNORED:
                    del self._paths[event.wd]
                    _watch_count.add(-1)
                elif event.mask & IS_DIR:
                    (removed if event.mask & _REMOVAL else added).add(path)
        self._update_watches(removed, added)
        changed |= self._markers
        self._markers = set()
        return (
            FolderChanges(frozenset(changed), frozenset(removed | added), is_incomplete=False)
            if changed
            else NO_CHANGES
        )

    def _path_of(self, event: WatchEvent) -> str | None:
        """Return the path of an event; None for cookies and folders no longer watched. Raise Unwatchable."""
        if event.mask & OVERFLOW:
            raise Unwatchable("events were lost")
        if event.mask & UNMOUNT:
            raise Unwatchable("a file system was unmounted")
        folder = self._paths.get(event.wd)
        if folder is None or event.name.startswith(_COOKIE):
            return None
        return f"{folder}/{os.fsdecode(event.name)}" if event.name else folder

    def _update_watches(self, removed: set[str], added: set[str]) -> None:
        """Unwatch removed folders and watch added ones, as they are now; later changes have later events."""
        for wd, folder in list(self._paths.items()) if removed else ():
            if folder in removed or any(parent in removed for parent in _parents(folder)):
                self._unwatch(wd)
        unskipped: set[str] = set()
        for path in sorted(added):
            # What lies in another one that appeared was entered with it, unless that is watched without what is below.
            if self._folders.should_watch(path) and path not in unskipped:
                unskipped |= self._watch_subtree(path)

    def _watch_subtree(self, top: str) -> set[str]:
        """Watches a folder and all below it; each is watched before it is read, so that nothing slips in between."""
        unskipped: set[str] = set()
        pending = [top]
        while pending:
            folder = pending.pop()
            if self._add(folder):
                unskipped.add(folder)
                if folder not in self._folders.flat_roots:
                    pending += self._subfolders_to_watch(folder)
        return unskipped

    def _add(self, folder: str) -> bool:
        try:
            wd = self._inotify.add(folder)
        except OSError as error:
            if error.errno in _MISSING:
                return False  # if it has moved, that has its own event
            if error.errno == errno.EACCES:
                return False  # git cannot read it either; a change of its mode has its own event
            raise Unwatchable("too many folders to watch") from error
        if wd not in self._paths and (_watch_count.add(1) > self._limit):
            self._paths[wd] = folder
            raise Unwatchable("too many folders to watch")
        self._paths[wd] = folder
        return True

    def _subfolders_to_watch(self, folder: str) -> list[str]:
        """Return the subfolders to watch, and note markers among them."""
        below: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.lower() == self._folders.marker_name and folder not in self._folders.roots:
                        self._markers.add(f"{folder}/{self._folders.marker_name}")
                    if entry.is_dir(follow_symlinks=False) and self._folders.should_watch(
                        path := f"{folder}/{entry.name}"
                    ):
                        below.append(path)
        except OSError as error:
            if error.errno not in (*_MISSING, errno.EACCES, errno.EPERM):
                raise Unwatchable("a folder cannot be read") from error
        return below

    def _unwatch(self, wd: int) -> None:
        self._inotify.remove(wd)
        del self._paths[wd]
        _watch_count.add(-1)


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
