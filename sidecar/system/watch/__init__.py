"""Watches folders and reports what changed below them since the last call, or that this is unknown.

Every call creates a cookie: a file whose own event must arrive before any other is trusted to be complete. There is no
daemon and nothing survives the process.

Never reported, on any platform: stores through a memory mapping that stays open (its closing is reported), writes
through a hard link elsewhere, and what another machine does to a shared file system.
"""

import sys
from pathlib import Path

from sidecar.system.watch.base import Changes, Unwatchable, Watch, WatchedFolders

__all__ = ["Changes", "Unwatchable", "Watch", "WatchedFolders", "open_watch"]


def open_watch(folders: WatchedFolders, cookie_dir: Path) -> Watch:
    """Start a watch; the first `sync` reports markers that existed already. Raise Unwatchable.

    `cookie_dir` is a watched folder in which temporary files may be created.
    """
    if sys.platform == "linux":
        from sidecar.system.watch.inotify import TreeWatch

        return TreeWatch(folders, cookie_dir)
    from sidecar.system.watch.watchfiles_backend import RecursiveWatch

    return RecursiveWatch(folders, cookie_dir)
