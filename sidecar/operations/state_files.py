"""The files of a state folder, by kind."""

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
"""File name patterns below the state folder."""


class StateFile(NamedTuple):
    """A file of the state folder."""

    kind: str
    path: Path
    bytes: int
    modified_ms: int


def list_state_files(state_dir: Path) -> Iterator[StateFile]:
    """Yield the files of each kind. Links are not followed; files that vanish meanwhile are skipped."""
    for kind, patterns in PATTERNS.items():
        for pattern in patterns:
            for path in sorted(state_dir.glob(pattern)):
                try:
                    stat = os.lstat(path)
                except OSError:
                    continue
                yield StateFile(kind, path, stat.st_size, stat.st_mtime_ns // 1_000_000)
