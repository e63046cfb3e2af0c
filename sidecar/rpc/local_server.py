"""Accepts local-socket clients; each gets a connection of its own to the one application."""

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sidecar.core.clock import Clock
from sidecar.core.errors import InvalidRequest
from sidecar.rpc.connection import Connection
from sidecar.rpc.framing import Framer, frame
from sidecar.rpc.pending_request import Host, Incoming, Routes
from sidecar.rpc.scheduler import Lanes
from sidecar.system.local_socket import Door, open_door

if TYPE_CHECKING:
    from sidecar.call import Call
    from sidecar.core.wire import WireModel
    from sidecar.system.local_socket import Visit


class _Guest:
    """The application as one client's connection sees it: initialized already; notifications go to that client."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.connection: Connection | None = None
        self.new_incident_id = host.new_incident_id
        self.on_incident = host.on_incident
        self.on_answer = host.on_answer

    def initialize(self, _params: Any) -> dict[str, Any]:
        raise InvalidRequest("The sidecar is initialized already.", hint="Send requests at once.")

    def initialized(self) -> None:
        """Nothing is left to load."""

    def new_call(self, incoming: Incoming) -> object:
        def notify(method: str, params: "WireModel") -> None:
            if self.connection is not None and not incoming.has_answer:
                self.connection.notify(method, params.model_dump(mode="json", by_alias=True))

        return replace(cast("Call", self._host.new_call(incoming)), notify=notify)


class Guests:
    """The clients of the local socket, and the time since the last one left."""

    def __init__(self, host: Host, routes: Routes, lanes: Lanes, clock: Clock) -> None:
        self._host = host
        self._routes = routes
        self._lanes = lanes
        self._clock = clock
        self._lock = threading.Lock()
        self._present = 0
        self._last_ms = clock.monotonic_ms()
        self.door: Door | None = None

    def quiet_ms(self) -> float:
        """Milliseconds since the last client left; 0 while one is connected."""
        with self._lock:
            return 0.0 if self._present else self._clock.monotonic_ms() - self._last_ms

    def serve(self, visit: "Visit") -> None:
        """Serve one client until it disconnects; its requests are completed all the same."""
        self._count(1)
        try:
            self._exchange(visit)
        finally:
            visit.close()
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            self._present += change
            self._last_ms = self._clock.monotonic_ms()

    def _exchange(self, visit: "Visit") -> None:
        framer = Framer()

        def send(payload: bytes) -> None:
            try:
                visit.write(frame(payload, framer.framing))
            except OSError:
                visit.close()

        guest = _Guest(self._host)
        guest.connection = connection = Connection(guest, send, self._clock, self._lanes)
        connection.initialized = True
        connection.ready(self._routes)
        try:
            while chunk := visit.read():
                for message in framer.feed(chunk):
                    connection.receive(message)
        except OSError:
            return


def let_in(host: Host, routes: Routes, lanes: Lanes, clock: Clock, state_dir: str) -> Guests:
    """Listen on the state folder's local socket; raise OSError where that is impossible."""
    guests = Guests(host, routes, lanes, clock)
    guests.door = open_door(state_dir, guests.serve)
    return guests
