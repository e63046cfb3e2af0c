"""Cookies: files made for a moment, so that their events tell that all earlier ones have arrived."""

import contextlib
import itertools
import os
from pathlib import Path

PREFIX = ".watchman-cookie-onecode-"
"""Editors that watch a git directory know files that begin so, and look away."""

_STALE_SECONDS = 60
_numbers = itertools.count()


def new_name() -> str:
    """Gives a name no other cookie has, of this process or another, and that is no part of another's."""
    return f"{PREFIX}{os.getpid()}-{next(_numbers)}-"


def put(folder: Path, name: str) -> None:
    """Makes a cookie and takes it away; raises OSError."""
    path = os.path.join(folder, name)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    os.unlink(path)


def remove_stale(folder: Path, now_seconds: float) -> None:
    """Takes away what processes that were killed left behind."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    if now_seconds - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                        os.unlink(entry.path)
