"""Repair of a state file in use: damaged rows are set aside, damaged full-text indexes are created again."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw

from sidecar.core import json_text
from sidecar.core.errors import SidecarError, StateDegraded
from sidecar.storage.migrations import DURABLE_TABLES, MIGRATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL_TEXT = "continuity_memory_text"
"""The full-text index, SQLite's only virtual table here; the tables behind it are named after it."""

_CREATE_FULL_TEXT = next(
    statement
    for migration in reversed(MIGRATIONS)
    for statement in migration.statements
    if statement.startswith(f"CREATE VIRTUAL TABLE {FULL_TEXT} ")
)
MEMORY_INDEX = (FULL_TEXT, "continuity_memory_term_counts", "continuity_memories", "continuity_memory_files")
_MALFORMED_PARTS = {
    "data": "EXISTS (SELECT 1 FROM {0} WHERE typeof(block) != 'blob')",
    "idx": "EXISTS (SELECT 1 FROM {0} WHERE typeof(segid) != 'integer' OR typeof(term) != 'blob'"
    " OR typeof(pgno) != 'integer')",
    "docsize": "EXISTS (SELECT 1 FROM {0} WHERE typeof(sz) != 'blob' OR typeof(origin) != 'integer')",
    "config": "NOT EXISTS (SELECT 1 FROM {0} WHERE k = 'version' AND typeof(v) = 'integer')",
}
"""Conditions for damage in the tables behind the full-text index, by the ending of their names."""

_PROJECTS_MISSING_ENTRIES = f"""
  SELECT project FROM continuity_memories WHERE row_id NOT IN (SELECT id FROM {FULL_TEXT}_docsize)
  UNION
  SELECT project FROM (SELECT project, owner, count(*) AS entries FROM continuity_memories GROUP BY 1, 2)
    WHERE entries != (SELECT count(*) FROM {FULL_TEXT}
      WHERE {FULL_TEXT} MATCH 'scope : "' || replace(owner, '-', '') || 'x' || project || '0"')"""
"""The scope of an entry is that of `memory/store/index_tables.py`."""

_ENVIRONMENT_ERRORS = (
    apsw.BusyError, apsw.LockedError, apsw.FullError, apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError,
    apsw.PermissionsError, apsw.InterruptError, apsw.NoMemError,
)  # fmt: skip
"""Errors with causes outside the file."""


def is_full_text_error(error: BaseException | None) -> bool:
    """Whether an error, or one that caused it, is SQLite's for a damaged full-text index."""
    return any(
        isinstance(cause, apsw.CorruptError) and getattr(cause, "extendedresult", 0) == apsw.SQLITE_CORRUPT_VTAB
        for cause in _causes(error)
    )


def may_be_full_text_error(error: BaseException | None) -> bool:
    """Whether a damaged full-text index may be behind an error: its settings, for one, fail like faulty SQL."""
    return any(isinstance(cause, apsw.Error) and not isinstance(cause, _ENVIRONMENT_ERRORS) for cause in _causes(error))


def is_full_text_damaged(tx: apsw.Connection) -> bool:
    """Whether the full-text index cannot be used.

    The connection must not have searched it before: it would compare the index with the segments it read then.
    """
    try:
        return (
            any(
                tx.execute(f"SELECT {condition.format(f'{FULL_TEXT}_{part}')}").get
                for part, condition in _MALFORMED_PARTS.items()
            )
            or tx.execute(f"PRAGMA integrity_check({FULL_TEXT})").get != "ok"
        )
    except _ENVIRONMENT_ERRORS:
        raise
    except apsw.Error:
        return True


def projects_missing_entries(tx: apsw.Connection) -> set[str]:
    """Return the projects with an entry that the full-text index does not find; all if it cannot be used."""
    try:
        rows = list(tx.execute(_PROJECTS_MISSING_ENTRIES))
    except _ENVIRONMENT_ERRORS:
        raise
    except apsw.Error:
        rows = list(tx.execute("SELECT DISTINCT project FROM continuity_memories"))
    return {str(project) for (project,) in rows}


