"""A cache table of the state file under the hot cache: rows with a hash of their own, evicted by use.

A few values are written a moment later, behind the answer that needed them; until then they are known as they are. The
hot cache keeps the JSON texts, whose size is known: values made of them take up to ten times as much.

SQLite's own integrity check misses most damaged pages, so each value is verified when it is read; a row that
fails is treated as absent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import apsw
import orjson

from sidecar.core.digests import digest_bytes
from sidecar.core.errors import SidecarError
from sidecar.storage.database import Database
from sidecar.storage.lru import Lru

Key = tuple[str, ...]

Make = Callable[[], Any]
"""Gives a JSON value, the same each time; called when it is written, and when it is asked for before."""

EVICTION_SHARE = 0.9
"""An eviction goes down to this share of the bound, so that it is not needed again at the next write."""

BULK = 32
"""What is read or written in larger batches comes from going through a whole repository: it goes past the hot cache,
which it would empty of what is used again and again."""

MAX_UNWRITTEN = 128
"""Values that wait to be written; with more of them they are written at once."""


class Cache:
    """JSON values by key columns: memory first, then the table, both bounded in bytes."""

    def __init__(
        self,
        table: str,
        key_columns: Sequence[str],
        database: Database,
        hot: Lru,
        max_bytes: int,
        *,
        passing: Sequence[str] = (),
    ) -> None:
        """Takes the columns that tell states which pass: of keys that differ there alone, the last put is written."""
        self._table = table
        self._lasting = tuple(at for at, column in enumerate(key_columns) if column not in passing)
        self._columns = ", ".join(key_columns)
        self._where = " AND ".join(f"{column} = ?" for column in key_columns)
        self._marks = ", ".join("?" * len(key_columns))
        self._database = database
        self._hot = hot
        self.max_bytes = max_bytes
        self._used: set[Key] = set()
        self._unwritten: dict[Key, tuple[Make, int]] = {}
        self._latest: dict[Key, Key] = {}
        """Key of the latest deferred value, by the cells of its stable columns."""
        self._unchecked_bytes = max_bytes
        self._lock = threading.Lock()

    def get(self, key: Key) -> Any | None:
        """Gives the value under a key, or None; a damaged row counts as absent."""
        value = self._from_memory(key)
        if value is None:
            value = self._from_disk(key)
        if value is not None:
            self.note_use(key)
        return value

    def note_use(self, key: Key) -> None:
        """Has an entry count as used now, when its value was kept elsewhere."""
        with self._lock:
            self._used.add(key)

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Any]:
        """Gives the values that are there, reading the table once."""
        wanted = list(dict.fromkeys(keys))
        hot = ((key, self._from_memory(key)) for key in wanted)
        found: dict[Key, Any] = {key: value for key, value in hot if value is not None}
        missing = [key for key in wanted if key not in found]
        if missing:
            with suppress(SidecarError), self._database.read() as reader:
                rows = ((key, self._row(reader, key, is_hot=len(missing) <= BULK)) for key in missing)
                found.update({key: value for key, value in rows if value is not None})
        with self._lock:
            self._used.update(found)
        return found

    def put_many(self, entries: Iterable[tuple[Key, Make]], now_ms: int) -> None:
        """Keeps values: many of them written in one transaction now, a few behind.

        A cache that cannot be written costs time later, never the answer now.
        """
        made = list(entries)
        if len(made) > BULK:
            self._write_bulk([(key, _packed(make()), now_ms) for key, make in made])
            return
        with self._lock:
            for key, make in made:
                lasting = tuple(key[at] for at in self._lasting)
                self._unwritten.pop(self._latest.get(lasting, key), None)
                self._unwritten[key], self._latest[lasting] = (make, now_ms), key
            is_full = len(self._unwritten) > MAX_UNWRITTEN
        if is_full:
            self.flush()
        else:
            self._database.behind.soon(self.flush)

    def put(self, key: Key, make: Make, now_ms: int) -> None:
        """Keeps one value."""
        self.put_many([(key, make)], now_ms)

    def flush(self) -> None:
        """Writes what waits to be written."""
        with self._lock:
            unwritten, self._latest = dict(self._unwritten), {}
        rows = [(key, _packed(make()), now_ms) for key, (make, now_ms) in unwritten.items()]
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
        """Writes rows in one transaction, then evicts what was not used for longest. Best effort.

        What was used meanwhile is noted with them, as of their time: without a row there is none to note it by.
        """
        if not rows:
            return
        with self._lock:
            used, self._used = self._used, set()
        now_ms = max(at_ms for _, _, at_ms in rows)
        try:
            with self._database.write(durable=False, aside=True) as tx:
                for key, text, at_ms in rows:
                    tx.execute(
                        f"INSERT OR REPLACE INTO {self._table} ({self._columns}, value, row_hash, bytes, used_at_ms)"
                        f" VALUES ({self._marks}, ?, ?, ?, ?)",
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
            return unwritten[0]()
        text = self._hot.get((self._table, key))
        return orjson.loads(text) if isinstance(text, bytes) else None

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
        total = int(str(tx.execute(f"SELECT coalesce(sum(bytes), 0) FROM {self._table}").get))
        if total <= self.max_bytes:
            return
        excess = total - int(self.max_bytes * EVICTION_SHARE)
        rows = tx.execute(f"SELECT {self._columns}, bytes FROM {self._table} ORDER BY used_at_ms, {self._columns}")
        leaving: list[tuple[apsw.SQLiteValue, ...]] = []
        for *key, size in rows:
            leaving.append(tuple(key))
            excess -= int(str(size))
            if excess <= 0:
                break
        tx.executemany(f"DELETE FROM {self._table} WHERE {self._where}", leaving)


_Row = tuple[Key, bytes, int]
"""A key, the value as text, and when it was put."""


def _packed(value: Any) -> bytes:
    """Gives a value as JSON text of just its size: orjson's own keep the room they were written into."""
    return bytes(memoryview(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)))


def _size(key: Key, text: bytes) -> int:
    """Bytes an entry counts for, those of its key included."""
    return len(text) + sum(map(len, key))
