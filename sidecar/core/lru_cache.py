"""Caches that evict the least recently used entries, by bytes or by number."""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Thread-safe cache that evicts the least recently used entries when it exceeds its size."""

    def __init__(self, max_size: int) -> None:
        """`max_size` is in the unit of the entries' sizes: bytes, or 1 for each entry."""
        self.max_size = max_size
        self.size = 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key and mark it as used."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def get_or_create(self, key: Key, create: Callable[[], Value]) -> Value:
        """Return the value of a key, created on first use by one thread; each entry has size 1."""
        with self._lock:
            value = self.get(key)
            if value is None:
                value = create()
                self.put(key, value, 1)
            return value

    def put(self, key: Key, value: Value, size: int) -> list[Value]:
        """Store a value and return the evicted ones; skip one that is larger than the whole cache."""
        with self._lock:
            self._remove(key)
            if size > self.max_size:
                return []
            evicted = []
            while self.size + size > self.max_size:  # evict first, so that the limit holds at every moment
                oldest = next(iter(self._entries))
                evicted.append(self._entries[oldest][0])
                self._remove(oldest)
            self._entries[key] = (value, size)
            self.size += size
            return evicted

    def drop(self, key: Key) -> None:
        """Remove a key."""
        with self._lock:
            self._remove(key)

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            self._entries.clear()
            self.size = 0

    def values(self) -> list[Value]:
        """Return the values, the least recently used first, without marking them as used."""
        return [value for _, value in self.items()]

    def items(self) -> list[tuple[Key, Value]]:
        """Return the entries, the least recently used first, without marking them as used."""
        with self._lock:
            return [(key, value) for key, (value, _) in self._entries.items()]

    def __len__(self) -> int:
        return len(self._entries)

    def _remove(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry[1]


class RetainingLruCache(LruCache[Key, Value]):
    """Cache that still finds an evicted value while others use it; each entry has size 1, and none is dropped."""

    def __init__(self, max_size: int) -> None:
        """`max_size` is the number of entries. A value must be one that can be referenced weakly."""
        super().__init__(max_size)
        self._in_use: weakref.WeakValueDictionary[Key, Value] = weakref.WeakValueDictionary()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key and mark it as used."""
        with self._lock:
            value = super().get(key)
            if value is None:
                value = self._in_use.get(key)
                if value is not None:
                    self.put(key, value, 1)
            return value

    def put(self, key: Key, value: Value, size: int) -> list[Value]:
        """Store a value and return the evicted ones."""
        with self._lock:
            self._in_use[key] = value
            return super().put(key, value, size)
