"""Tests of the allocator controls: memory is released where the system supports it."""

import itertools
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.system import allocator
from tests.support.process import SidecarProcess

HEAP_BYTES = 64 * 2**20
"""glibc reserves this much, at a multiple of it, for each heap besides the first."""

needs_glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no such calls")

_FREED = """
from pathlib import Path
from sidecar.system import allocator

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

allocator.use_single_arena()
kept, freed = [], []
for _ in range(20_000):
    kept.append(bytearray(600))
    freed.append(bytearray(8_000))
before = resident()
freed.clear()
allocator.release_memory()
print(before - resident())
"""


def test_both_calls_are_safe_at_any_time_on_any_system() -> None:
    live = [bytes([number]) * 5_000 for number in range(200)]
    for _ in range(2):
        allocator.use_single_arena()
        allocator.release_memory()
    assert all(block == bytes([number]) * 5_000 for number, block in enumerate(live))


@needs_glibc
def test_memory_freed_between_live_blocks_is_released() -> None:
    given_back = int(subprocess.check_output([sys.executable, "-c", _FREED]))
    assert given_back > 20_000 * 8_000 // 4


_FREED_LARGE = """
from pathlib import Path
from sidecar.system import allocator

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

allocator.use_single_arena()
kept, freed = [], []
for _ in range(1_000):
    kept.append(bytearray(600))
    freed.append(bytearray(40_000))
before = resident()
freed.clear()
print(before - resident())
"""


@needs_glibc
def test_large_blocks_return_to_the_system_without_a_release() -> None:
    given_back = int(subprocess.check_output([sys.executable, "-c", _FREED_LARGE]))
    assert given_back > 1_000 * 40_000 // 4 * 3


@needs_glibc
def test_all_threads_of_the_program_share_one_heap(tmp_path: Path) -> None:
    process = SidecarProcess(tmp_path / "state", cold=True)
    try:
        process.client.initialize()
        assert further_heaps(process.popen.pid) == []
    finally:
        process.close()


def further_heaps(pid: int) -> list[str]:
    """Return the heaps of a process besides the first: a used part, and the rest of what is reserved for it."""
    lines = [line.split()[:2] for line in Path(f"/proc/{pid}/maps").read_text("ascii", "replace").splitlines()]
    areas = [(*span.split("-"), rights) for span, rights in lines]
    return [
        first
        for (first, _, used), (_, end, reserved) in itertools.pairwise(areas)
        if int(first, 16) % HEAP_BYTES == 0 and int(end, 16) - int(first, 16) == HEAP_BYTES
        if (used[:2], reserved[:3]) == ("rw", "---")
    ]
