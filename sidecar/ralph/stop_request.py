"""Requests to stop a running loop: from its own process, from another process, or at the end of the process."""

import os
import threading
from collections.abc import Callable

import orjson

from sidecar.core.errors import WorkspaceUnavailable
from sidecar.ralph.loop_folder import LoopFolder, delete_file
from sidecar.ralph.outcome import INTERRUPTED, Ending
from sidecar.system.atomic_write import write_atomic

POLL_SECONDS = 0.2

MAX_STOP_SECONDS = 1.0
"""Time the ending process waits for its agents to end: none may continue unsupervised."""


class StopRequest:
    """A request to stop one loop: the first reason counts; `no_grace` leaves no grace."""

    def __init__(self) -> None:
        self.requested = threading.Event()
        self.no_grace = threading.Event()
        self._lock = threading.Lock()
        self._ending: Ending | None = None

    def request(self, reason: str, exit_code: int = INTERRUPTED, *, no_grace: bool = False) -> None:
        """Request the stop, with a reason of one sentence."""
        with self._lock:
            self._ending = self._ending or Ending("interrupted", exit_code, reason)
        if no_grace:
            self.no_grace.set()
        self.requested.set()

    @property
    def ending(self) -> Ending | None:
        """Reason why the loop ends; None without a request."""
        with self._lock:
            return self._ending


class RunningLoops:
    """The loops that run in this process, by folder."""

    def __init__(self) -> None:
        self._stops: dict[str, StopRequest] = {}
        self._all: Ending | None = None
        """A stop requested of all loops, including later ones."""
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)

    def register(self, folder: LoopFolder) -> StopRequest:
        """Register a loop and return its stop request."""
        with self._lock:
            stop = self._stops.setdefault(str(folder.path), StopRequest())
            if self._all is not None:
                stop.request(self._all.reason, self._all.exit_code)
            return stop

    def end(self, folder: LoopFolder) -> None:
        """Remove a loop that has ended."""
        with self._changed:
            self._stops.pop(str(folder.path), None)
            self._changed.notify_all()

    def request_all(self, reason: str, exit_code: int, *, no_grace: bool = False) -> None:
        """Request every loop of this process to stop, including later ones."""
        with self._lock:
            self._all = self._all or Ending("interrupted", exit_code, reason)
            stops = list(self._stops.values())
        for stop in stops:
            stop.request(reason, exit_code, no_grace=no_grace)

    def stop_all(self) -> None:
        """End every loop with its agent because the process ends; wait at most `MAX_STOP_SECONDS`."""
        self.request_all("The sidecar ended.", INTERRUPTED, no_grace=True)
        with self._changed:
            self._changed.wait_for(lambda: not self._stops, MAX_STOP_SECONDS)


class StopWatcher:
    """A thread that looks for a request to stop while a loop runs."""

    def __init__(
        self, folder: LoopFolder, stop: StopRequest, ending: threading.Event, cancelled: Callable[[], bool]
    ) -> None:
        """`ending` is set when the process ends; `cancelled` returns whether the request was cancelled."""
        self._folder, self._stop = folder, stop
        self._ending, self._cancelled = ending, cancelled
        self._is_finished = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="ralph-stop", daemon=True)

    def __enter__(self) -> None:
        delete_file(self._folder.stop)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_finished.set()
        self._thread.join(5)
        delete_file(self._folder.stop)

    def _watch(self) -> None:
        while not self._is_finished.is_set():
            if self._ending.wait(POLL_SECONDS):
                self._stop.request("The sidecar ended.", no_grace=True)
            elif self._cancelled():
                self._stop.request("The request was cancelled.")
            elif os.path.lexists(self._folder.stop):
                self._stop.request("It was stopped by `spool ralph --stop`.")
            else:
                continue
            return


def write_stop_request(folder: LoopFolder, requested_at: str) -> None:
    """Write the stop request of a loop in any process; raise WorkspaceUnavailable."""
    try:
        write_atomic(folder.stop, orjson.dumps({"at": requested_at}), durable=False)
    except OSError as error:
        raise WorkspaceUnavailable(f"The stop request cannot be written: {error.strerror}.") from error


def exit_after(seconds: float, exit_code: int) -> None:
    """Exit this process after some seconds, whatever still runs in it."""
    timer = threading.Timer(seconds, os._exit, (exit_code,))
    timer.daemon = True
    timer.start()