def recreate_full_text(tx: apsw.Connection) -> None:
    """Create the full-text index again and clear the other tables of the memory index: the next use fills them."""
    defensive = tx.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1)
    tx.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    try:
        # An index with damaged settings cannot be opened, not even to be dropped.
        tx.execute(f"DROP TABLE IF EXISTS {FULL_TEXT}_config")
        tx.execute(f"CREATE TABLE {FULL_TEXT}_config (k PRIMARY KEY, v) WITHOUT ROWID")
        tx.execute(f"INSERT INTO {FULL_TEXT}_config VALUES ('version', 4)")
        for table in (FULL_TEXT, *(f"{FULL_TEXT}_{part}" for part in _MALFORMED_PARTS)):
            tx.execute(f"DROP TABLE IF EXISTS {table}")
    finally:
        tx.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, defensive)
    tx.execute(_CREATE_FULL_TEXT)
    for name in MEMORY_INDEX[1:]:
        tx.execute(f"DELETE FROM {name}")
    tx.execute("UPDATE continuity_memory_revisions SET revision = revision + 1")


def is_derived(table: str) -> bool:
    """Whether a table's rows can be rebuilt."""
    return table not in DURABLE_TABLES and table != "continuity_migrations"


def tables(tx: apsw.Connection) -> list[str]:
    """Return the names of our tables, sorted."""
    names = tx.execute("SELECT name FROM pragma_table_list WHERE type = 'table' AND name GLOB 'continuity_*'")
    return sorted(str(name) for (name,) in names)


_JSON_COLUMNS = {
    "continuity_state": ("task", "counters", "todos"), "continuity_sessions": ("rolled_back",),
    "continuity_runs": ("touched", "usage", "pack_metrics", "result"), "continuity_tests": ("failing",),
    "continuity_deliveries": ("entry",),
    "continuity_context_resume_points": ("value",), "continuity_context_sessions": ("counters",),
    "continuity_knowledge_items": ("value",), "continuity_memory_captures": ("value",),
    "continuity_memory_pending": ("value",), "continuity_memory_plans": ("value",),
    "continuity_memory_upkeep": ("value",), "continuity_registry_decisions": ("value",),
    "continuity_registry_derived": ("entities", "facts"),
}  # fmt: skip
"""Columns whose readers expect JSON; others check it themselves, or by a hash."""
_FREE_TEXTS = frozenset(("title", "body", "why", "name", "progress", "plan", "text", "anchor_text"))
"""Columns of words, in which U+FFFD may replace a damaged byte; a damaged key or JSON value means nothing."""

_SESSION = "sub_chat_id, provider, session_id, shadow"


def damaged_rows_path(path: Path) -> Path:
    """Return the path of the file with the damaged rows that were set aside."""
    return path.with_name(path.name + ".damaged-rows")


