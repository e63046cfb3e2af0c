"""Where a process takes its ids from; everything else is handed a function that gives them."""

import os
import threading


def random_id() -> str:
    """Gives an id that no other process gives: 32 hexadecimal digits."""
    return os.urandom(16).hex()


class CountedIds:
    """Gives ids that are the same each time, for what is played; never where another process keeps its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made = 0

    def __call__(self) -> str:
        """Gives the next id: 32 hexadecimal digits."""
        with self._lock:
            self._made += 1
            return f"{self._made:012x}".ljust(32, "0")
