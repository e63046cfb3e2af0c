"""Clock with a fixed time of day, which a test moves."""

import time

STARTS_AT_MS = 1_772_357_400_000  # 2026-03-01T09:30:00Z


class FixedClock:
    """Time of day is fixed; the monotonic clock is the machine's own, so that deadlines and waits work."""

    def __init__(self, now_ms: int = STARTS_AT_MS) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic_ms(self) -> float:
        return time.perf_counter_ns() / 1_000_000

    def advance(self, milliseconds: int) -> None:
        """Move the time of day."""
        self._now_ms += milliseconds
