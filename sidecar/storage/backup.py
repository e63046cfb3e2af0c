"""Backups of the state file, made while it is in use (SQLite's online backup)."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import apsw

from sidecar.core.clock import rfc3339
from sidecar.core.errors import StateDegraded
from sidecar.storage.sqlite_connection import translate_errors

FOLDER = "backups"
MAX_BACKUPS = 3
PAGES_PER_STEP = 1_000
FREE_SPACE_FACTOR = 2
"""Free disk space required, as a multiple of the file's size: the copy and further writes."""


def back_up(path: Path, now_ms: int) -> Path:
    """Copy a state file with everything committed into `backups/` beside it; delete all but the latest three copies.

    Raise StateDegraded if the disk is too small or not writable, Busy while others lock the file.
    """
    folder = path.parent / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if shutil.disk_usage(folder).free < FREE_SPACE_FACTOR * path.stat().st_size:
            raise StateDegraded("The disk is too full for a backup of the state file.", hint="Free some disk space.")
    except OSError as error:
        raise StateDegraded("The backup folder cannot be created.", hint="Check its permissions.") from error
    target = _free_name(folder, f"{path.stem}-{rfc3339(now_ms).replace(':', '')}")
    temporary = target.with_suffix(".unfinished")
    try:
        _copy(path, temporary)
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    for old in sorted(folder.glob("*.db"))[:-MAX_BACKUPS]:
        with suppress(OSError):
            old.unlink()
    return target


def _copy(path: Path, target: Path) -> None:
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    with translate_errors():
        source, copy = apsw.Connection(os.fspath(path)), apsw.Connection(os.fspath(target))
        try:
            with copy.backup("main", source, "main") as backup:  # pyrefly: ignore[bad-context-manager]  # its stub lacks the types
                while not backup.done:
                    backup.step(PAGES_PER_STEP)
            list(copy.execute("PRAGMA journal_mode = DELETE"))  # one file that needs no other beside it
        finally:
            copy.close()
            source.close()


def _free_name(folder: Path, stem: str) -> Path:
    number = 1
    while (target := folder / f"{stem}-{number}.db").exists():
        number += 1
    return target
