"""`onecode-sidecar serve`: JSON-RPC over stdio until the client goes."""

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from sidecar.app import DRAIN_MS, EX_SOFTWARE, App
from sidecar.cli.ids import random_id
from sidecar.core.clock import SystemClock
from sidecar.rpc.framing import Framer, frame
from sidecar.rpc.stdio import Pipe, write_all
from sidecar.system.environment import environment
from sidecar.system.parent_watch import watch_streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidecar.app import Rows
    from sidecar.rpc.local_server import Guests

CHUNK_BYTES = 256 * 1024

END_SECONDS = 1.6
"""After this long an ending process is gone, whatever hangs; the host allows two seconds."""

HANGUP_SECONDS = 0.4
"""How long the reader may take to find the end of a stdin that nobody holds open any more."""


class _Output:
    """Sends whole messages from any thread; once the client is gone it drops them."""

    def __init__(self, fd: int, framer: Framer, on_gone: "Callable[[], None]") -> None:
        self._fd = fd
        self._framer = framer
        self._lock = threading.Lock()
        self._on_gone = on_gone
        self.gone = False

    def send(self, payload: bytes) -> None:
        with self._lock:
            if self.gone:
                return
            try:
                write_all(self._fd, frame(payload, self._framer.framing))
            except OSError:
                self.gone = True
        if self.gone:
            self._on_gone()


class _Ending:
    """Ends the process once, whoever asks first, within the host's two seconds."""

    def __init__(self) -> None:
        self.app: App | None = None
        self._begun = threading.Lock()
        self._limited = threading.Lock()

    def limit(self, code: int = 0) -> None:
        """From now on the end is near and certain: no write nobody reads and no stuck worker can prevent it."""
        if self._limited.acquire(blocking=False):
            timer = threading.Timer(END_SECONDS, os._exit, (code,))
            timer.daemon = True
            timer.start()

    def begin(self, code: int, reason: str) -> None:
        """Ends the process from a thread of its own, for callers that hold locks or are in a signal handler."""
        threading.Thread(target=self.end, args=(code, reason), name="ending", daemon=True).start()

    def end(self, code: int, reason: str, drain_ms: int = 0) -> NoReturn:
        """Ends the process; never returns, and waits where another thread is ending it already."""
        if not self._begun.acquire(blocking=False):
            threading.Event().wait()
        self.limit(code)
        if self.app is not None:
            with suppress(Exception):
                self.app.close(drain_ms)
            self.app.log.info("ended", status=code, reason=reason)
            self.app.log.flush(END_SECONDS, sys.stderr.buffer.write)
        sys.stderr.flush()
        os._exit(code)


def run(pipe: Pipe, rows: "Callable[[], Rows] | None" = None) -> NoReturn:
    """Serves one client over the claimed streams and never returns; `rows` as in `App`."""
    framer = Framer()
    ending = _Ending()
    output = _Output(pipe.write_fd, framer, lambda: ending.begin(0, "stdout was closed"))
    app = App(SystemClock(), random_id, output.send, environment(), ending.end, rows=rows)
    ending.app = app
    threading.excepthook = lambda failed: _log(app, failed.exc_value)
    _end_on_signals(ending)
    threading.Thread(target=_let_in, args=(app,), name="door", daemon=True).start()
    watch_streams(
        pipe.read_fd,
        pipe.write_fd,
        on_read_end=lambda: _await_reader(ending),
        on_write_end=lambda: ending.end(0, "stdout was closed"),
    )
    try:
        code = _read(pipe.read_fd, framer, app)
    except Exception as error:
        _log(app, error)
        ending.end(EX_SOFTWARE, "the reader failed")
    if code is None:
        ending.end(0, "stdin ended", DRAIN_MS)
    ending.end(code, "exit was asked for")


def _read(fd: int, framer: Framer, app: App) -> int | None:
    """Feeds the connection until `exit`, whose status it gives, or the end of stdin."""
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


def _let_in(app: App) -> None:
    """Open the local socket for the user's other programs, once everything is loaded."""
    app.complete.wait()
    try:
        start_local_server(app)
    except Exception as error:
        _log(app, error)


def start_local_server(app: App) -> "Guests | None":
    """Serve the state folder's local socket until the process ends; None where that is impossible."""
    from sidecar.rpc.local_server import let_in

    if app.process is None or app.routes is None:
        return None
    try:
        guests = let_in(app, app.routes, app.lanes, app.clock, str(app.process.state_dir))
    except OSError as error:
        app.log.warning("door.closed", kind=type(error).__name__)
        return None
    assert guests.door is not None
    app.process.at_end.append(guests.door.close)
    return guests


def _await_reader(ending: _Ending) -> None:
    """The reader finds the end itself, unless it is stuck in a write that nobody reads."""
    ending.limit()
    threading.Event().wait(HANGUP_SECONDS)
    ending.begin(0, "stdin was closed")


def _end_on_signals(ending: _Ending) -> None:
    def on_signal(number: int, _frame: FrameType | None) -> None:
        ending.begin(0, signal.Signals(number).name)

    if sys.platform != "win32":
        _wake_on_signals(lambda number: ending.end(0, signal.Signals(number).name))
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)


def _wake_on_signals(on_signal: "Callable[[int], NoReturn]") -> None:
    """Hears of signals from a pipe.

    A handler written in Python runs only when the main thread gets to it: one that arrives just before the
    reader blocks would wait for the client's next message.
    """
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
    threading.Thread(target=lambda: on_signal(os.read(read_fd, 1)[0]), name="signals", daemon=True).start()


def _log(app: App, error: BaseException | None) -> None:
    if error is not None:
        app.on_incident(error, app.new_incident_id())
