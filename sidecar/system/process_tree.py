"""Starts a program in its own process group and ends it with all its descendants, including those that left the group.

A process inherits its parent's environment, so a marker variable there identifies even a grandchild that started its
own session and lost its parents.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from sidecar.core.clock import Clock, Deadline
from sidecar.system.environment import NO_WINDOW

MARK = "ONECODE_RUN_MARK"

_POLL_SECONDS = 0.02
_LAST_WAIT_MS = 2_000.0
_START_TOLERANCE_SECONDS = 2.0
"""The system computes start times from the time since boot and the clock, which may be adjusted."""

_NEW_PROCESS_GROUP = 0x00000200


def _creation_flags() -> int:
    """Return the flags of a new process: it shares this one's console, through which Windows asks it to exit.

    Without one it gets a hidden console, because it would otherwise open a window.
    """
    if sys.platform == "win32":
        has_console = ctypes.windll.kernel32.GetConsoleCP() != 0
        return _NEW_PROCESS_GROUP | (0 if has_console else NO_WINDOW)
    return 0


def _die_with_parent() -> Callable[[], None] | None:
    """Return what makes a new process die with the thread that started it; None where the system cannot do that."""
    if sys.platform == "linux":
        control, parent = ctypes.CDLL(None).prctl, os.getpid()

        def prepare() -> None:
            control(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            if os.getppid() != parent:
                os._exit(1)

        return prepare
    return None


def start(
    argv: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    mark: str,
    has_input: bool,
    is_verbatim: bool = False,
) -> "subprocess.Popen[bytes]":
    """Start a program with pipes for output and, optionally, input; raise OSError if it cannot start.

    It never inherits this process's standard input. `mark` identifies the program and its descendants. On Linux the
    program is killed when the calling thread ends. On Windows, arguments that are `is_verbatim` are quoted already.
    """
    return subprocess.Popen(
        " ".join((f'"{argv[0]}"', *argv[1:])) if is_verbatim else argv,
        cwd=cwd,
        env={**environment, MARK: mark},
        stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=sys.platform != "win32",
        creationflags=_creation_flags(),
        preexec_fn=_die_with_parent(),  # noqa: PLW1509  (calls the system only)
    )


def start_time(pid: int) -> float:
    """Return when a process was started, in seconds since 1970; 0 if it is gone."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return 0.0


def terminate_tree(
    process: "subprocess.Popen[bytes]",
    mark: str,
    grace_ms: int,
    clock: Clock,
    immediate: threading.Event | None = None,
) -> None:
    """Ask a program and its descendants to exit; kill the rest after the grace period, or once `immediate` is set."""
    if immediate is not None and immediate.is_set():
        _kill_process_group(process)  # before the scan of all processes, for which there may be no time left
    running = _running_processes(process.pid, mark)
    deadline = Deadline(clock.monotonic_ms() + (grace_ms if _request_exit(process, running) else 0))
    while deadline.remaining_ms(clock) and not (immediate is not None and immediate.is_set()):
        # Poll only the known processes: finding new ones takes a scan of all processes.
        if process.poll() is not None and all(_has_exited(process) for process in running):
            running = _running_processes(process.pid, mark)
            if not running:
                break
        time.sleep(_POLL_SECONDS)
    _kill_all(process.pid, mark, clock)
    with suppress(OSError):
        process.kill()
    process.wait()


def kill_group(process: "subprocess.Popen[bytes]", clock: Clock) -> None:
    """Kill what an exited program left in its group; daemons that left it continue to run."""
    _kill_all(process.pid, None, clock)


def kill_survivors(pid: int, started_at: float, mark: str, clock: Clock) -> bool:
    """Kill a program that outlived its starter, with its descendants; return whether any of them ran.

    Nothing is killed if the process with this id was started at another time than `started_at`, or has another mark.
    """
    marked = [process for process in psutil.process_iter() if _has_mark(process, mark) and not _has_exited(process)]
    ages = [(process.pid == pid, start_time(process.pid) - started_at) for process in marked]
    tolerance = _START_TOLERANCE_SECONDS
    if not ages or any(age < -tolerance or (is_program and age > tolerance) for is_program, age in ages):
        return False
    _kill_all(None, mark, clock)
    return True


def _kill_all(leader: int | None, mark: str | None, clock: Clock) -> None:
    """Kill until nothing is left: processes forked during one scan are found by the next."""
    deadline = Deadline(clock.monotonic_ms() + _LAST_WAIT_MS)
    while (running := _running_processes(leader, mark)) and deadline.remaining_ms(clock):
        for process in running:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(_POLL_SECONDS)


def _kill_process_group(leader: "subprocess.Popen[bytes]") -> None:
    with suppress(OSError):
        if sys.platform == "win32":
            leader.kill()
        else:
            os.killpg(leader.pid, signal.SIGKILL)


def _request_exit(leader: "subprocess.Popen[bytes]", running: Sequence[psutil.Process]) -> bool:
    """Ask a program and its descendants to exit; return whether that is possible.

    Windows cannot ask a program that has another console than this process. `Popen.send_signal` of Python 3.11 then
    ends the program and leaves an error behind that a later statement raises.
    """
    if sys.platform == "win32":
        return bool(ctypes.windll.kernel32.GenerateConsoleCtrlEvent(signal.CTRL_BREAK_EVENT, leader.pid))
    for process in running:
        with suppress(psutil.Error):
            process.terminate()
    return True


def _running_processes(leader: int | None, mark: str | None) -> list[psutil.Process]:
    """Return the processes in the leader's session or with the mark, and with a mark their descendants too."""
    members: dict[int, psutil.Process] = {}
    children: dict[int, list[psutil.Process]] = {}
    for pid in psutil.pids():
        with suppress(psutil.Error, OSError):
            process = psutil.Process(pid)
            children.setdefault(process.ppid(), []).append(process)
            if _is_in_session(pid, leader) or (mark is not None and _has_mark(process, mark)):
                members[pid] = process
    if mark is not None:
        _add_descendants(members, children)
    members.pop(os.getpid(), None)
    return [process for process in members.values() if not _has_exited(process)]


def _is_in_session(pid: int, leader: int | None) -> bool:
    """Whether a process is in the leader's session; on Windows, which has no sessions, whether it is the leader."""
    if sys.platform != "win32":
        return leader is not None and os.getsid(pid) == leader
    return pid == leader


def _has_mark(process: psutil.Process, mark: str) -> bool:
    try:
        return bool(process.environ().get(MARK) == mark)
    except (psutil.Error, OSError):
        return False  # owned by another user


def _add_descendants(members: dict[int, psutil.Process], children: Mapping[int, Sequence[psutil.Process]]) -> None:
    """Add the descendants of processes, which are not older than their parents.

    On Windows a process continues to name a parent that has ended, and another process may get the id of that one.
    """
    pending = list(members.values())
    while pending:
        parent = pending.pop()
        for child in children.get(parent.pid, ()):
            with suppress(psutil.Error):
                age = parent.create_time() - child.create_time()
                if child.pid not in members and age <= _START_TOLERANCE_SECONDS:
                    members[child.pid] = child
                    pending.append(child)


def _has_exited(process: psutil.Process) -> bool:
    """Whether a process has exited; a zombie counts as exited."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return True
