"""The hot cache: what was used last stays in memory, bounded in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Hashable


class Lru:
    """A thread-safe cache that drops what was not used for longest once it is over its size."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._entries: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> object | None:
        """Gives the value under a key and makes it the last one used."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: object, size_bytes: int) -> None:
        """Keeps a value; one that is larger than the whole cache is not kept."""
        with self._lock:
            self._remove(key)
            if size_bytes > self.max_bytes:
                return
            while self.bytes + size_bytes > self.max_bytes:  # before it comes in: the bound holds at every moment
                self._remove(next(iter(self._entries)))
            self._entries[key] = (value, size_bytes)
            self.bytes += size_bytes

    def drop(self, key: Hashable) -> None:
        """Forgets a key."""
        with self._lock:
            self._remove(key)

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._entries.clear()
            self.bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def _remove(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.bytes -= entry[1]
