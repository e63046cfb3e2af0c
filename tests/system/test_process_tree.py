"""Tests of process trees: started in their own session, ended as a whole."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from sidecar.core.clock import SystemClock
from sidecar.system.process_tree import (
    MARK,
    _add_descendants,
    kill_group,
    kill_survivors,
    start,
    start_time,
    terminate_tree,
)

CLOCK = SystemClock()
SLEEP = "import time; time.sleep(60)"


def python(script: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-E", "-c", script)


@pytest.fixture
def mark(tmp_path: Path) -> str:
    return str(tmp_path)


Start = Callable[[str], "subprocess.Popen[bytes]"]


@pytest.fixture
def started(tmp_path: Path, mark: str) -> Iterator[Start]:
    """Start scripts; end them and close their pipes after the test."""
    processes: list[subprocess.Popen[bytes]] = []

    def start_one(script: str) -> "subprocess.Popen[bytes]":
        process = start(python(script), tmp_path, dict(os.environ), mark=mark, has_input=False)
        processes.append(process)
        return process

    yield start_one
    for process in processes:
        terminate_tree(process, mark, 0, CLOCK)
        with process:
            process.wait(20)


def parent_of(child: str, file: Path, then: str) -> str:
    """Return a script that starts another in its own session, writes its pid to a file and continues."""
    return (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen({python(child)!r}, start_new_session=True)\n"
        f"open({str(file)!r}, 'w').write(str(child.pid))\n{then}"
    )


def is_running(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_a_program_gets_the_mark_the_folder_and_its_own_input(tmp_path: Path, mark: str, started: Start) -> None:
    script = f"import os, sys; print(os.environ[{MARK!r}], os.getcwd(), repr(sys.stdin.read()))"
    process = started(script)
    output, _ = process.communicate(timeout=20)
    assert output.decode().split() == [mark, str(tmp_path), "''"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no sessions there")
def test_a_program_runs_in_its_own_session(mark: str, started: Start) -> None:
    process = started(SLEEP)
    assert os.getsid(process.pid) == process.pid != os.getsid(0)
    terminate_tree(process, mark, 1_000, CLOCK)
    assert process.returncode is not None


def test_the_whole_tree_ends_within_the_grace_period(tmp_path: Path, mark: str, started: Start) -> None:
    file = tmp_path / "pid"
    process = started(parent_of(SLEEP, file, "time.sleep(60)"))
    child = _pid_in(file)
    terminate_tree(process, mark, 5_000, CLOCK)
    assert not is_running(child)
    assert not is_running(process.pid)
    if sys.platform != "win32":  # there only a program in the same console can be asked
        assert process.returncode == -signal.SIGTERM, "on request, not killed"


def test_daemons_of_an_exited_program_survive_until_killed_by_mark(tmp_path: Path, mark: str, started: Start) -> None:
    file = tmp_path / "pid"
    process = started(parent_of(SLEEP, file, ""))
    started_at = start_time(process.pid)
    child = _pid_in(file)
    process.wait(20)
    kill_group(process, CLOCK)
    assert is_running(child)
    assert kill_survivors(process.pid, started_at, mark, CLOCK)
    assert not is_running(child)


def test_processes_with_another_mark_survive(mark: str, started: Start) -> None:
    process = started(SLEEP)
    kill_survivors(process.pid, start_time(process.pid), f"{mark}-other", CLOCK)
    assert process.poll() is None
    terminate_tree(process, mark, 1_000, CLOCK)


def test_a_survivor_is_killed_only_if_pid_start_and_mark_agree(mark: str, started: Start) -> None:
    process = started(SLEEP)
    at = start_time(process.pid)
    assert not kill_survivors(process.pid, at, f"{mark}-other", CLOCK)
    assert not kill_survivors(process.pid, at - 60, mark, CLOCK), "another program had this id"
    assert not kill_survivors(process.pid, at + 60, mark, CLOCK)
    assert process.poll() is None
    assert kill_survivors(process.pid, at, mark, CLOCK)
    assert process.wait(20) != 0


def test_a_process_older_than_its_parent_is_the_child_of_an_earlier_process_with_that_id() -> None:
    """As Windows lists it: its parent has ended, and the program got the parent's id. The clock may have changed."""
    program, child, foreign = (FakeProcess(*row) for row in ((10, 500.0), (11, 499.0), (12, 400.0)))
    inner = FakeProcess(13, 401.0)
    members: dict[int, Any] = {10: program}
    children: dict[int, Any] = {10: [foreign, child], 12: [inner]}
    _add_descendants(members, children)
    assert members == {10: program, 11: child}


class FakeProcess(NamedTuple):
    pid: int
    started_at: float

    def create_time(self) -> float:
        return self.started_at


def _pid_in(file: Path) -> int:
    deadline = time.monotonic() + 20
    while not (file.exists() and file.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return int(file.read_text())
