"""Cookies: files made for a moment, so that their events tell that all earlier ones have arrived."""

import contextlib
import itertools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

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


# What is watched, what is told about it, and how a watch is spoken to.


class Folders(NamedTuple):
    """Which folders are watched; all paths are absolute and without symbolic links."""

    tops: frozenset[str]
    """Watched with everything below them; one that is not there yet is watched when it comes."""
    flat: frozenset[str]
    """Tops of which only the direct children are watched."""
    skipped: frozenset[str]
    """Not watched, nor anything below them, except for tops."""
    skipped_names: frozenset[str]
    """The same for folders of these names, wherever they are."""
    telltale: str
    """A file or folder of this name is told like a change when it is found below a top that is not flat."""

    def enters(self, path: str) -> bool:
        """Says whether a folder, found in a watched one, is to be watched."""
        if path in self.tops:
            return True
        parent, _, name = path.rpartition("/")
        return not (parent in self.flat or path in self.skipped or name in self.skipped_names)

    def covers(self, path: str) -> bool:
        """Says whether a path below a top is watched: no folder above it is skipped."""
        while path not in self.tops:
            parent, _, _ = path.rpartition("/")
            if not parent or not self.enters(path):
                return False
            path = parent
        return True


class Changes(NamedTuple):
    """What changed between two questions."""

    paths: frozenset[str]
    folders: frozenset[str]
    """Those of the paths that are folders which came, went or changed themselves; what is in them may not be told."""
    everything: bool
    """True when something was missed or may have been: look at everything."""


NOTHING = Changes(frozenset(), frozenset(), everything=False)
UNKNOWN = Changes(frozenset(), frozenset(), everything=True)


class Unwatchable(Exception):
    """These folders cannot be watched, or no longer; `reason` says why in a few words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Watch(Protocol):
    """A running watch. One thread at a time."""

    @property
    def broken(self) -> str | None:
        """Why nothing can be told any more; None while all is well."""
        ...

    @property
    def is_exact(self) -> bool:
        """Whether every change is told but for stores through a mapping held open; otherwise some may be missed."""
        ...

    @property
    def size(self) -> int:
        """How many folders the system was asked to watch."""
        ...

    def sync(self) -> Changes:
        """Tells everything that was done before this call and after the one before it."""
        ...

    def follow(self, folders: Folders, entered: Iterable[str]) -> None:
        """Watches other folders from now on; `entered` are those that were skipped and no longer are."""
        ...

    def close(self) -> None:
        """Ends the watch."""
        ...
