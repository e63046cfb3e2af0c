"""A ceiling on writes: a token bucket, so small that no second sees more than the rate and the bucket."""

from collections.abc import Callable

BURST = 9
"""With 90 a second no second sees 100 (knowledge-sync.md, Full sync performance)."""


class Pace:
    """Lets `per_second` writes pass; 0 is no ceiling. Time and waiting are the caller's."""

    def __init__(self, per_second: int, now_ms: Callable[[], float], wait: Callable[[float], object]) -> None:
        self._rate = per_second / 1000
        self._now_ms = now_ms
        self._wait = wait
        self._tokens = float(BURST)
        self._at_ms = now_ms()

    @property
    def batch(self) -> int:
        """How many writes may be made together."""
        return BURST if self._rate else 100

    def take(self, writes: int) -> None:
        """Waits until so many writes may be made, at most a batch."""
        if not self._rate:
            return
        while True:
            now = self._now_ms()
            self._tokens = min(float(BURST), self._tokens + (now - self._at_ms) * self._rate)
            self._at_ms = now
            if self._tokens >= writes:
                self._tokens -= writes
                return
            self._wait((writes - self._tokens) / self._rate / 1000)
