"""The files of a state folder by kind, and what may be removed of them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sidecar.storage.backup import FOLDER as BACKUPS
from sidecar.storage.database import FILE_NAME

PATTERNS: dict[str, tuple[str, ...]] = {
    "state": (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"),
    "backups": (f"{BACKUPS}/*.db",),
    "damaged": (f"{FILE_NAME}.damaged-*",),
    "logs": ("log/*.log*",),
    "reports": ("report.html",),
}
"""What is called how, below the state folder."""


class StateFile(NamedTuple):
    """A file of the state folder."""

    kind: str
    path: Path
    bytes: int
    modified_ms: int


def files_of(state_dir: Path) -> Iterator[StateFile]:
    """Gives the files of each kind; no link is followed, and one that vanishes meanwhile is left out."""
    for kind, patterns in PATTERNS.items():
        for pattern in patterns:
            for path in sorted(state_dir.glob(pattern)):
                try:
                    found = os.lstat(path)
                except OSError:
                    continue
                yield StateFile(kind, path, found.st_size, found.st_mtime_ns // 1_000_000)
