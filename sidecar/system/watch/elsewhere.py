"""Trees of folders on macOS and Windows, whose events are recursive by themselves; watchfiles speaks to both.

It does not tell when the system dropped events, which happens in bursts only, and not without any event. So after
each change the answer stays "look at everything" until nothing has happened for a while.
"""

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.core.clock import SystemClock
from sidecar.system.watch import cookies
from sidecar.system.watch.watched import NOTHING, UNKNOWN, Changes, Folders, Unwatchable

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

SYNC_SECONDS = 0.5
QUIET_MS = 2_000
MAX_WAITING = 20_000
_STEP_MS = 1
_GROUP_MS = 50


class RecursiveWatch:
    """Watches one tree that holds everything else that is watched. One thread at a time."""

    def __init__(self, folders: Folders, cookie_dir: Path) -> None:
        """Watches the folder that holds all the others; raises Unwatchable where none does."""
        from watchfiles._rust_notify import RustNotify

        self.broken: str | None = None
        self.size = 1
        self._folders = folders
        self._cookie_dir = cookie_dir
        self._clock = SystemClock()
        self._quiet_at_ms = 0.0
        self._condition = threading.Condition()
        self._paths: set[str] = set()
        self._stopping = threading.Event()
        self._root = root = min(folders.tops, key=len)
        if not all(top == root or top.startswith(f"{root}/") for top in folders.tops):
            # Two trees have two streams of events, and a cookie in one says nothing about the other.
            raise Unwatchable("the git directory lies elsewhere")
        cookies.remove_stale(cookie_dir, self._clock.now_ms() / 1000)
        try:
            self._notify = RustNotify([root], False, False, 0, True, True)
        except Exception as error:  # what it raises is not documented
            raise Unwatchable("the folder cannot be watched") from error
        arguments = (self._notify, self._condition, self._paths, self._stopping)
        threading.Thread(target=_move, args=arguments, name="watchfiles", daemon=True).start()

    def sync(self) -> Changes:
        """Tells what was done since the last call; "everything" until all has been quiet for a while."""
        if self.broken is None:
            try:
                changed = {path for path in self._taken() if self._counts(path)}
            except Unwatchable as error:
                self.broken = error.reason
            else:
                return self._answer(changed)
        return UNKNOWN

    def follow(self, folders: Folders, entered: Iterable[str]) -> None:  # noqa: ARG002  (all is watched anyway)
        """Counts the changes of other folders from now on."""
        self._folders = folders

    def close(self) -> None:
        """Ends the watch."""
        self.broken = self.broken or "closed"
        self._stopping.set()

    def _answer(self, changed: set[str]) -> Changes:
        now_ms = self._clock.monotonic_ms()
        if changed:
            self._quiet_at_ms = now_ms + QUIET_MS
        if now_ms >= self._quiet_at_ms:
            return NOTHING
        return Changes(frozenset(changed), folders=True, everything=True)

    def _taken(self) -> set[str]:
        """Gives the paths up to a cookie's own; raises Unwatchable."""
        name = cookies.new_name()
        mark = (self._cookie_dir / name).as_posix()
        try:
            cookies.put(self._cookie_dir, name)
        except OSError as error:
            raise Unwatchable("no cookie can be made") from error
        with self._condition:
            came = self._condition.wait_for(lambda: mark in self._paths or self._stopping.is_set(), SYNC_SECONDS)
            taken = set(self._paths)
            self._paths.clear()
        if not came or self._stopping.is_set():
            raise Unwatchable("the cookie's event did not come")
        if len(taken) > MAX_WAITING:
            raise Unwatchable("too many changes at once")
        return taken

    def _counts(self, path: str) -> bool:
        parent, _, name = path.rpartition("/")
        if name.startswith(cookies.PREFIX):
            return False
        # A path that is spelt in another way than the root is not known to be skipped.
        return not f"{parent}/".startswith(f"{self._root}/") or self._folders.covers(parent)


def _move(notify: "RustNotify", condition: threading.Condition, paths: set[str], stopping: threading.Event) -> None:
    """Takes what the library has; ends when it fails, when it is told to, or when nobody asks for too long."""
    try:
        while not stopping.is_set():
            # Without a time limit: one that runs out loses what was gathered.
            found = notify.watch(_GROUP_MS, _STEP_MS, 0, stopping)
            if isinstance(found, str):
                break
            with condition:
                if len(paths) <= MAX_WAITING:
                    paths.update(Path(path).as_posix() for _, path in found)
                condition.notify_all()
    finally:
        stopping.set()
        with condition:
            condition.notify_all()
        notify.close()
