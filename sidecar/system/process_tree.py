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
from collections.abc import Iterator, Mapping, Sequence
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
    _ask(process, _alive(process.pid, mark))
    deadline = Deadline(clock.monotonic_ms() + grace_ms)
    while (process.poll() is None or _alive(process.pid, mark)) and deadline.left_ms(clock):
        if at_once is not None and at_once.is_set():
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
    while (alive := _alive(leader, mark)) and deadline.left_ms(clock):
        for process in alive:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(_POLL_SECONDS)


def _ask(leader: "subprocess.Popen[bytes]", alive: Sequence[psutil.Process]) -> None:
    if sys.platform == "win32":
        with suppress(OSError):
            leader.send_signal(signal.CTRL_BREAK_EVENT)
        return
    for process in alive:
        with suppress(psutil.Error):
            process.terminate()


def _alive(leader: int | None, mark: str | None) -> list[psutil.Process]:
    """Lists what runs in the leader's session or under the mark, and what descends from either."""
    found = {process.pid: process for process in _members(leader, mark)}
    if mark is not None:
        for process in list(found.values()):
            with suppress(psutil.Error):
                found.update((child.pid, child) for child in process.children(recursive=True))
    found.pop(os.getpid(), None)
    return [process for process in found.values() if not _is_over(process)]


def _members(leader: int | None, mark: str | None) -> Iterator[psutil.Process]:
    for pid in psutil.pids():
        with suppress(psutil.Error, OSError):
            process = psutil.Process(pid)
            if pid == leader or _session(pid) == leader or (mark and process.environ().get(MARK) == mark):
                yield process


def _session(pid: int) -> int:
    return -1 if sys.platform == "win32" else os.getsid(pid)


def _is_over(process: psutil.Process) -> bool:
    """A process that has ended counts as over, though nobody may have asked for its status yet."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return True
