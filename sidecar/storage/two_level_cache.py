"""Caches: the least recently used in memory, limited in bytes, above a table of the state file.

The table's rows have a hash of their own and are evicted by last use. Small batches are written after the response that
needed them; until then they are served from memory. The cache in memory stores JSON texts, whose size is known: the
decoded values take up to ten times as much. SQLite's integrity check misses most damaged pages, so each value is
verified when it is read; a row that fails counts as absent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import apsw
import orjson

from sidecar.core.digests import digest_bytes
from sidecar.core.errors import SidecarError
from sidecar.core.lru_cache import LruCache
from sidecar.storage.database import Database

Key = tuple[str, ...]

MakeValue = Callable[[], Any]
"""Return a JSON value, or its text, the same each time; called when it is written, and when it is read before that."""

EVICTION_SHARE = 0.9
"""An eviction shrinks the table to this share of its limit, so that the next write needs none."""

BULK_SIZE = 32
"""Larger batches come from a pass over a whole repository; they bypass the in-memory cache, which they would flush."""

MAX_UNWRITTEN = 128
"""Maximum number of deferred values; with more they are written at once."""

MAX_USES = 256
"""Maximum number of uses that one transaction records. Each rewrites its row, and a pre-run that records its delivery
waits for the transaction: after a look-up of a whole repository there are 14,000, which take up to a second.
"""


class Cache:
    """JSON values by key columns: in memory first, then in the table, both limited in bytes."""

    def __init__(
        self,
        table: str,
        key_columns: Sequence[str],
        database: Database,
        hot: LruCache[tuple[str, Key], bytes],
        max_bytes: int,
        *,
        short_lived: Sequence[str] = (),
    ) -> None:
        """`short_lived` columns hold short-lived states: of keys that differ only there, the latest is written."""
        self._table = table
        self._stable_columns = tuple(index for index, column in enumerate(key_columns) if column not in short_lived)
        self._columns = ", ".join(key_columns)
        self._where = " AND ".join(f"{column} = ?" for column in key_columns)
        self._placeholders = ", ".join("?" * len(key_columns))
        self._database = database
        self._hot = hot
        self.max_bytes = max_bytes
        self._used: dict[Key, None] = {}
        """Keys whose use is not recorded yet, in the order of their first use."""
        self._has_uses_left = False
        """Whether the last transaction left uses to the next one."""
        self._written_at_ms = 0
        """Time of the latest written rows."""
        self._unwritten: dict[Key, tuple[MakeValue, int]] = {}
        self._latest: dict[Key, Key] = {}
        """Key of the latest deferred value, by the cells of its stable columns."""
        self._unchecked_bytes = max_bytes
        self._lock = threading.Lock()

    def get(self, key: Key) -> Any | None:
        """Return the value of a key, or None; a damaged row counts as absent."""
        value = self._from_memory(key)
        if value is None:
            value = self._from_disk(key)
        if value is not None:
            self.mark_used(key)
        return value

    def mark_used(self, key: Key) -> None:
        """Record the use of an entry whose value was served from elsewhere."""
        with self._lock:
            self._used[key] = None

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Any]:
        """Return the existing values, reading the table once."""
        unique_keys = list(dict.fromkeys(keys))
        hot = ((key, self._from_memory(key)) for key in unique_keys)
        values: dict[Key, Any] = {key: value for key, value in hot if value is not None}
        missing = [key for key in unique_keys if key not in values]
        if missing:
            with suppress(SidecarError), self._database.read() as reader:
                rows = ((key, self._row(reader, key, is_hot=len(missing) <= BULK_SIZE)) for key in missing)
                values.update({key: value for key, value in rows if value is not None})
        with self._lock:
            self._used.update(dict.fromkeys(values))
        return values

    def put_many(self, entries: Iterable[tuple[Key, MakeValue]], now_ms: int) -> None:
        """Store values: large batches now, in one transaction, small ones later.

        A cache that cannot be written costs time later, never the current answer.
        """
        batch = list(entries)
        if len(batch) > BULK_SIZE:
            self._write_bulk([(key, _encode(make()), now_ms) for key, make in batch])
            return
        with self._lock:
            for key, make in batch:
                stable_cells = tuple(key[index] for index in self._stable_columns)
                self._unwritten.pop(self._latest.get(stable_cells, key), None)
                self._unwritten[key], self._latest[stable_cells] = (make, now_ms), key
            is_full = len(self._unwritten) > MAX_UNWRITTEN
        if is_full:
            self.flush()
        else:
            self._database.write_behind.schedule(self.flush)

    def put(self, key: Key, make: MakeValue, now_ms: int) -> None:
        """Store one value."""
        self.put_many([(key, make)], now_ms)

    def flush(self) -> None:
        """Write the deferred values."""
        with self._lock:
            unwritten, self._latest = dict(self._unwritten), {}
        rows = [(key, _encode(make()), now_ms) for key, (make, now_ms) in unwritten.items()]
        for key, text, _ in rows:
            self._hot.put((self._table, key), text, _size(key, text))
        self._write(rows)
        with self._lock:
            for key, entry in unwritten.items():
                if self._unwritten.get(key) is entry:
                    del self._unwritten[key]

    def _write_bulk(self, rows: Sequence[_Row]) -> None:
        with self._lock:
            for key, _, _ in rows:
                self._unwritten.pop(key, None)
        for key, _, _ in rows:
            self._hot.drop((self._table, key))
        self._write(rows)

    def _write(self, rows: Sequence[_Row]) -> None:
        """Write rows in one transaction, then evict the least recently used. Best effort.

        Recent uses are recorded with the rows' time, those beyond a limit by later transactions; without rows there is
        no time to record.
        """
        with self._lock:
            if not (rows or self._has_uses_left):
                return
            now_ms = self._written_at_ms = max((self._written_at_ms, *(at_ms for _, _, at_ms in rows)))
            used = list(islice(self._used, MAX_USES))
            for key in used:
                del self._used[key]
            self._has_uses_left = bool(self._used)
        if self._has_uses_left:
            self._database.write_behind.schedule(self.flush)
        try:
            with self._database.write(durable=False, keep_generation=True) as tx:
                for key, text, at_ms in rows:
                    tx.execute(
                        f"INSERT OR REPLACE INTO {self._table} ({self._columns}, value, row_hash, bytes, used_at_ms)"
                        f" VALUES ({self._placeholders}, ?, ?, ?, ?)",
                        (*key, text, digest_bytes(text), _size(key, text), at_ms),
                    )
                for key in used:
                    tx.execute(f"UPDATE {self._table} SET used_at_ms = ? WHERE {self._where}", (now_ms, *key))
                self._unchecked_bytes += sum(_size(key, text) for key, text, _ in rows)
                if self._unchecked_bytes > self.max_bytes // 64:
                    self._evict(tx)
                    self._unchecked_bytes = 0
        except SidecarError:
            return

    def _from_memory(self, key: Key) -> Any | None:
        unwritten = self._unwritten.get(key)
        if unwritten is not None:
            value = unwritten[0]()
            return orjson.loads(value) if isinstance(value, bytes) else value
        text = self._hot.get((self._table, key))
        return orjson.loads(text) if text is not None else None

    def _from_disk(self, key: Key) -> Any | None:
        try:
            with self._database.read() as reader:
                return self._row(reader, key, is_hot=True)
        except SidecarError:
            return None

    def _row(self, reader: apsw.Connection, key: Key, *, is_hot: bool) -> Any | None:
        row = reader.execute(f"SELECT value, row_hash FROM {self._table} WHERE {self._where}", key).fetchone()
        if row is None or not isinstance(row[0], bytes) or digest_bytes(row[0]) != row[1]:
            return None
        if is_hot:
            self._hot.put((self._table, key), row[0], _size(key, row[0]))
        return orjson.loads(row[0])

    def _evict(self, tx: apsw.Connection) -> None:
        total = int(str(tx.execute(f"SELECT coalesce(sum(CAST(bytes AS INTEGER)), 0) FROM {self._table}").get))
        if total <= self.max_bytes:
            return
        excess = total - int(self.max_bytes * EVICTION_SHARE)
        rows = tx.execute(
            f"SELECT {self._columns}, CAST(bytes AS INTEGER) FROM {self._table} ORDER BY used_at_ms, {self._columns}"
        )
        evicted: list[tuple[apsw.SQLiteValue, ...]] = []
        for *key, size in rows:
            if tuple(key) in self._used:
                continue
            evicted.append(tuple(key))
            excess -= int(str(size))
            if excess <= 0:
                break
        tx.executemany(f"DELETE FROM {self._table} WHERE {self._where}", evicted)


_Row = tuple[Key, bytes, int]
"""Key, value as text, and time it was put."""


def _encode(value: Any) -> bytes:
    """Return a value as JSON text in a buffer of exactly its size: orjson's own keep their spare room."""
    if isinstance(value, bytes):
        return value
    return bytes(memoryview(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)))


def _size(key: Key, text: bytes) -> int:
    """Return the bytes an entry counts for, including its key."""
    return len(text) + sum(map(len, key))
