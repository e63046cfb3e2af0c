"""The C library's memory: kept together, and given back to the system after a large piece of work.

Only where the system's own allocator has calls for it: glibc and macOS. Elsewhere nothing happens, and nothing is lost
but memory.
"""

import ctypes
import sys
from functools import cache

_ARENAS, _OWN_MAPPING = -8, -3
"""M_ARENA_MAX and M_MMAP_THRESHOLD of mallopt(3)."""

OWN_MAPPING_BYTES = 128 * 1024
"""A larger block goes back to the system as soon as it is freed; glibc raises its bound to up to 32 MB by itself."""


def keep_together() -> None:
    """Has all threads share one heap: each of a few would keep its own gaps. Best called before there are threads."""
    libc = _glibc()
    if libc is not None:
        libc.mallopt(_ARENAS, 1)
        libc.mallopt(_OWN_MAPPING, OWN_MAPPING_BYTES)


def give_back() -> None:
    """Returns free memory to the system; takes some milliseconds."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(ctypes.c_size_t(0))
    elif sys.platform == "darwin":
        relief = getattr(ctypes.CDLL(None), "malloc_zone_pressure_relief", None)
        if relief is not None:
            relief(ctypes.c_void_p(None), ctypes.c_size_t(0))


@cache
def _glibc() -> ctypes.CDLL | None:
    """Gives the C library if it is GNU's: musl has neither call."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "gnu_get_libc_version") else None
