"""`onecode-sidecar serve`: JSON-RPC over stdio until the client goes."""

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from sidecar.app import DRAIN_MS, EX_SOFTWARE, App, Phase, random_id
from sidecar.core.clock import SystemClock
from sidecar.rpc import Framer, frame
from sidecar.rpc.claim_stdio import Pipe
from sidecar.system.environment import environment
from sidecar.system.parent_watch import watch_streams
from sidecar.system.safe_open import write_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidecar.method import Catalog
    from sidecar.rpc.local_server import LocalServer

CHUNK_BYTES = 256 * 1024

END_SECONDS = 1.6
"""Time limit for the end of the process, whatever hangs. The host allows two seconds."""

HANGUP_SECONDS = 0.4
"""Maximum time for the reader to notice the end of a closed stdin."""


class _MessageWriter:
    """Sends whole messages from any thread. Once the client is gone it drops them."""

    def __init__(self, fd: int, framer: Framer, on_disconnected: "Callable[[], None]") -> None:
        self._fd = fd
        self._framer = framer
        self._lock = threading.Lock()
        self._on_disconnected = on_disconnected
        self.disconnected = False

    def send(self, payload: bytes) -> None:
        with self._lock:
            if self.disconnected:
                return
            try:
                write_all(self._fd, frame(payload, self._framer.framing))
            except OSError:
                self.disconnected = True
        if self.disconnected:
            self._on_disconnected()


class _Shutdown:
    """Ends the process once, within the host's two seconds, whichever thread starts it."""

    def __init__(self) -> None:
        self.app: App | None = None
        self._started = threading.Lock()
        self._limited = threading.Lock()

    def limit(self, code: int = 0) -> None:
        """Start a timer that ends the process even if a write or a worker hangs."""
        if self._limited.acquire(blocking=False):
            timer = threading.Timer(END_SECONDS, os._exit, (code,))
            timer.daemon = True
            timer.start()

    def begin(self, code: int, reason: str) -> None:
        """End the process from its own thread, for callers that hold locks or are in a signal handler."""
        threading.Thread(target=self.end, args=(code, reason), name="ending", daemon=True).start()

    def end(self, code: int, reason: str, drain_ms: int = 0) -> NoReturn:
        """End the process and never return; wait if another thread is ending it already."""
        if not self._started.acquire(blocking=False):
            threading.Event().wait()
        self.limit(code)
        if self.app is not None:
            with suppress(Exception):
                self.app.close(drain_ms)
            self.app.log.info("ended", status=code, reason=reason)
            self.app.log.flush(END_SECONDS, sys.stderr.buffer.write)
        sys.stderr.flush()
        os._exit(code)


def run(pipe: Pipe, load_catalog: "Callable[[], Catalog] | None" = None) -> NoReturn:
    """Serve one client over the claimed streams and never return; `load_catalog` as in `App`."""
    framer = Framer()
    shutdown = _Shutdown()
    output = _MessageWriter(pipe.write_fd, framer, lambda: shutdown.begin(0, "stdout was closed"))
    app = App(SystemClock(), random_id, output.send, environment(), shutdown.end, load_catalog=load_catalog)
    shutdown.app = app
    threading.excepthook = lambda failed: _log(app, failed.exc_value)
    _end_on_signals(shutdown)
    threading.Thread(target=_open_local_server, args=(app,), name="listener", daemon=True).start()
    watch_streams(
        pipe.read_fd,
        pipe.write_fd,
        on_read_end=lambda: _await_reader(shutdown),
        on_write_end=lambda: shutdown.end(0, "stdout was closed"),
    )
    try:
        code = _read(pipe.read_fd, framer, app)
    except Exception as error:
        _log(app, error)
        shutdown.end(EX_SOFTWARE, "the reader failed")
    if code is None:
        shutdown.end(0, "stdin ended", DRAIN_MS)
    shutdown.end(code, "exit was received")


def _read(fd: int, framer: Framer, app: App) -> int | None:
    """Feed the connection until `exit`, whose status is returned, or until the end of stdin."""
    receive = app.connection.receive
    while True:
        try:
            chunk = os.read(fd, CHUNK_BYTES)
        except OSError:
            chunk = b""
        for message in framer.feed(chunk) if chunk else framer.end():
            receive(message)
            if app.connection.exit_code is not None:
                return app.connection.exit_code
        if not chunk:
            return None


def _open_local_server(app: App) -> None:
    """Open the local socket for the user's other programs, once everything is loaded."""
    app.wait_for_phase(Phase.SERVING)
    try:
        start_local_server(app)
    except Exception as error:
        _log(app, error)


def start_local_server(app: App) -> "LocalServer | None":
    """Serve the state folder's local socket until the process ends; None where that is impossible."""
    from sidecar.rpc.local_server import open_local_server

    if app.process is None or app.dispatcher is None:
        return None
    try:
        server = open_local_server(app, app.dispatcher, app.scheduler, app.clock, str(app.process.state_dir))
    except OSError as error:
        app.log.warning("listener.closed", kind=type(error).__name__)
        return None
    assert server.listener is not None
    app.process.close_callbacks.append(server.listener.close)
    return server


def _await_reader(shutdown: _Shutdown) -> None:
    """Give the reader time to notice the end itself, unless it is stuck in a write that nobody reads."""
    shutdown.limit()
    threading.Event().wait(HANGUP_SECONDS)
    shutdown.begin(0, "stdin was closed")


def _end_on_signals(shutdown: _Shutdown) -> None:
    def on_signal(number: int, _frame: FrameType | None) -> None:
        shutdown.begin(0, signal.Signals(number).name)

    if sys.platform != "win32":
        _wake_on_signals(lambda number: shutdown.end(0, signal.Signals(number).name))
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)


def _wake_on_signals(on_signal: "Callable[[int], NoReturn]") -> None:
    """Receive signals through a pipe.

    A handler written in Python runs only when the main thread executes bytecode: a signal just before the reader blocks
    would wait for the client's next message.
    """
    if sys.platform != "win32":
        read_fd, write_fd = os.pipe()
        os.set_blocking(write_fd, False)
        signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
        threading.Thread(target=lambda: on_signal(os.read(read_fd, 1)[0]), name="signals", daemon=True).start()


def _log(app: App, error: BaseException | None) -> None:
    if error is not None:
        app.on_incident(error, app.new_incident_id())
