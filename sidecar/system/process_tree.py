"""Starts a program in a group of its own and ends it with everything it started, also with what has left the group.

A process inherits its parent's environment, so that a mark in there tells even of a grandchild that made itself a
session of its own and lost its parents.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from sidecar.core.clock import Clock, Deadline

MARK = "ONECODE_RUN_MARK"

_POLL_SECONDS = 0.02
_LAST_WAIT_MS = 2_000.0

if sys.platform == "win32":
    _FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
else:
    _FLAGS = 0


def start(
    argv: Sequence[str], cwd: Path, environment: Mapping[str, str], *, mark: str, has_input: bool
) -> "subprocess.Popen[bytes]":
    """Starts a program with pipes for its output, and for its input one or nothing; raises OSError where it cannot.

    This process's own standard input is never inherited. By `mark` the program and all it starts are known.
    """
    return subprocess.Popen(
        argv,
        cwd=cwd,
        env={**environment, MARK: mark},
        stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=sys.platform != "win32",
        creationflags=_FLAGS,
    )


def end_tree(
    process: "subprocess.Popen[bytes]",
    mark: str,
    grace_ms: int,
    clock: Clock,
    at_once: threading.Event | None = None,
) -> None:
    """Asks a program and all it started to end, and after the grace, or once `at_once` is set, makes what is left."""
    if at_once is not None and at_once.is_set():
        _kill_group(process)  # before the walk over all processes, for which there may be no time left
    alive = _alive(process.pid, mark)
    _ask(process, alive)
    deadline = Deadline(clock.monotonic_ms() + grace_ms)
    while deadline.remaining_ms(clock) and not (at_once is not None and at_once.is_set()):
        # Only those that are known are looked at again and again: to look for others takes a walk over all processes.
        if process.poll() is not None and all(_is_over(one) for one in alive):
            alive = _alive(process.pid, mark)
            if not alive:
                break
        time.sleep(_POLL_SECONDS)
    _end_by_force(process.pid, mark, clock)
    with suppress(OSError):
        process.kill()
    process.wait()


def end_group(process: "subprocess.Popen[bytes]", clock: Clock) -> None:
    """Ends what a program that has ended by itself left behind in its group; what made itself a daemon stays."""
    _end_by_force(process.pid, None, clock)


def end_marked(mark: str, clock: Clock) -> None:
    """Ends at once whatever still runs under a mark, whoever started it."""
    _end_by_force(None, mark, clock)


def _end_by_force(leader: int | None, mark: str | None, clock: Clock) -> None:
    """Kills until nothing is left: what is forked between a look and a blow is met by the next one."""
    deadline = Deadline(clock.monotonic_ms() + _LAST_WAIT_MS)
    while (alive := _alive(leader, mark)) and deadline.remaining_ms(clock):
        for process in alive:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(_POLL_SECONDS)


def _kill_group(leader: "subprocess.Popen[bytes]") -> None:
    with suppress(OSError):
        leader.kill() if sys.platform == "win32" else os.killpg(leader.pid, signal.SIGKILL)


def _ask(leader: "subprocess.Popen[bytes]", alive: Sequence[psutil.Process]) -> None:
    if sys.platform == "win32":
        with suppress(OSError):
            leader.send_signal(signal.CTRL_BREAK_EVENT)
        return
    for process in alive:
        with suppress(psutil.Error):
            process.terminate()


def _alive(leader: int | None, mark: str | None) -> list[psutil.Process]:
    """Lists what runs in the leader's session or under the mark, and with a mark what descends from either."""
    found: dict[int, psutil.Process] = {}
    children: dict[int, list[psutil.Process]] = {}
    for pid in psutil.pids():
        with suppress(psutil.Error, OSError):
            process = psutil.Process(pid)
            children.setdefault(process.ppid(), []).append(process)
            if _is_led(pid, leader) or (mark is not None and _has_mark(process, mark)):
                found[pid] = process
    if mark is not None:
        _add_descendants(found, children)
    found.pop(os.getpid(), None)
    return [process for process in found.values() if not _is_over(process)]


def _is_led(pid: int, leader: int | None) -> bool:
    """Says whether a process is of the leader's session; on Windows, which has none, whether it is the leader."""
    return leader is not None and (pid if sys.platform == "win32" else os.getsid(pid)) == leader


def _has_mark(process: psutil.Process, mark: str) -> bool:
    try:
        return bool(process.environ().get(MARK) == mark)
    except (psutil.Error, OSError):
        return False  # another user's


def _add_descendants(found: dict[int, psutil.Process], children: Mapping[int, Sequence[psutil.Process]]) -> None:
    left = list(found)
    while left:
        for child in children.get(left.pop(), ()):
            if child.pid not in found:
                found[child.pid] = child
                left.append(child.pid)


def _is_over(process: psutil.Process) -> bool:
    """A process that has ended counts as over, though nobody may have asked for its status yet."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return True
