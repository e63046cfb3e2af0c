"""The queues of file events that this process has open for a folder."""

import os
import re
from contextlib import suppress
from pathlib import Path

_INODE = re.compile(r"^inotify wd:\w+ ino:(\w+)", re.MULTILINE)


def queues_watching(top: Path) -> int:
    """Count the queues that watch a folder below `top`.

    Queues of earlier tests do not count: their threads may close them at any moment.
    """
    inodes = {os.stat(folder).st_ino for folder, _, _ in os.walk(top)}
    count = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            content = Path(f"/proc/self/fdinfo/{name}").read_text(encoding="ascii")
            count += not inodes.isdisjoint(int(inode, 16) for inode in _INODE.findall(content))
    return count
