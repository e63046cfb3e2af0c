"""Trees of folders on macOS and Windows, whose events are recursive by themselves; watchfiles speaks to both.

It says less than inotify: not when the system dropped events, which happens in bursts, and little of memory mappings.
So it names changes only while few files change and no folder does; otherwise everything counts as changed until it
has been quiet for a while. What it calls unchanged is *likely* so: whoever asks has to look at what matters to them.
"""

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

from sidecar.core.clock import Clock, SystemClock
from sidecar.system.watch import base
from sidecar.system.watch.base import NOTHING, UNKNOWN, Changes, Folders, Unwatchable

SYNC_SECONDS = 0.5
"""A system that takes longer to tell of a cookie is asked in vain."""

QUIET_MS = 2_000.0
"""After a burst, everything counts as changed until nothing was told for so long."""

MAX_NAMED = 20
"""More changes than this between two questions are a burst."""

MAX_WAITING = 20_000
_PATIENT_AFTER_MS, _PAUSE_SECONDS = 1.0, 0.000_5


class RecursiveWatch:
    """Watches one tree that holds everything else that is watched. One thread at a time."""

    is_exact = False
    size = 1

    def __init__(self, folders: Folders, cookie_dir: Path, clock: Clock | None = None) -> None:
        """Watches the folder that holds all the others; raises Unwatchable where none does."""
        from watchfiles._rust_notify import RustNotify

        self.broken: str | None = None
        self._folders = folders
        self._cookie_dir = cookie_dir
        self._clock = clock or SystemClock()
        self._quiet_at_ms = 0.0
        root = min(folders.tops, key=len)
        if not all(top == root or top.startswith(f"{root}/") for top in folders.tops):
            # Two trees have two streams of events, and a cookie in one says nothing about the other.
            raise Unwatchable("the git directory is outside the worktree")
        base.remove_stale(cookie_dir, self._clock.now_ms() / 1000)
        try:
            self._notify = RustNotify([root], False, False, 0, True, False)
        except Exception as error:  # what it raises is not documented
            raise Unwatchable("the folder cannot be watched") from error

    def sync(self) -> Changes:
        """Tells what was done since the last call; "everything" after a burst until all was quiet."""
        if self.broken is None:
            try:
                return self._changes({path for path in self._taken() if self._counts(path)})
            except Unwatchable as error:
                self.broken = error.reason
        return UNKNOWN

    def follow(self, folders: Folders, entered: Iterable[str]) -> None:  # noqa: ARG002  (all is watched anyway)
        """Counts the changes of other folders from now on."""
        self._folders = folders

    def close(self) -> None:
        """Ends the watch."""
        self.broken = self.broken or "closed"
        self._notify.close()

    def _changes(self, paths: set[str]) -> Changes:
        now_ms = self._clock.monotonic_ms()
        is_burst = len(paths) > MAX_NAMED or any(_may_be_folder(path) for path in paths)
        if is_burst or (paths and now_ms < self._quiet_at_ms):
            self._quiet_at_ms = now_ms + QUIET_MS
        if now_ms < self._quiet_at_ms:
            return Changes(frozenset(paths), frozenset(), everything=True)
        return Changes(frozenset(paths), frozenset(), everything=False) if paths else NOTHING

    def _taken(self) -> set[str]:
        """Gives the paths up to a cookie's own; raises Unwatchable."""
        name = base.new_name()
        mark = (self._cookie_dir / name).as_posix()
        deadline = _Deadline(self._clock)
        try:
            base.put(self._cookie_dir, name)
        except OSError as error:
            raise Unwatchable("the cookie cannot be created") from error
        taken: set[str] = set()
        while mark not in taken:
            try:
                # Without a time limit of its own: one that runs out loses what was gathered.
                found = self._notify.watch(0, 0, 0, deadline)
            except Exception as error:  # a name that is not UTF-8, among others; later calls fail, too
                raise Unwatchable("the changes cannot be read") from error
            if isinstance(found, str):
                raise Unwatchable("the cookie's event did not arrive")
            taken |= {Path(path).as_posix() for _, path in found}
            if len(taken) > MAX_WAITING:
                raise Unwatchable("too many changes at once")
        return taken

    def _counts(self, path: str) -> bool:
        parent, _, name = path.rpartition("/")
        return not name.startswith(base.PREFIX) and self._folders.covers(parent)


class _Deadline:
    """Asked by the library at each turn of its waiting: ends it when it is time, and makes it wait patiently."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_ms = clock.monotonic_ms()

    def is_set(self) -> bool:
        """Says whether to give up."""
        waited_ms = self._clock.monotonic_ms() - self._began_ms
        if waited_ms > _PATIENT_AFTER_MS:
            time.sleep(_PAUSE_SECONDS)
        return waited_ms > SYNC_SECONDS * 1000


def _may_be_folder(path: str) -> bool:
    """Says whether a changed path is a folder or may have been one; events do not say so."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return True
