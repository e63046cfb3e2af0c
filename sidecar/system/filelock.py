"""Lock between processes on an open file; the system releases it when its holder dies."""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

LOCKED_BYTE = 1 << 30
"""Offset far beyond any content, so that the file stays readable (Windows locks bytes, not files)."""

_MAX_SLEEP_S = 0.02


def acquire(fd: int, wait_s: float) -> bool:
    """Take the lock, waiting at most `wait_s` seconds; return False if another process or thread still holds it.

    Raise OSError if the file system does not support locks.
    """
    slept, sleep = 0.0, 0.001
    while not _try_lock(fd):
        if slept >= wait_s:
            return False
        time.sleep(sleep)
        slept += sleep
        sleep = min(2 * sleep, _MAX_SLEEP_S)
    return True


@contextmanager
def locked(fd: int, wait_s: float) -> Generator[bool]:
    """Hold the lock on an open file and close the file at the end; yield whether the lock was acquired.

    Raise OSError as `acquire` does.
    """
    try:
        is_locked = acquire(fd, wait_s)
        try:
            yield is_locked
        finally:
            if is_locked:
                release(fd)
    finally:
        os.close(fd)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            _lock_byte(fd, msvcrt.LK_NBLCK)
        except PermissionError:
            return False
        return True

    def release(fd: int) -> None:
        """Release the lock."""
        _lock_byte(fd, msvcrt.LK_UNLCK)

    def _lock_byte(fd: int, mode: int) -> None:
        """Lock or release the byte, which must be at the file's position; what is written next goes where it was."""
        position = os.lseek(fd, 0, os.SEEK_CUR)
        os.lseek(fd, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, mode, 1)
        finally:
            os.lseek(fd, position, os.SEEK_SET)

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(fd: int) -> None:
        """Release the lock."""
        fcntl.flock(fd, fcntl.LOCK_UN)
