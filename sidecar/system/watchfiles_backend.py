"""Watch of folder trees through watchfiles on macOS and Windows, whose events are recursive.

They report less than inotify: not that events were dropped, which happens in bursts, and little about memory mappings.
So changes have names only while few files and no folders change; otherwise everything counts as changed until a quiet
period has passed. An unchanged result is only likely: callers must check the files that matter to them.
"""

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

from sidecar.core.clock import Clock, SystemClock
from sidecar.system import folder_watch
from sidecar.system.folder_watch import NO_CHANGES, UNKNOWN_CHANGES, Changes, Unwatchable, WatchedFolders

SYNC_SECONDS = 0.5
"""Maximum wait for a cookie's event."""

QUIET_MS = 2_000.0
"""After a burst, everything counts as changed until no event has arrived for this long."""

BURST_PATHS = 20
"""More changes than this between two calls are a burst."""

MAX_PENDING_PATHS = 20_000
_SLOW_AFTER_MS, _PAUSE_SECONDS = 1.0, 0.000_5


class RecursiveWatch:
    """Watch of one tree that contains everything else, for one thread at a time."""

    is_exact = False
    size = 1

    def __init__(self, folders: WatchedFolders, cookie_dir: Path, clock: Clock | None = None) -> None:
        """Watch the root that contains all the others; raise Unwatchable if none does."""
        from watchfiles._rust_notify import RustNotify

        self.failure: str | None = None
        self._folders = folders
        self._cookie_dir = cookie_dir
        self._clock = clock or SystemClock()
        self._quiet_until_ms = 0.0
        root = min(folders.roots, key=len)
        if not all(top == root or top.startswith(f"{root}/") for top in folders.roots):
            # Two trees have two event streams, and a cookie in one proves nothing about the other.
            raise Unwatchable("the git directory is outside the worktree")
        folder_watch.remove_stale_cookies(cookie_dir, self._clock.now_ms() / 1000)
        try:
            self._notify = RustNotify([root], False, False, 0, True, False)
        except Exception as error:  # its exceptions are undocumented
            raise Unwatchable("the folder cannot be watched") from error

    def sync(self) -> Changes:
        """Return what changed since the previous call; "everything" after a burst until a quiet period has passed."""
        if self.failure is None:
            try:
                return self._changes({path for path in self._paths_up_to_cookie() if self._is_watched(path)})
            except Unwatchable as error:
                self.failure = error.reason
        return UNKNOWN_CHANGES

    def update_folders(self, folders: WatchedFolders, unskipped: Iterable[str]) -> None:  # noqa: ARG002  (all is watched anyway)
        """Report the changes of other folders from now on."""
        self._folders = folders

    def close(self) -> None:
        """End the watch."""
        self.failure = self.failure or "closed"
        self._notify.close()

    def _changes(self, paths: set[str]) -> Changes:
        now_ms = self._clock.monotonic_ms()
        is_burst = len(paths) > BURST_PATHS or any(_may_be_folder(path) for path in paths)
        if is_burst or (paths and now_ms < self._quiet_until_ms):
            self._quiet_until_ms = now_ms + QUIET_MS
        if now_ms < self._quiet_until_ms:
            return Changes(frozenset(paths), frozenset(), is_incomplete=True)
        return Changes(frozenset(paths), frozenset(), is_incomplete=False) if paths else NO_CHANGES

    def _paths_up_to_cookie(self) -> set[str]:
        """Return the paths up to a cookie's own; raise Unwatchable."""
        name = folder_watch.new_cookie_name()
        cookie = (self._cookie_dir / name).as_posix()
        deadline = _Deadline(self._clock)
        try:
            folder_watch.touch_cookie(self._cookie_dir, name)
        except OSError as error:
            raise Unwatchable("the cookie cannot be created") from error
        paths: set[str] = set()
        while cookie not in paths:
            try:
                # No timeout of the library's: when one expires, collected events are lost.
                events = self._notify.watch(0, 0, 0, deadline)
            except Exception as error:  # for example a name that is not UTF-8; later calls fail, too
                raise Unwatchable("the changes cannot be read") from error
            if isinstance(events, str):
                raise Unwatchable("the cookie's event did not arrive")
            paths |= {Path(path).as_posix() for _, path in events}
            if len(paths) > MAX_PENDING_PATHS:
                raise Unwatchable("too many changes at once")
        return paths

    def _is_watched(self, path: str) -> bool:
        parent, _, name = path.rpartition("/")
        return not name.startswith(folder_watch.COOKIE_PREFIX) and self._folders.covers(parent)


class _Deadline:
    """Event polled by the library while it waits: ends the wait on timeout and slows the polling down."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started_ms = clock.monotonic_ms()

    def is_set(self) -> bool:
        """Whether to give up."""
        elapsed_ms = self._clock.monotonic_ms() - self._started_ms
        if elapsed_ms > _SLOW_AFTER_MS:
            time.sleep(_PAUSE_SECONDS)
        return elapsed_ms > SYNC_SECONDS * 1000


def _may_be_folder(path: str) -> bool:
    """Whether a changed path is a folder or may have been one; events do not tell."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return True
