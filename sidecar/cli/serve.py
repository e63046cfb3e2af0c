"""`onecode-sidecar serve`: JSON-RPC over stdio until the client goes."""

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from sidecar.app import App
from sidecar.core.clock import SystemClock
from sidecar.rpc.framing import Framer, frame
from sidecar.rpc.stdio import Pipe, write_all
from sidecar.system.environment import environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidecar.app import Rows

CHUNK_BYTES = 256 * 1024


class _Terminated(BaseException):
    """SIGTERM or SIGINT arrived; breaks the blocking read."""


class _Output:
    """Sends whole messages from any thread; once the client is gone it drops them."""

    def __init__(self, fd: int, framer: Framer) -> None:
        self._fd = fd
        self._framer = framer
        self._lock = threading.Lock()
        self.gone = False

    def send(self, payload: bytes) -> None:
        with self._lock:
            if self.gone:
                return
            try:
                write_all(self._fd, frame(payload, self._framer.framing))
            except OSError:
                self.gone = True


class _Ending:
    """Ends the process once, from whichever thread asks first, within the host's two seconds."""

    def __init__(self) -> None:
        self.app: App | None = None
        self._once = threading.Lock()

    def end(self, code: int) -> NoReturn:
        if not self._once.acquire(blocking=False):
            threading.Event().wait()  # another thread is ending the process
        # Ending must never hang: a write nobody reads, a lock a stuck worker holds.
        threading.Timer(1.6, os._exit, (code,)).start()
        if self.app is not None:
            self.app.close()
            self.app.log.flush_to(sys.stderr.buffer.write)
        sys.stderr.flush()
        os._exit(code)


def run(pipe: Pipe, rows: "Callable[[], Rows] | None" = None) -> NoReturn:
    """Serves one client over the claimed streams and never returns; `rows` as in `App`."""
    framer = Framer()
    output = _Output(pipe.write_fd, framer)
    ending = _Ending()
    app = App(SystemClock(), _new_id, output.send, environment(), ending.end, rows=rows)
    ending.app = app
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminate)
    code = 0
    with suppress(_Terminated):
        code = _read(pipe.read_fd, framer, app, output)
    ending.end(code)


def _read(fd: int, framer: Framer, app: App, output: _Output) -> int:
    """Feeds the connection until `exit`, the end of stdin, or a client that no longer reads."""
    receive = app.connection.receive
    while not output.gone:
        chunk = os.read(fd, CHUNK_BYTES)
        for message in framer.feed(chunk) if chunk else framer.end():
            receive(message)
            if app.connection.exit_code is not None:
                return app.connection.exit_code
        if not chunk:
            break
    return 0


def _terminate(_signum: int, _frame: FrameType | None) -> None:
    raise _Terminated


def _new_id() -> str:
    return os.urandom(16).hex()
