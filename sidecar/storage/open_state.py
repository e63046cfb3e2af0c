"""Opens the state file: creates or migrates it; a damaged one is set aside and what can be read is carried over."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import apsw

from sidecar.core.errors import StateDegraded
from sidecar.storage.database import FILE_NAME, Database
from sidecar.storage.migrations import migrate
from sidecar.storage.recovery import damage_of, is_unfinished, rescue
from sidecar.storage.sqlite_connection import BUSY_TIMEOUT_MS, translated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Opened(NamedTuple):
    """An open state file, the step its schema is at, and what the user should know."""

    database: Database
    step: int
    warnings: tuple[str, ...]


def open_state(state_dir: Path, now_ms: int) -> Opened:
    """Opens `continuity.db` in a folder, making both if need be.

    Raises StateDegraded when the folder cannot be used or the file is of a newer version, Busy when another
    process keeps it locked.
    """
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateDegraded(
            "The state folder cannot be created.", hint="Choose a stateDir this user can write to."
        ) from error
    path = state_dir / FILE_NAME
    try:
        if path.exists() and not is_unfinished(path) and damage_of(path) is None:
            return _open(path, now_ms)
    except (apsw.CorruptError, apsw.NotADBError):
        pass  # damaged where only the migration looked
    except OSError as error:
        raise StateDegraded(
            "The state file cannot be read.", hint="Check the folder's permissions and disk."
        ) from error
    with _alone(path):
        return _make_or_rescue(path, now_ms)


def _make_or_rescue(path: Path, now_ms: int) -> Opened:
    """Looks again, because another process may have been at it before this one was alone."""
    damage = damage_of(path)
    if damage is None and not is_unfinished(path):
        try:
            return _open(path, now_ms)
        except (apsw.CorruptError, apsw.NotADBError) as error:
            damage = f"SQLite reports {type(error).__name__.removesuffix('Error')}"
    warning = rescue(path, damage or "a recovery was interrupted", now_ms)
    return _open(path, now_ms)._replace(warnings=(warning,))


def _open(path: Path, now_ms: int) -> Opened:
    """Opens and migrates a file; SQLite's word on damage passes as it is, every other exception as ours."""
    with _only_damage_passes():
        database = Database(path)
        try:
            step = database.step = migrate(database.writer_for_migration(), now_ms)
        except BaseException:
            database.close()
            raise
    return Opened(database, step, ())


@contextmanager
def _only_damage_passes() -> Iterator[None]:
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError):
        raise
    except apsw.Error as error:
        with translated():
            raise error from None
        raise


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keeps other processes from making or rescuing the same file: SQLite's own lock, on an empty file beside it."""
    with translated():
        lock = apsw.Connection(os.fspath(path.with_name(path.name + ".lock")))
        try:
            lock.set_busy_timeout(BUSY_TIMEOUT_MS)
            lock.execute("BEGIN EXCLUSIVE")
        except BaseException:
            lock.close()
            raise
    try:
        yield
    finally:
        lock.close()
