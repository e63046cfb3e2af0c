"""Processor time of a call, which other load on the machine affects least."""

import statistics
import time
from collections.abc import Callable


def median_ms(call: Callable[[int], object], rounds: int) -> float:
    """Return the median milliseconds of processor time of a call, over all threads. The call receives its number."""
    times = []
    for number in range(rounds):
        start = time.process_time_ns()
        call(number)
        times.append((time.process_time_ns() - start) / 1e6)
    return statistics.median(times)
