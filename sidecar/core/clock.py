"""The only module that reads a clock; all other code receives a `Clock`."""

import time
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from datetime import datetime

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


class Clock(Protocol):
    """Wall-clock time and a monotonic clock for durations."""

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        ...

    def monotonic_ms(self) -> float:
        """Milliseconds of a clock that never goes back; only differences are meaningful."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> float:
        """Milliseconds of the monotonic clock."""
        return time.perf_counter_ns() / 1_000_000


class Deadline(NamedTuple):
    """A moment on the monotonic clock after which waiting is pointless."""

    at_ms: float

    def remaining_ms(self, clock: Clock) -> float:
        """Return the remaining milliseconds, at least 0."""
        return max(0.0, self.at_ms - clock.monotonic_ms())


def epoch_ms(moment: "datetime") -> int:
    """Return a moment in milliseconds since 1970-01-01 UTC."""
    return int(moment.timestamp() * 1000)


def rfc3339(now_ms: int) -> str:
    """Format a moment as RFC 3339 in UTC with milliseconds, the wire format of all times."""
    seconds, millis = divmod(now_ms, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03d}Z"
