"""Control of the C library's allocator: fewer heaps, and memory returned to the system after a large piece of work.

Only glibc and macOS offer the calls. Elsewhere both functions do nothing, which costs only memory.
"""

import ctypes
import sys
from functools import cache

_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3
"""M_ARENA_MAX and M_MMAP_THRESHOLD of mallopt(3)."""

MMAP_THRESHOLD_BYTES = 128 * 1024
"""Larger blocks return to the system as soon as they are freed; glibc would raise this bound to up to 32 MB by itself.
"""


def use_single_arena() -> None:
    """Make all threads share one heap; separate ones would each keep their own gaps. Call before threads start."""
    libc = _glibc()
    if libc is not None:
        libc.mallopt(_M_ARENA_MAX, 1)
        libc.mallopt(_M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES)


def release_memory() -> None:
    """Return free memory to the system; takes a few milliseconds."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(ctypes.c_size_t(0))
    elif sys.platform == "darwin":
        pressure_relief = getattr(ctypes.CDLL(None), "malloc_zone_pressure_relief", None)
        if pressure_relief is not None:
            pressure_relief(ctypes.c_void_p(None), ctypes.c_size_t(0))


@cache
def _glibc() -> ctypes.CDLL | None:
    """Return the C library if it is glibc; musl has neither call."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "gnu_get_libc_version") else None