def is_decoding_error(error: BaseException | None) -> bool:
    """Whether an error, or one that caused it, comes from a text or JSON value that cannot be decoded."""
    return any(
        isinstance(cause, (UnicodeDecodeError, json.JSONDecodeError))
        or (isinstance(cause, apsw.SQLError) and str(cause) == "malformed JSON")  # of json_extract and its siblings
        for cause in _causes(error)
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that caused it; nothing where it says that something else than the state is wrong."""
    while error is not None and (isinstance(error, StateDegraded) or not isinstance(error, SidecarError)):
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def damaged_rows(tx: apsw.Connection, table: str) -> int:
    """Return the number of rows with a value that cannot be decoded; reading one of them raises."""
    create_functions(tx)
    return int(str(tx.execute(f"SELECT count(*) FROM {table} WHERE {_has_damage(tx, table)}").get))


def set_aside(tx: apsw.Connection, table: str, path: Path) -> None:
    """Delete a table's damaged rows, after appending those that cannot be rebuilt to the file of damaged rows.

    A damaged byte in a column of words is replaced instead. Raise OSError if the file cannot be written.
    """
    create_functions(tx)
    columns = columns_of(tx, table)
    if table in MEMORY_INDEX:  # the rows of these tables belong together
        recreate_full_text(tx)
    list(tx.execute("PRAGMA defer_foreign_keys = ON"))
    if not is_derived(table):
        _append_originals(tx, table, columns, damaged_rows_path(path))
        for name in _FREE_TEXTS.intersection(columns):
            tx.execute(f"UPDATE {table} SET {name} = decoded(CAST({name} AS BLOB)) WHERE {_is_damaged_text(name)}")
    tx.execute(f"DELETE FROM {table} WHERE {_has_damage(tx, table)}")
    delete_dangling(tx)


def delete_dangling(tx: apsw.Connection) -> None:
    """Delete rows without a parent row; only a session's turns and deliveries have one."""
    tx.execute(
        f"DELETE FROM continuity_session_turns WHERE ({_SESSION}) NOT IN (SELECT {_SESSION} FROM continuity_sessions)"
    )
    tx.execute(
        f"DELETE FROM continuity_deliveries WHERE ({_SESSION}, turn)"
        f" NOT IN (SELECT {_SESSION}, turn FROM continuity_session_turns)"
    )


def _append_originals(tx: apsw.Connection, table: str, columns: list[str], path: Path) -> None:
    cells = ", ".join(f"typeof({name}), hex(CAST({name} AS BLOB))" for name in columns)
    rows: list[tuple[str, ...]] = list(tx.execute(f"SELECT {cells} FROM {table} WHERE {_has_damage(tx, table)}"))
    lines = [
        json_text.dumps({"table": table, "row": dict(zip(columns, zip(row[::2], row[1::2], strict=True), strict=True))})
        for row in rows
    ]
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(fd, "ab+") as stream:
        stream.seek(max(stream.seek(0, os.SEEK_END) - 1, 0))
        if stream.read() not in (b"", b"\n"):
            stream.write(b"\n")  # the last append was cut off
        stream.writelines(line + b"\n" for line in lines)
        stream.flush()
        os.fsync(fd)


def rows_set_aside(path: Path) -> dict[str, int]:
    """Return the number of damaged rows that were set aside, by table.

    A row whose deletion was rolled back is in the file several times and counts once; a line that was cut off does not.
    """
    aside = damaged_rows_path(path)
    try:
        lines = aside.read_bytes().splitlines() if aside.is_file() else []
    except OSError:
        return {}
    rows: Counter[str] = Counter()
    for line in dict.fromkeys(lines):
        with suppress(ValueError, TypeError, KeyError):
            rows[str(json_text.loads(line)["table"])] += 1
    return rows


def columns_of(tx: apsw.Connection, table: str) -> list[str]:
    """Return the names of a table's columns."""
    return [str(name) for (name,) in tx.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _has_damage(tx: apsw.Connection, table: str) -> str:
    tests = [_is_damaged_text(name) for name in columns_of(tx, table)]
    tests += [f"({name} NOT NULL AND is_malformed(CAST({name} AS BLOB)))" for name in _JSON_COLUMNS.get(table, ())]
    return " OR ".join(tests)


def _is_damaged_text(name: str) -> str:
    return f"(typeof({name}) = 'text' AND is_undecodable(CAST({name} AS BLOB)))"


def create_functions(tx: apsw.Connection) -> None:
    """Create the functions that find damaged values, unless they exist and a statement is active."""
    with suppress(apsw.BusyError):
        for function in (is_undecodable, is_malformed, decoded):
            tx.create_scalar_function(function.__name__, function, 1, deterministic=True)


def is_undecodable(*values: apsw.SQLiteValue) -> bool:
    """Whether a value is not UTF-8."""
    return b"".join(value for value in values if isinstance(value, bytes)) != decoded(*values).encode()


def is_malformed(*values: apsw.SQLiteValue) -> bool:
    """Whether a value is not JSON."""
    try:
        json_text.loads(b"".join(value for value in values if isinstance(value, bytes)))
    except ValueError:
        return True
    return False


def decoded(*values: apsw.SQLiteValue) -> str:
    """Return a value's text with U+FFFD in place of undecodable bytes."""
    return "".join(value.decode("utf-8", "replace") for value in values if isinstance(value, bytes))
