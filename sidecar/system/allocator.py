"""Control of the C library's allocator: fewer heaps, and memory returned to the system after a large piece of work.

Only glibc and macOS offer the calls. Elsewhere both functions do nothing, which costs only memory.
"""

import sys
from contextlib import suppress

_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3
"""M_ARENA_MAX and M_MMAP_THRESHOLD of mallopt(3)."""

MMAP_THRESHOLD_BYTES = 32 * 1024
"""Larger blocks return to the system as soon as they are freed, and leave no gaps that only smaller ones fill.

glibc begins with 128 KiB and would raise this bound to up to 32 MiB by itself.
"""


def use_single_arena() -> None:
    """Make all threads share one heap; separate ones would each keep their own gaps.

    Call before the first thread starts: a heap that a thread has created stays, and later threads use it too.
    """
    if sys.platform == "linux":
        import _ctypes  # takes 0.5 ms; the package `ctypes` would take 5 ms before the handshake

        with suppress(OSError):  # where the C library is not glibc
            mallopt = _ctypes.dlsym(_ctypes.dlopen("libc.so.6", 0), "mallopt")
            _ctypes.call_function(mallopt, (_M_ARENA_MAX, 1))
            _ctypes.call_function(mallopt, (_M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES))


def release_memory() -> None:
    """Return free memory to the system; takes one to a few milliseconds."""
    import ctypes

    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has no such call
        if trim is not None:
            trim(ctypes.c_size_t(0))
    elif sys.platform == "darwin":
        pressure_relief = getattr(ctypes.CDLL(None), "malloc_zone_pressure_relief", None)
        if pressure_relief is not None:
            pressure_relief(ctypes.c_void_p(None), ctypes.c_size_t(0))
