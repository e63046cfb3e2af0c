"""Copies of the state file, made while it is in use (SQLite's online backup)."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import apsw

from sidecar.core.clock import rfc3339
from sidecar.core.errors import StateDegraded
from sidecar.storage.sqlite_connection import translated

FOLDER = "backups"
KEPT = 3
PAGES_AT_ONCE = 1_000
ROOM = 2
"""So many times the file's size has to be free on the disk: the copy, and what goes on being written."""


def back_up(path: Path, now_ms: int) -> Path:
    """Copies a state file with all that is committed into `backups/` beside it, and keeps the latest three.

    Raises StateDegraded where the disk has no room for it or it cannot be written, Busy while others keep it locked.
    """
    folder = path.parent / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if shutil.disk_usage(folder).free < ROOM * path.stat().st_size:
            raise StateDegraded("The disk is too full for a backup of the state file.", hint="Free some disk space.")
    except OSError as error:
        raise StateDegraded("The backup folder cannot be created.", hint="Check its permissions.") from error
    target = _free_name(folder, f"{path.stem}-{rfc3339(now_ms).replace(':', '')}")
    unfinished = target.with_suffix(".unfinished")
    try:
        _copy(path, unfinished)
        os.replace(unfinished, target)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    for old in sorted(folder.glob("*.db"))[:-KEPT]:
        with suppress(OSError):
            old.unlink()
    return target


def _copy(path: Path, target: Path) -> None:
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    with translated():
        source, copy = apsw.Connection(os.fspath(path)), apsw.Connection(os.fspath(target))
        try:
            with copy.backup("main", source, "main") as going:
                while not going.done:
                    going.step(PAGES_AT_ONCE)
            list(copy.execute("PRAGMA journal_mode = DELETE"))  # one file, whole without another beside it
        finally:
            copy.close()
            source.close()


def _free_name(folder: Path, stem: str) -> Path:
    number = 1
    while (target := folder / f"{stem}-{number}.db").exists():
        number += 1
    return target
