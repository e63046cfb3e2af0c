"""Methods that block until a test releases them, for the in-memory sidecar."""

import queue
import threading

from sidecar.call import Call
from sidecar.core.wire_types import WireModel
from sidecar.method import Lane, Method, method

PATIENCE_SECONDS = 20.0


class BlockedParams(WireModel):
    """Name and workspace of a call."""

    name: str = ""
    cwd: str = ""


class BlockedResult(WireModel):
    """Name of a call, and the number of calls started by then."""

    name: str
    count: int


class BlockingMethods:
    """Blocks every call of its methods until `open` is set; `arrivals` has the names of the calls."""

    def __init__(self) -> None:
        self.arrivals: queue.Queue[str] = queue.Queue()
        self.open = threading.Event()
        self.started: list[str] = []
        self.ended: list[str] = []
        self.saw_cancellation = threading.Event()
        self._lock = threading.Lock()

    def row(self, name: str, lane: Lane) -> Method:
        """Return a method in a lane."""

        def block(call: Call, params: BlockedParams) -> BlockedResult:
            """Waits at the gate."""
            with self._lock:
                self.started.append(params.name)
                count = len(self.started)
            self.arrivals.put(params.name)
            assert self.open.wait(PATIENCE_SECONDS)
            if call.cancellation.is_set:
                self.saw_cancellation.set()
            with self._lock:
                self.ended.append(params.name)
            call.cancellation.check()
            return BlockedResult(name=params.name, count=count)

        return method(name, block, lane=lane)

    def rows(self) -> tuple[Method, ...]:
        """Return a method in every lane."""
        return (
            self.row("test/shared", Lane.SHARED),
            self.row("test/workspace", Lane.WORKSPACE),
            self.row("test/job", Lane.JOB),
        )

    def wait_for_call(self) -> str:
        """Wait until a call is blocked and return its name."""
        return self.arrivals.get(timeout=PATIENCE_SECONDS)
