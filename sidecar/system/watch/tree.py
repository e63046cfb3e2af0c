"""Watch of folder trees through inotify, which watches single folders: one watch per folder, added as folders appear.

A new folder may fill before it is watched. The order of steps makes that harmless: its own event is reported as a
change, everything in it is watched before the call returns, and only then does the caller look at the files.
"""

import errno
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecar.core.clock import SystemClock
from sidecar.system.watch import base, inotify
from sidecar.system.watch.base import NO_CHANGES, UNKNOWN_CHANGES, Changes, Unwatchable, WatchedFolders
from sidecar.system.watch.inotify import is_local, mounted_below

SYNC_SECONDS = 0.25
"""Longer than the kernel ever takes on a local file system; after it the watch is not trusted."""

MAX_WATCHES = 100_000
"""Trees with more folders are not watched (about 1 KB of kernel memory each)."""

LIMIT_DIVISOR = 2
"""This process uses at most 1/n of the user's limit of watches: editors watch, too."""

_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_REMOVAL = inotify.MOVED_FROM | inotify.DELETE | inotify.DELETE_SELF
_COOKIE = base.COOKIE_PREFIX.encode()


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
    """Watch of folders on Linux, for one thread at a time."""

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
        self._limit = min(MAX_WATCHES, inotify.watch_limit() // LIMIT_DIVISOR)
        self._paths: dict[int, str] = {}
        self._markers: set[str] = set()
        self._inotify = inotify.Inotify()
        base.remove_stale_cookies(cookie_dir, self._clock.now_ms() / 1000)
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

    def sync(self) -> Changes:
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
        name = base.new_cookie_name()
        try:
            base.touch_cookie(self._cookie_dir, name)
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

    def _changes(self, chunks: list[bytes]) -> Changes:
        changed, self._markers = self._markers, set()
        added: set[str] = set()
        removed: set[str] = set()
        for chunk in chunks:
            for event in inotify.parse_events(chunk):
                path = self._path_of(event)
                if path is None:
                    continue
                changed.add(path)
                if event.mask & inotify.IGNORED:
                    del self._paths[event.wd]
                    _watch_count.add(-1)
                elif event.mask & inotify.IS_DIR:
                    (removed if event.mask & _REMOVAL else added).add(path)
        self._update_watches(removed, added)
        changed |= self._markers
        self._markers = set()
        return Changes(frozenset(changed), frozenset(removed | added), is_incomplete=False) if changed else NO_CHANGES

    def _path_of(self, event: inotify.Event) -> str | None:
        """Return the path of an event; None for cookies and folders no longer watched. Raise Unwatchable."""
        if event.mask & inotify.OVERFLOW:
            raise Unwatchable("events were lost")
        if event.mask & inotify.UNMOUNT:
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
