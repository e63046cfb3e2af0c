"""Watch folders: report what changed below them since the last call, or that this is unknown.

Every call creates a cookie: a file whose own event must arrive before any other is trusted to be complete. There is no
daemon and nothing survives the process.

Never reported, on any platform: stores through a memory mapping that stays open (its closing is reported), writes
through a hard link elsewhere, and what another machine does to a shared file system.
"""

import contextlib
import itertools
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

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


class Changes(NamedTuple):
    """Changes between two calls."""

    paths: frozenset[str]
    folders: frozenset[str]
    """The paths that are folders which appeared, disappeared or changed; their contents may be missing here.
    """
    is_incomplete: bool
    """Whether changes may have been missed, so that everything must be checked."""


NO_CHANGES = Changes(frozenset(), frozenset(), is_incomplete=False)
UNKNOWN_CHANGES = Changes(frozenset(), frozenset(), is_incomplete=True)


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

    def sync(self) -> Changes:
        """Return everything that changed since the previous call."""
        ...

    def update_folders(self, folders: WatchedFolders, unskipped: Iterable[str]) -> None:
        """Watch other folders from now on; `unskipped` are those that were skipped and no longer are."""
        ...

    def close(self) -> None:
        """End the watch."""
        ...


def open_watch(folders: WatchedFolders, cookie_dir: Path) -> Watch:
    """Start a watch; the first `sync` reports markers that existed already. Raise Unwatchable.

    `cookie_dir` is a watched folder in which temporary files may be created.
    """
    if sys.platform == "linux":
        from sidecar.system.inotify import TreeWatch

        return TreeWatch(folders, cookie_dir)
    from sidecar.system.watchfiles_backend import RecursiveWatch

    return RecursiveWatch(folders, cookie_dir)
