"""File-system watch of a project's memory files; silence alone never proves that nothing changed.

A watch starts at the second refresh and never for a command, so a single refresh costs nothing extra. Where the
system's events prove nothing (macOS, Windows, network folders) there is no watch, and every file's stamp is checked
each time. What no event reports, a write through an open mapping or a hard link elsewhere, is found by the daily full
scan.
"""

import os
import threading
from pathlib import Path

from sidecar.call import Process
from sidecar.core.lru_cache import LruCache
from sidecar.system.folder_watch import (
    HAS_EXACT_EVENTS,
    FolderChanges,
    Unwatchable,
    Watch,
    WatchedFolders,
    folder_identity,
    open_watch,
)

MAX_WATCHES = 8
"""Maximum number of watched projects; the least recently used one is scanned again."""

RETRY_MS = 300_000.0
"""Time for which a folder that cannot be watched is scanned instead."""

COOKIES = "cookies"
"""Folder in the state directory whose events prove that all earlier events have arrived."""

Identity = tuple[int, int]


class MemoryWatch:
    """The watch of one project's memories. Thread-safe."""

    def __init__(self, process: Process, root: str) -> None:
        self._process = process
        self._root = root
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._identity: Identity | None = None
        self._was_polled = False
        self._not_before_ms = 0.0

    @property
    def is_running(self) -> bool:
        """Whether changes are reported."""
        return self._watch is not None

    def changed(self) -> frozenset[str] | None:
        """Return the absolute paths changed since the last call.

        None if unknown, or if a folder is among them: the caller then scans everything after this call.
        """
        if self._process.is_command_line:
            return None
        with self._lock:
            changes = self._poll()
        if self._watch is None:
            return None
        self._process.slices.memory.watches.mark_used(self)
        return None if changes is None or changes.is_incomplete or changes.folders else changes.paths

    def _poll(self) -> FolderChanges | None:
        """Poll the watch, or start one."""
        identity = folder_identity(self._root)
        if self._watch is not None and identity != self._identity:
            self._stop()
        if self._watch is None:
            self._start(identity)
            return None
        changes = self._watch.sync()
        if self._watch.failure is not None:
            self._disable(self._watch.failure)
            return None
        if self._root in changes.paths:  # another folder may be in its place, even with the same inode
            self._stop()
            return None
        return changes

    def close(self) -> None:
        """Stop the watch; a later call may start another."""
        with self._lock:
            self._stop()

    def _start(self, identity: Identity | None) -> None:
        if not self._was_polled:
            self._was_polled = True
            return
        if identity is None or self._process.clock.monotonic_ms() < self._not_before_ms:
            return
        if not HAS_EXACT_EVENTS:
            self._disable("not every change is reported")
            return
        cookies = self._process.state_dir / COOKIES
        try:
            cookies.mkdir(mode=0o700, exist_ok=True)
            watch = open_watch(_folders(self._root, cookies), cookies)
        except (Unwatchable, OSError) as error:
            self._disable(str(error))
            return
        if folder_identity(self._root) != identity:
            watch.close()
            self._disable("the folder was replaced")
            return
        self._watch, self._identity = watch, identity

    def _disable(self, reason: str) -> None:
        self._stop()
        self._not_before_ms = self._process.clock.monotonic_ms() + RETRY_MS
        self._process.log.info("memory.watch.off", reason=reason, retryMs=RETRY_MS)

    def _stop(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch = self._identity = None


class OpenWatches:
    """The process's watches, most recently used last."""

    def __init__(self, process: Process) -> None:
        self._all: LruCache[int, MemoryWatch] = LruCache(MAX_WATCHES)
        process.close_callbacks.append(self.close)

    def mark_used(self, watched: MemoryWatch) -> None:
        """Mark a watch as used; close the least recently used one if there are too many."""
        for surplus in self._all.put(id(watched), watched, 1):
            surplus.close()

    def close(self) -> None:
        """Close all watches."""
        for watched in self._all.values():
            watched.close()


def _folders(root: str, cookies: Path) -> WatchedFolders:
    flat = frozenset((os.fspath(cookies),))
    return WatchedFolders(frozenset((root,)) | flat, flat, frozenset(), frozenset(), "")
