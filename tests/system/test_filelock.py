"""Tests of the lock between processes: exclusive, and released when its holder dies."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.system import filelock
from tests.support.process import ROOT

HOLDER = """
import os, sys, time
from sidecar.system import filelock

fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
assert filelock.acquire(fd, 0)
print("held", flush=True)
time.sleep(600)
"""


def test_only_one_descriptor_holds_the_lock(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert filelock.acquire(first, 0)
    assert not filelock.acquire(second, 0.01)
    filelock.release(first)
    assert filelock.acquire(second, 0)
    os.close(first)
    os.close(second)


def test_locking_leaves_the_position_in_the_file(tmp_path: Path) -> None:
    fd = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    assert filelock.acquire(fd, 0)
    os.write(fd, b"con")
    filelock.release(fd)
    os.write(fd, b"tent")
    os.close(fd)
    assert (tmp_path / "lock").stat().st_size == len(b"content")


def test_the_context_manager_releases_the_lock_and_closes_the_file(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    with filelock.locked(first, 0) as is_locked:
        assert is_locked
        with filelock.locked(second, 0) as is_also_locked:
            assert not is_also_locked
        with pytest.raises(OSError, match=r"Bad file descriptor|handle"):
            os.fstat(second)
        third = os.open(tmp_path / "lock", os.O_RDWR)
        assert not filelock.acquire(third, 0), "who could not have it does not let it go either"
    with pytest.raises(OSError, match=r"Bad file descriptor|handle"):
        os.fstat(first)
    assert filelock.acquire(third, 0)
    os.close(third)


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "lock")]
    fd = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        assert not filelock.acquire(fd, 0)
        holder.kill()
        holder.wait()
    assert filelock.acquire(fd, 5)
    os.close(fd)
