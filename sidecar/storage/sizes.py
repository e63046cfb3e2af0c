"""How large the state file and its caches are."""

from __future__ import annotations

from typing import Any, NamedTuple

import apsw


class CacheSize(NamedTuple):
    """What a cache table holds; times are when its entries were last used, None for an empty one."""

    name: str
    entries: int
    bytes: int
    oldest_ms: int | None
    newest_ms: int | None


def cache_tables(tx: apsw.Connection) -> list[str]:
    """Gives the tables of the file that evict by use, by name."""
    tables: Any = tx.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'continuity_*_cache' ORDER BY name"
    )
    return [name for (name,) in tables]


def cache_sizes(tx: apsw.Connection) -> list[CacheSize]:
    """Gives every cache of the file, by name."""
    return [_size(tx, name) for name in cache_tables(tx)]


def file_bytes(tx: apsw.Connection) -> int:
    """Gives the size of the state file as it is with all that was written to it."""
    return int(str(tx.pragma("page_count"))) * int(str(tx.pragma("page_size")))


def _size(tx: apsw.Connection, table: str) -> CacheSize:
    row: Any = tx.execute(
        f"SELECT count(*), coalesce(sum(bytes), 0), min(used_at_ms), max(used_at_ms) FROM {table}"
    ).fetchone()
    return CacheSize(table.removeprefix("continuity_").removesuffix("_cache"), *row)
