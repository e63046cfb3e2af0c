"""Watches folders: what changed below them since one last asked, or that it cannot be told.

Nothing here is believed without a proof of order: every question makes a cookie, a file whose own event has to arrive
first. No daemon is used and nothing outlives the process.

What no events tell, on any platform: stores through a memory mapping that is held open (its closing is told), writes
through a hard link that lies elsewhere, and what another machine does to a shared file system.
"""

import sys
from pathlib import Path

from sidecar.system.watch.base import Changes, Folders, Unwatchable, Watch

__all__ = ["Changes", "Folders", "Unwatchable", "Watch", "open_watch"]


def open_watch(folders: Folders, cookie_dir: Path) -> Watch:
    """Begins to watch; the first answer of `sync` tells what was remarkable already. Raises Unwatchable.

    `cookie_dir` is a watched folder in which files may be made for a moment.
    """
    if sys.platform == "linux":
        from sidecar.system.watch.tree import TreeWatch

        return TreeWatch(folders, cookie_dir)
    from sidecar.system.watch.watchfiles_backend import RecursiveWatch

    return RecursiveWatch(folders, cookie_dir)
