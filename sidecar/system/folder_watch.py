"""Watch folders: report what changed below them since the last call, or that this is unknown.

Every call creates a cookie: a file whose own event must arrive before any other is trusted to be complete. There is no
daemon and nothing survives the process. On Linux `linux_tree_watch.py` watches, elsewhere the library watchfiles.

Never reported, on any platform: stores through a memory mapping that stays open (its closing is reported), writes
through a hard link elsewhere, and what another machine does to a shared file system.
"""

import contextlib
import itertools
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from sidecar.core.clock import Clock, SystemClock
from sidecar.system.safe_open import spelling_on_disk

COOKIE_PREFIX = ".watchman-cookie-onecode-"
"""Editors that watch a git directory know this prefix and ignore such files."""

_STALE_SECONDS = 60
_numbers = itertools.count()


def new_cookie_name() -> str:
    """Return a name that no other cookie has in any process, and that is not part of another's."""
    return f"{COOKIE_PREFIX}{os.getpid()}-{next(_numbers)}-"


def touch_cookie(folder: Path, name: str) -> None:
    """Create a cookie and delete it; raise OSError."""
    path = os.path.join(folder, name)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    os.unlink(path)


def remove_stale_cookies(folder: Path, now_seconds: float) -> None:
    """Delete the cookies of killed processes."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(COOKIE_PREFIX):
                with contextlib.suppress(OSError):
                    if now_seconds - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                        os.unlink(entry.path)


def folder_identity(path: str) -> tuple[int, int] | None:
    """Return a folder's device and inode; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    # A file that replaces a deleted folder may get its inode.
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


class WatchedFolders(NamedTuple):
    """Folders to watch; all paths are absolute and free of symbolic links."""

    roots: frozenset[str]
    """Watched with everything below; a missing one is watched when it appears."""
    flat_roots: frozenset[str]
    """Roots of which only the direct children are watched."""
    skipped: frozenset[str]
    """Not watched, nor anything below them, except for roots."""
    skipped_names: frozenset[str]
    """Names of folders that are skipped wherever they are."""
    marker_name: str
    """A file or folder of this name is reported as a change when it is found below a root that is not flat."""

    def should_watch(self, path: str) -> bool:
        """Whether a folder found in a watched one is to be watched."""
        if path in self.roots:
            return True
        parent, _, name = path.rpartition("/")
        return not (parent in self.flat_roots or path in self.skipped or name in self.skipped_names)

    def covers(self, path: str) -> bool:
        """Whether a path below a root is watched, because no folder above it is skipped."""
        while path not in self.roots:
            parent, _, _ = path.rpartition("/")
            if not parent or not self.should_watch(path):
                return False
            path = parent
        return True


class FolderChanges(NamedTuple):
    """Changes between two calls."""

    paths: frozenset[str]
    folders: frozenset[str]
    """The paths that are folders which appeared, disappeared or changed; their contents may be missing here.
    """
    is_incomplete: bool
    """Whether changes may have been missed, so that everything must be checked."""


NO_CHANGES = FolderChanges(frozenset(), frozenset(), is_incomplete=False)
UNKNOWN_CHANGES = FolderChanges(frozenset(), frozenset(), is_incomplete=True)


class Unwatchable(Exception):
    """These folders cannot be watched, or no longer; `reason` is a short phrase."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Watch(Protocol):
    """A running watch, for one thread at a time."""

    @property
    def failure(self) -> str | None:
        """Reason why the watch has failed; None while it works."""
        ...

    @property
    def is_exact(self) -> bool:
        """Whether every change is reported except stores through an open mapping; otherwise some may be missed."""
        ...

    @property
    def size(self) -> int:
        """Number of folders the system watches."""
        ...

    def sync(self) -> FolderChanges:
        """Return everything that changed since the previous call."""
        ...

    def update_folders(self, folders: WatchedFolders, unskipped: Iterable[str]) -> None:
        """Watch other folders from now on; `unskipped` are those that were skipped and no longer are."""
        ...

    def close(self) -> None:
        """End the watch."""
        ...


HAS_EXACT_EVENTS = sys.platform == "linux"
"""Whether the watches of this platform are exact."""


def open_watch(folders: WatchedFolders, cookie_dir: Path) -> Watch:
    """Start a watch; the first `sync` reports markers that existed already. Raise Unwatchable.

    `cookie_dir` is a watched folder in which temporary files may be created.
    """
    if HAS_EXACT_EVENTS:
        from sidecar.system.linux_tree_watch import TreeWatch

        return TreeWatch(folders, cookie_dir)
    return RecursiveWatch(folders, cookie_dir)


# The events of macOS and Windows are recursive. They report less than inotify: not that events were dropped, which
# happens in bursts, and little about memory mappings. So changes have names only while few files and no folders change;
# otherwise everything counts as changed until a quiet period has passed. An unchanged result is only likely: callers
# must check the files that matter to them.

SYNC_SECONDS = 0.5
"""Maximum wait for a cookie's event."""

