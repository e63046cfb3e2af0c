"""Serves those who come through the door: each has a connection of its own to the one application."""

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sidecar.app import App
from sidecar.core.errors import InvalidRequest
from sidecar.rpc.connection import Connection
from sidecar.rpc.framing import Framer, frame
from sidecar.rpc.incoming import Incoming
from sidecar.system.door import Door, open_door

if TYPE_CHECKING:
    from sidecar.call import Call
    from sidecar.core.wire import WireModel
    from sidecar.system.door import Visit


class _Guest:
    """The application as a guest's connection sees it: open already, and what a call tells meanwhile goes to him."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.connection: Connection | None = None
        self.new_incident_id = app.new_incident_id
        self.on_incident = app.on_incident
        self.on_answer = app.on_answer

    def initialize(self, _params: Any) -> dict[str, Any]:
        raise InvalidRequest("Who comes through the door finds everything open.", hint="Ask at once.")

    def initialized(self) -> None:
        """Nothing is left to load."""

    def new_call(self, incoming: Incoming) -> object:
        def notify(method: str, params: "WireModel") -> None:
            if self.connection is not None and not incoming.has_answer:
                self.connection.notify(method, params.model_dump(mode="json", by_alias=True))

        return replace(cast("Call", self._app.new_call(incoming)), notify=notify)


class Guests:
    """Those who are served, and when one was here last."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._present = 0
        self._last_ms = app.clock.monotonic_ms()
        self.door: Door | None = None

    def quiet_ms(self) -> float:
        """Milliseconds since the last guest went; 0 while one is here."""
        with self._lock:
            return 0.0 if self._present else self._app.clock.monotonic_ms() - self._last_ms

    def serve(self, visit: "Visit") -> None:
        """Hears one guest until he goes; what he asked for is done all the same."""
        self._count(1)
        try:
            _serve(self._app, visit)
        finally:
            visit.close()
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            self._present += change
            self._last_ms = self._app.clock.monotonic_ms()


def let_in(app: App) -> Guests | None:
    """Opens the door of the application's state folder until the process ends; None where that cannot be done."""
    if app.process is None or app.routes is None:
        return None
    guests = Guests(app)
    try:
        guests.door = open_door(str(app.process.state_dir), guests.serve)
    except OSError as error:
        app.log.warning("door.closed", kind=type(error).__name__)
        return None
    app.process.at_end.append(guests.door.close)
    return guests


def _serve(app: App, visit: "Visit") -> None:
    framer = Framer()

    def send(payload: bytes) -> None:
        try:
            visit.write(frame(payload, framer.framing))
        except OSError:
            visit.close()

    guest = _Guest(app)
    guest.connection = connection = Connection(guest, send, app.clock, app.lanes)
    connection.initialized = True
    assert app.routes is not None
    connection.ready(app.routes)
    try:
        while chunk := visit.read():
            for message in framer.feed(chunk):
                connection.receive(message)
    except OSError:
        return
