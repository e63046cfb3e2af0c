"""Registry of the processes that use a folder: each holds a locked file, which the system releases when it dies."""

import itertools
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sidecar.core import json_text
from sidecar.system import filelock

FOLDER = "running"

_numbers = itertools.count(1)
_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class ProcessRegistration:
    """One process's entry in the registry; thread-safe once created."""

    def __init__(self, folder: Path, details: Mapping[str, object]) -> None:
        """Register the process with its details; do nothing if that fails."""
        self._path = folder / FOLDER / f"{os.getpid()}-{next(_numbers)}.json"
        self._fd = -1
        with suppress(OSError):
            os.makedirs(self._path.parent, mode=0o700, exist_ok=True)
            fd = os.open(self._path, _FLAGS | os.O_CREAT | os.O_TRUNC, 0o600)
            filelock.acquire(fd, 0)  # before writing: content without a lock means a dead process
            os.write(fd, json_text.dumps({"pid": os.getpid(), **details}))
            self._fd = fd

    def close(self) -> None:
        """Remove the entry."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            with suppress(OSError):
                os.close(fd)
                self._path.unlink()


def running_processes(folder: Path) -> list[dict[str, object]]:
    """Return the details of the live processes on a folder, and remove the entries of dead ones.

    A folder that this user may not enter shows none.
    """
    paths: list[Path] = []
    with suppress(OSError):
        paths = sorted((folder / FOLDER).glob("*.json"))
    entries = (_read_entry(path) for path in paths)
    return [entry for entry in entries if entry is not None]


def _read_entry(path: Path) -> dict[str, object] | None:
    try:
        fd = os.open(path, _FLAGS)
    except OSError:
        return None
    is_dead = False
    try:
        content = os.read(fd, 4096)
        is_dead = bool(content) and filelock.acquire(fd, 0)  # an empty one is being created
        entry = None if is_dead else json_text.loads(content)
        return entry if isinstance(entry, dict) else None
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)
        if is_dead:
            with suppress(OSError):
                path.unlink()  # Windows deletes no open file
