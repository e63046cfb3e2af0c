"""Opens the state file: creates, migrates or, if it is damaged, recovers it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import apsw

from sidecar.core.errors import StateDegraded
from sidecar.storage.database import FILE_NAME, Database
from sidecar.storage.migrations import migrate
from sidecar.storage.recovery import find_damage, is_recovery_unfinished, recover
from sidecar.storage.sqlite_connection import BUSY_TIMEOUT_MS, translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class OpenedState(NamedTuple):
    """An open state file, its schema step, and warnings for the user."""

    database: Database
    step: int
    warnings: tuple[str, ...]


def open_state(state_dir: Path, now_ms: int) -> OpenedState:
    """Open `continuity.db` in a folder, creating both if needed.

    Raise StateDegraded if the folder is unusable or the file is of a newer version, Busy while another process locks
    it.
    """
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateDegraded(
            "The state folder cannot be created.", hint="Choose a stateDir this user can write to."
        ) from error
    path = state_dir / FILE_NAME
    try:
        if path.exists() and not is_recovery_unfinished(path) and find_damage(path) is None:
            return _open(path, now_ms)
    except (apsw.CorruptError, apsw.NotADBError):
        pass  # only the migration found the damage
    except OSError as error:
        raise StateDegraded(
            "The state file cannot be read.", hint="Check the folder's permissions and disk."
        ) from error
    with _exclusive_lock(path):
        return _create_or_recover(path, now_ms)


def _create_or_recover(path: Path, now_ms: int) -> OpenedState:
    """Check again: another process may have worked on the file before this one had it exclusively."""
    damage = find_damage(path)
    if damage is None and not is_recovery_unfinished(path):
        try:
            return _open(path, now_ms)
        except (apsw.CorruptError, apsw.NotADBError) as error:
            damage = f"SQLite reports {type(error).__name__.removesuffix('Error')}"
    warning = recover(path, damage or "a recovery was interrupted", now_ms)
    return _open(path, now_ms)._replace(warnings=(warning,))


def _open(path: Path, now_ms: int) -> OpenedState:
    """Open and migrate a file; SQLite's corruption errors pass unchanged, all others are translated."""
    with _translate_except_corruption():
        database = Database(path)
        try:
            step = database.step = migrate(database.writer_for_migration(), now_ms)
        except BaseException:
            database.close()
            raise
    return OpenedState(database, step, ())


@contextmanager
def _translate_except_corruption() -> Iterator[None]:
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError):
        raise
    except apsw.Error as error:
        with translate_errors():
            raise error from None
        raise


@contextmanager
def _exclusive_lock(path: Path) -> Iterator[None]:
    """Exclude other processes from creating or recovering the file: SQLite's own lock on an empty file beside it."""
    with translate_errors():
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
