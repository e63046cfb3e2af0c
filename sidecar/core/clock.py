"""The only module that reads a clock; all other code receives a `Clock`."""

import time
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from datetime import datetime

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
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


def parse_time_ms(text: str) -> int | None:
    """Parse ISO 8601 text, UTC by default, as milliseconds since 1970-01-01 UTC; None if it is malformed."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
        return epoch_ms(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError, OSError):
        return None


def rfc3339(now_ms: int) -> str:
    """Format a moment as RFC 3339 in UTC with milliseconds, the wire format of all times."""
    seconds, millis = divmod(now_ms, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03d}Z"


def rfc3339_seconds(now_ms: int) -> str:
    """Format a moment as RFC 3339 in UTC to the second, as in `2026-03-01T09:30:00Z`."""
    return f"{rfc3339(now_ms)[:19]}Z"


def utc_day(now_ms: int) -> str:
    """Return the day of a moment in UTC, as in `2026-03-01`."""
    return rfc3339(now_ms)[:10]


def utc_minute(moment: str) -> str:
    """Return a moment of the wire format for people, as in `2026-03-01 09:30 UTC`."""
    return f"{moment[:10]} {moment[11:16]} UTC"
