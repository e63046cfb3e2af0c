"""Which processes work on a folder: each holds a locked file in it, which the system lets go when the process dies."""

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


class Presence:
    """One process's sign that it is there; thread-safe once made."""

    def __init__(self, folder: Path, told: Mapping[str, object]) -> None:
        """Puts the sign up with what is told of the process; where that cannot be done there is none."""
        self._path = folder / FOLDER / f"{os.getpid()}-{next(_numbers)}.json"
        self._fd = -1
        with suppress(OSError):
            os.makedirs(self._path.parent, mode=0o700, exist_ok=True)
            fd = os.open(self._path, _FLAGS | os.O_CREAT | os.O_TRUNC, 0o600)
            filelock.acquire(fd, 0)  # before it says anything: one that does and is not locked is a dead one's
            os.write(fd, json_text.dumps({"pid": os.getpid(), **told}))
            self._fd = fd

    def close(self) -> None:
        """Takes the sign down."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            with suppress(OSError):
                os.close(fd)
                self._path.unlink()


def present(folder: Path) -> list[dict[str, object]]:
    """Gives what the living processes on a folder told of themselves, and removes the signs of dead ones."""
    found = (_told(path) for path in sorted((folder / FOLDER).glob("*.json")))
    return [one for one in found if one is not None]


def _told(path: Path) -> dict[str, object] | None:
    try:
        fd = os.open(path, _FLAGS)
    except OSError:
        return None
    try:
        content = os.read(fd, 4096)
        if content and filelock.acquire(fd, 0):  # an empty one is just being made
            with suppress(OSError):
                path.unlink()
            return None
        told = json_text.loads(content)
        return told if isinstance(told, dict) else None
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)
