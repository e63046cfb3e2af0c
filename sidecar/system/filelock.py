"""A lock between processes on an open file; the system takes it back when its holder dies."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOCKED_BYTE = 1 << 30
"""Far behind any content, so that nobody is kept from reading it (Windows locks bytes, not files)."""

_LONGEST_SLEEP_S = 0.02


def acquire(fd: int, wait_s: float) -> bool:
    """Takes the lock, waiting so many seconds at most; False when another process or thread holds it still.

    Raises OSError where the file system has no locks.
    """
    slept, sleep = 0.0, 0.001
    while not _try(fd):
        if slept >= wait_s:
            return False
        time.sleep(sleep)
        slept += sleep
        sleep = min(2 * sleep, _LONGEST_SLEEP_S)
    return True


@contextmanager
def holding(fd: int, wait_s: float) -> Iterator[bool]:
    """Holds the lock on an open file, and closes the file at the end; says whether the lock could be had.

    Raises OSError as `acquire` does.
    """
    try:
        is_held = acquire(fd, wait_s)
        try:
            yield is_held
        finally:
            if is_held:
                release(fd)
    finally:
        os.close(fd)


if sys.platform == "win32":
    import msvcrt

    def _try(fd: int) -> bool:
        os.lseek(fd, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def release(fd: int) -> None:
        """Gives the lock back."""
        os.lseek(fd, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(fd: int) -> None:
        """Gives the lock back."""
        fcntl.flock(fd, fcntl.LOCK_UN)
