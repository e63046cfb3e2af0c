"""Python processes that start with the sidecar's modules loaded, forked by one process that has loaded them.

A start from nothing takes 0.4 s of processor time, which most tests in processes do not examine. A fork is a process of
its own like any other: with its own streams, environment, signals and end.
"""

import atexit
import contextlib
import functools
import gc
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from tests.support.depth import is_thorough
from tests.support.stored_patterns import store_patterns, use_stored_patterns

ROOT = Path(__file__).resolve().parents[2]
MAX_REQUEST_BYTES = 150_000
_STATUS = struct.Struct("i")
_STARTING = threading.Lock()


def start_python(command: Sequence[str], **options: Any) -> "subprocess.Popen[Any]":
    """Start `python -m …` or `python -c …` with modules loaded; from nothing in a thorough run and outside of Linux."""
    can_fork = sys.platform == "linux" and not is_thorough() and command[0] == sys.executable
    if can_fork and command[1] in ("-m", "-c"):
        return WarmProcess(command, **options)
    return subprocess.Popen(command, **options)


def run_python(
    command: Sequence[str], *, timeout: float, stdin: bytes = b"", **options: Any
) -> "subprocess.CompletedProcess[bytes]":
    """Run such a command to its end with some input; return its status and what it wrote."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with start_python(command, **pipes, **options) as process:
        try:
            output, errors = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


class WarmProcess(subprocess.Popen[Any]):
    """A process that the forking process started; it reports the end through a pipe."""

    _status_fd: int
    _status_lock: threading.Lock

    def _execute_child(self, args: Sequence[str], *rest: Any) -> None:
        """Replace the start of a program (the name and the parameters are the base class's)."""
        cwd, env = rest[4], rest[5]
        handles = rest[9:15]
        start_new_session = rest[20]
        streams = [given if given != -1 else fd for fd, given in enumerate((handles[0], handles[3], handles[5]))]
        self._status_fd, status_fd = os.pipe()
        self._status_lock = threading.Lock()
        request = Request(list(args), os.fspath(cwd or os.getcwd()), dict(env or os.environ), bool(start_new_session))
        with _STARTING:
            forking_process = _forking_process()
        self.pid = forking_process.fork(request, [*streams, status_fd])
        os.close(status_fd)
        self._child_created = True
        self._close_pipe_fds(*handles)  # pyrefly: ignore[missing-attribute]  # the base class's

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        return self._await_end(0)

    def _wait(self, timeout: float | None) -> int:
        status = self._await_end(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return status

    def _await_end(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status_fd], [], [], timeout)[0]:
            with self._status_lock:
                if self.returncode is None:
                    answer = os.read(self._status_fd, _STATUS.size)
                    self.returncode = _STATUS.unpack(answer)[0] if answer else -signal.SIGKILL
                    os.close(self._status_fd)
        return self.returncode


class Request(NamedTuple):
    """What to start, and how."""

    command: list[str]
    cwd: str
    environment: Mapping[str, str]
    start_new_session: bool


class _ForkingProcess:
    def __init__(self) -> None:
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                (sys.executable, "-m", __name__, str(other.fileno())),
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                pass_fds=[other.fileno()],
            )
        self._socket = own
        self._lock = threading.Lock()
        self._has_forked = False
        atexit.register(self.close)

    def fork(self, request: Request, fds: list[int]) -> int:
        """Start a process with the given standard streams and the pipe for its status; return its id."""
        with self._lock:
            socket.send_fds(self._socket, [orjson.dumps([*request])], fds)
            pid = int(self._socket.recv(64))
            if not self._has_forked:
                use_stored_patterns()  # which it has stored before it forks
                self._has_forked = True
            return pid

    def close(self) -> None:
        """End the forking process."""
        self._socket.close()
        self._process.wait()


@functools.cache
def _forking_process() -> _ForkingProcess:
    return _ForkingProcess()


def serve(control: socket.socket) -> Request:
    """Fork for each request until the other side closes; return only in a forked process, with its request."""
    wake_read_fd, wake_write_fd = os.pipe()
    os.set_blocking(wake_read_fd, False)
    os.set_blocking(wake_write_fd, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(wake_write_fd, warn_on_full_buffer=False)
    status_fds: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([control.fileno(), wake_read_fd], [], [])
        if wake_read_fd in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake_read_fd, 4096)
            _report_ends(status_fds)
        if control.fileno() in ready:
            message, fds, _, _ = socket.recv_fds(control, MAX_REQUEST_BYTES, 4)
            if not message:
                os._exit(0)
            *streams, status_fd = fds
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                for fd, stream in enumerate(streams):
                    os.dup2(stream, fd)
                for fd in (*fds, *status_fds.values(), wake_read_fd, wake_write_fd, control.detach()):
                    os.close(fd)
                return Request(*orjson.loads(message))
            status_fds[pid] = status_fd
            for stream in streams:
                os.close(stream)
            control.send(str(pid).encode())


def _report_ends(status_fds: dict[int, int]) -> None:
    while status_fds:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        fd = status_fds.pop(pid)
        with contextlib.suppress(BrokenPipeError):
            os.write(fd, _STATUS.pack(os.waitstatus_to_exitcode(status)))
        os.close(fd)


def run(request: Request) -> None:
    """Run a Python command line in this process."""
    import runpy
    import time

    if request.start_new_session:
        os.setsid()
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.environment)
    time.tzset()
    _, kind, what, *arguments = request.command
    sys.argv = [what if kind == "-m" else "-c", *arguments]
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


def run_and_end(request: Request) -> None:
    """Run a command line and end this process at once: freeing the loaded modules takes ten times as long as the fork.

    Threads, exit functions and streams end as always. What is not an ordinary end is left to the interpreter.
    """
    try:
        run(request)
        status = 0
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        status = end.code or 0
    threading._shutdown()  # pyrefly: ignore[missing-attribute]  # the interpreter's own wait for threads
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(status)
    os._exit(status & 0xFF)


def load() -> None:
    """Import what a sidecar and its commands load while they run, and compile their patterns: half of a first turn."""
    from sidecar import slice_states
    from sidecar.app import load_full_catalog
    from sidecar.capture import post_run
    from sidecar.cli import in_process, ralph, serve
    from sidecar.codebase.summary.summarize import summarize
    from sidecar.core import json_text
    from sidecar.core.lazy_regex import LazyPattern
    from sidecar.packs import memory_items
    from sidecar.rpc import local_server
    from sidecar.rpc.dispatch import Dispatcher
    from sidecar.system.git import pygit2

    _ = in_process, local_server, memory_items, post_run, ralph, serve, slice_states
    catalog = load_full_catalog()
    dispatcher = Dispatcher(catalog.methods, catalog.notifications, lambda *_: None, str)
    dispatcher.build(row.name for row in catalog.methods)
    json_text.load()
    summarize("loads_a_grammar.py", b"pass\n")
    pygit2()
    patterns = [item for item in gc.get_objects() if isinstance(item, LazyPattern)]
    store_patterns(patterns)
    for pattern in patterns:
        compiled = pattern.match.__self__  # restored once for all uses
        for use in ("fullmatch", "search", "finditer", "findall", "sub", "subn", "split"):
            pattern.__dict__[use] = getattr(compiled, use)


if __name__ == "__main__":
    load()
    gc.collect()
    gc.freeze()
    run_and_end(serve(socket.socket(fileno=int(sys.argv[1]))))
