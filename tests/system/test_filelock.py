"""A lock between processes is one's alone, and the system takes it back when its holder dies."""

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


def test_a_lock_is_held_by_one_opening_at_a_time(tmp_path: Path) -> None:
    one, other = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert filelock.acquire(one, 0)
    assert not filelock.acquire(other, 0.01)
    filelock.release(one)
    assert filelock.acquire(other, 0)
    os.close(one)
    os.close(other)


def test_a_lock_that_is_held_for_a_while_is_free_again_and_its_file_closed(tmp_path: Path) -> None:
    one, other = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    with filelock.locked(one, 0) as held:
        assert held
        with filelock.locked(other, 0) as held_too:
            assert not held_too
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(other)
        third = os.open(tmp_path / "lock", os.O_RDWR)
        assert not filelock.acquire(third, 0), "who could not have it does not let it go either"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(one)
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
