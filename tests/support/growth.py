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

SHORT_RUNS = 3
"""Runs of the smaller size in one attempt; the quickest counts. If it seemed slow, quadratic work would seem linear."""


def takes_linear_time(
    work_of: Callable[[int], Work],
    size: int,
    *,
    quick_seconds: float = QUICK_SECONDS,
    clock: Callable[[], float] = time.thread_time,
) -> bool:
    """Whether work of four times the size is quick, or takes at most eight times as long.

    `work_of` prepares the work of a size, which is not measured. `clock` counts the processor time of this thread;
    `time.process_time` where other threads do a part of the work. A larger `quick_seconds` saves the comparison where
    linear work of the larger size takes longer than that.
    """
    short, long = None, work_of(FACTOR * size)
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE_SECONDS)
        long_seconds = seconds_of(long, clock)
        if long_seconds <= quick_seconds:
            return True
        short = short or work_of(size)
        if long_seconds <= MAX_GROWTH * min(seconds_of(short, clock) for _ in range(SHORT_RUNS)):
            return True
    return False


def seconds_of(work: Work, clock: Callable[[], float] = time.thread_time) -> float:
    """Return the processor time of some work."""
    start = clock()
    work()
    return clock() - start
