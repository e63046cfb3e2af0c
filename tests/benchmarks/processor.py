"""What a call takes of the processor: other load on the machine changes it least."""

import statistics
import time
from collections.abc import Callable


def median_ms(call: Callable[[int], object], rounds: int) -> float:
    """Gives the milliseconds of processor time that a call takes, all threads together; it is told its number."""
    taken = []
    for number in range(rounds):
        began = time.process_time_ns()
        call(number)
        taken.append((time.process_time_ns() - began) / 1e6)
    return statistics.median(taken)
