"""Whether the time of some work grows linearly with its size, measured so that a busy machine does not matter."""

import time
from collections.abc import Callable

Work = Callable[[], object]

FACTOR = 4
"""Sizes compared: `size` and this many times it."""

MAX_GROWTH = 8.0
"""Limit for the growth of the time: linear work grows 4 times, quadratic 16 times, and this is the geometric mean."""

QUICK_SECONDS = 0.04
"""Work of the larger size that takes no longer passes without a comparison, whose clock is too coarse for it.

A pattern that backtracks quadratically takes over a tenth of a second for the 8,000 characters of the shortest texts.
"""

ATTEMPTS, PAUSE_SECONDS = 4, 0.3
"""Work that looks slow is measured again after a pause: neighbours that empty the caches come and go."""

RUNS = 2
"""Runs of each size in one attempt; the quickest counts, as a neighbour can only make a run longer."""


def takes_linear_time(
    work_of: Callable[[int], Work],
    size: int,
    *,
    quick_seconds: float = QUICK_SECONDS,
    clock: Callable[[], float] = time.thread_time,
) -> bool:
    """Whether work of four times the size is quick, or takes at most eight times as long.

    `work_of` prepares the work of a size, which is not measured. `clock` counts the processor time of this thread;
    `time.process_time` where other threads do a part of the work. Linear work of the larger size is run once if it is
    quick, and three times if not.
    """
    long = work_of(FACTOR * size)
    long_seconds = seconds_of(long, clock)
    if long_seconds <= quick_seconds:
        return True
    short = work_of(size)
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE_SECONDS)
            long_seconds = seconds_of(long, clock)
        short_seconds = min(seconds_of(short, clock) for _ in range(RUNS))
        long_seconds = min(long_seconds, *(seconds_of(long, clock) for _ in range(RUNS - 1)))
        if long_seconds <= max(quick_seconds, MAX_GROWTH * short_seconds):
            return True
    return False


def seconds_of(work: Work, clock: Callable[[], float] = time.thread_time) -> float:
    """Return the processor time of some work."""
    start = clock()
    work()
    return clock() - start
