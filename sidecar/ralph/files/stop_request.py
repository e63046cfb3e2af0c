"""How a running loop hears that it is to stop: from its own process, from another one, or because all ends."""

import os
import threading
from collections.abc import Callable

import orjson

from sidecar.call import Process
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.ralph.files.folder import Folder, remove
from sidecar.ralph.outcome import INTERRUPTED, Ending
from sidecar.system.atomic_write import write_whole

LOOK_SECONDS = 0.2

END_SECONDS = 1.0
"""How long the end of the process waits for agents to be ended: none may go on working unseen."""


class Stop:
    """One loop's wish to stop: the first word counts; `at_once` leaves no grace."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.at_once = threading.Event()
        self._lock = threading.Lock()
        self._ending: Ending | None = None

    def ask(self, reason: str, exit_code: int = INTERRUPTED, *, at_once: bool = False) -> None:
        """Asks the loop to stop for a reason, which is one sentence."""
        with self._lock:
            self._ending = self._ending or Ending("interrupted", exit_code, reason)
        if at_once:
            self.at_once.set()
        self.asked.set()

    @property
    def ending(self) -> Ending | None:
        """Why the loop is to end; None while nobody asked."""
        with self._lock:
            return self._ending


class Loops:
    """The loops that run in this process, by their folders."""

    def __init__(self) -> None:
        self._stops: dict[str, Stop] = {}
        self._all: Ending | None = None
        """Said to all, also to those that begin only then."""
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)

    def begin(self, folder: Folder) -> Stop:
        """Notes a loop that begins, and gives the way to stop it."""
        with self._lock:
            stop = self._stops.setdefault(str(folder.path), Stop())
            if self._all is not None:
                stop.ask(self._all.reason, self._all.exit_code)
            return stop

    def end(self, folder: Folder) -> None:
        """Notes that a loop has ended."""
        with self._changed:
            self._stops.pop(str(folder.path), None)
            self._changed.notify_all()

    def ask_all(self, reason: str, exit_code: int, *, at_once: bool = False) -> None:
        """Asks every loop of this process to stop."""
        with self._lock:
            self._all = self._all or Ending("interrupted", exit_code, reason)
            stops = list(self._stops.values())
        for stop in stops:
            stop.ask(reason, exit_code, at_once=at_once)

    def end_all(self) -> None:
        """Ends every loop with its agent, because the process ends; waits for that a moment."""
        self.ask_all("The sidecar ended.", INTERRUPTED, at_once=True)
        with self._changed:
            self._changed.wait_for(lambda: not self._stops, END_SECONDS)


def loops_of(process: Process) -> Loops:
    """Gives the loops of a process, which end before it does."""

    def made() -> Loops:
        loops = Loops()
        process.at_end.append(loops.end_all)
        return loops

    return process.part(Loops, made)


class Watch:
    """A thread that looks, while a loop runs, whether it is to stop."""

    def __init__(self, folder: Folder, stop: Stop, ending: threading.Event, cancelled: Callable[[], bool]) -> None:
        """`ending` is set when the process ends; `cancelled` says whether the request was."""
        self._folder, self._stop = folder, stop
        self._ending, self._cancelled = ending, cancelled
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="ralph-stop", daemon=True)

    def __enter__(self) -> None:
        remove(self._folder.stop)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(5)
        remove(self._folder.stop)

    def _look(self) -> None:
        while not self._over.is_set():
            if self._ending.wait(LOOK_SECONDS):
                self._stop.ask("The sidecar ended.", at_once=True)
            elif self._cancelled():
                self._stop.ask("The request was cancelled.")
            elif os.path.lexists(self._folder.stop):
                self._stop.ask("It was stopped by `spool ralph --stop`.")
            else:
                continue
            return


def ask_from_outside(folder: Folder, asked_at: str) -> None:
    """Leaves word for a loop in whatever process that it is to stop; raises WorkspaceUnavailable."""
    try:
        write_whole(folder.stop, orjson.dumps({"at": asked_at}), durable=False)
    except OSError as error:
        raise WorkspaceUnavailable(f"The loop cannot be told to stop: {error.strerror}.") from error


def give_up_in(seconds: float, exit_code: int) -> None:
    """Ends this process after so long, whatever still runs in it."""
    timer = threading.Timer(seconds, os._exit, (exit_code,))
    timer.daemon = True
    timer.start()
