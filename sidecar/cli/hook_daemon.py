"""`onecode-sidecar hook daemon`: a sidecar that a hook starts for later hooks. It exits when idle."""

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from sidecar.app import random_id
from sidecar.catalog import hook_methods
from sidecar.cli.hook_client import FOLDER, private_folder, read_answer
from sidecar.cli.in_process import InProcess, RequestFailed
from sidecar.cli.serve import start_local_server
from sidecar.core.clock import MINUTE_MS, SystemClock
from sidecar.rpc.local_server import LocalServer
from sidecar.system.environment import default_state_folder, environment
from sidecar.system.filelock import acquire
from sidecar.system.local_socket import connect

IDLE_MS = 15.0 * MINUTE_MS
"""Idle time after which the sidecar exits. A pause between two prompts is rarely longer."""

POLL_SECONDS = 2.0
SETTLE_SECONDS = 20.0
PATIENCE_SECONDS = 60.0
END_SECONDS = 10.0
LOCK = "daemon.lock"


def run() -> int:
    """Serve hooks until none has come for a while. If another process does so already, pass the first request to it.

    The first request comes from stdin.
    """
    input_text = sys.stdin.buffer.read()
    first = orjson.loads(input_text) if input_text else None
    state_dir = default_state_folder()
    lock = os.open(os.path.join(private_folder(state_dir, FOLDER), LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    if not acquire(lock, 0):
        return _forward(state_dir, first)
    program = program_identity()
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    sidecar = InProcess(Path(state_dir), SystemClock(), {}, random_id, environment(), load_catalog=hook_methods)
    try:
        server = start_local_server(sidecar.app)
        if first is not None:
            _run_hook(sidecar, first)
        stopping = _stop_event()
        if server is not None:
            serve_until_idle(server, stopping, program)
        if not stopping.is_set():
            sidecar.process.wait_idle(SETTLE_SECONDS)
    finally:
        sidecar.close()
    return 0


def stop() -> bool:
    """End the daemon and wait until it is gone; return False if there was none. Raise TimeoutError."""
    try:
        lock = os.open(os.path.join(default_state_folder(), FOLDER, LOCK), os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        if acquire(lock, 0):
            return False
        with suppress(ProcessLookupError, ValueError):
            os.kill(int(os.read(lock, 32)), signal.SIGTERM)
        if not acquire(lock, END_SECONDS):
            raise TimeoutError
        return True
    finally:
        os.close(lock)


def _run_hook(sidecar: InProcess, params: dict[str, Any]) -> None:
    try:
        sidecar.request("hook/run", params)
    except RequestFailed as error:
        sidecar.app.log.warning("hook.failed", kind=error.kind)


def program_identity() -> tuple[int, int]:
    """Return what changes when an update replaces the frozen program; (0, 0) if it runs from source, or is gone."""
    with suppress(OSError):
        if getattr(sys, "frozen", False):
            status = os.stat(sys.executable)
            return status.st_ino, status.st_mtime_ns
    return 0, 0


def serve_until_idle(server: LocalServer, stopping: threading.Event, program: tuple[int, int]) -> None:
    """Wait until no client has come for a while, or until another sidecar owns the socket.

    End also when the program was replaced: it loads its modules from its own file, where they are elsewhere now.
    """
    while not stopping.wait(POLL_SECONDS) and server.quiet_ms() < IDLE_MS and program_identity() == program:
        if server.listener is not None and not server.listener.is_open() and server.quiet_ms() > 0:
            return


def _forward(state_dir: str, params: dict[str, Any] | None) -> int:
    """Pass the request to the running daemon, which may be starting."""
    waited, connection = 0.0, None
    pause = threading.Event()
    while params is not None and connection is None and waited < PATIENCE_SECONDS:
        connection = connect(state_dir, PATIENCE_SECONDS)
        if connection is None:
            pause.wait(0.1)
            waited += 0.1
    if params is not None and connection is not None:
        read_answer(connection, params)
    return 0


def _stop_event() -> threading.Event:
    stopping = threading.Event()
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            with suppress(ValueError):
                signal.signal(getattr(signal, name), lambda _number, _frame: stopping.set())
    return stopping
