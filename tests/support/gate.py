"""Methods that wait until a test lets them go on, for the in-memory twin."""

import queue
import threading

from sidecar.call import Call
from sidecar.core.wire import WireModel
from sidecar.method import Lane, Method, method

PATIENCE_SECONDS = 20.0


class Visit(WireModel):
    """Who comes, and where."""

    name: str = ""
    cwd: str = ""


class Visited(WireModel):
    """Who came, and how many had come by then."""

    name: str
    count: int


class Gate:
    """Holds every call of its rows until `open` is set; `arrivals` tells who is there, `gone` who left."""

    def __init__(self) -> None:
        self.arrivals: queue.Queue[str] = queue.Queue()
        self.open = threading.Event()
        self.began: list[str] = []
        self.ended: list[str] = []
        self.saw_cancellation = threading.Event()
        self._lock = threading.Lock()

    def row(self, name: str, lane: Lane) -> Method:
        """Makes a method in a lane."""

        def hold(call: Call, params: Visit) -> Visited:
            """Waits at the gate."""
            with self._lock:
                self.began.append(params.name)
                count = len(self.began)
            self.arrivals.put(params.name)
            assert self.open.wait(PATIENCE_SECONDS)
            if call.cancellation.is_set:
                self.saw_cancellation.set()
            with self._lock:
                self.ended.append(params.name)
            call.cancellation.check()
            return Visited(name=params.name, count=count)

        return method(name, hold, lane=lane)

    def rows(self) -> tuple[Method, ...]:
        """Makes a method in every lane."""
        return (
            self.row("test/shared", Lane.SHARED),
            self.row("test/workspace", Lane.WORKSPACE),
            self.row("test/job", Lane.JOB),
        )

    def await_arrival(self) -> str:
        """Waits until a call is at the gate and gives its name."""
        return self.arrivals.get(timeout=PATIENCE_SECONDS)
