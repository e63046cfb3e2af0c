"""Tests of the allocator controls: memory is released where the system supports it."""

import subprocess
import sys

import pytest

from sidecar.system import allocator

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


@pytest.mark.skipif(sys.platform != "linux", reason="what is resident is read from /proc")
def test_memory_freed_between_live_blocks_is_released() -> None:
    if allocator._glibc() is None:
        pytest.skip("this C library has no such call")
    given_back = int(subprocess.check_output([sys.executable, "-c", _FREED]))
    assert given_back > 20_000 * 8_000 // 4
