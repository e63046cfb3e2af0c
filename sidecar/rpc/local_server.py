"""Accepts local-socket clients; each gets a connection of its own to the one application."""

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sidecar.core.clock import Clock
from sidecar.core.errors import InvalidRequest
from sidecar.rpc.connection import Connection, Host
from sidecar.rpc.framing import Framer, frame
from sidecar.rpc.scheduler import PendingRequest, Scheduler
from sidecar.system.local_socket import SocketListener, listen

if TYPE_CHECKING:
    from sidecar.core.wire_types import WireModel
    from sidecar.rpc.dispatch import Dispatcher
    from sidecar.system.local_socket import SocketConnection


class _ClientHost:
    """The application as one client's connection sees it: initialized already; notifications go to that client."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.connection: Connection | None = None
        self.new_incident_id = host.new_incident_id
        self.on_incident = host.on_incident
        self.on_request = host.on_request
        self.on_response = host.on_response

    def initialize(self, params: Any) -> dict[str, Any]:  # noqa: ARG002  (that of the protocol)
        raise InvalidRequest(
            "The sidecar is initialized already.", hint="Send other requests; `initialize` is not needed."
        )

    def initialized(self) -> None:
        """Nothing is left to load."""

    def new_call(self, request: PendingRequest) -> object:
        def notify(method: str, params: "WireModel") -> None:
            if self.connection is not None and not request.is_answered:
                self.connection.notify(method, params.model_dump(mode="json", by_alias=True))

        return replace(cast("Any", self._host.new_call(request)), notify=notify)


class LocalServer:
    """The clients of the local socket, and the time since the last one left."""

    def __init__(self, host: Host, dispatcher: "Dispatcher", scheduler: Scheduler, clock: Clock) -> None:
        self._host = host
        self._dispatcher = dispatcher
        self._scheduler = scheduler
        self._clock = clock
        self._lock = threading.Lock()
        self._client_count = 0
        self._last_ms = clock.monotonic_ms()
        self.listener: SocketListener | None = None

    def quiet_ms(self) -> float:
        """Milliseconds since the last client left; 0 while one is connected."""
        with self._lock:
            return 0.0 if self._client_count else self._clock.monotonic_ms() - self._last_ms

    def serve(self, socket: "SocketConnection") -> None:
        """Serve one client until it disconnects; its requests are completed all the same."""
        self._count(1)
        try:
            self._exchange(socket)
        finally:
            socket.close()
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            self._client_count += change
            self._last_ms = self._clock.monotonic_ms()

    def _exchange(self, socket: "SocketConnection") -> None:
        framer = Framer()

        def send(payload: bytes) -> None:
            try:
                socket.write(frame(payload, framer.framing))
            except OSError:
                socket.close()

        client_host = _ClientHost(self._host)
        client_host.connection = connection = Connection(client_host, send, self._clock, self._scheduler)
        connection.initialized = True
        connection.ready(self._dispatcher)
        try:
            while chunk := socket.read():
                for message in framer.feed(chunk):
                    connection.receive(message)
        except OSError:
            return


def open_local_server(
    host: Host, dispatcher: "Dispatcher", scheduler: Scheduler, clock: Clock, state_dir: str
) -> LocalServer:
    """Listen on the state folder's local socket; raise OSError where that is impossible."""
    server = LocalServer(host, dispatcher, scheduler, clock)
    server.listener = listen(state_dir, server.serve)
    return server