QUIET_MS = 2_000.0
"""After a burst, everything counts as changed until no event has arrived for this long."""

BURST_PATHS = 20
"""More changes than this between two calls are a burst."""

_HAS_ONE_STREAM = sys.platform != "win32"
"""Whether the events of all trees of one watch arrive in their order; on Windows each tree has its own handle."""

MAX_PENDING_PATHS = 20_000
_SLOW_AFTER_MS, _PAUSE_SECONDS = 1.0, 0.000_5
_MODIFIED = 2
"""The library's number of a change that is neither a creation nor a deletion."""


class RecursiveWatch:
    """Watch of the trees that contain everything else, for one thread at a time."""

    is_exact = False
    repeats_changes = sys.platform == "win32"
    """Whether the system also reports the folder of a file that appears or disappears as modified."""

    def __init__(self, folders: WatchedFolders, cookie_dir: Path, clock: Clock | None = None) -> None:
        """Watch the roots that no other one contains; raise Unwatchable if one cookie does not prove their events."""
        from watchfiles._rust_notify import RustNotify

        self.failure: str | None = None
        self._folders = folders
        self._cookie_dir = cookie_dir
        self._clock = clock or SystemClock()
        self._quiet_until_ms = 0.0
        trees = _trees_of(folders.roots)
        self.size = len(trees)
        if len(trees) > 1:
            _require_one_stream(trees)
        remove_stale_cookies(cookie_dir, self._clock.now_ms() / 1000)
        try:
            self._notify = RustNotify(trees, False, False, 0, True, False)
        except Exception as error:  # its exceptions are undocumented
            raise Unwatchable("the folder cannot be watched") from error

    def sync(self) -> FolderChanges:
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

    def _changes(self, paths: set[str]) -> FolderChanges:
        now_ms = self._clock.monotonic_ms()
        is_burst = len(paths) > BURST_PATHS or any(_may_be_folder(path) for path in paths)
        if is_burst or (paths and now_ms < self._quiet_until_ms):
            self._quiet_until_ms = now_ms + QUIET_MS
        if now_ms < self._quiet_until_ms:
            return FolderChanges(frozenset(paths), frozenset(), is_incomplete=True)
        return FolderChanges(frozenset(paths), frozenset(), is_incomplete=False) if paths else NO_CHANGES

    def _paths_up_to_cookie(self) -> set[str]:
        """Return the paths up to a cookie's own; raise Unwatchable."""
        name = new_cookie_name()
        cookie = (self._cookie_dir / name).as_posix()
        deadline = _Deadline(self._clock)
        try:
            touch_cookie(self._cookie_dir, name)
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
            paths |= {Path(path).as_posix() for path in self._changed(events)}
            if len(paths) > MAX_PENDING_PATHS:
                raise Unwatchable("too many changes at once")
        return paths

    def _changed(self, events: set[tuple[int, str]]) -> Iterator[str]:
        """Yield the paths of events, without folders of which only a child changed: that has its own event.

        Otherwise each cookie would count as the change of a folder, which is a burst. So is a larger number of events.
        """
        are_checked = self.repeats_changes and len(events) <= BURST_PATHS
        for kind, path in events:
            if not (are_checked and kind == _MODIFIED and os.path.isdir(path)):
                yield path

    def _is_watched(self, path: str) -> bool:
        parent, _, name = path.rpartition("/")
        return not name.startswith(COOKIE_PREFIX) and self._folders.covers(parent)


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


def _trees_of(roots: Iterable[str]) -> list[str]:
    """Return the roots that are not below another one, sorted."""
    trees: list[str] = []
    for root in sorted(roots, key=len):
        if not any(root.startswith(f"{tree}/") for tree in trees):
            trees.append(root)
    return sorted(trees)


def _require_one_stream(trees: Sequence[str]) -> None:
    """Raise Unwatchable if a cookie in one of several trees proves nothing about the events of the others."""
    if not _HAS_ONE_STREAM:
        raise Unwatchable("the git directory is outside the worktree")
    if len({identity and identity[0] for identity in map(folder_identity, trees)}) > 1:
        raise Unwatchable("the git directory is on another disk than the worktree")
    try:
        # A single tree whose events name it in another way has no cookie, either; one of several may miss all changes.
        if any(spelling_on_disk(tree) != tree for tree in trees):
            raise Unwatchable("the events name a folder in another way")
    except OSError as error:
        raise Unwatchable("the folder cannot be watched") from error


def _may_be_folder(path: str) -> bool:
    """Whether a changed path is a folder or may have been one; events do not tell."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return True
