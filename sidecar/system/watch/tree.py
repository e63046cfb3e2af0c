"""Trees of folders under inotify, which watches single folders: one watch for each, following them as they come.

A new folder may fill before it is watched. That is harmless by order: its own event is told as a change, all that is
in it is watched before the answer is given, and whoever asked looks at the files only then.
"""

import errno
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecar.core.clock import SystemClock
from sidecar.system.watch import base, inotify
from sidecar.system.watch.base import NOTHING, UNKNOWN, Changes, Folders, Unwatchable
from sidecar.system.watch.inotify import is_local, mounted_below

SYNC_SECONDS = 0.25
"""Longer than the kernel ever takes on a local file system; after it the watch is not to be trusted."""

MAX_WATCHES = 100_000
"""A tree of more folders is not watched (about 1 KB of kernel memory each)."""

SHARE_OF_LIMIT = 2
"""All watches of this process take at most one in so many of what the user may have: editors watch, too."""

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_GOING = inotify.MOVED_FROM | inotify.DELETE | inotify.DELETE_SELF
_COOKIE = base.PREFIX.encode()


class _Count:
    """The watches of all trees of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.total = 0

    def add(self, number: int) -> int:
        with self.lock:
            self.total += number
            return self.total


_count = _Count()


class TreeWatch:
    """Watches folders on Linux. One thread at a time."""

    is_exact = True

    def __init__(self, folders: Folders, cookie_dir: Path) -> None:
        """Watches all there is; raises Unwatchable."""
        for top in folders.tops:
            if os.path.isdir(top) and (not is_local(top) or (top not in folders.flat and mounted_below(top))):
                raise Unwatchable("the file system does not report its changes reliably")
        self.broken: str | None = None
        self._folders = folders
        self._cookie_dir = cookie_dir
        self._clock = SystemClock()
        self._limit = min(MAX_WATCHES, inotify.allowed_watches() // SHARE_OF_LIMIT)
        self._paths: dict[int, str] = {}
        self._found: set[str] = set()
        self._inotify = inotify.Inotify()
        base.remove_stale(cookie_dir, self._clock.now_ms() / 1000)
        try:
            for top in sorted(folders.tops):
                self._enter(top)
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> int:
        """How many folders are watched."""
        return len(self._paths)

    def sync(self) -> Changes:
        """Tells what was done since the last call; `broken` says when that is no longer known."""
        if self.broken is None:
            try:
                return self._changes(self._taken())
            except Unwatchable as error:
                self.broken = error.reason
        return UNKNOWN

    def follow(self, folders: Folders, entered: Iterable[str]) -> None:
        """Watches other folders from now on; what was skipped and no longer is has to be looked at anew."""
        self._folders = folders
        for wd, path in list(self._paths.items()):
            if not folders.covers(path):
                self._leave(wd)
        try:
            for path in entered:
                if folders.covers(path):
                    self._enter(path)
        except Unwatchable as error:
            self.broken = error.reason

    def close(self) -> None:
        """Ends the watch."""
        _count.add(-len(self._paths))
        self._paths = {}
        self.broken = self.broken or "closed"
        self._inotify.close()

    def _taken(self) -> list[bytes]:
        """Gives the events up to a cookie's own; raises Unwatchable."""
        name = base.new_name()
        try:
            base.put(self._cookie_dir, name)
        except OSError as error:
            raise Unwatchable("the cookie cannot be created") from error
        mark, taken = name.encode(), []
        give_up_at = self._clock.monotonic_ms() + SYNC_SECONDS * 1000
        while True:
            chunks, lost = self._inotify.take()
            taken += chunks
            if lost:
                raise Unwatchable("too many changes at once")
            if any(mark in chunk for chunk in chunks):
                return taken
            if self._clock.monotonic_ms() > give_up_at:
                raise Unwatchable("the cookie's event did not arrive")

    def _changes(self, chunks: list[bytes]) -> Changes:
        changed, self._found = self._found, set()
        appeared: set[str] = set()
        left: set[str] = set()
        for chunk in chunks:
            for event in inotify.events_in(chunk):
                path = self._path_of(event)
                if path is None:
                    continue
                changed.add(path)
                if event.mask & inotify.IGNORED:
                    del self._paths[event.wd]
                    _count.add(-1)
                elif event.mask & inotify.IS_DIR:
                    (left if event.mask & _GOING else appeared).add(path)
        self._restructure(left, appeared)
        changed |= self._found
        self._found = set()
        return Changes(frozenset(changed), frozenset(left | appeared), everything=False) if changed else NOTHING

    def _path_of(self, event: inotify.Event) -> str | None:
        """Gives what an event is about; None for what is no longer watched and for cookies. Raises Unwatchable."""
        if event.mask & inotify.OVERFLOW:
            raise Unwatchable("events were lost")
        if event.mask & inotify.UNMOUNT:
            raise Unwatchable("a file system was unmounted")
        folder = self._paths.get(event.wd)
        if folder is None or event.name.startswith(_COOKIE):
            return None
        return f"{folder}/{os.fsdecode(event.name)}" if event.name else folder

    def _restructure(self, left: set[str], appeared: set[str]) -> None:
        """Leaves what went and enters what came, as it is now: a later event tells of what comes later."""
        for wd, folder in list(self._paths.items()) if left else ():
            if folder in left or any(above in left for above in _above(folder)):
                self._leave(wd)
        entered: set[str] = set()
        for path in sorted(appeared):
            # What lies in another one that appeared was entered with it, unless that is watched without what is below.
            if self._folders.enters(path) and path not in entered:
                entered |= self._enter(path)

    def _enter(self, top: str) -> set[str]:
        """Watches a folder and all below it; each is watched before it is read, so that nothing slips in between."""
        entered: set[str] = set()
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            if self._add(folder):
                entered.add(folder)
                if folder not in self._folders.flat:
                    waiting += self._below(folder)
        return entered

    def _add(self, folder: str) -> bool:
        try:
            wd = self._inotify.add(folder)
        except OSError as error:
            if error.errno in _GONE:
                return False  # if it is elsewhere now, that has its own event
            if error.errno == errno.EACCES:
                return False  # git may not read it either; a change of its mode has its own event
            raise Unwatchable("too many folders to watch") from error
        if wd not in self._paths and (_count.add(1) > self._limit):
            self._paths[wd] = folder
            raise Unwatchable("too many folders to watch")
        self._paths[wd] = folder
        return True

    def _below(self, folder: str) -> list[str]:
        """Gives the folders in a folder that are to be watched, and notes what is remarkable there."""
        below: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.lower() == self._folders.telltale and folder not in self._folders.tops:
                        self._found.add(f"{folder}/{self._folders.telltale}")
                    if entry.is_dir(follow_symlinks=False) and self._folders.enters(path := f"{folder}/{entry.name}"):
                        below.append(path)
        except OSError as error:
            if error.errno not in (*_GONE, errno.EACCES, errno.EPERM):
                raise Unwatchable("a folder cannot be read") from error
        return below

    def _leave(self, wd: int) -> None:
        self._inotify.remove(wd)
        del self._paths[wd]
        _count.add(-1)


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
