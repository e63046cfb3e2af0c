"""Exponential backoff with jitter: 1 s, twice as long each time, at most 30 s, three attempts."""

import random
from collections.abc import Callable, Iterator
from typing import TypeVar

from sidecar.call import Call
from sidecar.core.errors import SyncFailed

Result = TypeVar("Result")

ATTEMPTS = 3
FIRST_S, FACTOR, LONGEST_S = 1.0, 2.0, 30.0


def delays(chance: random.Random) -> Iterator[float]:
    """Gives the seconds to wait before each further attempt: half of them for sure, half by chance."""
    whole = FIRST_S
    for _ in range(ATTEMPTS - 1):
        yield min(whole, LONGEST_S) * (0.5 + chance.random() / 2)
        whole *= FACTOR


def patiently(call: Call, act: Callable[[], Result]) -> Result:
    """Acts, and again after a while when what failed may be retried; raises what the last attempt did."""
    for delay in delays(random.Random(call.process.new_id())):  # noqa: S311  (spreads load, guards nothing)
        try:
            return act()
        except SyncFailed as error:
            if not error.data.get("retryable"):
                raise
            call.log.warning("knowledge.retry", code=error.data.get("code"), delayMs=round(delay * 1000))
        call.cancellation.check()
        call.process.ending.wait(delay)
    return act()
