"""Looks whether what is kept of runs is what was written."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import partial

import apsw
import orjson

from sidecar.call import Process
from sidecar.core.digests import digest_value
from sidecar.core.findings import Finding
from sidecar.runs.store import artifacts

JSON_CELLS = {
    "continuity_state": ("task", "counters", "todos"),
    "continuity_runs": ("touched", "result"),
    "continuity_calls": ("record",),
    "continuity_tests": ("failing",),
}
"""Cells without which a row is of no use."""

_TOLD = {
    "continuity_state": "states of conversations",
    "continuity_runs": "runs",
    "continuity_calls": "pre-runs",
    "continuity_tests": "outcomes of tests",
    "continuity_snapshots": "snapshots",
}


def records(process: Process) -> Iterator[Finding]:
    """Looks at artifacts, snapshots, conversations, pre-runs and runs."""
    with process.database.read() as tx:
        damaged = [one for one, is_whole in artifacts.every(tx) if not is_whole]
        unreadable = {table: list(_unreadable(tx, table)) for table in _TOLD}
    for one in damaged:
        told = f"The artifact {one.id} is not what was written; it is neither told nor committed."
        remedy = "Look into `backups/` for it, or remove it by `onecode-sidecar purge --kind damagedArtifacts`."
        yield Finding("error", told, remedy)
    for table, rows in unreadable.items():
        if rows:
            told = f"{len(rows)} of the {_TOLD[table]} cannot be read."
            remedy = "`--fix` removes them; what they told is begun anew."
            yield Finding("error", told, remedy, partial(_remove, process, table))


def _unreadable(tx: apsw.Connection, table: str) -> Iterator[apsw.SQLiteValue]:
    if table == "continuity_snapshots":
        yield from _damaged_snapshots(tx)
        return
    key, cells = _key(tx, table), JSON_CELLS[table]
    more = ", blocks" if table == "continuity_calls" else ""
    for row in tx.execute(f"SELECT {key}, {', '.join(cells)}{more} FROM {table}"):
        try:
            for cell in row[1 : 1 + len(cells)]:
                orjson.loads(cell)
            if more:
                orjson.loads(zlib.decompress(row[-1]))
        except (orjson.JSONDecodeError, zlib.error, TypeError):
            yield row[0]


def _damaged_snapshots(tx: apsw.Connection) -> Iterator[apsw.SQLiteValue]:
    for snapshot_id, value, row_hash in tx.execute("SELECT snapshot_id, value, row_hash FROM continuity_snapshots"):
        try:
            is_whole = digest_value(orjson.loads(value)) == row_hash
        except (orjson.JSONDecodeError, TypeError):
            is_whole = False
        if not is_whole:
            yield snapshot_id


def _remove(process: Process, table: str) -> None:
    """Looks again under the write lock: what was written anew meanwhile stays."""
    with process.database.write() as tx:
        rows = [(row,) for row in _unreadable(tx, table)]
        tx.executemany(f"DELETE FROM {table} WHERE {_key(tx, table)} = ?", rows)


def _key(tx: apsw.Connection, table: str) -> str:
    """The column that names a row, or for one named by two what puts them together."""
    names = [
        str(name) for (name,) in tx.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,))
    ]
    return " || char(10) || ".join(names)
