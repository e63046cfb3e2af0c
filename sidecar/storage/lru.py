"""In-memory cache with least-recently-used eviction, limited in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Hashable


class LruCache:
    """Thread-safe cache that evicts the least recently used entries when it exceeds its size."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._entries: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> object | None:
        """Return the value of a key and mark it as used."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: object, size_bytes: int) -> None:
        """Store a value; skip one that is larger than the whole cache."""
        with self._lock:
            self._remove(key)
            if size_bytes > self.max_bytes:
                return
            while self.bytes + size_bytes > self.max_bytes:  # evict first, so that the limit holds at every moment
                self._remove(next(iter(self._entries)))
            self._entries[key] = (value, size_bytes)
            self.bytes += size_bytes

    def drop(self, key: Hashable) -> None:
        """Remove a key."""
        with self._lock:
            self._remove(key)

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            self._entries.clear()
            self.bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def _remove(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.bytes -= entry[1]
