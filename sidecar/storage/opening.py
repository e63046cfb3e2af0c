"""Opens the state file: creates or migrates it; a damaged one is set aside and what can be read is carried over."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import apsw

from sidecar.core.errors import StateDegraded
from sidecar.storage.database import FILE_NAME, Database, suspect_note, translated
from sidecar.storage.migrations import DURABLE_TABLES, MIGRATIONS, migrate

_SIDE_FILES = ("-wal", "-shm", ".suspect")


class Opened(NamedTuple):
    """An open state file, the step its schema is at, and what the user should know."""

    database: Database
    step: int
    warnings: tuple[str, ...]


def open_state(state_dir: Path, now_ms: int) -> Opened:
    """Opens `continuity.db` in a folder, making both if need be.

    Raises StateDegraded when the folder cannot be used or the file is of a newer version.
    """
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateDegraded(
            "The state folder cannot be made.", hint="Give a stateDir this user may write to."
        ) from error
    path = state_dir / FILE_NAME
    damage = _damage_of(path)
    if damage is None:
        try:
            return _open_sound(path, now_ms, ())
        except apsw.Error as error:
            damage = type(error).__name__
    return _open_sound(path, now_ms, _set_aside(path, damage, now_ms))


def _damage_of(path: Path) -> str | None:
    if not path.exists():
        return None
    suspect = suspect_note(path)
    try:
        with translated():
            connection = apsw.Connection(os.fspath(path))
            try:
                list(connection.execute("SELECT count(*) FROM sqlite_schema"))
                if suspect.exists():
                    verdict = str(connection.execute("PRAGMA integrity_check(1)").get)
                    if verdict != "ok":
                        return "integrity check failed"
                    suspect.unlink()
            finally:
                connection.close()
    except StateDegraded as error:
        if isinstance(error.__cause__, (apsw.CorruptError, apsw.NotADBError)):
            return type(error.__cause__).__name__
        raise
    return None


def _open_sound(path: Path, now_ms: int, warnings: tuple[str, ...]) -> Opened:
    with _only_damage_passes():
        database = Database(path)
    try:
        with _only_damage_passes():
            step = migrate(database.writer_for_migration(), now_ms)
    except BaseException:
        database.close()
        raise
    return Opened(database, step, warnings)


class _only_damage_passes:  # noqa: N801  (reads as a statement)
    """Lets SQLite's word on damage through to `open_state` and turns every other exception into ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, apsw.Error) and not isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
            with translated():
                raise error


def _set_aside(path: Path, damage: str, now_ms: int) -> tuple[str, ...]:
    aside = path.with_name(f"{path.name}.damaged-{now_ms}")
    try:
        for suffix in ("", *_SIDE_FILES):
            source = path.with_name(path.name + suffix)
            if source.exists():
                source.rename(aside.with_name(aside.name + suffix))
    except OSError as error:
        raise StateDegraded(
            "The state file is damaged and could not be set aside.",
            hint="Close other programs that use it, or move it away by hand.",
        ) from error
    saved, lost = _carry_over(aside, path, now_ms)
    story = f"carried over {saved} records" + (f", could not read {', '.join(lost)}" if lost else "")
    return (f"The state file was damaged ({damage}); it is kept as {aside.name}; {story}.",)


def _carry_over(aside: Path, path: Path, now_ms: int) -> tuple[int, list[str]]:
    """Copies the rows that can still be read; gives their number and the tables that broke off."""
    lost: list[str] = []
    saved = 0
    target = Database(path)
    try:
        migrate(target.writer_for_migration(), now_ms, MIGRATIONS)
        try:
            source = apsw.Connection(os.fspath(aside), flags=apsw.SQLITE_OPEN_READONLY)
        except apsw.Error:
            return 0, ["the whole file"]
        try:
            for table in DURABLE_TABLES:
                rows, whole = _readable_rows(source, table)
                saved += _insert(target, table, rows)
                if not whole:
                    lost.append(table)
        finally:
            source.close()
    finally:
        target.close()
    return saved, lost


def _readable_rows(source: apsw.Connection, table: str) -> tuple[list[dict[str, apsw.SQLiteValue]], bool]:
    rows: list[dict[str, apsw.SQLiteValue]] = []
    try:
        cursor = source.execute(f"SELECT * FROM {table}")  # noqa: S608  (a constant of ours)
        names = None
        for row in cursor:
            names = names or [column[0] for column in cursor.get_description()]
            rows.append(dict(zip(names, row, strict=True)))
    except apsw.Error:
        return rows, False
    return rows, True


def _insert(target: Database, table: str, rows: list[dict[str, apsw.SQLiteValue]]) -> int:
    saved = 0
    with target.write() as tx:
        for row in rows:
            columns = ", ".join(row)
            marks = ", ".join("?" * len(row))
            try:
                tx.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))  # noqa: S608
                saved += tx.changes()
            except apsw.Error:
                continue
    return saved
