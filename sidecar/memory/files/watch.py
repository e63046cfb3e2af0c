"""What changed among a project's memory files since one last asked, told by a watch and never by its silence alone.

A watch begins at the second question, and for no command: who asks once pays for none. Where the system's events are no
proof (macOS, Windows, network folders) there is none, and every file's stamp is looked at each time. What no event
tells, a store through a mapping held open or through a hard link elsewhere, is seen by the daily upkeep's full look.
"""

import os
import threading
from collections import OrderedDict
from pathlib import Path

from sidecar.call import Process
from sidecar.system.watch import Changes, Folders, Unwatchable, Watch, open_watch

MOST_WATCHED = 8
"""So many projects are watched at once; the one not asked about for longest is looked through again."""

RETRY_MS = 300_000.0
"""So long a folder that could not be watched, or no longer, is looked through each time."""

COOKIES = "cookies"
"""The folder in the state directory whose events prove that all earlier ones have arrived."""

Identity = tuple[int, int]


class Watched:
    """The watch of one project's memories. Thread-safe."""

    def __init__(self, process: Process, root: str) -> None:
        self._process = process
        self._root = root
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._identity: Identity | None = None
        self._is_asked = False
        self._not_before_ms = 0.0

    @property
    def is_running(self) -> bool:
        """Whether changes are told."""
        return self._watch is not None

    def changed(self) -> frozenset[str] | None:
        """Gives the paths that something happened to since the last call, as they lie on the disk.

        None where that is not known, or a folder is among them: then all is to be looked at, which this call precedes.
        """
        if self._process.is_command_line:
            return None
        with self._lock:
            found = self._asked()
        if self._watch is None:
            return None
        self._process.slices.memory.watches.used(self)
        return None if found is None or found.everything or found.folders else found.paths

    def _asked(self) -> Changes | None:
        """Asks the watch, or begins one."""
        identity = _identity(self._root)
        if self._watch is not None and identity != self._identity:
            self._drop()
        if self._watch is None:
            self._begin(identity)
            return None
        found = self._watch.sync()
        if self._watch.broken is not None:
            self._put_off(self._watch.broken)
            return None
        if self._root in found.paths:  # another one may stand in its place, even under the same number
            self._drop()
            return None
        return found

    def close(self) -> None:
        """Ends the watch; a later question may begin another."""
        with self._lock:
            self._drop()

    def _begin(self, identity: Identity | None) -> None:
        if not self._is_asked:
            self._is_asked = True
            return
        if identity is None or self._process.clock.monotonic_ms() < self._not_before_ms:
            return
        cookies = self._process.state_dir / COOKIES
        try:
            cookies.mkdir(exist_ok=True)
            watch = open_watch(_folders(self._root, cookies), cookies)
        except (Unwatchable, OSError) as error:
            self._put_off(str(error))
            return
        if not watch.is_exact or _identity(self._root) != identity:
            watch.close()
            self._put_off("not every change is told")
            return
        self._watch, self._identity = watch, identity

    def _put_off(self, reason: str) -> None:
        self._drop()
        self._not_before_ms = self._process.clock.monotonic_ms() + RETRY_MS
        self._process.log.info("memory.watch.off", reason=reason, retryMs=RETRY_MS)

    def _drop(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch = self._identity = None


class OpenWatches:
    """The watches of the process, the one used last at the end."""

    def __init__(self, process: Process) -> None:
        self._lock = threading.Lock()
        self._all: OrderedDict[int, Watched] = OrderedDict()
        process.close_callbacks.append(self.close)

    def used(self, watched: Watched) -> None:
        """Keeps a watch, and closes the one not used for longest when they are too many."""
        with self._lock:
            self._all[id(watched)] = watched
            self._all.move_to_end(id(watched))
            over = self._all.popitem(last=False)[1] if len(self._all) > MOST_WATCHED else None
        if over is not None:
            over.close()

    def close(self) -> None:
        """Ends all watches."""
        for watched in list(self._all.values()):
            watched.close()


def _folders(root: str, cookies: Path) -> Folders:
    flat = frozenset((os.fspath(cookies),))
    return Folders(frozenset((root,)) | flat, flat, frozenset(), frozenset(), "")


def _identity(root: str) -> Identity | None:
    try:
        found = os.stat(root)
    except OSError:
        return None
    return found.st_dev, found.st_ino
