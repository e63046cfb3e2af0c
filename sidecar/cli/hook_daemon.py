"""`onecode-sidecar hook linger`: a sidecar that a hook started, for the hooks after it; it goes when none has come."""

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from sidecar.catalog import of_hooks
from sidecar.cli.hook_client import answer_of
from sidecar.cli.ids import random_id
from sidecar.cli.in_process import InProcess, RequestFailed
from sidecar.cli.serve import start_local_server
from sidecar.core.clock import SystemClock
from sidecar.rpc.local_server import Guests
from sidecar.system.environment import environment, state_folder_of_user
from sidecar.system.filelock import acquire
from sidecar.system.local_socket import knock

LINGER_MS = 15 * 60_000.0
"""So long after the last hook the sidecar goes: a person's pause between two prompts is rarely longer."""

LOOK_SECONDS = 2.0
SETTLE_SECONDS = 20.0
PATIENCE_SECONDS = 60.0
END_SECONDS = 10.0
LOCK = "lingering.lock"


def run() -> int:
    """Serves hooks until none has come for a while; where another one does that already, it is told what is to be done.

    What stands on stdin is done first.
    """
    said = sys.stdin.buffer.read()
    first = orjson.loads(said) if said else None
    state_dir = state_folder_of_user()
    lock = os.open(_lock_path(state_dir), os.O_RDWR | os.O_CREAT, 0o600)
    if not acquire(lock, 0):
        return _pass_on(state_dir, first)
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    sidecar = InProcess(Path(state_dir), SystemClock(), {}, random_id, environment(), rows=of_hooks)
    try:
        guests = start_local_server(sidecar.app)
        if first is not None:
            _do(sidecar, first)
        ending = _ending()
        if guests is not None:
            _linger(guests, ending)
        if not ending.is_set():
            sidecar.process.settle(SETTLE_SECONDS)
    finally:
        sidecar.close()
    return 0


def stop() -> bool:
    """Ends the sidecar that lingers and waits until it has gone; False where there was none. Raises TimeoutError."""
    lock = os.open(_lock_path(state_folder_of_user()), os.O_RDWR | os.O_CREAT, 0o600)
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


def _do(sidecar: InProcess, params: dict[str, Any]) -> None:
    try:
        sidecar.request("hook/run", params)
    except RequestFailed as error:
        sidecar.app.log.warning("hook.failed", kind=error.kind)


def _linger(guests: Guests, ending: threading.Event) -> None:
    """Waits until nobody has come for a while, or another sidecar answers those who come."""
    while not ending.wait(LOOK_SECONDS) and guests.quiet_ms() < LINGER_MS:
        if guests.door is not None and not guests.door.is_open() and guests.quiet_ms() > 0:
            return


def _pass_on(state_dir: str, params: dict[str, Any] | None) -> int:
    """Leaves what is to be done to the sidecar that lingers already, which may just be starting."""
    waited, visit = 0.0, None
    pause = threading.Event()
    while params is not None and visit is None and waited < PATIENCE_SECONDS:
        visit = knock(state_dir, PATIENCE_SECONDS)
        if visit is None:
            pause.wait(0.1)
            waited += 0.1
    if params is not None and visit is not None:
        answer_of(visit, params)
    return 0


def _ending() -> threading.Event:
    ending = threading.Event()
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            with suppress(ValueError):
                signal.signal(getattr(signal, name), lambda _number, _frame: ending.set())
    return ending


def _lock_path(state_dir: str) -> str:
    from sidecar.cli.hook_run_state import FOLDER

    folder = os.path.join(state_dir, FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return os.path.join(folder, LOCK)
